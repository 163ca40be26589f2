"""Writes TorchScript archives that Python scripted or traced, and goldens.json with the results
of their methods for some arguments.

    build/venv/bin/python torch/jit/testdata/golden.py
"""

import enum
import json
import os
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

import torch
from torch import nn, Tensor

here = os.path.dirname(os.path.abspath(__file__))
folder = os.path.join(here, "goldens")
os.makedirs(folder, exist_ok=True)
goldens = {}


class Point(NamedTuple):
    x: Tensor
    y: int


class Color(enum.Enum):
    RED = 1
    BLUE = 2


class MLP(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(4, 8)
        self.drop = nn.Dropout(0.5)
        self.fc2 = nn.Linear(8, 3)

    def forward(self, x):
        return self.fc2(self.drop(torch.relu(self.fc1(x))))


class Conv(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 4, 3, padding=1)
        self.bn = nn.BatchNorm2d(4)
        self.fc = nn.Linear(4, 2)

    def forward(self, x):
        return self.fc(torch.relu(self.bn(self.conv(x))).mean([2, 3]))


class Values(nn.Module):
    scale: float
    names: List[str]

    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.ones(2))
        self.scale = 2.5
        self.names = ["a", "b"]
        self.table = {"one": 1, "two": 2}
        self.flag = True
        self.nothing: Optional[int] = None

    def forward(self, x: Tensor, times: int = 1, bias: Optional[Tensor] = None) -> Tensor:
        y = x * self.w * self.scale
        for _ in range(times):
            y = y + 1
        if bias is not None:
            y = y + bias
        return y

    @torch.jit.export
    def same_tensors(self, v: List[Tensor]) -> List[Tensor]:
        return v

    @torch.jit.export
    def same_ints(self, v: List[int]) -> List[int]:
        return v

    @torch.jit.export
    def same_floats(self, v: List[float]) -> List[float]:
        return v

    @torch.jit.export
    def same_bools(self, v: List[bool]) -> List[bool]:
        return v

    @torch.jit.export
    def same_strings(self, v: List[str]) -> List[str]:
        return v

    @torch.jit.export
    def same_nested(self, v: List[List[int]]) -> List[List[int]]:
        return v

    @torch.jit.export
    def same_optionals(self, v: List[Optional[Tensor]]) -> List[Optional[Tensor]]:
        return v

    @torch.jit.export
    def same_dict(self, v: Dict[str, Tensor]) -> Dict[str, Tensor]:
        return v

    @torch.jit.export
    def same_int_dict(self, v: Dict[int, List[str]]) -> Dict[int, List[str]]:
        return v

    @torch.jit.export
    def same_tuple(self, v: Tuple[int, str, Tuple[float, Tensor]]) -> Tuple[int, str, Tuple[float, Tensor]]:
        return v

    @torch.jit.export
    def same_int(self, v: int) -> int:
        return v

    @torch.jit.export
    def same_float(self, v: float) -> float:
        return v

    @torch.jit.export
    def same_bool(self, v: bool) -> bool:
        return v

    @torch.jit.export
    def same_complex(self, v: complex) -> complex:
        return v

    @torch.jit.export
    def same_string(self, v: str) -> str:
        return v

    @torch.jit.export
    def same_optional(self, v: Optional[str]) -> Optional[str]:
        return v

    @torch.jit.export
    def same_device(self, v: torch.device) -> torch.device:
        return v

    @torch.jit.export
    def same_any(self, v: Any) -> Any:
        return v

    @torch.jit.export
    def same_point(self, v: Point) -> Point:
        return v

    @torch.jit.export
    def same_color(self, v: Color) -> Color:
        return v

    @torch.jit.export
    def same_number(self, v: float, by: int = 3, plus: float = 0.5) -> float:
        return v * by + plus

    @torch.jit.export
    def twice(self, v: Tensor) -> Tuple[Tensor, Tensor]:
        return v, v

    @torch.jit.export
    def nothing_at_all(self) -> None:
        pass

    @torch.jit.export
    def fail(self, kind: int) -> int:
        if kind == 0:
            raise ValueError("no good value")
        if kind == 1:
            raise IndexError("no such index")
        if kind == 2:
            raise RuntimeError("it went wrong")
        if kind == 3:
            return [1, 2, 3][10]
        if kind == 4:
            return {"a": 1}["b"]
        assert kind == 6, "kind is odd"
        return kind

    @torch.jit.export
    def quietly_fail(self, x: Tensor) -> Tensor:
        with torch.no_grad():
            if x.numel() == 1:
                raise ValueError("within no_grad")
            return x * 2


