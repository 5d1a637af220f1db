"""scripts/check-fma sees a fused multiply-add where there is one."""
import subprocess


def test_a_fused_product_is_seen(root):
    folder = root / "build/fused"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "fused.go").write_text(
        "// Package fused is a negative control.\npackage fused\n\n"
        "// F may be fused.\nfunc F(x, y, z float32) float32 { return x*y + z }\n\n"
        "// G may be too.\nfunc G(x, y, z float64) float64 { return z - x*y }\n")
    seen = subprocess.run([root / "scripts/check-fma", "./build/fused"], capture_output=True, text=True)
    assert seen.returncode == 1, seen.stdout
    for target in ("arm64", "ppc64le", "s390x", "riscv64", "amd64:v3"):
        assert f"{target}: fused" in seen.stdout, seen.stdout
    (folder / "fused.go").write_text(
        "// Package fused is a negative control.\npackage fused\n\n"
        "// F rounds twice.\nfunc F(x, y, z float32) float32 { return float32(x*y) + z }\n")
    kept = subprocess.run([root / "scripts/check-fma", "./build/fused"], capture_output=True, text=True)
    assert kept.returncode == 0, kept.stdout
