"""Package tokenizer against the SentencePiece library, live.

    .venv/oracle/bin/pip install -r tests/python/requirements.txt && .venv/oracle/bin/pytest tests/python/test_tokenizer.py

Needs Go on the path: the tokenizer is driven through tests/tokenize.
"""
import base64
import io
import json
import os
import random
import subprocess
import sys

import pytest
import sentencepiece

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "scripts", "oracle"))
import tokenizer_cases as cases  # noqa: E402

ARCHIVES = {"demo": ("demo/needle3-demo.cact", "testdata/demo/tokenizer.model")}
for _case in ("tiny", "odd", "cq4", "mixed"):
    ARCHIVES[_case] = (f"testdata/oracle/{_case}/model.cact", f"testdata/oracle/{_case}/tokenizer.model")
RANDOM_TEXTS = 20_000


@pytest.fixture(scope="session")
def program(tmp_path_factory):
    path = str(tmp_path_factory.mktemp("bin") / "tokenize")
    subprocess.run(["go", "build", "-o", path, "./tests/tokenize"], cwd=ROOT, check=True)
    return path


@pytest.fixture
def tokenize(program, tmp_path):
    """A function from a record and requests to the answers of package tokenizer."""
    def ask(record, requests):
        path = tmp_path / "record"
        path.write_bytes(record)
        lines = "".join(json.dumps(r) + "\n" for r in requests)
        done = subprocess.run([program, str(path)], input=lines.encode(), capture_output=True)
        assert done.returncode == 0, done.stderr.decode()
        answers = [json.loads(line) for line in done.stdout.splitlines()]
        assert len(answers) == len(requests)
        return answers
    return ask


def encode(tokenize, record, texts, plain=False):
    requests = [{"base64": base64.b64encode(t).decode(), "plain": plain} for t in texts]
    return [a["ids"] for a in tokenize(record, requests)]


def differences(tokenize, record, sp, texts):
    """The texts of which the two make different ids."""
    got = encode(tokenize, record, texts)
    return [(t, ids, want) for t, ids in zip(texts, got) if ids != (want := sp.Encode(t, out_type=int))]


def request_texts():
    """Tools, system text and query of every stored request, on their own and in a prompt."""
    with open(os.path.join(ROOT, "testdata", "requests", "bfcl.jsonl"), encoding="utf-8") as f:
        for line in f:
            r = json.loads(line)
            tools = json.dumps(r["tools"], separators=(",", ":"), ensure_ascii=False)
            system, query = r["system"] or "", r["query"]
            yield from (tools.encode(), json.dumps(r["tools"]).encode(), system.encode(), query.encode())
            yield (f"<|im_start|>system\n{system}<|im_end|>\n<|im_start|>user\n<tools>{tools}</tools>\n"
                   f"{query}<|im_end|>\n<|im_start|>assistant\n").encode()


def golden_texts(case):
    if case == "demo":
        return []
    with open(os.path.join(ROOT, "testdata", "oracle", case, "golden.json"), encoding="utf-8") as f:
        return [t["text"].encode() for t in json.load(f)["tokenizer"]]


def archive(name):
    record, model = (os.path.join(ROOT, path) for path in ARCHIVES[name])
    return cases.archive_blob(record), cases.load(model)


@pytest.mark.parametrize("name", ARCHIVES)
def test_archives_give_the_ids_of_sentencepiece(tokenize, name):
    record, sp = archive(name)
    pieces = cases.pieces_of(sp)
    rnd = random.Random(name)
    texts = golden_texts(name) + list(request_texts()) + cases.texts(rnd, pieces, RANDOM_TEXTS)
    assert len(texts) > RANDOM_TEXTS + 2000
    assert differences(tokenize, record, sp, texts)[:3] == []


@pytest.mark.parametrize("name", ARCHIVES)
def test_archives_decode_as_sentencepiece(tokenize, name):
    record, sp = archive(name)
    pieces = cases.pieces_of(sp)
    rnd = random.Random(name)
    lists = cases.chosen_ids(pieces) + [cases.random_ids(rnd, pieces) for _ in range(3000)]
    for ids, got in zip(lists, tokenize(record, [{"decode": ids} for ids in lists])):
        assert got["text"] == sp.Decode(ids), ids
        assert "".join(got["stream"]) == got["text"], ids


def test_the_record_is_what_the_format_says():
    record, sp = archive("demo")
    assert record == cases.blob(cases.pieces_of(sp))


