"""Writes clip.json: gradients before and after clipping.
Run: python make_clip.py > clip.json"""

import json
import sys

import torch
from torch.nn.utils import clip_grad_norm_, clip_grad_value_

torch.manual_seed(0)
SHAPES = [[3, 4], [5], [2, 2]]
GRADS = [torch.randn(s) for s in SHAPES]


def run(fn):
    params = []
    for g in GRADS:
        p = torch.zeros_like(g, requires_grad=True)
        p.grad = g.clone()
        params.append(p)
    norm = fn(params)
    return dict(norm=None if norm is None else norm.item(), after=[p.grad.flatten().tolist() for p in params])


out = dict(shapes=SHAPES, grads=[g.flatten().tolist() for g in GRADS], cases={
    "below": run(lambda p: clip_grad_norm_(p, 100)),
    "two": run(lambda p: clip_grad_norm_(p, 1.5)),
    "one": run(lambda p: clip_grad_norm_(p, 1.5, norm_type=1)),
    "inf": run(lambda p: clip_grad_norm_(p, 0.5, norm_type=float("inf"))),
    "zero": run(lambda p: clip_grad_norm_(p, 1.5, norm_type=0)),
    "each": run(lambda p: clip_grad_norm_(p, 1.5, foreach=False)),
    "value": run(lambda p: clip_grad_value_(p, 0.4)),
    "value each": run(lambda p: clip_grad_value_(p, 0.4, foreach=False)),
})
json.dump(out, sys.stdout)
