"""embed in Python: all-MiniLM-L6-v2 in plain PyTorch, from the same files.

    python reference.py --model FOLDER --query TEXT FILE

The tokenizer is Hugging Face's. The model has the steps of transformers' BertModel with the
attention "sdpa", except that one multiplication computes queries, keys and values, as in
bert.go. Batches are sorted by length, as in sentence-transformers.
"""

import argparse
import os
import statistics
import time

import torch
from safetensors.torch import load_file
from tokenizers import Tokenizer
from torch import nn
from torch.nn import functional as F

VOCABULARY, POSITIONS, TYPES, WIDTH, INNER, HEADS, LAYERS = 30522, 512, 2, 384, 1536, 12, 6
EPS = 1e-12


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv = nn.Linear(WIDTH, 3 * WIDTH)
        self.out = nn.Linear(WIDTH, WIDTH)
        self.norm_attn = nn.LayerNorm(WIDTH, eps=EPS)
        self.up = nn.Linear(WIDTH, INNER)
        self.down = nn.Linear(INNER, WIDTH)
        self.norm_ff = nn.LayerNorm(WIDTH, eps=EPS)

    def attend(self, x, mask):
        b, t, c = x.shape
        q, k, v = self.qkv(x).view(b, t, 3, HEADS, c // HEADS).permute(2, 0, 3, 1, 4)
        y = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        return y.transpose(1, 2).reshape(b, t, c)

    def forward(self, x, mask):
        x = self.norm_attn(x + self.out(self.attend(x, mask)))
        return self.norm_ff(x + self.down(F.gelu(self.up(x))))


class BERT(nn.Module):
    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(VOCABULARY, WIDTH)
        self.positions = nn.Embedding(POSITIONS, WIDTH)
        self.types = nn.Embedding(TYPES, WIDTH)
        self.norm = nn.LayerNorm(WIDTH, eps=EPS)
        self.layers = nn.ModuleList(Layer() for _ in range(LAYERS))

    def forward(self, ids, mask):
        x = self.words(ids) + self.types.weight[0] + self.positions.weight[: ids.shape[1]]
        x = self.norm(x)
        for layer in self.layers:
            x = layer(x, mask)
        return x


def names(theirs):
    """Returns Hugging Face's weights with the names of the model above."""
    ours = {}
    for name, to in [("word", "words"), ("position", "positions"), ("token_type", "types")]:
        ours[f"{to}.weight"] = theirs[f"embeddings.{name}_embeddings.weight"]
    for p in ["weight", "bias"]:
        ours[f"norm.{p}"] = theirs[f"embeddings.LayerNorm.{p}"]
        for i in range(LAYERS):
            at = f"encoder.layer.{i}."
            ours[f"layers.{i}.qkv.{p}"] = torch.cat(
                [theirs[f"{at}attention.self.{part}.{p}"] for part in ["query", "key", "value"]]
            )
            for to, name in [
                ("out", "attention.output.dense"), ("norm_attn", "attention.output.LayerNorm"),
                ("up", "intermediate.dense"), ("down", "output.dense"), ("norm_ff", "output.LayerNorm"),
            ]:  # fmt: skip
                ours[f"layers.{i}.{to}.{p}"] = theirs[f"{at}{name}.{p}"]
    return ours


class Encoder:
    def __init__(self, folder):
        self.tokenizer = Tokenizer.from_file(os.path.join(folder, "tokenizer.json"))
        self.tokenizer.no_padding()
        self.tokenizer.enable_truncation(256)
        with torch.device("meta"):
            self.model = BERT()
        weights = load_file(os.path.join(folder, "model.safetensors"))
        self.model.load_state_dict(names(weights), assign=True)
        self.model.eval().requires_grad_(False)

    @torch.inference_mode()
    def encode(self, texts, batch=32):
        tokens = [e.ids for e in self.tokenizer.encode_batch(texts)]
        order = sorted(range(len(texts)), key=lambda i: -len(tokens[i]))
        out = torch.empty(len(texts), WIDTH)
        for start in range(0, len(texts), batch):
            at = order[start : start + batch]
            out[at] = self.vectors([tokens[i] for i in at])
        return out

    def vectors(self, tokens):
        longest = len(tokens[0])
        ids = torch.tensor([t + [0] * (longest - len(t)) for t in tokens])
        if len(tokens[-1]) == longest:
            return F.normalize(self.model(ids, None).mean(1))
        mask = torch.tensor([[i < len(t) for i in range(longest)] for t in tokens])
        x = self.model(ids, mask[:, None, None])
        weights = mask[..., None].float()
        return F.normalize((x * weights).sum(1) / weights.sum(1))


def timed(fn, rounds):
    fn()
    took = []
    for _ in range(rounds):
        start = time.perf_counter_ns()
        fn()
        took.append(time.perf_counter_ns() - start)
    return statistics.median_high(took)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("file")
    p.add_argument("--model", required=True, help="the folder that scripts/get_minilm.sh prints")
    p.add_argument("--query", default="", help="what to look for")
    p.add_argument("--top", type=int, default=5, help="number of lines to show")
    p.add_argument("--threads", type=int, default=0)
    p.add_argument("--losses", help="write seconds and cosine with the query of each line to this file")
    p.add_argument("--bench", type=int, default=0, help="print the time per line, measured in this many rounds")
    args = p.parse_args()
    if args.threads:
        torch.set_num_threads(args.threads)
    encoder = Encoder(args.model)
    with open(args.file, encoding="utf-8") as f:
        lines = [line.strip() for line in f]
    if args.bench:
        lines = lines[:32]
        one = timed(lambda: [encoder.encode([line]) for line in lines], args.bench) // len(lines)
        all_ = timed(lambda: encoder.encode(lines), args.bench) // len(lines)
        print(f"bench b1={one} b32={all_}")
        return
    if args.losses:
        query, begun = encoder.encode([args.query])[0], time.perf_counter()
        with open(args.losses, "w") as f:
            for line in lines:
                likeness = (encoder.encode([line])[0] @ query).item()
                f.write(f"{time.perf_counter() - begun:.6f} {likeness:.9g}\n")
        return
    scores = encoder.encode(lines) @ encoder.encode([args.query])[0]
    best = scores.topk(min(args.top, len(lines)))
    for score, at in zip(best.values.tolist(), best.indices.tolist()):
        print(f"{score:.3f}  {args.file}:{at + 1}: {lines[at]}")


if __name__ == "__main__":
    main()
