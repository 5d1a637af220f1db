#!/usr/bin/env python3
"""What the public exporter's own reader finds in archives, for the Go tests of package cact.

    scripts/oracle/setup
    .venv/oracle/bin/python scripts/oracle/records.py cact/testdata/records.json testdata/oracle/*/

Writes one JSON object:
    archives.NAME.header    the header by read_export's names
    archives.NAME.records   per record: the exporter's name, dtype, shape, and of the values
        sha     SHA-256 of FP16 and FP32 values as little-endian float32, or of the RAW bytes
        codes   of a CQ matrix: SHA-256 of the codebook indices, one byte each, padding columns included
        norms   of a CQ matrix: SHA-256 of the group norms as little-endian float32
        sum, abs, wave   in float64: sum x, sum |x|, sum x[i] * cos(i), over the dequantised values
        first   the first four values
    archives.NAME.slices    per depth: SHA-256 of the archive that the exporter's packer writes from the
                            subset of the records. A slice-N.cact beside the archive must have the same.
    codebooks               of the widths 1 to 5
    windows                 geometries with the kv_budget_window of each
"""
import hashlib
import json
import os
import struct
import sys

os.environ["NEEDLE_TELEMETRY"] = "0"

import numpy as np

import oracle
from needle.model import architecture as arch
from needle.model import export as exp
from needle.model import quantize as qz


def sha(data):
    return hashlib.sha256(data).hexdigest()[:24]


def floats(array):
    return np.ascontiguousarray(array, "<f4").tobytes()


def directory(raw):
    """The stored records: (dtype, shape, blob, group, bits)."""
    _, count, codebook = struct.unpack_from("<III", raw, 0)
    at = struct.calcsize(exp._HDR_FMT) + 4 * codebook
    for i in range(count):
        dtype, ndim, _, *rest = struct.unpack_from(exp._REC_FMT, raw, at + i * exp.REC_SIZE)
        offset, size, group, bits = rest[4:]
        yield dtype, tuple(rest[:ndim]), raw[offset:offset + size], group, bits


def names(config, heads):
    """The exporter's name of each record, in its order; the tokenizer is the last."""
    params = oracle.template(arch.SimpleAttentionNetwork(config), config, heads)
    return [t.name for t in exp._tensors(params, config, qz.WEIGHT_BITS, 128)] + ["tokenizer"]