@pytest.mark.parametrize("name", ARCHIVES)
def test_plain_ids_are_ordinary_and_spell_the_text(tokenize, name):
    record, sp = archive(name)
    pieces = cases.pieces_of(sp)
    rnd = random.Random(name)
    texts = cases.texts(rnd, pieces, 3000) + list(request_texts())[4::25]
    special = {i for i, p in enumerate(pieces) if p[2] not in (cases.NORMAL, cases.BYTE)}
    plain = encode(tokenize, record, texts, plain=True)
    back = tokenize(record, [{"decode": ids} for ids in plain])
    for text, ids, usual, got in zip(texts, plain, encode(tokenize, record, texts), back):
        assert not special & set(ids), text
        if not special & set(usual):
            assert ids == usual, text
        assert got["text"] == replaced(text).replace(cases.META, " "), text


def replaced(raw):
    """U+FFFD for each byte of invalid UTF-8; Python by itself puts one for a whole broken character."""
    return raw.decode("utf-8", "surrogateescape").translate({0xDC00 + b: "\ufffd" for b in range(256)})


@pytest.mark.parametrize("seed", range(24))
def test_any_vocabulary_gives_the_ids_of_sentencepiece(tokenize, seed):
    """Vocabularies with many ties, unreachable pieces, letters that are no piece, overlapping markers,
    with and without the dummy prefix and byte pieces."""
    rnd = random.Random(seed)
    dummy, fallback = seed % 2 == 1, seed % 3 != 2
    alphabet = rnd.sample(["a", "b", "c", "<", ">", "|", "_", "/", cases.META, "\n", "é", "日", "本", "\U0001f64f"], 6)
    extra = rnd.sample(["ab", "abc", "bc", "\n", cases.META * 2, "<<", "<tool", "<tools>[", "日本"], rnd.randrange(5))
    pieces = cases.random_pieces(rnd, 120, alphabet, fallback, rnd.choice([1, 2, 30, 1000]), extra)
    sp = cases.model(pieces, dummy, fallback)
    record = cases.blob(pieces, dummy, fallback)
    texts = cases.texts(rnd, pieces, 1500)
    texts += ["".join(rnd.choices(alphabet, k=rnd.randrange(60))).encode() for _ in range(500)]
    assert differences(tokenize, record, sp, texts)[:3] == []
    lists = cases.chosen_ids(pieces) + [cases.random_ids(rnd, pieces) for _ in range(300)]
    for ids, got in zip(lists, tokenize(record, [{"decode": ids} for ids in lists])):
        assert got["text"] == "".join(got["stream"]) == sp.Decode(ids), ids


@pytest.mark.parametrize("dummy", [True, False])
def test_a_trained_model_with_the_dummy_prefix(tokenize, dummy):
    with open(os.path.join(ROOT, "testdata", "requests", "bfcl.jsonl"), encoding="utf-8") as f:
        lines = [json.loads(line)["query"] for line in f]
    out = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(lines), model_writer=out, vocab_size=600, model_type="bpe", byte_fallback=True,
        pad_id=0, eos_id=1, bos_id=2, unk_id=3, user_defined_symbols=cases.MARKERS,
        normalization_rule_name="identity", remove_extra_whitespaces=False, add_dummy_prefix=dummy, minloglevel=2)
    sp = sentencepiece.SentencePieceProcessor(model_proto=out.getvalue())
    assert (sp.Encode("a", out_type=str)[0][0] == cases.META) == dummy
    pieces = cases.pieces_of(sp)
    record = cases.blob(pieces, dummy_prefix=dummy)
    texts = cases.texts(random.Random(5), pieces, 3000) + [line.encode() for line in lines]
    assert differences(tokenize, record, sp, texts)[:3] == []
    wrong = cases.blob(pieces, dummy_prefix=not dummy)
    assert len(differences(tokenize, wrong, sp, texts)) > 0.9 * len(texts)
    shown = [t for t in texts if t and cases.META.encode() not in t]
    for text, got in zip(shown, tokenize(record, [{"decode": sp.Encode(t, out_type=int)} for t in shown])):
        assert got["text"] == "".join(got["stream"]) == replaced(text), text


def test_the_comparison_sees_two_swapped_scores(tokenize):
    """Negative control: with two scores changed the comparison above has to fail."""
    record, sp = archive("demo")
    pieces = cases.pieces_of(sp)
    texts = list(request_texts())
    assert differences(tokenize, record, sp, texts) == []
    first, last = 16 + 256, len(pieces) - 200
    for i, j in ((first, last), (first + 1, first + 40)):
        swapped = list(pieces)
        swapped[i], swapped[j] = ((pieces[i][0], pieces[j][1], pieces[i][2]),
                                  (pieces[j][0], pieces[i][1], pieces[j][2]))
        assert differences(tokenize, cases.blob(swapped), sp, texts)


def test_a_broken_record_is_refused(program, tmp_path):
    path = tmp_path / "record"
    path.write_bytes(archive("demo")[0][:-1])
    done = subprocess.run([program, str(path)], input=b"", capture_output=True)
    assert done.returncode == 1
    assert b"tokenizer: piece 2047" in done.stderr
