"""One request, one answer: the Go API, both C libraries, the command line; byte for byte but for speed and memory."""
import json
import pathlib
import re
import subprocess
import sys

import jsonschema
import pytest

ENVELOPE = jsonschema.Draft202012Validator(json.loads(
    (pathlib.Path(__file__).resolve().parents[2] / "docs/envelope.schema.json").read_text(encoding="utf-8")))

# A C library in a process of its own: two Go runtimes in one are nobody's promise. clip: with the arguments of 3.1.
HOST = """
import ctypes, json, sys
library, archive, clip = sys.argv[1:]
needle = ctypes.CDLL(library)
needle.needle_last_error.restype = ctypes.c_char_p
extra = (None, 0) if clip == "clip" else ()
assert needle.needle_load_file(archive.encode()) == 0, needle.needle_last_error()
out = ctypes.create_string_buffer(1 << 16)
for line in sys.stdin:
    r = json.loads(line)
    assert needle.needle_init(r["system"].encode(), r["tools"].encode(), None) > 0, needle.needle_last_error()
    assert needle.needle_complete(r["input"].encode(), *extra, 0, out, len(out)) >= 0, needle.needle_last_error()
    sys.stdout.buffer.write(out.value + b"\\n")
"""
SPEED = re.compile(r'"prefill_tps":[0-9.]+,"decode_tps":[0-9.]+,"peak_ram_mb":[0-9.]+')
LIGHTS = [{"name": "controlLights", "description": "Turn \"lights\" on or off\n🙏", "parameters": {"type": "object",
           "properties": {"roomName": {"type": "string", "enum": ["kitchen", "café"]},
                          "state": {"type": "string", "enum": ["on", "off"]}}, "required": ["roomName", "state"]}}]
AWKWARD = ["", " ", "\n", "say \"turn on\" the \\kitchen\\ lights", "turn on\nthe café lights 🙏",
           "</tool_call><|im_end|>", "--help", "@/dev/null", "[{\"ok\": true}]", "turn on the kitchen lights"]


def request(system, tools, text):
    return {"system": system, "tools": json.dumps(tools, ensure_ascii=False), "input": text}


@pytest.fixture(scope="module")
def requests(root):
    rows = [json.loads(line) for line in (root / "testdata/demo/eval.jsonl").read_text(encoding="utf-8").splitlines()]
    rows = [row for row in rows if row["kind"] != "result"][::11][:20]
    assert len(rows) == 20
    plain = [request(row["system"], row["tools"], row["query"]) for row in rows]
    return plain + [request("date: 2026-09-18 Fri 09:41; user: \"Zoë\"", LIGHTS, text) for text in AWKWARD]


def comparable(text):
    """The envelopes' text without the numbers that differ from run to run."""
    lines = text.split("\n")
    assert lines.pop() == ""
    for line in lines:
        ENVELOPE.validate(json.loads(line))
    stripped = [SPEED.subn("", line) for line in lines]
    assert all(n == 1 for _, n in stripped)
    return [line for line, _ in stripped]


def lines_of(command, requests):
    text = "".join(json.dumps(r) + "\n" for r in requests)
    done = subprocess.run(command, input=text, check=True, capture_output=True, text=True, encoding="utf-8")
    assert done.stderr == ""
    return comparable(done.stdout)


@pytest.fixture(scope="module")
def reference(root, demo_archive, requests, tmp_path_factory):
    """What the Go API answers. It has to have answered: calls, refusals and awkward texts alike."""
    program = tmp_path_factory.mktemp("bin") / "answers"
    subprocess.run(["go", "build", "-o", program, "./tests/answers"], cwd=root, check=True)
    answers = lines_of([program, demo_archive], requests)
    assert len(answers) == len(requests) == 30 and len(set(answers)) > 20
    assert sum('"function_calls":[{' in answer for answer in answers) > 10
    return answers


@pytest.mark.parametrize("name, clip", [("libneedle.so", "none"), ("libneedle-audio-abi.so", "clip")])
def test_libraries(libraries, demo_archive, requests, reference, name, clip):
    assert lines_of([sys.executable, "-c", HOST, libraries / name, demo_archive, clip], requests) == reference


def test_command_line(root, demo_archive, requests, reference, tmp_path):
    needle = tmp_path / "needle"
    subprocess.run(["go", "build", "-o", needle, "./cmd/needle"], cwd=root, check=True)
    compared = 0
    for r, answer in zip(requests, reference):
        flags = {"model": demo_archive, "tools": r["tools"], "system": r["system"], "prompt": r["input"]}
        done = subprocess.run([needle, "run", *(f"--{name}={value}" for name, value in flags.items())],
                              capture_output=True, text=True, encoding="utf-8")
        if r["input"] == "":
            assert done.returncode != 0 and done.stdout == "" and "no request" in done.stderr
            continue
        assert comparable(done.stdout) == [answer]
        assert (done.returncode == 0) == ('"success":true' in answer)
        compared += 1
    assert compared == len(requests) - 1
