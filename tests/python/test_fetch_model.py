"""scripts/fetch-model against a local server: whole, resumed, broken, wrong."""
import hashlib
import http.server
import os
import subprocess
import sys
import threading

import pytest

CONTENT = os.urandom(700_000)
HASH = hashlib.sha256(CONTENT).hexdigest()


class Server(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    ranges = True
    breaks = 0  # how many answers end half way
    chunked = False
    shift = 0  # what a server gets wrong about the range
    asked = []

    def do_GET(self):
        Server.asked.append((self.path, self.headers.get("Range")))
        if "missing" in self.path:
            self.send_error(404)
            return
        first = 0
        if self.headers.get("Range") and Server.ranges:
            first = int(self.headers["Range"].removeprefix("bytes=").removesuffix("-"))
        if first >= len(CONTENT):
            self.send_error(416)
            return
        if first:
            first += Server.shift
        body = CONTENT[first:]
        self.send_response(206 if first else 200)
        if first:
            self.send_header("Content-Range", f"bytes {first}-{len(CONTENT) - 1}/{len(CONTENT)}")
        if Server.chunked:
            self.send_header("Transfer-Encoding", "chunked")
        else:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        whole = Server.breaks == 0
        if not whole:
            Server.breaks -= 1
            body = body[:len(body) // 2]
        self.wfile.write(b"%x\r\n%s\r\n" % (len(body), body) if Server.chunked else body)
        if Server.chunked and whole:
            self.wfile.write(b"0\r\n\r\n")
        self.close_connection = True

    def log_message(self, *_):
        pass


@pytest.fixture
def fetch(root, tmp_path):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    Server.ranges, Server.breaks, Server.asked, Server.chunked, Server.shift = True, 0, [], False, 0
    environment = {k: v for k, v in os.environ.items() if "proxy" not in k.lower()}

    def run(*extra, url=f"http://127.0.0.1:{server.server_port}"):
        return subprocess.run([sys.executable, root / "scripts/fetch-model", "--url", url, "--out", tmp_path / "m/x.cact",
                               "--sha256", HASH, "--wait", "0", *extra], capture_output=True, text=True, env=environment)
    run.out = tmp_path / "m/x.cact"
    run.part = tmp_path / "m/x.cact.part"
    yield run
    server.shutdown()


def test_whole_then_nothing_to_do(fetch):
    done = fetch("--repo", "a/b", "--revision", "r1", "--file", "f.cact")
    assert done.returncode == 0 and fetch.out.read_bytes() == CONTENT and not fetch.part.exists()
    assert Server.asked == [("/a/b/resolve/r1/f.cact", None)]
    again = fetch()
    assert again.returncode == 0 and "there and right" in again.stdout and len(Server.asked) == 1


def test_resumes(fetch):
    fetch.part.parent.mkdir()
    fetch.part.write_bytes(CONTENT[:123_456])
    assert fetch().returncode == 0 and fetch.out.read_bytes() == CONTENT
    assert Server.asked[0][1] == "bytes=123456-"


def test_goes_on_after_broken_connections(fetch):
    Server.breaks = 3
    assert fetch().returncode == 0 and fetch.out.read_bytes() == CONTENT
    assert len(Server.asked) == 4


def test_goes_on_after_a_broken_stream_of_unknown_length(fetch):
    Server.chunked, Server.breaks = True, 2
    done = fetch()
    assert done.returncode == 0 and fetch.out.read_bytes() == CONTENT, done.stderr
    assert len(Server.asked) == 3 and "Traceback" not in done.stderr


def test_other_bytes_than_asked_for_are_not_appended(fetch):
    fetch.part.parent.mkdir()
    fetch.part.write_bytes(CONTENT[:1000])
    Server.shift = 5
    done = fetch()
    assert done.returncode == 0 and fetch.out.read_bytes() == CONTENT, done.stderr
    assert [asked for _, asked in Server.asked] == ["bytes=1000-", None]


def test_gives_up_and_keeps_what_came(fetch):
    Server.breaks = 99
    done = fetch()
    assert done.returncode == 1 and "run this again" in done.stderr and not fetch.out.exists()
    assert 0 < fetch.part.stat().st_size < len(CONTENT)
    Server.breaks = 0
    assert fetch().returncode == 0 and fetch.out.read_bytes() == CONTENT


def test_server_without_ranges(fetch):
    fetch.part.parent.mkdir()
    fetch.part.write_bytes(b"something else")
    Server.ranges = False
    assert fetch().returncode == 0 and fetch.out.read_bytes() == CONTENT


def test_complete_part(fetch):
    fetch.part.parent.mkdir()
    fetch.part.write_bytes(CONTENT)
    assert fetch().returncode == 0 and fetch.out.read_bytes() == CONTENT


def test_wrong_hash(fetch):
    done = fetch("--sha256", "0" * 64)
    assert done.returncode == 1 and "SHA-256" in done.stderr
    assert not fetch.out.exists() and not fetch.part.exists()


def test_wrong_file_is_kept(fetch):
    fetch.out.parent.mkdir()
    fetch.out.write_bytes(b"mine")
    assert fetch().returncode == 1 and fetch.out.read_bytes() == b"mine" and not Server.asked


def test_missing_and_offline(fetch):
    done = fetch("--file", "missing")
    assert done.returncode == 1 and "404" in done.stderr and len(Server.asked) == 1
    done = fetch(url="http://127.0.0.1:9")
    assert done.returncode == 1 and "other means" in done.stderr
    assert fetch("--nonsense").returncode == 2
    assert "Offline" in fetch("--help").stdout
