#!/usr/bin/env python3
"""The model's forward pass in NumPy, one token at a time, written from its specification alone.

    reference.py compare CASE_DIR...        compares with the cases' golden values; exit 1 below the floor
    reference.py trace CASE_DIR OUT         writes the result of every operation for a few tokens

Slow and plain on purpose: it carries the state that an engine carries (int8 KV, tap rows, engram rows,
lanes rebuilt per token), so every intermediate value can be put next to an engine's.

A trace is OUT/trace.json and OUT/trace.bin. The JSON names the archive and the token ids, and lists the
entries in the order of execution: position, layer (the engram site for engram.*, -1 outside the blocks),
name, dtype, shape, and the byte offset in trace.bin, where the values lie one after another, little
endian. dtype "i8" entries are the integers of an int8 rounding; "scale" (or "scales", one per head)
turns them back into values. "terms" is the size (L2) of the products that a short result was summed
from: where they cancel, its last bits cannot be closer than theirs. --without NAME leaves one rounding
out: its entry then holds unrounded "f32" values, and everything after it has been computed from those.
"""
import argparse
import hashlib
import json
import os
import sys

import numpy as np

from needle.model import export as exp

F = np.float32

ROUNDINGS = ("engram.row8", "lanes.z8", "attn.h8", "attn.q8", "attn.k8", "attn.v8", "attn.o8", "final.x8")


def rms(x):
    return np.sqrt(np.mean(x * x, axis=-1, keepdims=True, dtype=F) + F(1e-6))


def unit(x):
    return x / rms(x)


def norm(x, scale):
    return (1 + scale) * x / rms(x)


def int8(x):
    """(integers, scales): symmetric int8 over the last axis, one scale per vector."""
    top = np.max(np.abs(x), axis=-1, keepdims=True)
    scale = np.where(top > 0, top / F(127), F(1)).astype(F)
    return np.clip(np.round(x / scale), -128, 127).astype(np.int8), scale


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def softmax(x):
    """Over the last axis."""
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def sinkhorn(m):
    for _ in range(20):
        for axis in (-1, -2):
            top = m.max(axis, keepdims=True)
            m = m - np.log(np.exp(m - top).sum(axis, keepdims=True)) - top
    return np.exp(m)


def terms(w, x):
    """The size of the products that w @ x sums, in the row where it is largest."""
    return float(np.linalg.norm(w * x, axis=-1).max())


def kron(z, a, b):
    return (a.T @ z.reshape(a.shape[0], b.shape[0]) @ b).reshape(-1)


class Archive:
    """The archive's tensors by role, in the order of the format."""

    def __init__(self, path):
        self.g, tensors = exp.read_export(path)
        it = iter(tensors)
        take = lambda: np.asarray(next(it), F)
        g = self.g
        self.embedding = take()
        self.layers = []
        names = ["norm_in", "q", "k", "v"] + (["q_taps", "k_taps", "v_taps"] if g["qkv_conv_taps"] else [])
        names += ["q_norm", "k_norm", "gate", "out", "post_norm", "attn_gate", "pre_hada", "d1", "d2",
                  "b2", "d3", "d4", "w1a", "w1b", "w2a", "w2b", "w3a", "w3b", "cond_v", "cond_u"]
        for _ in range(g["num_layers"]):
            self.layers.append({n: take() for n in names})
        for n in ("a_pre", "a_post", "a_res", "b_pre", "b_post", "b_res", "phi_pre", "phi_post", "phi_res"):
            setattr(self, n, take())
        self.p1, self.p2 = take().astype(int), take().astype(int)
        self.sites = [{n: take() for n in ("tables", "key", "value", "taps")} for _ in g["engram_layers"]]
        self.final_norm = take()
        rest = [np.asarray(t, F) for t in it if not isinstance(t, bytes)]
        self.heads = {}
        for code in (rest.pop(0).astype(int) if rest else ()):
            names = ("probes", "gain", "query", "row_bias", "proj", "bias")
            self.heads[("", "embedding", "confidence", "router")[code]] = dict(zip(names, rest))
            del rest[: 7 if code == 3 else 6]


