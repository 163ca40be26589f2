"""The pretraining of main.go in Python, with the first weights and the tokens of main.go:

    go run ./nanochat -export /tmp/nanochat
    python nanochat/reference.py --folder /tmp/nanochat

The losses are those of `go run ./nanochat -stages pretrain`.
"""

import argparse
import math
import time

import torch
from safetensors.torch import load_file
from transformers import LlamaForCausalLM


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--folder", required=True, help="what -export of main.go has written")
    p.add_argument("--steps", type=int, default=800)
    p.add_argument("--batch", type=int, default=16)
    p.add_argument("--warmup", type=int, default=50)
    p.add_argument("--lr", type=float, default=3e-3)
    p.add_argument("--clip", type=float, default=1)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--threads", type=int, default=torch.get_num_threads())
    p.add_argument("--out", help="save the trained model to this folder")
    p.add_argument("--losses", help="write seconds and loss of each step to this file")
    args = p.parse_args()

    torch.set_num_threads(args.threads)
    model = LlamaForCausalLM.from_pretrained(args.folder, dtype=torch.float32).train()
    context = model.config.max_position_embeddings
    windows = load_file(args.folder + "/tokens.safetensors")["tokens"].unfold(0, context, 1)
    random = torch.Generator().manual_seed(args.seed)
    opt = torch.optim.AdamW(
        [
            {"params": [p for p in model.parameters() if p.dim() > 1]},
            {"params": [p for p in model.parameters() if p.dim() <= 1], "weight_decay": 0},
        ],
        lr=args.lr, betas=(0.9, 0.95), weight_decay=0.1, fused=True)
    warmup = min(args.warmup, args.steps // 2)

    def rate(step):
        if step < warmup:
            return (step + 1) / (warmup + 1)
        done = min(1, (step - warmup) / max(1, args.steps - warmup))
        return 0.1 + 0.45 * (1 + math.cos(math.pi * done))

    sched = torch.optim.lr_scheduler.LambdaLR(opt, rate)
    log, begun = [], time.perf_counter()
    for step in range(args.steps):
        ids = windows[torch.randint(0, len(windows), (args.batch,), generator=random)]
        loss = model(input_ids=ids, labels=ids).loss
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), args.clip)
        opt.step()
        opt.zero_grad()
        sched.step()
        log.append(f"{time.perf_counter() - begun:.6f} {loss.item():.9g}\n")
        if (step + 1) % 100 == 0:
            print(f"step {step + 1}: loss {loss.item():.6f}", flush=True)
    if args.losses:
        with open(args.losses, "w") as f:
            f.writelines(log)
    if args.out:
        model.save_pretrained(args.out)


if __name__ == "__main__":
    main()
