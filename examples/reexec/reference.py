"""The program of main.go in Python: it trains, leaks, saves, and replaces itself by a new process.
The losses are the same.

    python reference.py --dir runs/reexec [--steps 60] [--grow 200] [--losses FILE]
"""

import argparse
import os
import sys
import time

import torch
from torch import nn
from torch.nn import functional as F

features = []  # the leak: grows by 4 MiB with each batch


def resident():
    with open("/proc/self/statm") as f:
        return int(f.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def step(model, opt):
    x = torch.randn(1024, 64)
    features.append(model[0](x).detach())
    loss = F.mse_loss(model(x), x)
    opt.zero_grad()
    loss.backward()
    opt.step()
    return loss.item()


def save(path, state):
    """Writes a file atomically."""
    torch.save(state, path + ".new")
    os.replace(path + ".new", path)


def train(args):
    """Trains to the end. It returns in the last of the processes."""
    torch.manual_seed(1)
    model = nn.Sequential(nn.Linear(64, 1024), nn.ReLU(), nn.Dropout(), nn.Linear(1024, 64))
    opt = torch.optim.AdamW(model.parameters())
    os.makedirs(args.dir, exist_ok=True)
    path, losses, lives = os.path.join(args.dir, "checkpoint.pt"), [], []
    if os.path.exists(path):
        state = torch.load(path)
        model.load_state_dict(state["model"])
        opt.load_state_dict(state["optimizer"])
        torch.set_rng_state(state["random"])
        losses, lives = state["losses"], state["lives"]
    begun, start = len(losses), resident()
    with open(args.losses or os.devnull, "a") as log:
        while len(losses) < args.steps:
            losses.append(step(model, opt))
            log.write(f"{time.time():.6f} {losses[-1]:.9g}\n")
            if args.grow and resident() - start > args.grow << 20 and len(losses) < args.steps:
                break
    lives.append((begun, len(losses), start, resident()))
    if len(losses) < args.steps:
        save(path, {
            "model": model.state_dict(), "optimizer": opt.state_dict(), "random": torch.get_rng_state(),
            "losses": losses, "lives": lives,
        })  # fmt: skip
        sys.stdout.flush()
        os.execv(sys.executable, sys.orig_argv)
    return losses, lives


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--dir", default="reexec", help="folder for the checkpoint")
    p.add_argument("--steps", type=int, default=60)
    p.add_argument("--grow", type=int, default=200, help="MiB by which a process may grow; 0: no limit")
    p.add_argument("--losses", help="append seconds and losses of each step to this file")
    args = p.parse_args()
    losses, lives = train(args)
    print("steps     resident at its start  at its end")
    for begun, end, first, last in lives:
        print(f"{begun:3} to {end:<3} {first >> 20:18} MiB {last >> 20:7} MiB")
    if losses:
        print(f"loss: {losses[0]:.4f} after the first step, {losses[-1]:.4f} after {len(losses)}")


if __name__ == "__main__":
    main()
