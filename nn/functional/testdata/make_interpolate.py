"""Calls interpolate for the rows of TestInterpolateAgainstPython."""

import json
import sys

import torch
import torch.nn.functional as F


def digest(x):
    """Returns the sum of the elements of x and two weighted sums."""
    flat = x.detach().double().reshape(-1)
    n = torch.arange(flat.numel(), dtype=torch.float64)
    return [flat.sum().item(), (flat * n.sin()).sum().item(), (flat * (n * n).cos()).sum().item()]


def run(row):
    shape = row["shape"]
    x = (torch.arange(torch.Size(shape).numel(), dtype=torch.float64) * 0.7).sin().reshape(shape)
    if row["dtype"] == "uint8":
        x = ((x + 1) * 127).to(torch.uint8)
    else:
        x = x.to(getattr(torch, row["dtype"]))
    if row["last"]:
        x = x.to(memory_format=torch.channels_last)
    if row["dtype"] != "uint8":
        x.requires_grad_()
    try:
        y = F.interpolate(x, **row["kwargs"])
    except (ValueError, NotImplementedError, RuntimeError) as e:
        return {"error": type(e).__name__}
    out = {"shape": list(y.shape), "value": digest(y)}
    if x.requires_grad:
        n = torch.arange(y.numel(), dtype=torch.float64)
        (y.double() * n.cos().reshape(y.shape)).sum().backward()
        out["grad"] = digest(x.grad)
    return out


rows = json.load(sys.stdin)
json.dump({name: run(row) for name, row in rows.items()}, sys.stdout)
