"""libneedle.so through ctypes: answers, errors, threads, fork, memory, and its symbols against needle.h."""
import ctypes
import json
import multiprocessing
import re
import subprocess
import sys
import threading
import time

import pytest

TOOLS = json.dumps([{
    "name": "control_lights", "description": "Turn lights on or off",
    "parameters": {"type": "object",
                   "properties": {"room": {"type": "string", "enum": ["kitchen", "bedroom"]},
                                  "state": {"type": "string", "enum": ["on", "off"]}},
                   "required": ["room", "state"]}}]).encode()
REQUEST = b"turn on the kitchen lights"
CALLS = [{"name": "control_lights", "arguments": {"room": "kitchen", "state": "on"}}]


def load_library(path):
    needle = ctypes.CDLL(str(path))
    needle.needle_last_error.restype = ctypes.c_char_p
    needle.needle_version.restype = ctypes.c_char_p
    needle.needle_load.argtypes = [ctypes.c_char_p, ctypes.c_ulonglong]
    return needle


@pytest.fixture
def needle(library, demo_archive):
    needle = load_library(library)
    assert needle.needle_load_file(str(demo_archive).encode()) == 0, needle.needle_last_error()
    assert needle.needle_set_threads(1) == 0
    return needle


def error(needle):
    return needle.needle_last_error().decode()


def complete(needle, request=REQUEST, limit=512, room=8192):
    out = ctypes.create_string_buffer(room)
    tokens = needle.needle_complete(request, limit, out, room)
    assert tokens >= 0, error(needle)
    return tokens, json.loads(out.value.decode())


def plain(envelope):
    """The envelope without what differs from run to run."""
    return {k: v for k, v in envelope.items() if k not in ("prefill_tps", "decode_tps", "peak_ram_mb")}


def test_answers_at_two_depths(needle):
    assert needle.needle_version() == b"0.1.0"
    answers = {}
    for depth in (6, 5):
        assert needle.needle_set_depth(depth) == 0
        assert needle.needle_depth() == depth
        assert needle.needle_complete(REQUEST, 0, None, 0) == -1 and error(needle) == "needle_init not called"
        prefix = needle.needle_init(b"date: 2026-09-18 Fri 09:41", TOOLS, None)
        assert prefix > 20
        tokens, envelope = complete(needle)
        assert tokens > 10 and envelope["function_calls"] == CALLS
        assert list(envelope) == ["type", "success", "error", "error_code", "reason", "function_calls",
                                  "suppressed_calls", "reasoning", "confidence", "prefill_tps", "decode_tps",
                                  "peak_ram_mb", "validation"]
        assert envelope["validation"] == {"ungrounded": [], "negation": False}
        needle.needle_reset()
        assert plain(complete(needle)[1]) == plain(envelope)
        answers[depth] = envelope["confidence"]
    assert answers[6] != answers[5]


def test_embedding(needle):
    size = needle.needle_embed(None, None, 0)
    vector = (ctypes.c_float * size)()
    assert needle.needle_embed("lumière".encode(), vector, size) == size
    assert abs(sum(v * v for v in vector) - 1) < 1e-4
    assert needle.needle_embed(b"x", vector, size - 1) == -1 and str(size) in error(needle)
    assert needle.needle_embed(b"word " * 5000, vector, size) == -1 and "1024" in error(needle)


def test_embedding_without_heads(library, root):
    needle = load_library(library)
    assert needle.needle_load_file(str(root / "testdata/oracle/cq4/model.cact").encode()) == 0
    assert needle.needle_embed(None, None, 0) == -1 and "head" in error(needle)


def test_bad_archives_keep_the_session(needle, demo_archive):
    data = demo_archive.read_bytes()
    assert needle.needle_init(None, TOOLS, None) > 0
    for bad, text in [(data[:-1], ""), (data[:1000], ""), (b"\x83\x2a\xe1\x05" + data[4:], "Needle 2"),
                      (b"plain text here", "not a Needle archive"), (data + b"\0", "")]:
        assert needle.needle_load(bad, len(bad)) == -1
        assert text in error(needle) and error(needle).count("\n") == 0
    assert needle.needle_load(data, 2 ** 64 - 1) == -1
    assert complete(needle)[1]["function_calls"] == CALLS