def split(tensor):
    """The indices [out, in_pad] and norms [out, groups] of a CQ record."""
    out, columns = tensor.shape
    padded = -(-columns // tensor.group) * tensor.group
    packed = out * exp._packed_row_bytes(padded, tensor.bits, tensor.group)
    codes = np.frombuffer(tensor.blob[:packed], np.uint8).reshape(out, -1)
    norms = np.frombuffer(tensor.blob[packed:], "<f2").reshape(out, -1)
    return codes, norms, padded


def describe(tensor, value):
    entry = {"name": tensor.name, "dtype": tensor.dtype, "shape": list(tensor.shape),
             "group": tensor.group, "bits": tensor.bits}
    if tensor.dtype == exp.RAW:
        return {**entry, "sha": sha(value)}
    if tensor.dtype == exp.CQ:
        codes, norms, padded = split(tensor)
        indices = (exp._unpack_ternary_crumbs(codes, padded) if tensor.bits == exp.TERNARY_RECORD_BITS
                   else exp._unpack_lsb(codes, tensor.bits, padded))
        entry |= {"codes": sha(indices.astype(np.uint8).tobytes()), "norms": sha(floats(norms))}
    else:
        entry["sha"] = sha(floats(value))
    x = np.asarray(value, np.float64).reshape(-1)
    wave = np.cos(np.arange(x.size, dtype=np.float64))
    return {**entry, "sum": x.sum(), "abs": np.abs(x).sum(), "wave": (x * wave).sum(), "first": x[:4].tolist()}


def subset(tensors, config, depth):
    """The exporter's records of the rung, cut from the full archive's."""
    kept = arch.ladder_layer_indices(config, depth)
    rows = [0] + [layer + 1 for layer in kept]
    layers, lanes = config.num_layers, config.mhc_lanes

    def take(t, axis, which):
        array = np.frombuffer(t.blob, "<f2").reshape(t.shape).take(which, axis)
        return exp._Tensor(t.name, t.dtype, array.shape, array.tobytes())

    def take_rows(t, which, of):
        codes, norms, _ = split(t)
        parts = [a.reshape(of, -1, a.shape[1])[which].reshape(-1, a.shape[1]) for a in (codes, norms)]
        return exp._Tensor(t.name, t.dtype, (len(parts[0]), t.shape[1]),
                           b"".join(p.tobytes() for p in parts), t.group, t.bits)

    sites = [s for s, layer in enumerate(config.engram_layers) if layer in kept]
    for t in tensors:
        last = t.name.rsplit(".", 1)[-1]
        if t.name.startswith("layer"):
            if int(t.name[5:7]) in kept:
                yield t
        elif t.name.startswith("engram"):
            if int(t.name[6:].split(".")[0]) in sites:
                yield t
        elif t.name.startswith("mhc_phi"):
            yield take_rows(t, list(kept), layers)
        elif t.name.startswith("mhc_"):
            yield take(t, 0, list(kept))
        elif last == "probes":
            yield take_rows(t, rows, layers + 1)
        elif last == "gain":
            yield take(t, 0, rows)
        elif last == "row_bias":
            yield take(t, 1, rows)
        else:
            yield t


def pack(tensors, config, tokenizer, kv_window):
    """The exporter's packer over records that exist."""
    original = exp._tensors
    exp._tensors = lambda *unused: list(tensors)
    try:
        return exp._pack_cact({}, config, qz.WEIGHT_BITS, 128, tokenizer, kv_window)[0]
    finally:
        exp._tensors = original


def archive(folder):
    path = os.path.join(folder, "model.cact")
    header, values = exp.read_export(path)
    with open(path, "rb") as handle:
        raw = handle.read()
    config, heads = oracle.config_of(path), oracle.heads_of(path)
    tensors = [exp._Tensor(name, dtype, shape, blob, group, bits) for name, (dtype, shape, blob, group, bits)
               in zip(names(config, heads), directory(raw), strict=True)]
    tokenizer = tensors[-1].blob
    assert pack(tensors[:-1], config, tokenizer, header["kv_window"]) == raw, "the packer writes something else"
    slices = {}
    for depth in range(2, config.num_layers):
        data = pack(subset(tensors[:-1], config, depth), arch.ladder_config(config, depth), tokenizer,
                    header["kv_window"])
        exported = os.path.join(folder, f"slice-{depth}.cact")
        if os.path.exists(exported):
            with open(exported, "rb") as handle:
                assert handle.read() == data, f"{exported} is another"
        slices[str(depth)] = sha(data)
    header = {k: v for k, v in header.items() if k != "codebook"}
    return {"header": header, "records": [describe(t, v) for t, v in zip(tensors, values, strict=True)],
            "slices": slices}


def windows(seed=3, count=80):
    """Geometries around and beyond the budget, with the reference's window."""
    shipped = dict(num_kv_heads=2, qk_head_dim=48, v_head_dim=64, d_model=768, num_layers=20, max_seq_len=8192,
                   sliding_window=1024, global_layers=(4, 9, 14, 19), engram_layers=(3, 7, 11, 15, 19))
    table = [shipped, {**shipped, "global_layers": ()}, {**shipped, "sliding_window": 0},
             {**shipped, "num_layers": 64, "sliding_window": 4096}, {**shipped, "max_seq_len": 200},
             {**shipped, "max_seq_len": 64}]
    rng = np.random.default_rng(seed)
    pick = lambda *options: options[rng.integers(len(options))]
    while len(table) < count:
        layers = int(rng.integers(2, 65))
        table.append(dict(
            num_kv_heads=pick(1, 2, 3, 4, 8), qk_head_dim=pick(16, 24, 48, 64, 128), v_head_dim=pick(20, 40, 64, 128),
            d_model=pick(128, 200, 512, 768, 2048), num_layers=layers, max_seq_len=pick(96, 512, 4096, 8192, 131072),
            sliding_window=pick(0, 8, 128, 1024, 1024, 4096, 16384),
            global_layers=tuple(sorted(rng.choice(layers, pick(0, 1, 2, layers // 4, layers), False).tolist())),
            engram_layers=tuple(sorted(rng.choice(layers, min(layers, pick(0, 1, 5, 16)), False).tolist()))))
    return [{**g, "window": arch.kv_budget_window(arch.TransformerConfig(**g))} for g in table]


def main():
    out, folders = sys.argv[1], sys.argv[2:]
    result = {"archives": {os.path.basename(os.path.normpath(f)): archive(f) for f in folders},
              "codebooks": {str(bits): qz._cq_codebook_np(qz.TERNARY_BITS if bits == 5 else bits, 128).tolist()
                            for bits in (1, 2, 3, 4, 5)},
              "windows": windows()}
    with open(out, "w") as handle:
        json.dump(result, handle, indent=None, separators=(",", ":"))
        handle.write("\n")


if __name__ == "__main__":
    main()
