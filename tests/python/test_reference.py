"""The NumPy reference pass: it stays at the floor, its traces are repeatable, and each rounding in it counts."""
import json
import os
import shutil
import sys

import numpy as np
import pytest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "scripts", "oracle"))
reference = pytest.importorskip("reference", reason="needs the oracle's requirements (scripts/oracle/setup)")

TINY = os.path.join(ROOT, "testdata/oracle/tiny")


def read(folder):
    """(trace.json, {(pos, layer, name): values})."""
    with open(os.path.join(folder, "trace.json"), encoding="utf-8") as handle:
        head = json.load(handle)
    with open(os.path.join(folder, "trace.bin"), "rb") as handle:
        data = handle.read()
    found, end = {}, 0
    for e in head["entries"]:
        assert e["offset"] == end, "entries lie one after another"
        count = int(np.prod(e["shape"]))
        kind = {"f32": "<f4", "i8": "i1"}[e["dtype"]]
        key = e["pos"], e["layer"], e["name"]
        assert key not in found
        found[key] = np.frombuffer(data, kind, count, end).reshape(e["shape"])
        end += found[key].nbytes
    assert end == len(data)
    return head, found


@pytest.fixture(scope="module")
def short_case(tmp_path_factory):
    """The tiny case with its short prompts only."""
    folder = tmp_path_factory.mktemp("case") / "tiny"
    shutil.copytree(TINY, folder)
    golden = json.loads((folder / "golden.json").read_text())
    golden["prompts"] = [p for p in golden["prompts"] if len(p["ids"]) <= 8]
    (folder / "golden.json").write_text(json.dumps(golden))
    return folder


def test_stays_at_the_floor(short_case):
    assert reference.main(["compare", str(short_case)]) == 0


def test_one_swapped_permutation_entry_fails(short_case, monkeypatch):
    def damaged(path, original=reference.Archive):
        archive = original(path)
        archive.p1[[0, 1]] = archive.p1[[1, 0]]
        return archive
    monkeypatch.setattr(reference, "Archive", damaged)
    assert reference.main(["compare", str(short_case)]) == 1


@pytest.mark.parametrize("case", ["tiny", "odd", "cq4", "mixed"])
def test_stored_traces_are_this_pass(case, tmp_path):
    stored, want = read(os.path.join(ROOT, "testdata/trace", case))
    reference.trace(os.path.join(ROOT, "testdata/oracle", case), str(tmp_path), len(stored["ids"]))
    again, got = read(tmp_path)
    assert (again["ids"], again["sha256"]) == (stored["ids"], stored["sha256"])
    assert list(got) == list(want)
    # Another NumPy or CPU may sum in another order, after which some int8 values differ by one. The first
    # operations lie before any rounding of computed values and have to agree.
    for key in list(want)[:4]:
        np.testing.assert_allclose(got[key], want[key], rtol=1e-6)


@pytest.mark.parametrize("name", reference.ROUNDINGS)
def test_each_rounding_counts(name, tmp_path):
    reference.trace(TINY, str(tmp_path / "with"), tokens=4)
    reference.trace(TINY, str(tmp_path / "without"), tokens=4, without=[name])
    (whole, rounded), (bare, unrounded) = read(tmp_path / "with"), read(tmp_path / "without")
    assert bare["without"] == [name] and list(rounded) == list(unrounded)
    kinds = {e["name"]: e["dtype"] for e in bare["entries"]}
    assert {n for n in reference.ROUNDINGS if kinds[n] == "f32"} == {name}
    # The rows of the first position are zeros; they depend on the ids alone, so a later one will do.
    first = next(key for key in rounded if key[2] == name and (key[0] == 2 or name != "engram.row8"))
    entry = next(e for e in whole["entries"] if (e["pos"], e["layer"], e["name"]) == first)
    scale = np.float32(entry.get("scale", 0)) or np.array(entry["scales"], np.float32)[:, None]
    error = np.abs(rounded[first] * scale - unrounded[first])
    assert 0 < error.max() <= 0.5001 * np.max(scale), "off by rounding, and by no more"
    last = (3, -1, "final.logits")
    assert not np.array_equal(rounded[last], unrounded[last])


def test_an_unknown_rounding_is_refused():
    with pytest.raises(ValueError, match="no such rounding: attn.h9"):
        reference.Session(reference.Archive(os.path.join(TINY, "model.cact")), without=["attn.h9"])


def test_float64_is_refused():
    session = reference.Session(reference.Archive(os.path.join(TINY, "model.cact")))
    with pytest.raises(TypeError, match="mlp.u of layer 2 is float64"):
        session.see(2, "mlp.u", np.zeros(3))
