#!/usr/bin/env python3
"""Archives of the shipped geometry for measuring speed: random weights, the demo model's vocabulary.

    $(scripts/oracle/setup) scripts/benchmarks/archives.py OUT_DIR

writes full.cact (CQ2; CQ4 for embedding, lane maps and head: the shipped widths) and full-cq4.cact (CQ4 everywhere,
what the public exporter makes of a local fine-tune). Speed does not depend on the values; the vocabulary is one that
spells real requests, so that tool sets and answers have the token counts of real ones. The demo's has 2,048 pieces;
unused ones fill it up to the 8,192 rows of the shipped embedding and head.
"""
import argparse
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "oracle"))

import numpy as np
import sentencepiece as spm

import oracle
from needle.model import architecture as arch
from needle.model import quantize as qz

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
UNUSED = 5  # SentencePiece's type of pieces that no text is encoded with


def padded_vocabulary(path, size):
    """A SentencePiece model with unused pieces added. A protobuf's repeated field may go on at its end."""
    with open(path, "rb") as handle:
        proto = handle.read()
    sp = spm.SentencePieceProcessor()
    sp.LoadFromSerializedProto(proto)
    for i in range(sp.GetPieceSize(), size):
        name = f"<unused_{i}>".encode()
        piece = bytes([0x0A, len(name)]) + name + b"\x15" + np.float32(-1e4).tobytes() + bytes([0x18, UNUSED])
        proto += bytes([0x0A, len(piece)]) + piece
    padded = spm.SentencePieceProcessor()
    padded.LoadFromSerializedProto(proto)
    assert padded.GetPieceSize() == size
    return padded


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out")
    args = parser.parse_args()
    qz.configure_deploy(act_bits=8, kv_bits=8)
    config = arch.TransformerConfig(**oracle.CASES["full"], dtype="float32", flash=False, remat=False)
    sp = padded_vocabulary(os.path.join(ROOT, "testdata", "demo", "tokenizer.model"), config.vocab_size)
    params = oracle.random_parameters("full", arch.SimpleAttentionNetwork(config), np.random.default_rng(1))
    os.makedirs(args.out, exist_ok=True)
    for name, widths in (("full", "shipped"), ("full-cq4", "exporter")):
        path = os.path.join(args.out, name + ".cact")
        oracle.export(params, config, path + ".part", oracle.Wrapped(sp), config.kv_window, widths)
        os.replace(path + ".part", path)
        print(path, os.path.getsize(path), "bytes", flush=True)


if __name__ == "__main__":
    main()
