"""The program of main.go in Python: a polynomial, fitted by gradient descent.

    python reference.py
"""

import argparse
import time

import torch
import torch.nn.functional as F
from torch import nn

DEGREE, BATCH, RATE, ENOUGH = 4, 32, 0.1, 1e-3


def features(x):
    """The columns x, x^2, x^3 and x^4."""
    return torch.stack([x ** (i + 1) for i in range(DEGREE)], 1)


def describe(f):
    return "".join(f"{w:+.2f} x^{i + 1} " for i, w in enumerate(f.weight.view(-1))) + f"{f.bias.item():+.2f}"


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--threads", type=int, default=torch.get_num_threads())
    p.add_argument("--steps", type=int, default=-1, help="stop after this number of steps; -1: when the loss is small")
    p.add_argument("--losses", help="write seconds and loss of each step to this file")
    args = p.parse_args()
    torch.set_num_threads(args.threads)
    torch.manual_seed(args.seed)

    actual, learned = nn.Linear(DEGREE, 1), nn.Linear(DEGREE, 1)
    actual.weight.data.normal_(0, 5)
    actual.bias.data.normal_(0, 5)
    loss, n, log = 1.0, 0, []
    while loss >= ENOUGH and n != args.steps:
        x = features(torch.randn(BATCH))
        out = F.smooth_l1_loss(learned(x), actual(x).detach())
        learned.zero_grad()
        out.backward()
        for param in learned.parameters():
            param.data.sub_(RATE * param.grad)
        loss = out.item()
        log.append(f"{time.time():.6f} {loss:.9g}\n")
        n += 1
    print(f"loss {loss:.6f} after {n} batches\nlearned: y = {describe(learned)}\nactual:  y = {describe(actual)}")
    if args.losses:
        with open(args.losses, "w") as f:
            f.writelines(log)


if __name__ == "__main__":
    main()