def test_prefix_that_does_not_fit(needle):
    assert needle.needle_init(b"word " * 3000, TOOLS, None) == -1
    assert "1024" in error(needle)
    assert needle.needle_complete(REQUEST, 0, None, 0) == -1 and error(needle) == "needle_init not called"


def test_invalid_utf8_is_read_as_replacement_characters(needle):
    assert needle.needle_init(b"\xff\xfe system", TOOLS, None) > 0
    envelope = complete(needle, b"turn on \xc3\x28 \xf0\x9f the kitchen lights \x80")[1]
    assert envelope["type"] in ("call", "respond")


def test_buffer_cut_inside_a_character(library, root):
    """The archive has random weights, so its thoughts are full of characters of three bytes."""
    needle = load_library(library)
    assert needle.needle_load_file(str(root / "testdata/oracle/tiny/model.cact").encode()) == 0
    assert needle.needle_init(None, None, None) > 0
    assert needle.needle_complete(b"hello", 60, None, 0) == -1
    size = int(re.search(r"needs (\d+) bytes", error(needle)).group(1))
    whole = ctypes.create_string_buffer(size)
    tokens = needle.needle_complete(None, 0, whole, size)
    assert 28 < tokens <= 60 and len(whole.value) == size - 1
    assert whole.value.decode().count("\ufffd") > 10
    shorter = 0
    for room in range(1, size):
        part = ctypes.create_string_buffer(b"x" * room, room)
        assert needle.needle_complete(None, 0, part, room) == -1 and f"needs {size} bytes" in error(needle)
        assert whole.value.decode().startswith(part.value.decode())  # decode fails on half a character
        shorter += len(part.value) < room - 1
    assert shorter > 10  # cuts did fall inside characters


def test_calls_from_threads_queue(needle):
    assert needle.needle_init(None, TOOLS, None) > 0
    want, failures = plain(complete(needle)[1]), []

    def work():
        try:
            for _ in range(3):
                needle.needle_reset()
                out = ctypes.create_string_buffer(8192)
                if needle.needle_complete(REQUEST, 512, out, 8192) < 0:
                    raise RuntimeError(error(needle))
                json.loads(out.value)
                needle.needle_set_depth(-7)
                assert "-7" in error(needle)  # each thread has its own
        except Exception as e:  # noqa: BLE001 - reported below
            failures.append(e)

    workers = [threading.Thread(target=work) for _ in range(8)]
    for w in workers:
        w.start()
    for w in workers:
        w.join()
    assert not failures
    needle.needle_reset()
    assert plain(complete(needle)[1]) == want


def test_cancel_from_another_thread(needle):
    assert needle.needle_init(b"fact. " * 100, TOOLS, None) > 0
    before = plain(complete(needle)[1])
    needle.needle_reset()
    stop = threading.Event()

    def keep_cancelling():
        while not stop.is_set():
            needle.needle_cancel()
            time.sleep(0.001)

    worker = threading.Thread(target=keep_cancelling)
    worker.start()
    start = time.monotonic()
    tokens, envelope = complete(needle)
    took = time.monotonic() - start
    stop.set()
    worker.join()
    assert envelope["error_code"] == "cancelled" and envelope["success"] is False and tokens == 0
    assert took < 2
    assert plain(complete(needle)[1]) == before  # the session is as it was


def in_fork(path, queue):
    needle = load_library(path)
    vector = (ctypes.c_float * 4)()
    out = ctypes.create_string_buffer(200)
    results = [needle.needle_load_file(b"x"), needle.needle_init(None, None, None),
               needle.needle_complete(b"x", 0, out, 200), needle.needle_embed(b"x", vector, 4),
               needle.needle_set_depth(0), needle.needle_depth(), needle.needle_set_threads(1)]
    needle.needle_reset()
    needle.needle_cancel()
    queue.put((results, error(needle), out.value.decode()))


def in_spawn(path, archive, queue):
    needle = load_library(path)
    needle.needle_load_file(str(archive).encode())
    needle.needle_init(None, TOOLS, None)
    queue.put(complete(needle)[1]["function_calls"])


@pytest.mark.parametrize("how", ["fork", "spawn", "forkserver"])
def test_child_processes(needle, library, demo_archive, how):
    context = multiprocessing.get_context(how)
    queue = context.Queue()
    if how == "fork":
        child = context.Process(target=in_fork, args=(library, queue))
    else:
        child = context.Process(target=in_spawn, args=(library, demo_archive, queue))
    child.start()
    answer = queue.get(timeout=60)
    child.join(60)
    assert child.exitcode == 0
    if how == "fork":
        results, text, out = answer
        assert results == [-1] * 7 and "fork" in text and "fork" in json.loads(out)["error"]
    else:
        assert answer == CALLS


