"""Remakes testdata/schemas/vocabulary.model, the vocabulary scripts/maskbench measures with:

    $(scripts/schemas/setup) scripts/schemas/vocabulary.py [OUT]

A SentencePiece BPE of the shipped model's size, 8192 pieces, with its fixed ids 0 to 15 and its options as far
as the format states them (byte pieces, no normalisation, no dummy prefix). It is trained on the text of
the MaskBench schemas and of the BFCL requests, because the shipped vocabulary can't be in this repository: it
has other pieces, but as many, and of the same kinds. The same input gives the same file, byte for byte.
"""
import io
import json
import sys
from pathlib import Path

import sentencepiece

ROOT = Path(__file__).resolve().parents[2]
SIZE = 8192
MARKERS = ["<|im_start|>", "<|im_end|>", "<think>", "</think>", "<tools>", "</tools>",
           "<tool_call>", "</tool_call>", "<tool_result>", "</tool_result>", "<context>", "</context>"]


def compact(value):
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def strings(value):
    """The strings of a JSON value, keys among them."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for element in value:
            yield from strings(element)
    elif isinstance(value, dict):
        for key, element in value.items():
            yield key
            yield from strings(element)


def rows(path):
    with open(path, encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)


def texts():
    """What a tool-calling model reads: schemas as compact JSON, and sentences. Not the instances, which the
    engines are measured on."""
    for row in rows(ROOT / "testdata/schemas/maskbench.jsonl"):
        yield compact(row["schema"])
        yield from strings(row["schema"])
    for row in rows(ROOT / "testdata/requests/bfcl.jsonl"):
        yield row["query"]
        yield compact(row["tools"])
        yield compact(row["answers"])


def lines():
    """The texts without markers and control bytes, long ones cut where SentencePiece would drop them."""
    for text in texts():
        for line in text.splitlines():
            line = line.replace("\0", "").encode("utf-8", "ignore").decode()
            for start in range(0, len(line), 1000):
                yield line[start:start + 1000]


def train(out):
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=lines(), model_writer=out, vocab_size=SIZE, model_type="bpe", byte_fallback=True,
        pad_id=0, eos_id=1, bos_id=2, unk_id=3, pad_piece="<pad>", user_defined_symbols=MARKERS,
        normalization_rule_name="identity", add_dummy_prefix=False, remove_extra_whitespaces=False,
        split_digits=True, character_coverage=0.9995, num_threads=1, minloglevel=2)


def main():
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "testdata/schemas/vocabulary.model"
    out = io.BytesIO()
    train(out)
    path.write_bytes(out.getvalue())
    print(f"{path}: {len(out.getvalue())} bytes")


if __name__ == "__main__":
    main()
