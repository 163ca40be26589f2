"""Writes memory.json from Python's memory timeline of the program in memory_test.go.

    python make_memory.py

Made with PyTorch 2.11.0. For each action and category memory.json has the number of blocks of
each size in bytes.
"""

import collections
import json
import pathlib

import torch
from torch import nn
from torch.profiler import ProfilerActivity, profile
from torch.profiler._memory_profiler import Action

inner, outer, rows = 32, 16, 8
model = nn.Sequential(nn.Linear(outer, inner), nn.ReLU(), nn.Linear(inner, 1))
opt = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
x, y = torch.randn(rows, outer), torch.randn(rows, 1)
with profile(activities=[ProfilerActivity.CPU], record_shapes=True, profile_memory=True, with_stack=True) as p:
    for _ in range(2):
        opt.zero_grad()
        x_in = x.clone()
        nn.functional.mse_loss(model(x_in), y).backward()
        opt.step()
        del x_in
    opt.zero_grad()

memory = p._memory_profile()
out = collections.defaultdict(collections.Counter)
for _, action, (key, version), size in memory.timeline:
    if action in (Action.CREATE, Action.PREEXISTING):
        category = memory._categories.get(key, version) if hasattr(key, "id") else None
        out[f"{action.name} {category.name if category else 'UNKNOWN'}"][size] += 1
path = pathlib.Path(__file__).parent / "memory.json"
path.write_text(json.dumps({k: out[k] for k in sorted(out)}, indent=1, sort_keys=True) + "\n")
