#!/usr/bin/env python3
"""Tokenizer records with the ids SentencePiece gives, for the Go tests of package tokenizer.

    python3 -m venv .venv && .venv/oracle/bin/pip install -r tests/python/requirements.txt
    .venv/oracle/bin/python scripts/oracle/tokenizer_cases.py            writes testdata/tokenizer
    .venv/oracle/bin/python scripts/oracle/tokenizer_cases.py OUT_DIR

Each case is NAME.blob, a tokenizer record as archives carry it, and NAME.json:
    texts   [[base64 of the text, ids], ...]     sp.Encode; invalid UTF-8 among the texts
    decode  [[ids, text], ...]                   sp.Decode; no control or unknown pieces among the ids
Cases: `demo` is the vocabulary of the demo archive; the others have small vocabularies made here for what
it lacks: `dummy` the dummy prefix, `unknown` no byte pieces, `ties` equal scores and markers that overlap.

tests/python/test_tokenizer.py compares with the library live and uses the functions of this file.
"""
import base64
import json
import os
import random
import struct
import sys

import sentencepiece

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MARKERS = ["<|im_start|>", "<|im_end|>", "<think>", "</think>", "<tools>", "</tools>",
           "<tool_call>", "</tool_call>", "<tool_result>", "</tool_result>",
           "<context>", "</context>"]
NORMAL, UNKNOWN, CONTROL, USER_DEFINED, BYTE = range(5)
META = "\u2581"


def load(path):
    return sentencepiece.SentencePieceProcessor(model_file=path)


# --- the record, written from the format's description ---------------------------------------------

def blob(pieces, dummy_prefix=False, byte_fallback=True):
    """The record of (text, score, type) triples."""
    out = [struct.pack("<5I2BH", len(pieces), 0, 1, 2, 3, dummy_prefix, byte_fallback, 0)]
    for text, score, kind in pieces:
        raw = text.encode()
        out.append(struct.pack("<fBH", score, kind, len(raw)) + raw)
    return b"".join(out)


def pieces_of(sp, user_defined=MARKERS):
    """The triples of a SentencePiece model; which pieces are user-defined it doesn't tell."""
    def kind(i):
        if sp.IsControl(i):
            return CONTROL
        if sp.IsUnknown(i):
            return UNKNOWN
        if sp.IsByte(i):
            return BYTE
        return USER_DEFINED if sp.IdToPiece(i) in user_defined else NORMAL
    return [(sp.IdToPiece(i), sp.GetScore(i), kind(i)) for i in range(sp.GetPieceSize())]


def archive_blob(path):
    """The tokenizer record of an archive: the last of its directory."""
    with open(path, "rb") as f:
        raw = f.read()
    records, codebook = struct.unpack_from("<2I", raw, 4)
    offset, size = struct.unpack_from("<2Q", raw, 196 + 4 * codebook + 44 * (records - 1) + 20)
    return raw[offset:offset + size]


# --- a SentencePiece model of any vocabulary, as a protocol buffer ---------------------------------

def _varint(n):
    out = b""
    while n > 127:
        out += bytes([n & 127 | 128])
        n >>= 7
    return out + bytes([n])


def _number(field, n):
    return _varint(field << 3) + _varint(n)


def _bytes(field, raw):
    return _varint(field << 3 | 2) + _varint(len(raw)) + raw


def model(pieces, dummy_prefix=False, byte_fallback=True):
    """The processor for the triples that blob() takes."""
    proto_type = {NORMAL: 1, UNKNOWN: 2, CONTROL: 3, USER_DEFINED: 4, BYTE: 6}
    out = b""
    for text, score, kind in pieces:
        piece = _bytes(1, text.encode()) + b"\x15" + struct.pack("<f", score) + _number(3, proto_type[kind])
        out += _bytes(1, piece)
    trainer = _number(3, 2) + _number(35, byte_fallback)  # model_type BPE
    for field, i in ((40, 3), (41, 2), (42, 1), (43, 0)):
        trainer += _number(field, i)
    normalizer = _bytes(1, b"identity") + _number(3, dummy_prefix) + _number(4, False) + _number(5, True)
    out += _bytes(2, trainer) + _bytes(3, normalizer)
    return sentencepiece.SentencePieceProcessor(model_proto=out)


