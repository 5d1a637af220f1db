"""The rules on the public package's environments: their right calls come through, and answers don't get worse."""
import os
import subprocess


def test_environments(root, tmp_path):
    path = subprocess.run([root / "scripts/environments", tmp_path / "environments.jsonl"], check=True,
                          stdout=subprocess.PIPE, text=True).stdout.strip()
    done = subprocess.run(["go", "test", "./engine", "-run", "DocsEnvironment", "-v", "-count=1"], cwd=root, capture_output=True, text=True,
                          env=os.environ | {"NEEDLE_ENVIRONMENTS": path})
    assert done.returncode == 0, done.stdout[-3000:]
    assert done.stdout.count("--- PASS: TestDocsEnvironment") == 2
