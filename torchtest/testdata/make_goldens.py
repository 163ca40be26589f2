"""Writes goldens.json with ../goldens.py, for the test of the reader.

    python make_goldens.py
"""

import os
import sys

import torch

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(here, ".."))
from goldens import write  # noqa: E402

inf, nan = float("inf"), float("nan")
write(
    os.path.join(here, "goldens.json"),
    float32=torch.tensor([[1.5, -2], [0.1, 1e-40]]),
    float64=torch.tensor([0.1, nan, inf, -inf], dtype=torch.float64),
    int64=torch.tensor([2**53 + 1, -(2**63)]),
    uint8=torch.tensor([0, 255], dtype=torch.uint8),
    uint64=torch.tensor([0, 2**64 - 1], dtype=torch.uint64),
    bool=torch.tensor([True, False]),
    complex128=torch.tensor([1 + 2j, complex(inf, -0.5)], dtype=torch.complex128),
    bfloat16=torch.tensor(1.5, dtype=torch.bfloat16),
    empty=torch.zeros(0, 3),
    nested=dict(name="pair", values=[torch.zeros(1), torch.ones(2)]),
)
