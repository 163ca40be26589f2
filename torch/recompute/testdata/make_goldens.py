"""Writes goldens.json: results of a deep network with dropout, plain and with its layers in
checkpoints. They are the loss, each parameter's gradient (the sum of its elements and the sum of
their squares), and the peak memory of a step in bytes above the memory that is alive before.
Run with PyTorch 2.11.0: python make_goldens.py LIBCOUNTING, which is
bench/cpp/counting_allocator.cpp, compiled by `make bench`."""

import ctypes
import gc
import json
import sys
from pathlib import Path

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint, checkpoint_sequential

here = Path(__file__).parent
library = ctypes.CDLL(sys.argv[1])
for name in ("gotorch_counter_live", "gotorch_counter_peak"):
    getattr(library, name).restype = ctypes.c_int64
library.gotorch_counter_install()
torch.set_num_threads(1)

WIDTH, DEPTH, BATCH = 64, 16, 256
torch.manual_seed(0)
layers = []
for _ in range(DEPTH):
    layers += [nn.Linear(WIDTH, WIDTH), nn.Tanh(), nn.Dropout(0.25)]
model = nn.Sequential(*layers)
x = torch.randn(BATCH, WIDTH)


def part(first, last):
    return lambda x: nn.Sequential(*layers[first:last])(x)


def halves(first, last):
    """Returns a function that runs two checkpoints within one checkpoint."""
    middle = (first + last) // 2

    def both(x):
        x = checkpoint(part(first, middle), x, use_reentrant=False)
        return checkpoint(part(middle, last), x, use_reentrant=False)

    return both


def nested(x):
    for first in range(0, len(layers), 12):
        x = checkpoint(halves(first, first + 12), x, use_reentrant=False)
    return x


RUNS = {
    "plain": model,
    "sequential_2": lambda x: checkpoint_sequential(model, 2, x, use_reentrant=False),
    "sequential_4": lambda x: checkpoint_sequential(model, 4, x, use_reentrant=False),
    "sequential_8": lambda x: checkpoint_sequential(model, 8, x, use_reentrant=False),
    "whole": lambda x: checkpoint(model, x, use_reentrant=False),
    "nested": nested,
}


def step(run):
    torch.manual_seed(1)
    y = run(x)
    loss = y.square().mean()
    del y
    loss.backward()
    return loss.item()


out = {}
for name, run in RUNS.items():
    model.zero_grad()
    step(run)
    model.zero_grad()
    gc.collect()
    library.gotorch_counter_reset()
    base = library.gotorch_counter_live()
    loss = step(run)
    peak = library.gotorch_counter_peak() - base
    grads = [p.grad.double() for p in model.parameters()]
    out[name] = dict(loss=loss, peak=peak, sums=[g.sum().item() for g in grads],
                     squares=[g.square().sum().item() for g in grads])
(here / "goldens.json").write_text(json.dumps(out, separators=(",", ":")) + "\n")
