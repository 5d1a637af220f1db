#!/usr/bin/env python3
"""Decode and prefill of needle-rs, the jitted JAX reference and libneedle, alternately on one archive.

Each engine runs in a process of its own that stays, so that loading and compiling are not measured, and takes its
turn while the others wait. Each may use all cores.

prefill   512 tokens, divided by the time until the logits after the last
decode    64 tokens one by one around a context of 300, greedy

needle-rs (V3Engine, kv_int8=True) has one call for both, and computes the prompt anew each time. Its prefill is a call
for one token; its decode is the difference between the median of calls for 65 tokens and of calls for one, after the
same prompt. The reference (cactus-needle, float32, jax.jit) has no cache of keys and values: it computes the whole
sequence for each token, so it has a prefill and no decode.

The last line of --json is one object; decode_tps of an engine without decoding is null. --keep FILE has all rounds.
"""
import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import time

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
BUILD = os.path.join(ROOT, "build", "bench")
NEEDLE_RS = "needle-rs==0.3.1"
PEERS = ("needle-rs", "jax")

PREFILL = 512
CONTEXT, STEPS = 300, 64


class Failure(Exception):
    """Something the user should read, without a traceback."""


# The processes: jobs a line on standard input, answers a line, as needle bench-worker has them.

class NeedleRS:
    def __init__(self, path):
        import needle_rs
        self.engine = needle_rs.V3Engine.load(path)
        self.queries = {}

    def call(self, query, tokens):
        begin = time.perf_counter()
        answer = self.engine.generate(query, "[]", max_new_tokens=tokens, kv_int8=True)
        seconds = time.perf_counter() - begin
        if len(answer["token_ids"]) != tokens:
            raise Failure(f"it stopped after {len(answer['token_ids'])} of {tokens} tokens: {answer['stop_reason']}")
        return seconds, answer["positions"]

    def query(self, tokens):
        """A request whose prompt has so many tokens, give or take a few, and how many it has. The last token that
        is written is not fed, so after one token the positions are the prompt's."""
        if tokens not in self.queries:
            words = {n: self.call("a b " * n, 1)[1] for n in (8, 16)}
            per_word = (words[16] - words[8]) / 8
            n = max(1, round(8 + (tokens - words[8]) / per_word))
            text = "a b " * n
            positions = self.call(text, 1)[1]
            if abs(positions - tokens) > 8:
                raise Failure(f"a prompt of {tokens} tokens became one of {positions}")
            self.queries[tokens] = text, positions
        return self.queries[tokens]

    def prefill(self, job):
        text, tokens = self.query(job["tokens"])
        return {"seconds": self.call(text, 1)[0], "tokens": tokens}

    def decode(self, job):
        text, _ = self.query(job["context"])
        short, long = self.call(text, 1)[0], self.call(text, 1 + job["tokens"])[0]
        return {"seconds": long, "minus": short, "tokens": job["tokens"]}


class Jax:
    def __init__(self, path):
        sys.path.insert(0, os.path.join(ROOT, "scripts", "oracle"))
        import jax
        import jax.numpy as jnp
        import numpy as np
        import oracle
        from needle.model import architecture as arch
        config = oracle.config_of(path)
        model = arch.SimpleAttentionNetwork(config)
        self.params = oracle.load_dequantised(path, oracle.template(model, config, oracle.heads_of(path)), config)
        self.run = jax.jit(lambda params, tokens: model.apply({"params": params}, tokens))
        self.tokens = lambda n: jnp.asarray(np.random.default_rng(1).integers(16, config.vocab_size, (1, n)), jnp.int32)
        self.ready = set()

    def prefill(self, job):
        tokens = self.tokens(job["tokens"])
        if job["tokens"] not in self.ready:  # compiles
            self.run(self.params, tokens).block_until_ready()
            self.ready.add(job["tokens"])
        begin = time.perf_counter()
        self.run(self.params, tokens).block_until_ready()
        return {"seconds": time.perf_counter() - begin, "tokens": job["tokens"]}

    def decode(self, job):
        return {"none": "the reference has no incremental decode: it computes the whole sequence for each token"}


def serve(name, path):
    engine = {"needle-rs": NeedleRS, "jax": Jax}[name](path)
    for line in sys.stdin:
        job = json.loads(line)
        try:
            answer = getattr(engine, job["op"])(job)
        except Failure as failure:
            answer = {"error": str(failure)}
        print(json.dumps(answer), flush=True)


class Engine:
    """A process that is asked."""

    def __init__(self, name, command):
        self.name = name
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                        env={**os.environ, "NEEDLE_TELEMETRY": "0"})

    def ask(self, **job):
        try:
            self.process.stdin.write(json.dumps(job) + "\n")
            self.process.stdin.flush()
            line = self.process.stdout.readline()
        except BrokenPipeError:
            line = ""
        if not line:
            raise Failure(f"{self.name} ended with status {self.process.wait()}; what it printed stands above")
        answer = json.loads(line)
        if answer.get("error"):
            raise Failure(f"{self.name}: {answer['error']}")
        return answer

    def close(self):
        self.process.kill()
        self.process.wait()


# Installing.

def run(command, failure):
    """Runs a command; its output is shown when it fails."""
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if result.returncode:
        sys.stderr.write(result.stdout)
        raise Failure(failure)
    return result.stdout


