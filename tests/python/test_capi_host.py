"""libneedle.so as a guest: what it does to its process, and what a process may do to it.

Each test runs its host in a Python process of its own, because signals, memory maps and unloading concern all of it.
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import textwrap

import pytest

HERE = pathlib.Path(__file__).resolve().parent

PRELUDE = """
import ctypes, json, os, random, re, signal, subprocess, sys, threading, time
sys.path.insert(0, {here!r})
import test_capi as t
needle = t.load_library({library!r})
ARCHIVE = {archive!r}
def error(): return needle.needle_last_error().decode()
def start(tools=t.TOOLS, path=ARCHIVE):
    assert needle.needle_load_file(path.encode()) == 0, error()
    assert needle.needle_init(None, tools, None) > 0, error()
def calls(request=t.REQUEST): return t.complete(needle, request)[1]["function_calls"]
"""


@pytest.fixture
def host(library, demo_archive):
    """A function that runs lines of Python beside the library in a new process and returns what they print."""
    def run(lines, archive=demo_archive, timeout=60):
        prelude = PRELUDE.format(here=str(HERE), library=str(library), archive=str(archive))
        done = subprocess.run([sys.executable, "-c", prelude + textwrap.dedent(lines)], capture_output=True,
                              text=True, timeout=timeout)
        assert done.returncode == 0, done.stderr[-3000:]
        assert done.stderr == ""
        return done.stdout
    return run


def test_counts_are_the_references(host, root):
    """Prefix tokens and appended tokens against the ids that the reference made of the same requests."""
    with open(root / "testdata/demo/eval.jsonl", encoding="utf-8") as f:
        cases = [json.loads(line) for line in f]
    cases = [c for c in cases if c["complete"] and min(c["margins"]) > 0.5 and c["prompt_ids"].count(9) == 1][:12]
    assert len(cases) == 12
    got = json.loads(host(f"""
        needle.needle_load_file(ARCHIVE.encode())
        got = []
        for system, tools, query in {[(c["system"], json.dumps(c["tools"]), c["query"]) for c in cases]!r}:
            prefix = needle.needle_init(system.encode(), tools.encode(), None)
            got.append((prefix, *t.complete(needle, query.encode())))
        print(json.dumps(got))
        """))
    for case, (prefix, tokens, envelope) in zip(cases, got):
        assert prefix == case["prompt_ids"].index(9) + 1
        assert tokens == len(case["output_ids"])
        assert envelope["function_calls"] == case["output_calls"]


def test_pointers_that_cannot_be_read(host):
    """A fault in the marshalling is an error, and ends the session at most."""
    host("""
        start()
        bad = ctypes.c_void_p(0x10000)
        raw = ctypes.CDLL(needle._name)
        raw.needle_load.argtypes = [ctypes.c_void_p, ctypes.c_ulonglong]
        for call in (lambda: raw.needle_init(bad, None, None), lambda: raw.needle_load_file(bad),
                     lambda: raw.needle_load(bad, 5000), lambda: raw.needle_embed(bad, (ctypes.c_float * 4096)(), 4096)):
            assert call() == -1
            assert error() != ""
        start()
        assert calls() == t.CALLS
        assert raw.needle_complete(t.REQUEST, 0, bad, 4096) == -1 and "internal error" in error()
        start()
        assert calls() == t.CALLS
        """)


def test_a_file_that_is_truncated_while_it_is_mapped(host, demo_archive, tmp_path):
    path = tmp_path / "model.cact"
    shutil.copy(demo_archive, path)
    host("""
        start()
        os.truncate(ARCHIVE, 5000)
        out = ctypes.create_string_buffer(8192)
        for _ in range(3):
            assert needle.needle_complete(t.REQUEST, 512, out, 8192) == -1
            assert "truncated" in error(), error()
            assert json.loads(out.value) == {"type": "error", "error": error()}
        assert needle.needle_embed(b"x", (ctypes.c_float * 4096)(), 4096) == -1
        assert needle.needle_init(b"another", t.TOOLS, None) == -1
        """, archive=path)


def test_embedding_leaves_the_session_alone(host):
    host("""
        start()
        calls()
        want = t.plain(t.complete(needle, b"turn off the bedroom lights")[1])
        needle.needle_reset()
        calls()
        n = needle.needle_embed(None, None, 0)
        assert needle.needle_embed(b"something else entirely", (ctypes.c_float * n)(), n) == n
        assert t.plain(t.complete(needle, b"turn off the bedroom lights")[1]) == want
        needle.needle_reset()
        assert t.plain(t.complete(needle, b"turn off the bedroom lights")[1]) != want  # the turn before it matters
        """)


def test_the_same_prefix_again_is_cheap(host):
    host("""
        start()
        system = b"fact. " * 150
        begin = time.perf_counter(); first = needle.needle_init(system, t.TOOLS, None); cold = time.perf_counter() - begin
        needle.needle_init(None, t.TOOLS, None)
        begin = time.perf_counter(); second = needle.needle_init(system, t.TOOLS, None); warm = time.perf_counter() - begin
        assert first == second > 300
        assert warm < cold / 4, (cold, warm)
        """)


def test_a_tool_index_is_never_ignored_silently(host, root):
    for archive in ("demo/needle3-demo.cact", "testdata/oracle/mixed/model.cact"):
        host("""
            assert needle.needle_load_file(ARCHIVE.encode()) == 0
            assert needle.needle_init(None, b"[]", b"/nonexistent/index") > 0 and "tool_index_path" in error()
            assert needle.needle_init(None, b"[]", b"") > 0 and error() == ""
            assert not os.path.exists("/nonexistent")
            """, archive=root / archive)


def test_null_with_a_budget_is_no_fetch(host):
    host("""
        start()
        assert needle.needle_complete(t.REQUEST, 0, None, 0) == -1
        out = ctypes.create_string_buffer(8192)
        assert needle.needle_complete(None, 512, out, 8192) == -1
        assert json.loads(out.value)["type"] == "error" and "NULL" in error()
        assert needle.needle_complete(None, 0, out, 8192) > 0 and json.loads(out.value)["function_calls"] == t.CALLS
        for end in (needle.needle_reset, lambda: needle.needle_init(None, t.TOOLS, None),
                    lambda: needle.needle_set_depth(0), lambda: needle.needle_load_file(ARCHIVE.encode())):
            needle.needle_init(None, t.TOOLS, None)
            needle.needle_complete(t.REQUEST, 0, None, 0)
            end()
            assert needle.needle_complete(None, 0, out, 8192) == -1
        """)


def test_any_bytes_are_text(host):
    """Whatever is passed as text, the answer is an error or an envelope in valid UTF-8."""
    host("""
        start()
        rnd = random.Random(7)
        out = ctypes.create_string_buffer(8192)
        answered = refused = 0
        for i in range(60):
            text = lambda most: bytes(rnd.choice((rnd.randrange(1, 256), *b'{}[]":,\\\\u<|>')) for _ in range(rnd.randrange(most)))
            if needle.needle_init(text(30), rnd.choice((t.TOOLS, b"[]", None, text(40))), None) < 0:
                refused += 1
                assert error() and "\\n" not in error()
                continue
            assert needle.needle_complete(text(40), 24, out, 8192) >= 0
            json.loads(out.value.decode())
            answered += 1
        assert answered > 20 and refused > 5, (answered, refused)
        """)


def test_invalid_bytes_equal_replacement_characters(host):
    host("""
        start()
        answers = []
        for request in (b"turn on the \\xff kitchen\\xc3 lights", "turn on the \\ufffd kitchen\\ufffd lights".encode(),
                        b"turn on the kitchen lights"):
            needle.needle_init(request, t.TOOLS, None)
            answers.append(t.plain(t.complete(needle, request)[1]))
        assert answers[0] == answers[1]
        assert answers[0]["confidence"] != answers[2]["confidence"]
        """)


def test_closing_and_opening_again(host):
    """dlclose leaves the library where it is: opened again, it still has its state."""
    host("""
        import _ctypes
        start()
        for _ in range(3):
            _ctypes.dlclose(needle._handle)
            needle = t.load_library(needle._name)
        assert calls() == t.CALLS
        """)


def test_short_lived_threads_leave_nothing(host):
    host("""
        start()
        def count(): return len(os.listdir("/proc/self/task"))
        def one():
            assert needle.needle_set_depth(99) == -1 and "99" in error()
        def rounds(n):
            for _ in range(n):
                workers = [threading.Thread(target=one) for _ in range(10)]
                for w in workers: w.start()
                for w in workers: w.join()
        rounds(10)
        threads, memory = count(), t.resident()
        rounds(60)
        assert count() <= threads + 3
        assert t.resident() - memory < 4 << 20
        """)


def test_signals_still_reach_the_host(host):
    """SIGINT and timers arrive in the host's handlers during completions, and a broken pipe is an exception."""
    host("""
        seen = []
        signal.signal(signal.SIGINT, lambda *_: seen.append("int"))
        signal.signal(signal.SIGPROF, lambda *_: seen.append("prof"))
        start()
        signal.signal(signal.SIGUSR1, lambda *_: seen.append("usr1"))  # installed after loading
        signal.setitimer(signal.ITIMER_PROF, 0.005, 0.005)
        for _ in range(5):
            os.kill(os.getpid(), signal.SIGINT)
            os.kill(os.getpid(), signal.SIGUSR1)
            needle.needle_reset()
            assert calls() == t.CALLS
        signal.setitimer(signal.ITIMER_PROF, 0)
        assert seen.count("int") == seen.count("usr1") == 5 and seen.count("prof") >= 1, seen
        reader, writer = os.pipe()
        os.close(reader)
        try:
            os.write(writer, b"x")
            raise SystemExit("no BrokenPipeError")
        except BrokenPipeError:
            pass
        """)


