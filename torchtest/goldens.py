"""Writes values in the form that torchtest.LoadGoldens reads.

    from goldens import write
    write("testdata/relu.json", x=x, y=torch.relu(x), cases=[1, 2])
"""

import json
import math

import torch


def number(v):
    if isinstance(v, complex):
        return [number(v.real), number(v.imag)]
    if isinstance(v, float) and not math.isfinite(v):
        return "nan" if math.isnan(v) else "inf" if v > 0 else "-inf"
    return v


def encode(v):
    if isinstance(v, torch.Tensor):
        flat = v.detach().cpu().contiguous().flatten()
        return dict(dtype=str(v.dtype).removeprefix("torch."), shape=list(v.shape),
                    data=[number(e) for e in flat.tolist()])
    if isinstance(v, dict):
        return {k: encode(e) for k, e in v.items()}
    if isinstance(v, (list, tuple)):
        return [encode(e) for e in v]
    return number(v)


def write(path, **values):
    with open(path, "w") as f:
        json.dump(encode(values), f, allow_nan=False)
        f.write("\n")