def needle_rs_python():
    """The Python of an environment with needle-rs in it."""
    venv = os.path.join(BUILD, "needle-rs-venv")
    python, stamp = os.path.join(venv, "bin", "python"), os.path.join(venv, "made-from")
    if not (os.path.exists(stamp) and open(stamp).read() == NEEDLE_RS):
        say(f"installing {NEEDLE_RS} (once)")
        run([sys.executable, "-m", "venv", venv],
            "Python can't make an environment; on Debian: apt-get install python3-venv")
        run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--only-binary", ":all:", NEEDLE_RS],
            f"{NEEDLE_RS} could not be installed on {platform.machine()} {platform.system()}, see above; "
            "--peers jax compares without it")
        with open(stamp, "w") as handle:
            handle.write(NEEDLE_RS)
    return python


def oracle_python():
    setup = os.path.join(ROOT, "scripts", "oracle", "setup")
    return run([setup], "the environment of the JAX reference could not be made, see above; --peers needle-rs compares "
                        "without it").strip().splitlines()[-1]


def commands(archive, peers):
    binary = os.path.join(ROOT, "build", "bin", "needle")
    run(["go", "build", "-C", ROOT, "-o", binary, "./cmd/needle"], "the command could not be built, see above")
    out = {"needle": [binary, "bench-worker", archive]}
    for name in peers:
        python = needle_rs_python() if name == "needle-rs" else oracle_python()
        out[name] = [python, os.path.abspath(__file__), "--serve", name, archive]
    return out


# Measuring.

def say(text):
    print("scripts/bench-peers:", text, file=sys.stderr, flush=True)


def rounds(engines, count):
    """All answers by engine and operation. What a process prepares for its first answer is not measured."""
    jobs = {"prefill": dict(tokens=PREFILL), "decode": dict(tokens=STEPS, context=CONTEXT - STEPS // 2)}
    answers = {e.name: {op: [] for op in jobs} for e in engines}
    for number in range(count + 1):
        for op, job in jobs.items():
            for engine in engines:
                answer = engine.ask(op=op, **job)
                if number > 0:
                    answers[engine.name][op].append(answer)
        say(f"round {number} of {count}" if number else "everything is loaded and has run once")
    return answers


def rate(name, op, answers):
    """Tokens per second, or None and why."""
    if "none" in answers[0]:
        return None, answers[0]["none"]
    median = lambda key: statistics.median(a.get(key, 0) for a in answers)
    seconds = median("seconds") - median("minus")
    if seconds <= 0:
        raise Failure(f"{name}: the times of {op} are too uneven to tell them apart; try again when the machine is idle")
    return round(answers[0]["tokens"] / seconds, 1), None


def summary(answers):
    out = {}
    for name, ops in answers.items():
        out[name] = {}
        for op in ("decode", "prefill"):
            out[name][op + "_tps"], reason = rate(name, op, ops[op])
            if reason:
                out[name][op + "_reason"] = reason
    return out


def table(result):
    text = lambda v: "-" if v is None else f"{v:.1f}"
    times = lambda ours, v: "" if v is None else f"{ours / v:.1f}x"
    ours = result["needle"]
    rows = [("engine", "decode tok/s", "ours", "prefill tok/s", "ours")]
    for name, r in result.items():
        rows.append((name, text(r["decode_tps"]), times(ours["decode_tps"], r["decode_tps"]), text(r["prefill_tps"]),
                     times(ours["prefill_tps"], r["prefill_tps"])))
    widths = [max(len(row[i]) for row in rows) for i in range(5)]
    for row in rows:
        print("  ".join([row[0].ljust(widths[0])] + [row[i].rjust(widths[i]) for i in range(1, 5)]))
    for name, r in result.items():
        if "decode_reason" in r:
            print(f"{name}: {r['decode_reason']}")


def measure(args):
    archive = args.archive or os.path.join(BUILD, "full.cact")
    if not args.archive:
        run([os.path.join(ROOT, "scripts", "bench-archives")], "the archive could not be built, see above")
    if not os.path.isfile(archive):
        raise Failure(f"{archive} is no file; without ARCHIVE one of the shipped geometry is built")
    os.makedirs(BUILD, exist_ok=True)
    engines = []
    try:
        for name, command in commands(os.path.abspath(archive), args.peers).items():
            engines.append(Engine(name, command))
        answers = rounds(engines, args.rounds or (3 if args.quick else 9))
    finally:
        for engine in engines:
            engine.close()
    result = summary(answers)
    if args.keep:
        with open(args.keep, "w") as handle:
            json.dump({"archive": os.path.basename(archive), "result": result, "rounds": answers}, handle, indent=1)
    if args.json:
        print(json.dumps(result))
    else:
        table(result)


def peer_list(text):
    names = [name for name in text.split(",") if name]
    for name in names:
        if name not in PEERS:
            raise argparse.ArgumentTypeError(f"{name!r} is not among {', '.join(PEERS)}")
    return names


def main():
    parser = argparse.ArgumentParser(prog="scripts/bench-peers", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("archive", nargs="?", help="without it the full-geometry archive of scripts/bench-archives")
    parser.add_argument("--quick", action="store_true", help="3 rounds instead of 9")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of a table")
    parser.add_argument("--keep", metavar="FILE", help="write the result and all rounds there")
    parser.add_argument("--rounds", type=int, help="number of rounds")
    parser.add_argument("--peers", type=peer_list, default=list(PEERS), help="who to compare with: needle-rs,jax")
    parser.add_argument("--serve", choices=PEERS, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.rounds is not None and args.rounds < 1:
        parser.error("--rounds: 1 or more")
    if args.serve:
        serve(args.serve, args.archive)
        return
    try:
        measure(args)
    except Failure as failure:
        say(failure)
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