def test_programs_can_be_started_while_it_runs(host):
    """fork followed by exec, and a fork whose child leaves the library alone."""
    host("""
        start()
        stop = threading.Event()
        def work():
            while not stop.is_set():
                needle.needle_reset()
                assert calls() == t.CALLS
        worker = threading.Thread(target=work)
        worker.start()
        for _ in range(5):
            assert subprocess.run(["/bin/echo", "hello"], capture_output=True).stdout == b"hello\\n"
            child = os.fork()
            if child == 0:
                os._exit(7)
            assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
        stop.set()
        worker.join()
        """)


def test_a_child_that_loads_it_itself_can_use_it(library, demo_archive):
    """fork first, load afterwards: every child has a library of its own."""
    script = textwrap.dedent(f"""
        import os, sys
        sys.path.insert(0, {str(HERE)!r})
        import test_capi as t
        children = []
        for _ in range(3):
            child = os.fork()
            if child == 0:
                needle = t.load_library({str(library)!r})
                ok = needle.needle_load_file({str(demo_archive)!r}.encode()) == 0 \\
                    and needle.needle_init(None, t.TOOLS, None) > 0 \\
                    and t.complete(needle)[1]["function_calls"] == t.CALLS
                os._exit(0 if ok else 1)
            children.append(child)
        assert [os.waitstatus_to_exitcode(os.waitpid(c, 0)[1]) for c in children] == [0, 0, 0]
        """)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr


def test_equal_sources_give_equal_bytes(library, root, tmp_path):
    subprocess.run([root / "scripts/build-library", tmp_path / "elsewhere", library.stem], check=True, capture_output=True)
    assert [p.name for p in (tmp_path / "elsewhere").iterdir()] == [library.name]  # no generated header
    data = (tmp_path / "elsewhere" / library.name).read_bytes()
    assert data == library.read_bytes()
    assert str(root).encode() not in data  # -trimpath
    assert re.search(rb"libneedle/capi/library\.go", data)  # such names would be seen


def test_little_thread_local_memory(library):
    """The library's thread-local block comes out of a small reserve that all opened libraries share."""
    text = subprocess.run(["readelf", "-lW", library], check=True, capture_output=True, text=True).stdout
    sizes = [int(line.split()[5], 16) for line in text.splitlines() if line.strip().startswith("TLS")]
    assert sizes and max(sizes) <= 64
    assert "RWE" not in text