def resident():
    with open("/proc/self/statm") as f:
        return int(f.read().split()[1]) * 4096


def test_memory_stays_flat(needle, demo_archive):
    """1,000 sessions over prefixes that are kept, over new ones, and over a library that is loaded again."""
    data = demo_archive.read_bytes()

    def rounds(n):
        for i in range(n):
            assert needle.needle_init(b"date: 2026-09-18 Fri %02d:41" % (i % 3), TOOLS, None) > 0
            needle.needle_reset()
            assert needle.needle_set_depth(-1) == -1
            if i % 50 == 0:
                assert needle.needle_init(b"fact %d" % i, None, None) > 0
                assert needle.needle_load(data, len(data)) == 0
                assert needle.needle_init(None, TOOLS, None) > 0
                complete(needle)
    rounds(200)
    before = resident()
    rounds(1000)
    assert resident() - before < 24 << 20


def exported(library):
    text = subprocess.run(["nm", "-D", "--defined-only", library], check=True, capture_output=True, text=True).stdout
    return {line.split()[-1] for line in text.splitlines()}


def declared(header):
    text = re.sub(r"/\*.*?\*/", "", header, flags=re.S)
    return set(re.findall(r"\b(needle_\w+)\s*\(", text))


def test_symbols_are_the_headers(library, root):
    header = (root / "include/needle.h").read_text()
    assert exported(library) == declared(header)
    assert len(declared(header)) == 12
    # the comparison sees a function that only one side has
    assert exported(library) != declared(header.replace("needle_cancel(", "needle_stop("))


def test_symbols_of_the_audio_abi_are_its_headers(audio_library, root):
    """needle_audio.h declares what differs and takes the rest from needle.h."""
    text, audio = [(root / "include" / name).read_text() for name in ("needle.h", "needle_audio.h")]
    assert exported(audio_library) == declared(text) | declared(audio)
    assert declared(text) & declared(audio) == {"needle_complete", "needle_embed"}
    assert declared(audio) - declared(text) == {
        "needle_models", "needle_set_audio", "needle_transcribe", "needle_stream_transcribe_process",
        "needle_stream_transcribe_stop"}


@pytest.mark.parametrize("name", ["libneedle.so", "libneedle-audio-abi.so"])
def test_shared_object(libraries, root, name):
    library = libraries / name
    dynamic = subprocess.run(["readelf", "-dW", library], check=True, capture_output=True, text=True).stdout
    assert "[libneedle.so]" in dynamic and "NODELETE" in dynamic
    loads = subprocess.run(["readelf", "-lW", library], check=True, capture_output=True, text=True).stdout
    assert all(line.split()[-1] == "0x4000" for line in loads.splitlines() if line.strip().startswith("LOAD"))
    assert not list((root / "build/lib").glob("*.h"))
    assert library.stat().st_size < 6 << 20  # a library of nothing but the Go runtime has 1.4 MB


def test_no_network_code(root):
    packages = subprocess.run(["go", "list", "-deps", "./capi"], check=True, capture_output=True, text=True,
                              cwd=root).stdout.split()
    assert not {"net", "net/http", "crypto/x509", "os/user"} & set(packages)
    assert {p for p in packages if "." in p.split("/")[0] and "libneedle" not in p} \
        <= {p for p in packages if p.startswith(("golang.org/x/sys/", "github.com/klauspost/cpuid/v2"))}


def test_quickstart(library, demo_archive, root):
    done = subprocess.run([sys.executable, root / "examples/quickstart.py", library, demo_archive], check=True,
                          capture_output=True, text=True)
    assert done.stdout.strip() == str(CALLS)


def test_nothing_is_printed(library, demo_archive):
    script = (f"import ctypes\nn = ctypes.CDLL({str(library)!r})\n"
              f"n.needle_load_file({str(demo_archive)!r}.encode())\nn.needle_init(None, b'[', None)\n"
              "n.needle_init(None, None, None)\nn.needle_complete(b'hello', 0, None, 0)\nn.needle_load(b'abc', 3)\n")
    done = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True)
    assert done.stdout == b"" and done.stderr == b""
