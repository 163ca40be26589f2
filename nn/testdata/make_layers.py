"""Writes layers.json: for layers that are made after torch.manual_seed, their
parameters and buffers, text, results and gradients. layers_test.go uses the same
names. Run: python make_layers.py > layers.json"""

import json
import sys

import torch
from torch import nn

torch.set_num_threads(1)


def tensor(t):
    d = t.detach()
    return dict(
        shape=list(d.shape),
        dtype=str(d.dtype).removeprefix("torch."),
        data=[round(x, 7) if isinstance(x, float) else int(x) for x in d.flatten().tolist()],
    )


class Block(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        self.ln = nn.LayerNorm(d)
        self.attn = nn.MultiheadAttention(d, h, batch_first=True)
        self.mlp = nn.Sequential(nn.Linear(d, 4 * d), nn.GELU(), nn.Linear(4 * d, d))

    def forward(self, x):
        y = self.ln(x)
        x = x + self.attn(y, y, y, need_weights=False)[0]
        return x + self.mlp(x)


img = lambda: torch.randn(2, 3, 6, 5)
# The variance is so small that an eps of 1e-5 matters. The values have few digits, so JSON holds them exactly.
small = lambda: torch.randn(4, 5).mul(100).round().div(10000)
LAYERS = {
    "Linear": (lambda: nn.Linear(5, 3), lambda: torch.randn(4, 5)),
    "Linear/nobias": (lambda: nn.Linear(5, 3, bias=False), lambda: torch.randn(2, 4, 5)),
    "Linear/double": (lambda: nn.Linear(5, 3, dtype=torch.float64), lambda: torch.randn(4, 5, dtype=torch.float64)),
    "Conv1d": (lambda: nn.Conv1d(3, 4, 3, padding=1), lambda: torch.randn(2, 3, 7)),
    "Conv2d": (lambda: nn.Conv2d(3, 4, 3), img),
    "Conv2d/options": (lambda: nn.Conv2d(3, 6, (3, 2), stride=(2, 1), padding=(1, 0), dilation=(1, 2), groups=3,
                                         bias=False), img),
    "Conv2d/reflect": (lambda: nn.Conv2d(3, 2, 3, padding=(1, 2), padding_mode="reflect"), img),
    "Conv2d/same": (lambda: nn.Conv2d(3, 2, (3, 4), padding="same"), img),
    "Conv3d": (lambda: nn.Conv3d(2, 3, 2), lambda: torch.randn(1, 2, 3, 4, 3)),
    "MaxPool2d": (lambda: nn.MaxPool2d(2), img),
    "MaxPool2d/options": (lambda: nn.MaxPool2d((3, 2), stride=1, padding=1), img),
    "AvgPool2d": (lambda: nn.AvgPool2d(2), img),
    "AdaptiveAvgPool2d": (lambda: nn.AdaptiveAvgPool2d(2), img),
    "ReLU": (lambda: nn.ReLU(), img),
    "GELU": (lambda: nn.GELU(), img),
    "GELU/tanh": (lambda: nn.GELU("tanh"), img),
    "Sigmoid": (lambda: nn.Sigmoid(), img),
    "Tanh": (lambda: nn.Tanh(), img),
    "SiLU": (lambda: nn.SiLU(), img),
    "LeakyReLU": (lambda: nn.LeakyReLU(), img),
    "Softmax": (lambda: nn.Softmax(dim=1), img),
    "LogSoftmax": (lambda: nn.LogSoftmax(dim=-1), img),
    "Identity": (lambda: nn.Identity(), img),
    "Flatten": (lambda: nn.Flatten(), img),
    "Flatten/dims": (lambda: nn.Flatten(0, 1), img),
    "Dropout": (lambda: nn.Dropout(0.3), img),
    "Dropout2d": (lambda: nn.Dropout2d(), img),
    "BatchNorm1d": (lambda: nn.BatchNorm1d(5), lambda: torch.randn(4, 5)),
    "BatchNorm2d": (lambda: nn.BatchNorm2d(3), img),
    "BatchNorm1d/frozen": (lambda: nn.BatchNorm1d(5, momentum=0.0), lambda: torch.randn(4, 5)),
    "BatchNorm2d/plain": (lambda: nn.BatchNorm2d(3, eps=0.01, affine=False, track_running_stats=False), img),
    "BatchNorm2d/cumulative": (lambda: nn.BatchNorm2d(3, momentum=None), img),
    "LayerNorm": (lambda: nn.LayerNorm([6, 5]), img),
    "LayerNorm/nobias": (lambda: nn.LayerNorm(5, bias=False), img),
    "LayerNorm/eps": (lambda: nn.LayerNorm(5, eps=0.0), small),
    "RMSNorm": (lambda: nn.RMSNorm(5), img),
    "GroupNorm": (lambda: nn.GroupNorm(3, 6), lambda: torch.randn(2, 6, 4)),
    "Embedding": (lambda: nn.Embedding(6, 4), lambda: torch.tensor([[0, 5, 2], [2, 1, 0]])),
    "Embedding/padding": (lambda: nn.Embedding(6, 4, padding_idx=-4), lambda: torch.tensor([[0, 5, 2], [2, 1, 0]])),
    "CrossMapLRN2d": (lambda: nn.CrossMapLRN2d(3, alpha=0.5, beta=0.6, k=2.0), img),
    "CrossMapLRN2d/even": (lambda: nn.CrossMapLRN2d(4), lambda: torch.randn(2, 7, 2, 2)),
    "RReLU": (nn.RReLU, lambda: torch.randn(4, 5)),
    "Hardsigmoid": (nn.Hardsigmoid, lambda: torch.randn(4, 5)),
    "Dropout1d": (lambda: nn.Dropout1d(0.3), lambda: torch.randn(2, 3, 4)),
    "Dropout3d": (lambda: nn.Dropout3d(0.3), lambda: torch.randn(6, 2, 2, 2)),
    "AlphaDropout": (lambda: nn.AlphaDropout(0.3), lambda: torch.randn(4, 5)),
    "FeatureAlphaDropout": (lambda: nn.FeatureAlphaDropout(0.3), lambda: torch.randn(2, 6, 2)),
    "MLP": (lambda: nn.Sequential(nn.Linear(5, 7), nn.ReLU(), nn.Linear(7, 3)), lambda: torch.randn(4, 5)),
    "CNN": (
        lambda: nn.Sequential(
            nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.MaxPool2d(2),
            nn.Dropout(0.25), nn.Flatten(), nn.Sequential(nn.Linear(8, 5), nn.Tanh()),
        ),
        img,
    ),
    "Block": (lambda: Block(8, 2), lambda: torch.randn(2, 3, 8)),
}

out = []
for name, (make, input) in LAYERS.items():
    torch.manual_seed(3)
    m = make()
    entry = dict(name=name, text=repr(m), before={k: tensor(v) for k, v in m.state_dict().items()})
    entry["order"] = list(m.state_dict())
    entry["parameters"] = [n for n, _ in m.named_parameters()]
    x = input()
    if x.is_floating_point():
        x.requires_grad_()
    entry["input"] = tensor(x)
    y = m(x)
    entry["output"] = tensor(y)
    weight = torch.linspace(-1, 2, y.numel(), dtype=y.dtype).reshape(y.shape)
    entry["weight"] = tensor(weight)
    y.backward(weight)
    entry["input_grad"] = tensor(x.grad) if x.is_floating_point() else None
    entry["grads"] = {n: tensor(p.grad) for n, p in m.named_parameters()}
    m.eval()
    entry["after"] = {k: tensor(v) for k, v in m.state_dict().items() if k not in entry["grads"]}
    entry["evaluated"] = tensor(m(x))
    out.append(entry)
json.dump(out, sys.stdout)