def fixed_pieces(byte_fallback=True):
    """What every Needle vocabulary begins with, and the byte pieces."""
    out = [("<pad>", 0, CONTROL), ("</s>", 0, CONTROL), ("<s>", 0, CONTROL), ("<unk>", 0, UNKNOWN)]
    out += [(m, 0, USER_DEFINED) for m in MARKERS]
    if byte_fallback:
        out += [(f"<0x{b:02X}>", 0, BYTE) for b in range(256)]
    return out


def random_pieces(rnd, count, alphabet, byte_fallback=True, scores=8, extra_markers=()):
    """A vocabulary of the fixed pieces and `count` strings grown from an alphabet, not all of whose
    letters are pieces themselves; few different scores, so that ties are common."""
    out = fixed_pieces(byte_fallback) + [(m, 0, USER_DEFINED) for m in extra_markers]
    seen = {p[0] for p in out}
    grown = list(alphabet)
    while len(grown) < count:
        grown.append(rnd.choice(grown) + rnd.choice(grown))
    for text in grown:
        if text not in seen and len(text) < 40 and rnd.random() < 0.85:
            seen.add(text)
            out.append((text, -float(rnd.randrange(scores)), NORMAL))
    return out


# --- texts -----------------------------------------------------------------------------------------

CHOSEN = ["", " ", "  ", "  two  spaces ", "a", "hello world", "tab\tnewline\n\r\n", "a\0b", "\0",
          "▁meta ▁▁", " ▁", "<tools>[]</tools>", "<tool_call>", "<tool_cal", "<|im_start|>user\n",
          "x<|im_end|>y", "<|im_start|<|im_start|>", "<<tools>>", "</tools></tool_call></tool",
          "<s></s><pad><unk>", "<0x41><0x0A>", "日本語のテキスト", "emoji 👩‍👩‍👧‍👦 zwj", "\ufeffbom", "\ufffd",
          "ﬁ ligature ½ Å", "é combining vs é", "مرحبا بالعالم", "0123456789.,-+e10",
          '{"name":"set_lights","arguments":{"room":"kitchen","on":true}}',
          "turn on the kitchen lights, then set a timer for 25 minutes and play some music in the living room",
          "Remind me to call Dr. O'Brien tomorrow at 7:30 am. What's the weather in Zürich?",
          '[{"name":"set_timer","description":"Start a timer","parameters":{"type":"object","properties":{}}}]',
          "CamelCase snake_case kebab-case", "\U0010ffff\U00010000\ud7ff\ue000", "a" * 300, " " * 300,
          "<|im_start|" * 30]
INVALID = [b"\xff", b"a\x80b", b"\xc0\x80", b"\xe2\x96", b"\xe2\x96<tools>", b"\xed\xa0\x80", b"\xf0\x9f\x92",
           b"\xf4\x90\x80\x80", b"<|im_start|\xff>", b"\xf8\x88\x80\x80\x80", b"\xe6\x97\xa5\xe6\x97"]


def random_text(rnd, pieces, invalid=False):
    """Characters of all planes, runs of blanks, markers cut in half and mixes of pieces."""
    out = b""
    for _ in range(rnd.randrange(1, 14)):
        what = rnd.randrange(12)
        if what == 0:
            out += chr(rnd.choice((rnd.randrange(0xD800), rnd.randrange(0xE000, 0x110000)))).encode()
        elif what == 1:
            out += bytes([rnd.randrange(128)]) * rnd.randrange(1, 4)
        elif what == 2:
            out += b" " * rnd.randrange(9)
        elif what == 3:
            marker = rnd.choice(MARKERS)
            out += marker[:rnd.randrange(len(marker) + 1)].encode()
        elif what == 4:
            marker = rnd.choice(MARKERS)
            out += marker[rnd.randrange(len(marker) + 1):].encode()
        elif what == 5 and invalid:
            out += bytes(rnd.randrange(256) for _ in range(rnd.randrange(4)))
        elif what == 6:
            text = rnd.choice(pieces)[0]
            out += text[:rnd.randrange(len(text) + 1)].encode()
        elif what == 7:
            out += rnd.choice(pieces)[0].replace(META, " ").encode()
        else:
            out += rnd.choice(pieces)[0].encode()
    return out


