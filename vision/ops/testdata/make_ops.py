"""Writes ops.json: for layers of torchvision.ops, the printed text, the initial values under a seed,
the results in training and evaluation mode, and the gradients."""

import pathlib
import sys
from functools import partial

import torch
from torch import nn
from torchvision import ops

here = pathlib.Path(__file__).parent
sys.path.insert(0, str(here / "../../../torchtest"))
from goldens import write  # noqa: E402

LAYERS = {
    "conv": lambda: ops.Conv2dNormActivation(4, 6),
    "conv options": lambda: ops.Conv2dNormActivation(4, 6, (3, 1), stride=(2, 1), groups=2, dilation=(2, 1), bias=True,
                                                     activation_layer=nn.SiLU, inplace=False,
                                                     norm_layer=partial(nn.GroupNorm, 2)),
    "conv alone": lambda: ops.Conv2dNormActivation(4, 6, kernel_size=1, padding=(1, 0), norm_layer=None,
                                                   activation_layer=None),
    "squeeze": lambda: ops.SqueezeExcitation(4, 3),
    "squeeze options": lambda: ops.SqueezeExcitation(4, 3, activation=partial(nn.SiLU, inplace=True),
                                                     scale_activation=nn.Hardsigmoid),
    "row": lambda: ops.StochasticDepth(0.4, "row"),
    "batch": lambda: ops.StochasticDepth(0.25, "batch"),
    "never": lambda: ops.StochasticDepth(0.0, "row"),
    "always": lambda: ops.StochasticDepth(1.0, "row"),
    "mlp": lambda: ops.MLP(5, [7, 4]),
    "mlp options": lambda: ops.MLP(5, [7, 4], norm_layer=nn.LayerNorm, activation_layer=nn.SiLU, inplace=True,
                                   bias=False, dropout=0.3),
    "permute": lambda: ops.Permute([0, 2, 3, 1]),
}

torch.manual_seed(2)
x, weight = torch.randn(3, 4, 4, 5), torch.randn(600)
cases = {}
for name, make in LAYERS.items():
    torch.manual_seed(0)
    layer = make()
    torch.manual_seed(1)
    a = x.clone().requires_grad_()
    y = layer(a)
    (y * weight[: y.numel()].reshape(y.shape)).sum().backward()
    layer.eval()
    cases[name] = dict(printed=str(layer), names=list(layer.state_dict()),
                       values=[v.clone() for v in layer.parameters()],
                       train=y, gradX=a.grad, grads=[p.grad for p in layer.parameters()], eval=layer(x))
write(here / "ops.json", x=x, weight=weight, cases=cases)