class Stateful(nn.Module):
    seen: List[int]

    def __init__(self):
        super().__init__()
        self.register_buffer("total", torch.zeros(2))
        self.register_buffer("last", torch.zeros(2))
        self.count = 0
        self.seen = []

    def forward(self, x: Tensor) -> Tensor:
        self.total += x
        self.last = x * 2
        self.count += 1
        self.seen.append(self.count)
        return self.total + self.last


class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(3, 4, num_layers=2, batch_first=True)
        self.out = nn.Linear(4, 2)

    def forward(self, x: Tensor, state: Optional[Tuple[Tensor, Tensor]] = None) -> Tuple[Tensor, Tuple[Tensor, Tensor]]:
        y, s = self.lstm(x, state)
        return self.out(y), s


@torch.jit.script
class Pair:
    def __init__(self, a: int, b: Tensor):
        self.a = a
        self.b = b


class Objects(nn.Module):
    def forward(self, a: int, b: Tensor) -> Pair:
        return Pair(a, b)

    @torch.jit.export
    def add(self, p: Pair) -> Tensor:
        return p.b + p.a

    @torch.jit.export
    def forked(self, x: Tensor) -> Tensor:
        f = torch.jit.fork(torch.relu, x)
        return torch.jit.wait(f) + 1

    @torch.jit.export
    def products(self, x: Tensor, n: int) -> List[Tensor]:
        f = [torch.jit.fork(torch.mm, x, x * i) for i in range(n)]
        return [torch.jit.wait(y) for y in f]


class Tied(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(2, 2, bias=False)
        self.b = nn.Linear(2, 2, bias=False)
        self.b.weight = self.a.weight
        self.a.weight.requires_grad_(False)

    def forward(self, x):
        return self.b(self.a(x))


def said(v):
    """Returns v as JSON for the tests. A tensor has its values, shape and dtype."""
    if isinstance(v, Tensor):
        return {"tensor": v.detach().double().flatten().tolist(), "shape": list(v.shape),
                "dtype": str(v.dtype).split(".")[1]}
    if isinstance(v, (list, tuple)):
        return [said(x) for x in v]
    if isinstance(v, dict):
        return {k: said(x) for k, x in v.items()}
    return v


def write(name, module, *calls, extra=None):
    path = os.path.join(folder, name + ".pt")
    torch.jit.save(module, path, _extra_files=extra)
    loaded = torch.jit.load(path)
    goldens[name] = {
        "calls": [{"method": m, "args": said(list(args)), "result": said(getattr(loaded, m)(*args))}
                  for m, *args in calls],
        "parameters": [[n, said(p), p.requires_grad] for n, p in loaded.named_parameters()],
        "buffers": [[n, said(b)] for n, b in loaded.named_buffers()],
        "modules": [n for n, _ in loaded.named_modules()],
        "state_dict": list(loaded.state_dict()),
        "training": getattr(loaded, "training", False),
        "text": str(loaded),
        "code": loaded.code if hasattr(loaded, "forward") else "",
    }


torch.manual_seed(0)
x = torch.arange(8.0).view(2, 4) / 4 - 1
write("mlp_scripted", torch.jit.script(MLP().eval()), ("forward", x))
write("mlp_training", torch.jit.script(MLP()), extra={"notes.txt": "made by golden.py", "empty": ""})
write("mlp_traced", torch.jit.trace(MLP().eval(), x), ("forward", x))
image = torch.linspace(-1, 1, 50).view(2, 1, 5, 5)
conv = torch.jit.script(Conv().eval())
write("conv", conv, ("forward", image))
write("conv_frozen", torch.jit.freeze(conv), ("forward", image))
write("values", torch.jit.script(Values()), ("forward", torch.tensor([1.0, 2.0])),
      ("forward", torch.tensor([1.0, 2.0]), 3, torch.tensor([0.5, 0.25])))
write("stateful", torch.jit.script(Stateful()))
sequence = torch.linspace(-1, 1, 2 * 5 * 3).view(2, 5, 3)
write("lstm", torch.jit.script(Recurrent().eval()), ("forward", sequence),
      ("forward", sequence, (torch.ones(2, 2, 4), torch.zeros(2, 2, 4))))
write("objects", torch.jit.script(Objects()), ("forked", x), ("products", x @ x.T, 3))
write("tied", torch.jit.script(Tied()), ("forward", torch.ones(1, 2)))

with open(os.path.join(here, "goldens.json"), "w") as f:
    json.dump(goldens, f, indent=1)
    f.write("\n")
