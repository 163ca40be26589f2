"""The program of main.go in Python: nanoGPT's model and training, at character level.

    go run . -save godoc.txt
    python reference.py --text godoc.txt
"""

import argparse
import contextlib
import math
import statistics
import time

import torch
import torch.nn.functional as F
from torch import nn


class Attention(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.heads, self.dropout = c.heads, c.dropout
        self.qkv = nn.Linear(c.width, 3 * c.width)
        self.proj = nn.Linear(c.width, c.width)
        self.drop = nn.Dropout(c.dropout)

    def forward(self, x):
        b, t, c = x.shape
        q, k, v = (p.view(b, t, self.heads, c // self.heads).transpose(1, 2) for p in self.qkv(x).split(c, 2))
        p = self.dropout if self.training else 0.0
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True, dropout_p=p)
        return self.drop(self.proj(y.transpose(1, 2).reshape(b, t, c)))


class Block(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.norm_attn = nn.LayerNorm(c.width)
        self.attn = Attention(c)
        self.norm_mlp = nn.LayerNorm(c.width)
        self.up = nn.Linear(c.width, 4 * c.width)
        self.down = nn.Linear(4 * c.width, c.width)
        self.drop = nn.Dropout(c.dropout)

    def forward(self, x):
        x = x + self.attn(self.norm_attn(x))
        return x + self.drop(self.down(F.gelu(self.up(self.norm_mlp(x)))))


class GPT(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.block = c.block
        self.wte = nn.Embedding(c.vocabulary, c.width)
        self.wpe = nn.Embedding(c.block, c.width)
        self.drop = nn.Dropout(c.dropout)
        self.blocks = nn.ModuleList(Block(c) for _ in range(c.layers))
        self.norm = nn.LayerNorm(c.width)
        self.head = nn.Linear(c.width, c.vocabulary, bias=False)
        self.wte.weight = self.head.weight
        for m in self.modules():
            if isinstance(m, (nn.Linear, nn.Embedding)):
                nn.init.normal_(m.weight, 0, 0.02)
            if isinstance(m, nn.Linear) and m.bias is not None:
                nn.init.zeros_(m.bias)
        for b in self.blocks:
            for m in (b.attn.proj, b.down):
                nn.init.normal_(m.weight, 0, 0.02 / math.sqrt(2 * c.layers))

    def forward(self, ids):
        x = self.drop(self.wte(ids) + self.wpe(torch.arange(ids.shape[1], device=ids.device)))
        for b in self.blocks:
            x = b(x)
        return self.head(self.norm(x))

    @torch.no_grad()
    def generate(self, ids, n, temperature, top):
        for _ in range(n):
            logits = self(ids[:, -self.block:])[:, -1] / temperature
            best, _ = logits.topk(min(top, logits.shape[1]))
            logits = logits.masked_fill(logits < best[:, -1:], -math.inf)
            ids = torch.cat([ids, logits.softmax(-1).multinomial(1)], 1)
        return ids


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--text", required=True, help="file with the text to learn")
    p.add_argument("--steps", type=int, default=2000)
    p.add_argument("--batch", type=int, default=12, help="texts per step")
    p.add_argument("--every", type=int, default=250, help="steps between two samples")
    p.add_argument("--sample", type=int, default=300, help="characters of a sample")
    p.add_argument("--prompt", default="Package ")
    p.add_argument("--block", type=int, default=64, help="characters that the model looks back at")
    p.add_argument("--layers", type=int, default=4)
    p.add_argument("--heads", type=int, default=4)
    p.add_argument("--width", type=int, default=128)
    p.add_argument("--dropout", type=float, default=0.0)
    p.add_argument("--lr", type=float, default=1e-3)
    p.add_argument("--warmup", type=int, default=100)
    p.add_argument("--seed", type=int, default=0)
    p.add_argument("--threads", type=int, default=torch.get_num_threads())
    p.add_argument("--device", default="cpu")
    p.add_argument("--dtype", default="float32", choices=["float32", "bfloat16", "float16"])
    p.add_argument("--losses", help="write seconds and loss of each step to this file")
    p.add_argument("--bench", action="store_true", help="no samples; print the time of a step")
    c = p.parse_args()

    torch.set_num_threads(c.threads)
    torch.manual_seed(c.seed)
    with open(c.text, encoding="utf-8", newline="") as f:
        text = f.read()
    letters = sorted(set(text))
    number = {ch: i for i, ch in enumerate(letters)}
    ids = torch.tensor([number[ch] for ch in text])
    windows = ids.unfold(0, c.block + 1, 1)

    c.vocabulary = len(letters)
    model = GPT(c).to(c.device)
    matrices = [p for p in model.parameters() if p.dim() > 1]
    vectors = [p for p in model.parameters() if p.dim() <= 1]
    groups = [{"params": matrices, "weight_decay": 0.1}, {"params": vectors, "weight_decay": 0.0}]
    opt = torch.optim.AdamW(groups, lr=c.lr, betas=(0.9, 0.99), fused=True)

    def rate(step):
        if step < c.warmup:
            return (step + 1) / (c.warmup + 1)
        done = min(1, (step - c.warmup) / max(1, c.steps - c.warmup))
        return 0.1 + 0.45 * (1 + math.cos(math.pi * done))

    sched = torch.optim.lr_scheduler.LambdaLR(opt, rate)
    scaler = torch.amp.GradScaler(c.device.split(":")[0], enabled=c.dtype == "float16")
    dtype = getattr(torch, c.dtype)
    autocast = contextlib.nullcontext()
    if dtype != torch.float32:
        autocast = torch.autocast(c.device.split(":")[0], dtype)

    print(f"{len(text)} characters, {len(letters)} different, {sum(p.numel() for p in model.parameters())} parameters")
    losses, took, log = [], [], []
    begun = time.perf_counter()
    for step in range(1, c.steps + 1):
        start = time.perf_counter()
        starts = torch.randint(0, windows.shape[0], (c.batch,))
        texts = windows[starts].to(c.device)
        x, y = texts[:, :-1], texts[:, 1:]
        with autocast:
            logits = model(x)
            loss = F.cross_entropy(logits.flatten(0, 1), y.flatten())
        opt.zero_grad()
        scaler.scale(loss).backward()
        scaler.unscale_(opt)
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1)
        scaler.step(opt)
        scaler.update()
        sched.step()
        losses.append(loss.item())
        log.append(f"{time.perf_counter() - begun:.6f} {losses[-1]:.9g}\n")
        took.append(time.perf_counter() - start)
        if not c.bench and (step % c.every == 0 or step == c.steps):
            print(f"step {step}: loss {losses[-1]:.4f}")
            model.eval()
            ids = torch.tensor([[number[ch] for ch in c.prompt]], device=c.device)
            written = "".join(letters[i] for i in model.generate(ids, c.sample, 0.8, 40)[0].tolist())
            print("  | " + written.replace("\n", "\n  | "))
            model.train()
    if c.bench:
        print(f"bench step={statistics.median(took[len(took) // 10:]) * 1e9:.0f}")
    if c.losses:
        with open(c.losses, "w") as f:
            f.writelines(log)


if __name__ == "__main__":
    main()
