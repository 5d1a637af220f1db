"""scripts/maskbench, on a few schemas: its last line, and that it sees wrong verdicts."""
import json
import subprocess


def maskbench(root, *arguments):
    return subprocess.run([root / "scripts/maskbench", *map(str, arguments)], capture_output=True, text=True)


def counts(root, path, *arguments):
    done = maskbench(root, path, "--json", *arguments)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_side_by_side(root):
    found = counts(root, root / "testdata/schemas/maskbench.jsonl", "--limit", 40)
    assert list(found) == ["needle", "llguidance", "xgrammar"]
    for engine in found.values():
        assert list(engine)[:6] == ["schemas", "compiled", "valid", "valid_ok", "invalid", "invalid_ok"]
        assert engine["schemas"] == 40 and engine["compiled"] > 30 and engine["valid"] > 30
    ours = found["needle"]
    assert (ours["valid_ok"], ours["invalid_ok"]) == (ours["valid"], ours["invalid"])


def test_wrong_verdicts_are_seen(root, tmp_path):
    """The control: the same rows with their verdicts turned round."""
    rows = (root / "testdata/schemas/maskbench.jsonl").read_text().splitlines()[:10]
    turned = []
    for row in map(json.loads, rows):
        for test in row["tests"]:
            test["valid"] = not test["valid"]
        turned.append(json.dumps(row))
    path = tmp_path / "turned.jsonl"
    path.write_text("\n".join(turned) + "\n")
    ours = counts(root, path, "--engines", "needle")["needle"]
    assert ours["compiled"] == 10 and ours["valid_ok"] == 0 and ours["invalid_ok"] == 0


def test_clear_errors(root, tmp_path):
    for arguments, word in ((["missing.jsonl"], "missing.jsonl"),
                            ([root / "testdata/schemas/maskbench.jsonl", "--engines", "abacus"], "abacus")):
        done = maskbench(root, *arguments)
        assert done.returncode != 0 and word in done.stderr and "Traceback" not in done.stderr
