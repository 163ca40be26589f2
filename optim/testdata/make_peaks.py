"""Writes peaks.json: the peak memory of the first and of the second step of each optimizer, in
bytes above the memory that is alive before, for four float32 parameters of 300 by 100. The first
step creates the optimizer's state. Run: python make_peaks.py LIBCOUNTING, which is
bench/cpp/counting_allocator.cpp, compiled by `make bench`.

oneDNN's bfloat16 products allocate memory, whose amount depends on the processor. If only the
instructions of AVX2 are used, they allocate none, here as in TestStepPeaks."""

import ctypes
import gc
import json
import os
import sys
from pathlib import Path

os.environ["ONEDNN_MAX_CPU_ISA"] = "AVX2"  # set before torch is imported, because oneDNN reads it then

import torch  # noqa: E402

library = ctypes.CDLL(sys.argv[1])
for name in ("gotorch_counter_live", "gotorch_counter_peak"):
    getattr(library, name).restype = ctypes.c_int64
library.gotorch_counter_install()


def peak(fn):
    gc.collect()
    library.gotorch_counter_reset()
    base = library.gotorch_counter_live()
    fn()
    return library.gotorch_counter_peak() - base


def quadratic(params):
    """Sets the gradients of a quadratic loss with a different curvature for each parameter."""
    for i, p in enumerate(params):
        p.grad.copy_(p.detach()).mul_(i + 1)


def measure(make, closure, gradients):
    params = [torch.ones(300, 100, requires_grad=True) for _ in range(4)]
    for p in params:
        p.grad = torch.full((300, 100), 0.5)
    o = make(params)

    def evaluate():
        gradients(params)
        return sum(p.detach().sum() for p in params)

    def step():
        o.step(evaluate if closure else None)

    return [peak(step), peak(step)]


IMPLEMENTATIONS = {
    "SGD": ["", "foreach", "fused"], "Adam": ["", "foreach", "fused"], "AdamW": ["", "foreach", "fused"],
    "Adagrad": ["", "foreach", "fused"], "RMSprop": ["", "foreach"], "Adadelta": ["", "foreach"],
    "Adamax": ["", "foreach"], "NAdam": ["", "foreach"], "RAdam": ["", "foreach"], "Rprop": ["", "foreach"],
    "ASGD": ["", "foreach"], "Adafactor": [""], "Muon": [""], "LBFGS": ["", "history"],
}
out = {}
for name, hows in IMPLEMENTATIONS.items():
    for how in hows:
        kw = {how: True} if how else {}
        if name == "SGD":
            kw["momentum"] = 0.9
        if how == "history":  # the history is full after the first step
            kw = {"lr": 0.1, "history_size": 3}
        cls = getattr(torch.optim, name)
        gradients = quadratic if how == "history" else lambda params: None
        out[f"{name}/{how}" if how else name] = measure(lambda ps, c=cls, k=kw: c(ps, **k), name == "LBFGS", gradients)
(Path(__file__).parent / "peaks.json").write_text(json.dumps(out, indent=1) + "\n")
