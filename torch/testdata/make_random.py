"""Writes random.json: the numbers that PyTorch draws after a seed.

Run with torch 2.11.0:  python make_random.py
"""

import json
import pathlib

import torch

draws = {
    "rand": lambda g: torch.rand(5, generator=g),
    "rand f64": lambda g: torch.rand(20, dtype=torch.float64, generator=g),
    "randn": lambda g: torch.randn(7, generator=g),
    "randn long": lambda g: torch.randn(40, generator=g),
    "randn f64": lambda g: torch.randn(17, dtype=torch.float64, generator=g),
    "randint": lambda g: torch.randint(-5, 1000, (9,), generator=g),
    "randint int32": lambda g: torch.randint(0, 7, (9,), dtype=torch.int32, generator=g),
    "randperm": lambda g: torch.randperm(10, generator=g),
    "randperm long": lambda g: torch.randperm(100, generator=g),
}
out = {}
for seed in (0, 42, 2**63 + 5):
    torch.manual_seed(seed - 2**64 if seed >= 2**63 else seed)
    out[str(seed)] = [[name, f(None).double().tolist()] for name, f in draws.items()]
pathlib.Path(__file__).with_name("random.json").write_text(json.dumps(out, indent=0) + "\n")
