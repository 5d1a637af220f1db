"""The vocabulary that scripts/maskbench gives to every engine, read from a SentencePiece model or an archive."""
import base64
import os
import struct
import sys
from pathlib import Path

import sentencepiece

sys.path.append(str(Path(__file__).resolve().parents[1] / "oracle"))
import tokenizer_cases as tc  # noqa: E402  the record's layout is written down there once


class Vocabulary:
    """Pieces as bytes, and the encoder. The markers, <think> and the like, can't occur in a text: they are never
    legal tokens, and where a text spells one it is cut into ordinary pieces."""
    EOS = 1

    def __init__(self, path, triples):
        self.path = os.path.abspath(path)
        triples = [(text, score, tc.CONTROL if kind == tc.USER_DEFINED else kind) for text, score, kind in triples]
        self.pieces = [piece_bytes(text, kind) for text, _, kind in triples]
        self.encoder = tc.model(triples)

    def base64_pieces(self):
        return [None if p is None else base64.b64encode(p).decode() for p in self.pieces]

    def encode(self, text):
        """The tokens of a text. SentencePiece takes a U+2581 in it for a space, so that goes as bytes."""
        parts = [self.encoder.EncodeAsIds(part) for part in text.split(tc.META)]
        ids = parts[0]
        for part in parts[1:]:
            ids += [self.pieces.index(bytes([b])) for b in tc.META.encode()] + part
        if self.bytes(ids) != text.encode():
            raise ValueError(f"the vocabulary can't spell {text[:60]!r}")
        return ids

    def bytes(self, ids):
        return b"".join(self.pieces[i] or b"" for i in ids)

    def text(self, ids):
        return self.bytes(ids).decode(errors="replace")


def piece_bytes(text, kind):
    """What a piece adds to a text; None for what never stands in one."""
    if kind in (tc.CONTROL, tc.UNKNOWN):
        return None
    if kind == tc.BYTE:
        return bytes([int(text[3:5], 16)])  # <0xNN>
    return text.replace(tc.META, " ").encode()


def blob_triples(raw):
    """The pieces of an archive's tokenizer record."""
    count, = struct.unpack_from("<I", raw)
    at, out = 24, []
    for _ in range(count):
        score, kind, length = struct.unpack_from("<fBH", raw, at)
        out.append((raw[at + 7:at + 7 + length].decode(), score, kind))
        at += 7 + length
    return out


def load(path):
    if not Path(path).is_file():
        raise OSError(None, "no such file")
    if path.endswith(".cact"):
        try:
            return Vocabulary(path, blob_triples(tc.archive_blob(path)))
        except (struct.error, UnicodeDecodeError, IndexError) as e:
            raise ValueError("no archive with a tokenizer") from e
    try:
        return Vocabulary(path, tc.pieces_of(sentencepiece.SentencePieceProcessor(model_file=path)))
    except RuntimeError as e:
        raise ValueError("no SentencePiece model") from e
