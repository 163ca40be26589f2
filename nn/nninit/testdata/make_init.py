"""Writes init.json: tensors that torch.nn.init's functions have initialized after
torch.manual_seed(5). Run: python make_init.py > init.json"""

import json
import sys

import torch
from torch.nn import init

torch.set_num_threads(1)

CASES = {
    "Uniform_": ([3, 4], lambda t: init.uniform_(t, -2, 3)),
    "Normal_": ([20], lambda t: init.normal_(t, 1, 2)),
    "TruncNormal_": ([5, 6], lambda t: init.trunc_normal_(t, 0.5, 1.5, -1, 2)),
    "Constant_": ([2, 2], lambda t: init.constant_(t, 0.3)),
    "Ones_": ([3], init.ones_),
    "Zeros_": ([3], init.zeros_),
    "Eye_": ([3, 4], init.eye_),
    "XavierUniform_": ([3, 4, 2], lambda t: init.xavier_uniform_(t, 1.5)),
    "XavierNormal_": ([6, 4], lambda t: init.xavier_normal_(t)),
    "KaimingUniform_": ([3, 4], lambda t: init.kaiming_uniform_(t, a=5**0.5)),
    "KaimingUniform_/relu": ([3, 4, 2, 2], lambda t: init.kaiming_uniform_(t, mode="fan_out", nonlinearity="relu")),
    "KaimingNormal_": ([8, 4], lambda t: init.kaiming_normal_(t, nonlinearity="tanh")),
    "Orthogonal_": ([5, 3], lambda t: init.orthogonal_(t)),
    "Orthogonal_/wide": ([3, 2, 4], lambda t: init.orthogonal_(t, 2)),
    "Sparse_": ([7, 3], lambda t: init.sparse_(t, 0.4)),
    "Sparse_/std": ([2, 5], lambda t: init.sparse_(t, 0.6, std=2.0)),
    "Dirac_": ([4, 3, 3], init.dirac_),
    "Dirac_/groups": ([6, 2, 3, 2], lambda t: init.dirac_(t, 3)),
    "Dirac_/volume": ([2, 3, 1, 2, 3], init.dirac_),
}
out = {}
for name, (shape, fn) in CASES.items():
    torch.manual_seed(5)
    out[name] = dict(shape=shape, data=[round(x, 7) for x in fn(torch.empty(shape)).flatten().tolist()])
json.dump(out, sys.stdout, indent=0)
