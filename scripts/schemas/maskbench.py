"""Runs JSON Schema grammar engines over schemas with valid and invalid instances, and prints their scores and
times side by side.

    scripts/maskbench FILE [--engines needle,llguidance,xgrammar] [--json] [--limit N]
    scripts/maskbench testdata/schemas/maskbench.jsonl --engines llguidance,xgrammar

Every schema is compiled. Every instance is written as compact JSON in its own key order, cut into the tokens of
one vocabulary, and given to the engine token by token: the mask is computed, the token has to be in it, the
engine consumes it; at the end the engine has to allow the end. A valid instance that gets through is right,
an invalid one that does not is right. A schema that does not compile gives no verdicts at all; one on which the
engine dies or passes the limit of --seconds counts as not compiled.

The engines run one after the other, each in a process of its own with one thread, fed the same tokens. Times:
  compile   schema text to a matcher ready for its first mask
  mask      the mask and the choice under it, an argmax over random float32 logits where the mask allows;
            per token position, the one after the last token included
  alone     the mask without the choice (NumPy's takes some 8 us of the Python engines' times)
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

import vocabulary_file

ROOT = Path(__file__).resolve().parents[2]
ENGINES = ("needle", "llguidance", "xgrammar")
WORKER = Path(__file__).resolve().parent / "engines.py"
SCORES = ("schemas", "compiled", "valid", "valid_ok", "invalid", "invalid_ok")
MORE_SCORES = ("right", "wrong", "valid_refused", "invalid_accepted")


class Failure(Exception):
    """A sentence for the user."""


# --- the file --------------------------------------------------------------------------------------

@dataclass
class Case:
    """A schema and its instances, as the engines get them."""
    id: str
    schema: str
    valid: list
    texts: list
    tokens: list = field(default_factory=list)


def compact(value):
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def read_case(line):
    row = json.loads(line)
    tests = row["tests"]
    return Case(row["id"], compact(row["schema"]), [t["valid"] for t in tests], [compact(t["data"]) for t in tests])


def read_cases(path, limit):
    cases = []
    try:
        with open(path, encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                if limit is not None and len(cases) == limit:
                    break
                if line.strip():
                    cases.append(read_case(line))
    except OSError as e:
        raise Failure(f"{path}: {e.strerror}") from e
    except (ValueError, KeyError, TypeError) as e:
        raise Failure(f"{path}:{number}: no row of id, schema and tests [{{valid, data}}]: {e!r}") from e
    if not cases:
        raise Failure(f"{path}: no schemas in it")
    return cases


def prepare(cases, vocabulary, path):
    """Writes what every engine reads, so that all of them get the same bytes and the same tokens: the pieces,
    then a line per schema."""
    with open(path, "w", encoding="utf-8") as file:
        print(json.dumps({"vocabulary": vocabulary.path, "pieces": vocabulary.base64_pieces()}), file=file)
        for case in cases:
            try:
                case.tokens = [vocabulary.encode(text) for text in case.texts]
            except ValueError as e:
                raise Failure(f"{case.id}: {e}") from e
            print(json.dumps({"schema": case.schema, "tests": case.tokens}), file=file)


# --- the engines -----------------------------------------------------------------------------------

def build_needle(directory):
    program = os.path.join(directory, "needle")
    try:
        subprocess.run(["go", "build", "-o", program, "./scripts/maskbench-needle"], cwd=ROOT, check=True)
    except FileNotFoundError as e:
        raise Failure("needle: no Go to build it with; leave it out with --engines llguidance,xgrammar") from e
    except subprocess.CalledProcessError as e:
        raise Failure("needle: scripts/maskbench-needle does not build, see above; leave it out with "
                      "--engines llguidance,xgrammar") from e
    return [program]


def command(engine, directory):
    return build_needle(directory) if engine == "needle" else [sys.executable, str(WORKER), engine]


def show(engine, done, total):
    if sys.stderr.isatty():
        end = "\r\033[K" if done == total else ""
        print(f"\r\033[K{engine}: {done} of {total} schemas", end=end, file=sys.stderr, flush=True)


def results_of(process, engine, results, total):
    """Appends the results the process writes; true when it got ready at all."""
    if not process.stdout.readline():
        return False
    for line in process.stdout:
        results.append(json.loads(line))
        show(engine, len(results), total)
    return True


def died(code, limit):
    if code in (-14, 124):  # SIGALRM, and what scripts/maskbench-needle says instead
        return f"no answer in {limit} s"
    return f"the engine died of signal {-code}" if code < 0 else f"the engine ended with exit code {code}"


def show_end(log):
    """What an engine said before it died. The rest of its chatter, warnings of schemas it treats loosely, is
    of no use here."""
    log.seek(0)
    sys.stderr.write("".join(log.readlines()[-20:]))


def run(engine, prepared, total, directory, limit):
    """One result per schema. An engine that dies or takes too long loses that schema and goes on with the next."""
    start = command(engine, directory) + ["--limit", str(limit), "--skip"]
    results = []
    while len(results) < total:
        with tempfile.TemporaryFile("w+", errors="replace") as log, \
                subprocess.Popen([*start, str(len(results)), prepared], stdout=subprocess.PIPE, stderr=log, text=True,
                                 env={**os.environ, "GOMAXPROCS": "1"}) as process:
            try:
                ready = results_of(process, engine, results, total)
                process.wait()
            except BaseException:
                process.kill()
                raise
            if not ready or len(results) < total:
                show_end(log)
        if not ready:
            raise Failure(f"{engine}: did not start ({died(process.returncode, limit)}), see above")
        if len(results) < total:
            results.append({"error": died(process.returncode, limit)})
    return results


# --- the scores ------------------------------------------------------------------------------------

def verdicts(cases, results):
    """For each instance of a compiled schema: the case, its index, and the token it was refused at or None."""
    for case, result in zip(cases, results):
        if not result["error"]:
            for i, refused_at in enumerate(result["refused_at"]):
                yield case, i, refused_at


def times(prefix, values):
    if not values:
        return {f"{prefix}_{key}": None for key in ("median", "p99", "max", "total")}
    values = sorted(values)
    p99 = values[min(len(values) - 1, len(values) * 99 // 100)]
    return {f"{prefix}_median": statistics.median(values), f"{prefix}_p99": p99, f"{prefix}_max": values[-1],
            f"{prefix}_total": sum(values)}


def summary(cases, results):
    out = dict.fromkeys(SCORES + MORE_SCORES, 0)
    out["schemas"] = len(cases)
    out["compiled"] = sum(not r["error"] for r in results)
    for case in cases:
        out["valid"] += sum(case.valid)
        out["invalid"] += len(case.valid) - sum(case.valid)
    for case, i, refused_at in verdicts(cases, results):
        if case.valid[i]:
            out["valid_ok" if refused_at is None else "valid_refused"] += 1
        else:
            out["invalid_accepted" if refused_at is None else "invalid_ok"] += 1
    out["right"] = out["valid_ok"] + out["invalid_ok"]
    out["wrong"] = out["valid_refused"] + out["invalid_accepted"]
    compiled = [r for r in results if not r["error"]]
    out |= times("compile_ms", [r["compile_ms"] for r in compiled])
    out["positions"] = sum(len(r["mask_us"]) for r in compiled)
    out |= times("mask_us", [us for r in compiled for us in r["mask_us"]])
    out |= times("mask_alone_us", [us for r in compiled for us in r["alone_us"]])
    return {key: round(value, 3) if isinstance(value, float) else value for key, value in out.items()}


# --- the output ------------------------------------------------------------------------------------

TIME_ROWS = [("compile ms median", "compile_ms_median", 1, "ms"), ("compile ms p99", "compile_ms_p99", 1, "ms"),
             ("compile ms max", "compile_ms_max", 1, "ms"), ("compile s total", "compile_ms_total", 1e3, "s"),
             ("token positions", "positions", 1, ""),
             ("mask us median", "mask_us_median", 1, "us"), ("mask us p99", "mask_us_p99", 1, "us"),
             ("mask us max", "mask_us_max", 1, "us"), ("mask s total", "mask_us_total", 1e6, "s"),
             ("mask alone us median", "mask_alone_us_median", 1, "us"),
             ("mask alone us p99", "mask_alone_us_p99", 1, "us"), ("mask alone us max", "mask_alone_us_max", 1, "us")]


def cell(value, divisor, unit):
    if value is None:
        return "-"
    return f"{value / divisor:,.{2 if unit in ('ms', 's') else 1}f}" if unit else f"{value:,}"


def table(summaries):
    rows = [["", *summaries]]
    for key in SCORES + MORE_SCORES:
        rows.append([key, *(cell(s[key], 1, "") for s in summaries.values())])
    for label, key, divisor, unit in TIME_ROWS:
        rows.append([label, *(cell(s[key], divisor, unit) for s in summaries.values())])
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return "\n".join("  ".join([row[0].ljust(widths[0])] + [c.rjust(w) for c, w in zip(row[1:], widths[1:])])
                     for row in rows)


def faults(engine, cases, results, vocabulary):
    """A line per schema that did not compile and per wrong verdict."""
    for case, result in zip(cases, results):
        if result["error"]:
            yield f"{engine}\t{case.id}\tnot compiled\t{' '.join(result['error'].split())}"
    for case, i, refused_at in verdicts(cases, results):
        if case.valid[i] == (refused_at is None):
            continue
        if refused_at is None:
            yield f"{engine}\t{case.id}\ttest {i}: invalid accepted\t{case.texts[i]}"
        else:
            before = vocabulary.text(case.tokens[i][:refused_at])
            yield f"{engine}\t{case.id}\ttest {i}: valid refused after\t{before}\tof\t{case.texts[i]}"


def positive(text):
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"a number of 1 or more is needed, not {text}")
    return int(text)


def engine_list(text):
    names = [name.strip() for name in text.split(",") if name.strip()]
    unknown = [name for name in names if name not in ENGINES]
    if unknown or not names:
        raise argparse.ArgumentTypeError(f"no engine {', '.join(unknown) or 'named'}; there are {', '.join(ENGINES)}")
    return list(dict.fromkeys(names))


def arguments():
    parser = argparse.ArgumentParser(prog="maskbench", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", help="JSON lines of id, schema, tests [{valid, data}]")
    parser.add_argument("--engines", type=engine_list, default=list(ENGINES), help="default: " + ",".join(ENGINES))
    parser.add_argument("--json", action="store_true", help="a last line with everything as one JSON object")
    parser.add_argument("--limit", type=positive, metavar="N", help="only the first N schemas")
    parser.add_argument("--faults", action="store_true",
                        help="first a line for each schema that did not compile and each wrong verdict")
    parser.add_argument("--vocabulary", default=str(ROOT / "testdata/schemas/vocabulary.model"), metavar="FILE",
                        help="a SentencePiece model or an archive, .cact (default: testdata/schemas/vocabulary.model)")
    parser.add_argument("--seconds", type=positive, default=60, help="limit per schema and its instances (default: 60)")
    return parser.parse_args()


def load_vocabulary(path):
    try:
        return vocabulary_file.load(path)
    except OSError as e:
        raise Failure(f"{path}: {e.strerror}") from e
    except ValueError as e:
        raise Failure(f"{path}: {e}") from e


def measure(options):
    cases = read_cases(options.file, options.limit)
    vocabulary = load_vocabulary(options.vocabulary)
    summaries = {}
    with tempfile.TemporaryDirectory(prefix="maskbench") as directory:
        prepared = os.path.join(directory, "prepared.jsonl")
        prepare(cases, vocabulary, prepared)
        for engine in options.engines:
            results = run(engine, prepared, len(cases), directory, options.seconds)
            summaries[engine] = summary(cases, results)
            if options.faults:
                for line in faults(engine, cases, results, vocabulary):
                    print(line)
    print(table(summaries))
    if options.json:
        print(json.dumps(summaries, separators=(",", ":")))


def main():
    options = arguments()
    try:
        measure(options)
    except Failure as e:
        print(f"maskbench: {e}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nmaskbench: interrupted", file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
