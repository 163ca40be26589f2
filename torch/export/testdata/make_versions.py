"""Writes programs of one version of PyTorch, with what that version computes.

    python make_versions.py FOLDER    # writes FOLDER/VERSION, with any PyTorch of 2.7 or newer

NAME.pt2 is a program. NAME.pt holds its cases, in the form of export.py. Each case also has the
parameters after a step of SGD.
"""

import pathlib
import re
import sys

import torch
from torch import nn
from torch.export import Dim, export

version = torch.__version__.split("+")[0]
numbers = [int(n) for n in version.split(".")]
folder = pathlib.Path(sys.argv[1]) / version
folder.mkdir(parents=True, exist_ok=True)
torch.set_num_threads(1)


class MLP(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(3, 4), nn.Linear(4, 2)

    def forward(self, x):
        return self.b(torch.nn.functional.gelu(self.a(x)))


class Convolution(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv, self.norm = nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2)

    def forward(self, x):
        return torch.relu(self.norm(self.conv(x))).flatten(1)


class Nested(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(3))

    def forward(self, batch, *, scale, masks):
        x = batch["x"] * self.weight + batch["more"]["y"]
        return {"sum": (x * scale).sum(1), "all": (x, [masks[0] & masks[1]])}


class Branches(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(3, 3)

    def forward(self, x):
        return torch.cond(x.sum() > 0, lambda v: self.a(v), lambda v: v * 2, (x,))


class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(3, 2, batch_first=True)

    def forward(self, x):
        y, (h, c) = self.lstm(x)
        return y, h, c


class Tied(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed, self.out = nn.Embedding(4, 2), nn.Linear(2, 4, bias=False)
        self.out.weight = self.embed.weight

    def forward(self, x):
        return self.out(self.embed(x))


class Number(nn.Module):
    """An integer argument with a range."""

    def forward(self, x, n):
        torch._check(n >= 3)
        torch._check(n <= 6)
        return x[:n] * n


def plain(value):
    return torch.utils._pytree.tree_map(lambda v: v.detach().clone() if isinstance(v, torch.Tensor) else v, value)


def write(name, module, args, kwargs=None, more=(), dynamic=None, eager=False):
    program = export(module, args, kwargs, dynamic_shapes=dynamic, strict=eager)
    for part in program.graph_module.modules():
        for node in part.graph.nodes if isinstance(part, torch.fx.GraphModule) else []:
            if trace := node.meta.get("stack_trace"):  # without the folders of this machine
                node.meta["stack_trace"] = re.sub(r'File ".*?/((torch/)?[^"/]*|torch/nn/[^"]*)"', r'File "\1"', trace)
    torch.export.save(program, folder / f"{name}.pt2")
    cases = []
    for inputs in (args, *more):
        loaded = module if eager else torch.export.load(folder / f"{name}.pt2").module()
        before = plain((inputs, kwargs or {}))
        out = loaded(*inputs, **(kwargs or {}))
        result, parameters = plain(out), dict(loaded.named_parameters(remove_duplicate=False))
        names = {id(parameters[k]): k for k in reversed(program.graph_signature.parameters)}  # the first of a tied one
        parameters = {k: p for k, p in parameters.items() if names[id(p)] == k}
        if parameters:
            sum(t.sum() for t in torch.utils._pytree.tree_leaves(out) if t.requires_grad).backward()
            torch.optim.SGD(parameters.values(), lr=0.5).step()
        cases.append({
            "args": before[0], "kwargs": before[1], "result": result, "args after": plain(inputs),
            "grads": {k: p.grad.clone() for k, p in parameters.items() if p.grad is not None},
            "buffers": {k: b.clone() for k, b in loaded.named_buffers()},
            "trained": {k: p.detach().clone() for k, p in parameters.items()},
        })
    torch.save(cases, folder / f"{name}.pt")


torch.manual_seed(0)
write("mlp", MLP(), (torch.randn(3, 3),), more=[(torch.randn(2, 3),)], dynamic={"x": {0: Dim("batch", min=2, max=9)}})
write("convolution", Convolution(), (torch.randn(2, 1, 4, 4),))
write("nested", Nested(), ({"x": torch.randn(2, 3), "more": {"y": torch.randn(3)}},),
      {"scale": torch.randn(3), "masks": [torch.tensor([True, False]), torch.tensor([True, True])]})
write("branches", Branches(), (torch.ones(1, 3),), more=[(-torch.ones(1, 3),)])
# Python trains tied weights of a loaded program as two parameters with the same memory.
# In strict mode, PyTorch 2.7 gives them the same name.
write("tied", Tied(), (torch.tensor([1, 2]),), eager=True)
write("recurrent", Recurrent(), (torch.randn(2, 4, 3),))
if numbers >= [2, 8]:  # 2.7 exports an integer as a constant
    write("number", Number(), (torch.randn(9), 4), more=[(torch.randn(9), 6)], dynamic=(None, Dim.DYNAMIC))
