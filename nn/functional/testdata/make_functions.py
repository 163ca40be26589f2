"""Computes the cases of functions.json, for functions that have test files of their own.
`make generate MODE=goldens` runs it for new rows. Floating-point inputs are random."""

import json
import sys

import torch
import torch.nn.functional as F
from cases import case, rnd


def value(shape, dtype, data=None):
    if data is None:
        return rnd(*shape)
    return torch.tensor(data, dtype=getattr(torch, dtype)).reshape(shape)


out = {}
for name, row in json.load(sys.stdin).items():
    fn = eval(row["python"], {"torch": torch, "F": F})
    out[name] = case(name, fn, *[value(*a) for a in row["in"]])
json.dump(out, sys.stdout)
