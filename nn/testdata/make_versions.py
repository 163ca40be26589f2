"""Writes versions/: state dicts of older versions of layers. Also writes goldens.json, which has
the result of loading each in Python: the error, or the values of the module.

    build/venv/bin/python nn/testdata/make_versions.py
"""

import json
import os
from collections import OrderedDict

import torch
from safetensors.torch import save_file
from torch import nn

folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "versions")
os.makedirs(folder, exist_ok=True)
goldens = {}


def batch_norm():
    return nn.Sequential(nn.BatchNorm2d(2))


def scalar():
    m = nn.Module()
    m.scale = nn.Parameter(torch.tensor(1.0))
    return m


def instance_norm():
    return nn.Sequential(nn.InstanceNorm1d(2))


def golden(name, make, state, strict=True):
    if name.endswith(".pt"):
        torch.save(state, os.path.join(folder, name))
    else:
        save_file(dict(state), os.path.join(folder, name))
    out = {"model": make.__name__, "strict": strict}
    m = make()
    try:
        m.load_state_dict(state, strict=strict)
        out["values"] = {k: v.flatten().tolist() for k, v in m.state_dict().items()}
    except RuntimeError as e:
        out["error"] = str(e)
    goldens[name] = out


def without_count(version):
    state = OrderedDict((k, v + 2) for k, v in batch_norm().state_dict().items() if "num_batches" not in k)
    if version is not None:
        state._metadata = OrderedDict([("", {"version": 1}), ("0", {"version": version})])
    return state


golden("count_none.pt", batch_norm, dict(without_count(None)))
golden("count_none.safetensors", batch_norm, without_count(None))
golden("count_1.pt", batch_norm, without_count(1))
golden("count_2.pt", batch_norm, without_count(2))
golden("scalar.pt", scalar, {"scale": torch.tensor([3.0])})
golden("scalar.safetensors", scalar, {"scale": torch.tensor([3.0])})
golden("scalar_2.pt", scalar, {"scale": torch.tensor([3.0, 4.0])})
golden("scalar_11.pt", scalar, {"scale": torch.tensor([[3.0]])})
stats = OrderedDict([("0.running_mean", torch.ones(2)), ("0.running_var", torch.ones(2))])
golden("instance_none.pt", instance_norm, dict(stats), strict=False)
stats._metadata = OrderedDict([("", {"version": 1}), ("0", {"version": 2})])
golden("instance_2.pt", instance_norm, stats, strict=False)

with open(os.path.join(folder, "goldens.json"), "w") as f:
    json.dump(goldens, f, indent=1, sort_keys=True)
    f.write("\n")
