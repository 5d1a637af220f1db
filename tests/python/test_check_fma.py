"""scripts/check-fma sees a fused multiply-add, or a math function that CPUs compute differently, where there is one."""
import shutil
import subprocess

import pytest

FUSING = ("arm64", "ppc64le", "s390x", "riscv64", "loong64", "amd64")


@pytest.fixture
def check(root):
    """Writes a package's files, fused_go for fused.go, and checks it. The underscore hides it from ./..."""
    folder = root / "build/_fused"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)

    def run(**files):
        for name, text in files.items():
            (folder / ".".join(name.rsplit("_", 1))).write_text(text)
        return subprocess.run([root / "scripts/check-fma", "./build/_fused"], capture_output=True, text=True)
    yield run
    shutil.rmtree(folder)


def test_a_fused_product_is_seen_on_every_cpu(check):
    seen = check(fused_go="package fused\n\n"
                 "func F(x, y, z float32) float32 { return x*y + z }\n\n"
                 "func G(x, y, z float64) float64 { return x*y - z }\n")
    assert seen.returncode == 1, seen.stdout + seen.stderr
    lines = seen.stdout.splitlines()
    for target in FUSING:
        assert any(line.startswith(f"{target}: ") and "fused.F (" in line for line in lines), (target, lines)
    assert any(line.startswith("arm64: ") and "fused.G (" in line for line in lines), lines


def test_an_inexact_function_is_seen(check):
    seen = check(fused_go="package fused\n\nimport \"math\"\n\nfunc H(x float64) float64 { return math.Log(x) }\n")
    assert seen.returncode == 1 and seen.stdout.count("call of math.Log") == len(FUSING) + 1, seen.stdout


def test_assembly_is_read(check):
    seen = check(fused_go="package fused\n\nfunc F() {}\n", fused_amd64_go="package fused\n\nfunc K()\n",
                 k_amd64_s="TEXT \u00b7K(SB), 4, $0\n\t// VFMADD132PS in a comment\n\tVFMADD231PS Y0, Y1, Y2\n\tRET\n")
    assert seen.returncode == 1, seen.stdout + seen.stderr
    assert seen.stdout.count("VFMADD") == 1 and "line 3: VFMADD231PS" in seen.stdout, seen.stdout


def test_separate_roundings_pass(check):
    kept = check(fused_go="package fused\n\nimport \"math\"\n\n"
                 "func F(x, y, z float32) float32 { return float32(x*y) + z }\n\n"
                 "func R(x float64) float64 { return math.Floor(math.Sqrt(x)) }\n")
    assert kept.returncode == 0 and "no fused or inexact operation" in kept.stdout, kept.stdout


def test_what_does_not_compile_is_no_pass(check):
    failed = check(fused_go="package fused\n\nfunc F() float32 { return nothing }\n")
    assert failed.returncode == 2 and "undefined: nothing" in failed.stderr
