"""Writes golden cases of operators: arguments, results, gradients.

make_shape.py, make_reduce.py and make_linalg.py use it. A case has the name of a
Go method, its arguments and PyTorch's results. If a tensor argument requires
gradients, it also has the gradients of the results weighted by weights().
"""
import json
import math
import pathlib

import torch

HERE = pathlib.Path(__file__).parent
cases = []
generator = torch.Generator().manual_seed(20)

f16, bf16, f32, f64 = torch.float16, torch.bfloat16, torch.float32, torch.float64
i32, i64, u8, boolean, c64 = torch.int32, torch.int64, torch.uint8, torch.bool, torch.complex64


def T(*shape, dtype=f32, grad=None, low=-4.0, high=4.0):
    """Returns a tensor of multiples of 1/8, which every dtype represents exactly."""
    def draw():
        return torch.randint(int(low * 8), int(high * 8) + 1, shape, generator=generator) / 8
    if dtype == boolean:
        t = draw() > 0
    elif dtype.is_complex:
        t = torch.complex(draw(), draw()).to(dtype)
    else:
        t = draw().to(dtype)
    if grad is None:
        grad = dtype.is_floating_point and dtype not in (f16, bf16)
    return t.requires_grad_(grad)


def V(values, dtype=f32, grad=False):
    return torch.tensor(values, dtype=dtype).requires_grad_(grad)


def I(*values):
    return torch.tensor(values, dtype=i64)


def distinct(*shape, dtype=f32, grad=True):
    """Returns different values in random order, for operators that are ambiguous for equal values."""
    n = math.prod(shape)
    t = ((torch.randperm(n, generator=generator) - n // 2) / 4).to(dtype).reshape(shape)
    return t.requires_grad_(grad and dtype.is_floating_point)


def index(high, *shape):
    return torch.randint(0, high, shape, generator=generator)


def unique_index(high, n):
    return torch.randperm(high, generator=generator)[:n]


def number(v):
    if isinstance(v, float) and not math.isfinite(v):
        return str(v)
    return v


def values(t):
    t = t.detach().cpu().contiguous().reshape(-1)
    if t.dtype.is_complex:
        t = torch.view_as_real(t.resolve_conj()).reshape(-1)
    if t.dtype == boolean:
        return [int(v) for v in t.tolist()]
    if not t.dtype.is_floating_point:
        return t.tolist()
    if t.dtype != f64:  # the shortest decimals that round to the same float32
        return [number(float(str(v))) for v in t.float().numpy()]
    return [number(v) for v in t.tolist()]


def tensor(t):
    r = {"d": str(t.dtype).removeprefix("torch."), "s": list(t.shape), "v": values(t)}
    if t.requires_grad and t.is_leaf:
        r["g"] = True
    return r


def argument(a):
    if isinstance(a, torch.Tensor):
        return {"t": tensor(a)}
    if isinstance(a, (list, tuple)) and a and isinstance(a[0], torch.Tensor):
        return {"l": [tensor(t) for t in a]}
    if isinstance(a, float):
        return {"f": number(a)}  # a whole float must not come back as an integer
    return a


def inputs(args):
    for a in args:
        if isinstance(a, torch.Tensor):
            yield a
        elif isinstance(a, (list, tuple)):
            yield from (t for t in a if isinstance(t, torch.Tensor))


def weights(t):
    n = t.numel()
    return ((torch.arange(n) % 7 + 1) / 8).reshape(t.shape).to(t.dtype)


def case(name, f, *args, grad=True):
    """Runs f(*args) and records it as a case of the Go method called name."""
    encoded = [argument(a) for a in args]
    ins = list(inputs(args))
    out = f(*args)
    outs = [out] if isinstance(out, torch.Tensor) else list(out)
    c = {"name": name, "args": encoded, "out": []}
    for o in outs:
        e = tensor(o)
        e.pop("g", None)
        if any(o.untyped_storage()._cdata == t.untyped_storage()._cdata for t in ins):
            e["stride"] = list(o.stride())
        c["out"].append(e)
    roots = [o for o in outs if o.requires_grad]
    if grad and roots:
        torch.autograd.backward(roots, [weights(o) for o in roots])
        c["grad"] = [None if t.grad is None else tensor(t.grad) for t in ins]
    cases.append(c)


def write(name):
    body = ",\n".join(json.dumps(c, separators=(",", ":")) for c in cases)
    (HERE / name).write_text('{"torch": "%s", "cases": [\n%s\n]}\n' % (torch.__version__.split("+")[0], body))