def texts(rnd, pieces, count):
    """The chosen texts and `count` random ones, a fifth of them not valid UTF-8 everywhere, as bytes."""
    chosen = [t.encode("utf-8") for t in CHOSEN] + INVALID
    return chosen + [random_text(rnd, pieces, invalid=i % 5 == 0) for i in range(count)]


def random_ids(rnd, pieces):
    """Ids that decode to something, byte pieces often, in no order an encoder would give."""
    shown = [i for i, p in enumerate(pieces) if p[2] not in (CONTROL, UNKNOWN)]
    high = [i for i, p in enumerate(pieces) if p[2] == BYTE and int(p[0][3:5], 16) > 0x7F] or shown
    return [rnd.choice(high if rnd.random() < 0.4 else shown) for _ in range(rnd.randrange(1, 12))]


def chosen_ids(pieces):
    """Byte pieces that make, break off and spoil characters, among them U+2581 and a space."""
    of_byte = {int(p[0][3:5], 16): i for i, p in enumerate(pieces) if p[2] == BYTE}
    last = len(pieces) - 1
    spelt = [b" a", META.encode(), b"\xf0\x9f\x92\xa9", b"\xf0\x9f", b"\xc0\x80", b"\xed\xa0\x80", b"\xff\xe2\x96"]
    return [[of_byte[b] for b in raw] + tail for raw in spelt if of_byte for tail in ([], [last])]


# --- the stored cases ------------------------------------------------------------------------------

def cases():
    """(name, record, processor, pieces) of every stored case."""
    sp = load(os.path.join(ROOT, "testdata", "demo", "tokenizer.model"))
    pieces = pieces_of(sp)
    yield "demo", blob(pieces), sp, pieces
    for name, seed, fallback, dummy, extra in (
            ("dummy", 11, True, True, ()),
            ("unknown", 12, False, False, ()),
            ("ties", 13, True, False, ("ab", "abc", "bc", "\n", META * 2, "<tool", "<tools>[", "é"))):
        rnd = random.Random(seed)
        alphabet = ["a", "b", "c", "<", ">", "t", "o", "l", "s", META, "é", "日", "\U0001f64f", "/"]
        pieces = random_pieces(rnd, 150, alphabet, fallback, 2 if name == "ties" else 40, extra)
        yield name, blob(pieces, dummy, fallback), model(pieces, dummy, fallback), pieces


def write(folder):
    os.makedirs(folder, exist_ok=True)
    for name, record, sp, pieces in cases():
        rnd = random.Random(len(name))
        golden = {"sentencepiece": sentencepiece.__version__,
                  "texts": [[base64.b64encode(t).decode(), sp.Encode(t, out_type=int)]
                            for t in texts(rnd, pieces, 400)],
                  "decode": [[ids, sp.Decode(ids)] for ids in
                             chosen_ids(pieces) + [random_ids(rnd, pieces) for _ in range(200)]]}
        with open(os.path.join(folder, name + ".blob"), "wb") as f:
            f.write(record)
        with open(os.path.join(folder, name + ".json"), "w", encoding="utf-8") as f:
            json.dump(golden, f, separators=(",", ":"))
            f.write("\n")
        print(f"{name}: {len(pieces)} pieces, {len(golden['texts'])} texts")


if __name__ == "__main__":
    write(sys.argv[1] if len(sys.argv) > 1 else os.path.join(ROOT, "testdata", "tokenizer"))
