"""Runs one Python grammar engine over a file that maskbench.py prepared:

    engines.py ENGINE [--skip N] [--limit SECONDS] PREPARED

Writes a line {} when the engine is ready, then a line per schema: error (why it did not compile, or null), compile_ms,
refused_at (per instance the index of the token that was refused, the number of tokens when the end was, null when
it was accepted), alone_us and mask_us (per token position, the mask alone and with the choice). scripts/maskbench-needle does the same in Go.
"""
import argparse
import json
import signal
import sys
import time

import numpy

import vocabulary_file


class Choice:
    """An argmax over random logits where a mask allows: what a decoder does with the mask."""

    def __init__(self, size):
        self.size = size
        self.logits = numpy.random.default_rng(1).standard_normal(size, dtype=numpy.float32)

    def __call__(self, words):
        allowed = numpy.unpackbits(words.view(numpy.uint8), count=self.size, bitorder="little").view(bool)
        return int(numpy.where(allowed, self.logits, -numpy.inf).argmax())


class LLGuidance:
    OPTIONS = {"whitespace_flexible": False, "item_separator": ",", "key_separator": ":", "lenient": False}

    def __init__(self, vocabulary, words):
        import llguidance
        self.module = llguidance
        self.tokenizer = llguidance.LLTokenizer(llguidance.TokenizerWrapper(Tokens(vocabulary)))
        self.words, self.address, self.bytes = words, words.ctypes.data, words.nbytes

    def compile(self, schema):
        grammar = self.module.LLMatcher.grammar_from_json_schema(schema, overrides=self.OPTIONS)
        matcher = self.module.LLMatcher(self.tokenizer, grammar, log_level=0)
        if matcher.is_error():
            raise ValueError(matcher.get_error())
        return matcher

    def start(self, compiled):
        return compiled.deep_copy()

    def mask(self, matcher):
        matcher.unsafe_compute_mask_ptr(self.address, self.bytes)

    def accept(self, matcher, token):
        return matcher.consume_token(token)

    def complete(self, matcher):
        return matcher.is_accepting()


class Tokens:
    """The tokenizer as llguidance asks for it. Where the grammar leaves one text it allows only the tokens that the
    tokenizer cuts this text into, so the encoder has to be the real one."""

    def __init__(self, vocabulary):
        pieces = vocabulary.pieces
        self.eos_token_id, self.bos_token_id = vocabulary.EOS, None
        self.special_token_ids = [i for i, piece in enumerate(pieces) if piece is None]
        self.tokens = [f"<special {i}>".encode() if piece is None else piece for i, piece in enumerate(pieces)]
        self.encode = vocabulary.encode

    def __call__(self, text):
        return self.encode(text)


def import_xgrammar():
    """xgrammar imports torch and transformers, 700 MB, for type annotations and for what is not used here: its
    compiler and matcher are C++ and take NumPy arrays. Stand-ins are there while it is imported."""
    import tvm_ffi  # noqa: F401  looks for torch, too, and does without
    from unittest import mock
    with mock.patch.dict(sys.modules, {"torch": mock.MagicMock(), "transformers": mock.MagicMock()}):
        import xgrammar
    return xgrammar


class XGrammar:
    OPTIONS = {"any_whitespace": False, "indent": None, "separators": (",", ":"), "strict_mode": False}

    def __init__(self, vocabulary, words):
        self.module = import_xgrammar()
        pieces = [piece or b"" for piece in vocabulary.pieces]  # an empty piece is never allowed
        info = self.module.TokenizerInfo(pieces, vocab_size=len(pieces), stop_token_ids=[vocabulary.EOS])
        self.compiler = self.module.GrammarCompiler(info, max_threads=1, cache_enabled=False)
        self.words, self.batch = words, words.reshape(1, -1)

    def compile(self, schema):
        compiled = self.compiler.compile_json_schema(schema, **self.OPTIONS)
        self.module.GrammarMatcher(compiled)
        return compiled

    def start(self, compiled):
        return self.module.GrammarMatcher(compiled)

    def mask(self, matcher):
        if not matcher.fill_next_token_bitmask(self.batch):
            self.words.fill(-1)  # everything is allowed

    def accept(self, matcher, token):
        return matcher.accept_token(token)

    def complete(self, matcher):
        return matcher.is_completed()


ENGINES = {"llguidance": LLGuidance, "xgrammar": XGrammar}


class Bench:
    def __init__(self, engine, size, words):
        self.engine, self.words, self.choice = engine, words, Choice(size)

    def run(self, schema, tests):
        began = time.perf_counter()
        try:
            compiled = self.engine.compile(schema)
        except (ValueError, RuntimeError, TypeError) as e:
            return {"error": str(e) or repr(e)}
        result = {"error": None, "compile_ms": 1e3 * (time.perf_counter() - began), "alone_us": [], "mask_us": []}
        result["refused_at"] = [self.step(self.engine.start(compiled), tokens, result) for tokens in tests]
        return result

    def step(self, matcher, tokens, result):
        for at, token in enumerate(tokens):
            self.timed_mask(matcher, result)
            if not self.words[token >> 5] >> (token & 31) & 1 or not self.engine.accept(matcher, token):
                return at
        self.timed_mask(matcher, result)
        return None if self.engine.complete(matcher) else len(tokens)

    def timed_mask(self, matcher, result):
        began = time.perf_counter_ns()
        self.engine.mask(matcher)
        masked = time.perf_counter_ns()
        self.choice(self.words)
        result["mask_us"].append((time.perf_counter_ns() - began) / 1e3)
        result["alone_us"].append((masked - began) / 1e3)


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("engine", choices=ENGINES)
    parser.add_argument("--skip", type=int, default=0)
    parser.add_argument("--limit", type=int, default=0)
    parser.add_argument("prepared")
    return parser.parse_args()


def main():
    options = arguments()
    with open(options.prepared, encoding="utf-8") as file:
        head = json.loads(file.readline())
        vocabulary = vocabulary_file.load(head["vocabulary"])
        words = numpy.zeros((len(vocabulary.pieces) + 31) // 32, numpy.int32)
        bench = Bench(ENGINES[options.engine](vocabulary, words), len(vocabulary.pieces), words)
        print("{}", flush=True)
        for number, line in enumerate(file):
            if number < options.skip:
                continue
            signal.alarm(options.limit)  # nobody handles it: it ends the process even inside the engine's own code
            row = json.loads(line)
            print(json.dumps(bench.run(row["schema"], row["tests"])), flush=True)
        signal.alarm(0)


if __name__ == "__main__":
    main()