class Trace:
    """Collects the operations' results, in the order of execution."""

    def __init__(self):
        self.entries, self.chunks, self.size = [], [], 0

    def add(self, pos, layer, name, values, **more):
        dtype = {"float32": "f32", "int8": "i8"}[str(values.dtype)]
        data = np.ascontiguousarray(values.astype(values.dtype.newbyteorder("<"))).tobytes()
        self.entries.append({"pos": pos, "layer": layer, "name": name, "dtype": dtype,
                             "shape": list(values.shape), "offset": self.size, **more})
        self.chunks.append(data)
        self.size += len(data)

    def write(self, folder, **head):
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, "trace.bin"), "wb") as handle:
            handle.writelines(self.chunks)
        lines = ",\n".join(json.dumps(e, separators=(",", ":")) for e in self.entries)
        with open(os.path.join(folder, "trace.json"), "w") as handle:
            handle.write(json.dumps(head, separators=(",", ":"))[:-1] + ',"entries":[\n' + lines + "\n]}\n")


class Session:
    """One sequence. trace collects every result; without names roundings that are left out."""

    def __init__(self, archive, trace=None, without=()):
        unknown = set(without) - set(ROUNDINGS)
        if unknown:
            raise ValueError(f"no such rounding: {', '.join(sorted(unknown))}")
        self.w, self.g = archive, archive.g
        self.trace, self.without = trace, frozenset(without)
        self.tokens, self.cells = [], []
        L = self.g["num_layers"]
        self.raw = [[] for _ in range(L)]
        self.kv = [[] for _ in range(L)]
        self.memory = [[] for _ in self.w.sites]

    def see(self, layer, name, x, **more):
        """x, after it was noted. All arithmetic has to stay in float32, as an engine's does."""
        x = np.asarray(x)
        if x.dtype != F:
            raise TypeError(f"{name} of layer {layer} is {x.dtype}, not float32")
        if self.trace is not None:
            self.trace.add(len(self.tokens) - 1, layer, name, x.reshape(-1) if x.ndim == 0 else x, **more)
        return x

    def a8(self, layer, name, x):
        """x rounded to int8 and back, one scale over the last axis."""
        if name in self.without:
            return self.see(layer, name, x)
        q, scale = int8(x)
        if self.trace is not None:
            scales = [float(s) for s in scale.reshape(-1)]
            more = {"scale": scales[0]} if x.ndim == 1 else {"scales": scales}
            self.trace.add(len(self.tokens) - 1, layer, name, q, **more)
        return q.astype(F) * scale

    def slots(self, t):
        g = self.g
        heads = g["num_engram_tables"] // len(g["engram_orders"])
        stride = g["engram_seed_heads"] or heads
        for oi, order in enumerate(g["engram_orders"]):
            for h in range(heads):
                acc = (0x9E3779B9 * (oi * stride + h + 1)) & 0xFFFFFFFF
                for j in range(order):
                    token = self.tokens[t - j] if t - j >= 0 else 0
                    acc = ((acc ^ token) * 0x01000193) & 0xFFFFFFFF
                acc ^= acc >> 15
                yield (acc % g["engram_slots"], t - (order - 1) >= 0)

    def engram(self, t):
        """(key, value) of each site at position t."""
        out, g = [], self.g
        slots = list(self.slots(t))
        for s, site in enumerate(self.w.sites):
            tables = site["tables"].reshape(g["num_engram_tables"], g["engram_slots"], -1)
            row = np.concatenate([tables[i, slot] * F(ok) for i, (slot, ok) in enumerate(slots)])
            e = self.a8(s, "engram.row8", self.see(s, "engram.row", row))
            key = self.see(s, "engram.key", site["key"] @ e)
            self.memory[s].append(self.see(s, "engram.raw", site["value"] @ e))
            value = sum(site["taps"][j] * self.memory[s][t - j * g["engram_conv_dilation"]]
                        for j in range(g["engram_conv_taps"]) if t - j * g["engram_conv_dilation"] >= 0)
            out.append((key, self.see(s, "engram.value", value)))
        return out

    def projections(self, l, h, t):
        """(q, k, v, gate) at position t, after the taps."""
        w, taps = self.w.layers[l], self.g["qkv_conv_taps"]
        self.raw[l].append([self.see(l, f"attn.{n}_raw", w[n] @ h) for n in "qkv"])
        gate = self.see(l, "attn.gate_raw", w["gate"] @ h)
        if not taps:
            return *self.raw[l][t], gate
        q, k, v = (self.see(l, f"attn.{n}_taps", sum(w[n + "_taps"][j] * self.raw[l][t - j][i]
                                                     for j in range(taps) if t - j >= 0))
                   for i, n in enumerate("qkv"))
        return q, k, v, gate

    def rope(self, z, t):
        """z [heads, qk] turned by position t."""
        half = z.shape[-1] // 2
        frequency = 1 / F(self.g["rope_theta"]) ** (np.arange(0, 2 * half, 2, dtype=F) / F(2 * half))
        c, s = np.cos(F(t) * frequency), np.sin(F(t) * frequency)
        a, b = z[:, :half], z[:, half:]
        return np.concatenate([a * c - b * s, b * c + a * s], -1)

    def attention(self, l, x, t):
        g, w = self.g, self.w.layers[l]
        H, K, dk, dv = g["num_heads"], g["num_kv_heads"], g["qk_head_dim"], g["v_head_dim"]
        h = self.a8(l, "attn.h8", self.see(l, "attn.norm", norm(x, w["norm_in"])))
        q, k, v, gate = self.projections(l, h, t)
        q = self.see(l, "attn.q_norm", norm(q.reshape(H, dk), w["q_norm"]))
        k = self.see(l, "attn.k_norm", norm(k.reshape(K, dk), w["k_norm"]))
        q = self.see(l, "attn.q_rope", self.rope(q, t))
        k = self.see(l, "attn.k_rope", self.rope(k, t))
        q, k = self.a8(l, "attn.q8", q), self.a8(l, "attn.k8", k)
        self.kv[l].append((k, self.a8(l, "attn.v8", v.reshape(K, dv))))
        width = g["sliding_window"]
        first = max(0, t - width + 1) if width and l not in g["global_layers"] else 0
        keys = np.stack([kv[0] for kv in self.kv[l][first:]])
        values = np.stack([kv[1] for kv in self.kv[l][first:]])
        scores = np.stack([keys[:, i * K // H] @ q[i] / np.sqrt(F(dk)) for i in range(H)])
        size = max(terms(keys[:, i * K // H], q[i] / np.sqrt(F(dk))) for i in range(H))
        weights = self.see(l, "attn.weights", softmax(self.see(l, "attn.scores", scores, terms=size)))
        o = np.concatenate([weights[i] @ values[:, i * K // H] for i in range(H)])
        o = self.see(l, "attn.gated", self.see(l, "attn.o", o) * sigmoid(gate))
        return self.see(l, "attn.out", w["out"] @ self.a8(l, "attn.o8", o))

    def mlp(self, l, x):
        w, n = self.w.layers[l], self.g["hada_n"]
        cond = self.see(l, "mlp.cond", 1 + softmax(x @ w["cond_v"]) @ w["cond_u"])
        z = np.concatenate([x, np.zeros(n - len(x), F)])
        z = self.see(l, "mlp.z1", kron(w["d1"] * z, w["w1a"], w["w1b"])[self.w.p1])
        u = self.see(l, "mlp.u", w["d2"] * cond * z + w["b2"])
        z = self.see(l, "mlp.z2", kron(u * sigmoid(u), w["w2a"], w["w2b"])[self.w.p2])
        z = self.see(l, "mlp.z3", kron(w["d3"] * z, w["w3a"], w["w3b"]))
        return (w["d4"] * z)[: len(x)]

    def block(self, l, x, t, memory):
        g, w = self.g, self.w.layers[l]
        if l in g["engram_layers"]:
            key, value = memory[g["engram_layers"].index(l)]
            gate = self.see(l, "engram.gate", sigmoid(unit(x) @ unit(key) / np.sqrt(F(len(x)))))
            x = self.see(l, "engram.x", x + gate * value)
        r = self.see(l, "attn.post", norm(self.attention(l, x, t), w["post_norm"]))
        x = self.see(l, "attn.x", x + sigmoid(w["attn_gate"].reshape(-1)[0]) * r)
        m = self.mlp(l, self.see(l, "mlp.norm", norm(x, w["pre_hada"])))
        return self.see(l, "mlp.x", x + m)

    def lanes(self, l, X, t, memory):
        """The lanes after layer l."""
        w, g, n = self.w, self.g, self.g["mhc_lanes"]
        own = (np.arange(n) == l % n).astype(F)
        z = self.a8(l, "lanes.z8", self.see(l, "lanes.unit", unit(X.reshape(-1))))
        phi = {name: getattr(w, "phi_" + name).reshape(g["num_layers"], -1, z.size)[l]
               for name in ("pre", "post", "res")}
        pre, post, res = (self.see(l, f"lanes.{name}_raw", p @ z, terms=terms(p, z)) for name, p in phi.items())
        pre = self.see(l, "lanes.pre", sigmoid(w.a_pre[l] * pre + w.b_pre[l] + 8 * own - 4))
        u = self.see(l, "lanes.u", pre @ X)
        y = self.see(l, "lanes.y", self.block(l, u, t, memory) - u)
        post = self.see(l, "lanes.post", 2 * sigmoid(w.a_post[l] * post + w.b_post[l] - 4 * (1 - own)))
        res = self.see(l, "lanes.res", sinkhorn(w.a_res[l] * res.reshape(n, n) + w.b_res[l]))
        return self.see(l, "lanes.X", (res @ X + post[:, None] * y).reshape(-1)).reshape(n, -1)

    def step(self, token):
        """Logits after one more token."""
        w, g = self.w, self.g
        t = len(self.tokens)
        self.tokens.append(token)
        x0 = self.see(-1, "embed", w.embedding[token] * np.sqrt(F(g["d_model"])))
        memory = self.engram(t)
        X, cells = np.tile(x0, (g["mhc_lanes"], 1)), [x0]
        for l in range(g["num_layers"]):
            X = self.lanes(l, X, t, memory)
            cells.append(self.see(l, "lanes.cell", X.mean(0)))
        self.cells.append(np.stack(cells))
        x = self.a8(-1, "final.x8", self.see(-1, "final.norm", norm(cells[-1], w.final_norm)))
        return self.see(-1, "final.logits", w.embedding[: g["out_vocab"] or None] @ x)

    def pool(self, name):
        """The probe pool [queries * d] of a head and its output."""
        w, d = self.w.heads[name], self.g["d_model"]
        cells = np.stack(self.cells)
        rows, k = w["gain"].shape
        probes = w["probes"].reshape(rows, k, d)
        p = np.stack([[softmax(cells[:, r] @ probes[r, j] / np.sqrt(F(d))) @ cells[:, r]
                       for j in range(k)] for r in range(rows)])
        p = self.see(-1, f"head.{name}.pooled", (unit(p) * w["gain"][..., None]).reshape(-1, d))
        u = w["query"] @ p.T / np.sqrt(F(d)) + w["row_bias"].reshape(-1, rows * k)
        mix = self.see(-1, f"head.{name}.mix", softmax(u))
        pool = self.see(-1, f"head.{name}.pool", (mix @ p).reshape(-1))
        output = w["proj"] @ pool + w["bias"]
        return pool, self.see(-1, f"head.{name}.output", output, terms=terms(w["proj"], pool))


def cosine(a, b):
    return float((a * b).sum() / (np.linalg.norm(a) * np.linalg.norm(b)))


def within(cosines, floor):
    """Whether cosines stay within twice the floor's distance from 1 (or 5e-4), at worst and in the median."""
    return all(1 - found <= max(2 * (1 - own), 5e-4)
               for found, own in zip((min(cosines), np.median(cosines)), floor))


def delivered(name, raw):
    """What a head's raw output means: a confidence's sigmoid, an embedding's unit vector, a softmax."""
    raw = np.asarray(raw, F)
    if name == "confidence":
        return sigmoid(raw)
    return raw / np.linalg.norm(raw) if name == "embedding" else softmax(raw)


def compare_prompt(archive, folder, prompt):
    """One line about a prompt of a golden case, and whether it is within the floor."""
    want = np.fromfile(os.path.join(folder, prompt["logits"]), "<f4").reshape(len(prompt["positions"]), -1)
    session, cosines, top = Session(archive), [], 0
    for t, token in enumerate(prompt["ids"]):
        logits = session.step(token)
        if t in prompt["positions"]:
            cosines.append(cosine(logits, want[prompt["positions"].index(t)]))
            top += int(logits.argmax() == prompt["top1"][t])
    low, middle = prompt["floor"]
    good = within(cosines, prompt["floor"])
    line = (f"{len(prompt['ids'])} tokens, cosine min {min(cosines):.6f} median {np.median(cosines):.6f} "
            f"(floor {low:.6f} {middle:.6f}), same top {top}/{len(cosines)}")
    for name, head in prompt["heads"].items():
        pool, value = session.pool(name)
        near = cosine(pool, np.fromfile(os.path.join(folder, head["pool"]), "<f4"))
        off = float(np.abs(delivered(name, value) - delivered(name, head["output"])).max())
        good = good and near > 0.9999 and off <= 0.002
        line += f", {name} pool {near:.6f} output off by {off:.5f}"
    return line, good


def read_golden(folder):
    with open(os.path.join(folder, "golden.json")) as handle:
        return json.load(handle)


def compare(folders):
    """Whether the pass reproduces every prompt of the cases."""
    good = True
    for folder in folders:
        archive = Archive(os.path.join(folder, "model.cact"))
        for number, prompt in enumerate(read_golden(folder)["prompts"]):
            line, within_floor = compare_prompt(archive, folder, prompt)
            good = good and within_floor
            print(f"{os.path.basename(os.path.normpath(folder))} prompt {number}: {line}"
                  f"{'' if within_floor else ' FAILS'}", flush=True)
    return good


def trace(folder, out, tokens=5, prompt=0, without=()):
    """Write the trace of the first tokens of a case's prompt."""
    path = os.path.join(folder, "model.cact")
    with open(path, "rb") as handle:
        digest = hashlib.sha256(handle.read()).hexdigest()
    ids = read_golden(folder)["prompts"][prompt]["ids"][:tokens]
    found = Trace()
    session = Session(Archive(path), found, without)
    for token in ids:
        session.step(token)
    for name in session.w.heads:
        session.pool(name)
    case = os.path.basename(os.path.normpath(folder))
    found.write(out, archive=f"{case}/model.cact", sha256=digest, without=sorted(without), ids=ids)
    print(f"{out}: {len(ids)} tokens, {len(found.entries)} entries, {found.size} bytes")


def main(argv):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    one = commands.add_parser("compare", help="compare the pass with golden values")
    one.add_argument("cases", nargs="+", metavar="CASE_DIR")
    one = commands.add_parser("trace", help="write every operation's result")
    one.add_argument("case", metavar="CASE_DIR")
    one.add_argument("out", metavar="OUT")
    one.add_argument("--tokens", type=int, default=5, help="how many tokens (default 5)")
    one.add_argument("--prompt", type=int, default=0, help="which prompt of golden.json (default 0)")
    one.add_argument("--without", action="append", default=[], choices=ROUNDINGS, metavar="ROUNDING",
                     help="leave this int8 rounding out: " + ", ".join(ROUNDINGS))
    args = parser.parse_args(argv)
    if args.command == "compare":
        return 0 if compare(args.cases) else 1
    trace(args.case, args.out, args.tokens, args.prompt, args.without)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
