"""Writes the exported programs that the tests load, with arguments and results.

    python export.py FOLDER

NAME.pt2 is the program. NAME.pt holds its cases: arguments, keyword arguments, results, and
the gradients of the sum of all floating-point results.
"""

import dataclasses
import pathlib
import re
import sys
from collections import defaultdict

import torch
from torch import nn
from torch.export import Dim, export

folder = pathlib.Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)
torch.set_num_threads(1)


def leaves(value):
    return [t for t in torch.utils._pytree.tree_leaves(value) if isinstance(t, torch.Tensor) and t.is_floating_point()]


def plain(value):
    """The value in types that torch.load reads without code."""
    if dataclasses.is_dataclass(value):
        return {f.name: plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        items = [plain(v) for v in value]
        return items if isinstance(value, list) else tuple(items)
    return value.detach().clone() if isinstance(value, torch.Tensor) else value


def save(program, name):
    """Saves a program without the folders of this machine."""
    for module in program.graph_module.modules():
        for node in module.graph.nodes if isinstance(module, torch.fx.GraphModule) else []:
            if trace := node.meta.get("stack_trace"):
                node.meta["stack_trace"] = re.sub(r'File ".*?/((torch/)?[^"/]*|torch/nn/[^"]*)"', r'File "\1"', trace)
    torch.export.save(program, folder / f"{name}.pt2")


def write(name, module, args, kwargs=None, more=(), dynamic=None, eager=False):
    """Exports a module with the first case, and runs all cases with what the file holds, or with the module."""
    program = export(module, args, kwargs, dynamic_shapes=dynamic)
    save(program, name)
    cases = []
    for args, kwargs in [(args, kwargs), *more]:
        loaded = module if eager else torch.export.load(folder / f"{name}.pt2").module()
        before = plain((args, kwargs or {}))
        torch.manual_seed(1)
        out = loaded(*args, **(kwargs or {}))
        grads = {}
        floats = [t for t in leaves(out) if t.requires_grad]
        if floats:
            sum(t.sum() for t in floats).backward()
            grads = {k: p.grad.clone() for k, p in loaded.named_parameters() if p.grad is not None}
        cases.append({
            "args": before[0], "kwargs": before[1], "result": plain(out), "grads": grads,
            "buffers": {k: b.clone() for k, b in loaded.named_buffers()},
            "args after": plain(args),
        })
    torch.save(cases, folder / f"{name}.pt")


class MLP(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(4, 8)
        self.fc2 = nn.Linear(8, 3)

    def forward(self, x):
        return self.fc2(torch.relu(self.fc1(x)) * 2)


class Convolutions(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(1, 4, 3), nn.BatchNorm2d(4), nn.ReLU(inplace=True), nn.Dropout(0.5))
        self.head = nn.Linear(4 * 6 * 6, 2)

    def forward(self, x):
        return self.head(self.body(x).flatten(1))


class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(10, 6)
        self.lstm = nn.LSTM(6, 5, num_layers=2, batch_first=True)

    def forward(self, words):
        y, (h, c) = self.lstm(self.embed(words))
        return {"last": y[:, -1], "state": [h, c]}


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True)

    def forward(self, x, mask=None):
        return self.layer(x, src_mask=mask)


class Structures(nn.Module):
    def forward(self, pair, *, named, scale=2, flag=True):
        a, b = pair
        y = a * scale + named["x"]
        if flag:
            y = y - named["list"][0]
        return y, [b, named["list"][1] + 1], {"n": a.shape[0], "none": None}


class Sizes(nn.Module):
    """Arithmetic on sizes."""

    def forward(self, x, y):
        n, m = x.shape
        z = x.reshape(n * m)[: (n * m) // 2]
        return z.sum() * n / m + (n - m) ** 2, torch.cat([x, y]).new_zeros(n + y.shape[0] % 3, m), n * 2 + 1


class Control(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(3, 3)

    def forward(self, x):
        y = torch.cond(x.sum() > 0, lambda v: self.a(v), lambda v: v - 1, (x,))
        with torch.no_grad():
            z = y * 3
        return y, z


class Loop(nn.Module):
    def forward(self, x):
        def going(i, v):
            return i < 4

        def body(i, v):
            return i + 1, v * 1.5

        return torch._higher_order_ops.while_loop(going, body, (torch.tensor(0), x))


class Casts(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(4, 4)

    def forward(self, x):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            y = self.a(x)
        return y.float() + x


class Buffers(nn.Module):
    """Buffers that change, one of them not in the state dict, a constant, and an argument that is written to."""

    def __init__(self):
        super().__init__()
        self.register_buffer("count", torch.zeros(()))
        self.register_buffer("last", torch.zeros(3), persistent=False)
        self.weight = nn.Parameter(torch.ones(3))

    def forward(self, x):
        self.count.add_(1)
        self.last.copy_(x.detach())
        x.mul_(2)
        return x * self.weight * self.count + torch.tensor([1.0, 2.0, 3.0])


class Tied(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(7, 4)
        self.out = nn.Linear(4, 7, bias=False)
        self.out.weight = self.embed.weight

    def forward(self, x):
        return self.out(self.embed(x))


class Kinds(nn.Module):
    """Arguments of many kinds."""

    def forward(self, x):
        y = torch.empty_like(x, dtype=torch.float64, memory_format=torch.contiguous_format).fill_(float("inf"))
        i = torch.tensor([0, 2])
        return (
            torch.where(x > 0, x, -1.0).to(torch.bfloat16), y.isinf().any(), x[:, i], x[None, ..., 0],
            torch.full((2,), 7, dtype=torch.int32), x.std(dim=[0, 1], keepdim=True), torch.split(x, [1, 2]),
            torch.nn.functional.interpolate(x[None, None], scale_factor=2.0, mode="bilinear"),
            torch.complex(x, x) * 2j, tuple(x.topk(2)), torch.arange(3) + x.argmax(),
        )


class Frozen(nn.Module):
    """A parameter that is not trained, and a buffer that is changed and returned."""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(3), requires_grad=False)
        self.bias = nn.Parameter(torch.randn(3))
        self.register_buffer("count", torch.zeros(()))

    def forward(self, x):
        self.count.add_(1)
        return x * self.weight + self.bias, self.count


@dataclasses.dataclass
class Fields:
    x: torch.Tensor
    scale: int = 2
    none: torch.Tensor = None


torch.export.register_dataclass(Fields, serialized_type_name="Fields")


class Dicts(nn.Module):
    """Dicts of several kinds, with keys of several types."""

    def forward(self, fields, table, default):
        return Fields(fields.x * fields.scale + default["z"]), {1: table[0] - table[5], 7: default["a"]}


class Number(nn.Module):
    def forward(self, x, n):
        return x[:n] * n


class Rows(nn.Module):
    """An integer that is a size, and one without limits."""

    def forward(self, x, n, k):
        torch._check(x.shape[0] == n)
        return x.view(n, -1) * k


def main():
    torch.manual_seed(0)
    rows = lambda *shape: torch.randn(*shape)  # noqa: E731
    batch = Dim("batch", min=3, max=64)
    write("mlp", MLP(), (rows(5, 4),), more=[((rows(64, 4),), None), ((rows(3, 4),), None)],
          dynamic={"x": {0: batch}})
    write("fixed", MLP(), (rows(5, 4),))
    write("conv_train", Convolutions(), (rows(2, 1, 8, 8),))
    write("conv_eval", Convolutions().eval(), (rows(2, 1, 8, 8),))
    program = export(Convolutions().eval(), (rows(2, 1, 8, 8),)).run_decompositions()
    save(program, "decomposed")
    write("recurrent", Recurrent(), (torch.randint(10, (2, 4)),))
    write("attention", Attention().eval(), (rows(2, 3, 8),), {"mask": rows(3, 3)})
    write("structures", Structures(), ((rows(2, 3), rows(2)),),
          {"named": {"x": rows(2, 3), "list": [rows(2, 3), rows(1)]}, "scale": 3, "flag": True})
    n, m = Dim("n"), Dim("m")
    write("sizes", Sizes(), (rows(4, 6), rows(5, 6)), more=[((rows(3, 7), rows(2, 7)), None)],
          dynamic=({0: n, 1: m}, {0: Dim("k"), 1: m}))
    write("doubled", nn.Bilinear(2, 3, 4), (rows(4, 2), rows(4, 3)), dynamic=({0: n}, {0: n}),
          more=[((rows(9, 2), rows(9, 3)), None)])
    write("control", Control(), (torch.ones(2, 3),), more=[((-torch.ones(2, 3),), None)])
    write("loop", Loop(), (rows(3),))
    write("casts", Casts(), (rows(2, 4),))
    write("buffers", Buffers(), (torch.ones(3),))
    # Python trains tied weights of a loaded program as two parameters with the same memory.
    write("tied", Tied(), (torch.tensor([1, 2]),), eager=True)
    write("kinds", Kinds(), (rows(3, 4),))
    write("frozen", Frozen(), (rows(2, 3),))
    write("dicts", Dicts(), (Fields(rows(2)), {0: rows(2), 5: rows(2)}, defaultdict(list, z=rows(2), a=rows(2))))
    write("number", Number(), (rows(9), 4), more=[((rows(9), 7), None)], dynamic=(None, Dim.DYNAMIC))
    write("rows", Rows(), (rows(5, 2), 5, 3), more=[((rows(4, 2), 4, -3), None)],
          dynamic=({0: Dim.DYNAMIC}, Dim.DYNAMIC, Dim.DYNAMIC))


main()
