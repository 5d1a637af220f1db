"""What scripts/bench-peers makes of its rounds, and its errors. The peers themselves are not installed here."""
import importlib.util
import json
import subprocess
import sys

import pytest


@pytest.fixture(scope="module")
def peers(root):
    spec = importlib.util.spec_from_file_location("peers", root / "scripts/benchmarks/peers.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def prefill(*seconds):
    return [{"seconds": s, "tokens": 512} for s in seconds]


def test_summary(peers):
    answers = {
        "needle": {"prefill": prefill(0.1, 9, 0.1), "decode": [{"seconds": 0.064, "tokens": 64}] * 3},
        # One round during which something else ran; the prompt before the 64 tokens takes 3 s.
        "needle-rs": {"prefill": prefill(5.12), "decode": [{"seconds": s, "minus": m, "tokens": 64}
                                                         for s, m in ((4, 3), (40, 3), (4, 3.5), (4, 3), (4, 3))]},
        "jax": {"prefill": prefill(1, 0.64, 0.5), "decode": [{"none": "it can't"}]},
    }
    assert peers.summary(answers) == {
        "needle": {"decode_tps": 1000, "prefill_tps": 5120},
        "needle-rs": {"decode_tps": 64, "prefill_tps": 100},
        "jax": {"decode_tps": None, "decode_reason": "it can't", "prefill_tps": 800},
    }


def test_uneven_times_are_no_figure(peers):
    with pytest.raises(peers.Failure, match="too uneven"):
        peers.rate("needle-rs", "decode", [{"seconds": 3, "minus": 3.1, "tokens": 64}])


def test_an_engine_that_ends_or_fails_is_named(peers):
    script = "import sys\nfor line in sys.stdin:\n    if 'bad' in line: print('{\"error\":\"no such job\"}', flush=True)\n    else: sys.exit(3)"
    engine = peers.Engine("somebody", [sys.executable, "-c", script])
    try:
        with pytest.raises(peers.Failure, match="somebody: no such job"):
            engine.ask(op="bad")
        with pytest.raises(peers.Failure, match="somebody ended with status 3"):
            engine.ask(op="prefill")
    finally:
        engine.close()


def test_what_cannot_be_installed_is_said(peers, tmp_path, monkeypatch):
    monkeypatch.setattr(peers, "BUILD", str(tmp_path))
    monkeypatch.setattr(peers, "NEEDLE_RS", "needle-rs==0.0.0.not-a-version")
    with pytest.raises(peers.Failure, match="could not be installed.*--peers jax"):
        peers.needle_rs_python()


def test_ours_alone(root, tmp_path):
    """The command's last line is one object, and nothing is reported for those that were left out."""
    command = [root / "scripts/bench-peers", "--json", "--rounds", "1", "--peers", ""]
    small = subprocess.run([*command, root / "testdata/oracle/tiny/model.cact"], capture_output=True, text=True)
    assert small.returncode == 1 and small.stdout == "" and "the context is too short" in small.stderr
    done = subprocess.run([*command, root / "demo/needle3-demo.cact"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout.splitlines()[-1])
    assert list(result) == ["needle"] and result["needle"]["decode_tps"] > 0 and result["needle"]["prefill_tps"] > 0


def test_bad_arguments(root):
    for args, says in ((["nowhere.cact"], "is no file"), (["--peers", "tensorflow"], "is not among"), (["--rounds", "0"], "1 or more")):
        run = subprocess.run([root / "scripts/bench-peers", *args], capture_output=True, text=True)
        assert run.returncode != 0 and says in run.stderr, run.stderr
