"""Writes other_entries.pt: a checkpoint with a state dict, objects of classes that are not
loaded, NumPy numbers and arrays, and a quantized tensor.

    build/venv/bin/python torch/serialization/testdata/make_other_entries.py
"""

import argparse
import collections
import datetime
import pathlib

import numpy as np
import torch

here = pathlib.Path(__file__).parent


class Custom(torch.Tensor):
    pass


torch.manual_seed(0)
counts = collections.defaultdict(list)
counts["a"].append(1)
value = {
    "args": argparse.Namespace(lr=0.1, path=pathlib.Path("/data")),
    "started": datetime.datetime(2024, 1, 2),
    "counts": counts,
    "deque": collections.deque([1]),
    "quantized": torch.quantize_per_tensor(torch.ones(2), 0.1, 0, torch.qint8),
    "custom": torch.ones(2).as_subclass(Custom),
    "matrix": np.asmatrix(np.ones((1, 1))),
    "loss": np.float64(0.25),
    "arrays": {"history": np.arange(3), "none": np.zeros((0, 2))},
    "state_dict": torch.nn.Linear(2, 1).state_dict(),
    "nested": {"state": {"w": torch.ones(2)}, "path": pathlib.Path("/data")},
}
torch.save(value, here / "other_entries.pt")
