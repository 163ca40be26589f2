"""Writes index.json: PyTorch's results for x[...] and x[...] = value.

Run with torch 2.11.0:  python make_index.py
"""

import json
import pathlib
import random

import torch

random.seed(3)


def python_index(item):
    """Converts an item of the file to an index for Python's brackets."""
    if item == "...":
        return Ellipsis
    if item is None:
        return None
    kind, value = next(iter(item.items()))
    if kind in ("int", "bool", "ints", "bools"):
        return value
    if kind == "slice":
        return slice(*value)
    return torch.tensor(value["data"], dtype=getattr(torch, value["dtype"])).reshape(value["shape"])


def base(shape, dtype):
    n = 1
    for s in shape:
        n *= s
    t = torch.arange(n).reshape(shape)
    return t % 2 == 0 if dtype == "bool" else t.to(getattr(torch, dtype))


def weights(t):
    return torch.arange(1, t.numel() + 1, dtype=t.dtype).reshape(t.shape)


def numbers(t):
    return t.double().flatten().tolist()


def get(case):
    x = base(case["shape"], case["dtype"])
    grad = x.is_floating_point()
    x.requires_grad_(grad)
    try:
        y = x[tuple(python_index(i) for i in case["index"])]
    except (IndexError, ValueError, TypeError, RuntimeError) as e:
        return {**case, "error": type(e).__name__}
    out = {**case, "want_shape": list(y.shape), "want": numbers(y.detach()), "view": y._is_view()}
    if grad and y.requires_grad:
        out["grad"] = numbers(torch.autograd.grad(y, x, weights(y))[0])
    return out


def put(case):
    x = base(case["shape"], case["dtype"])
    grad = x.is_floating_point()
    x.requires_grad_(grad)
    y = x.clone()
    value = case["value"]
    v = None
    if isinstance(value, dict):
        v = value = base(value["shape"], value["dtype"])
        if grad and v.is_floating_point():
            v.requires_grad_(True)
    try:
        y[tuple(python_index(i) for i in case["index"])] = value
    except (IndexError, ValueError, TypeError, RuntimeError) as e:
        return {**case, "error": type(e).__name__}
    out = {**case, "want_shape": list(y.shape), "want": numbers(y.detach())}
    if grad:
        inputs = [x] if v is None or not v.requires_grad else [x, v]
        grads = torch.autograd.grad(y, inputs, weights(y), allow_unused=True)
        out["grad"] = numbers(grads[0])
        if len(grads) > 1 and grads[1] is not None:
            out["value_grad"] = numbers(grads[1])
    return out


def random_item(size):
    kind = random.choice(["int", "slice", "slice", "all", "ints", "tensor", "mask", "tensor0"])
    if size == 0 and kind in ("int", "ints", "tensor", "tensor0"):
        kind = "slice"
    one = lambda: random.randint(-size, size - 1)
    if kind == "int":
        return {"int": one()}
    if kind == "all":
        return {"slice": [None, None, None]}
    if kind == "slice":
        bound = lambda: random.choice([None, random.randint(-size - 2, size + 2)])
        return {"slice": [bound(), bound(), random.choice([None, 1, 2, 3])]}
    if kind == "ints":
        return {"ints": [one() for _ in range(random.choice([1, 2, 2]))]}
    if kind == "tensor":
        shape = random.choice([[2], [2, 2], [1]])
        n = shape[0] * (shape[1] if len(shape) > 1 else 1)
        dtype = random.choice(["int64", "int64", "int32"])
        return {"tensor": {"shape": shape, "dtype": dtype, "data": [one() for _ in range(n)]}}
    if kind == "tensor0":
        return {"tensor": {"shape": [], "dtype": "int64", "data": one()}}
    mask = [random.random() < 0.5 for _ in range(size)]
    return {"bools": mask} if random.random() < 0.5 else {"tensor": {"shape": [size], "dtype": "bool", "data": mask}}


def random_index(shape):
    n = random.randint(1, max(1, len(shape)))
    items = [random_item(s) for s in shape[:n]]
    if random.random() < 0.3 and n < len(shape):
        items = ["..."] + [random_item(s) for s in shape[len(shape) - n :]]
    elif random.random() < 0.2:
        items.append("...")
    if random.random() < 0.3:
        items.insert(random.randint(0, len(items)), None)
    return items


S = lambda *a: {"slice": list(a)}
ALL = S(None, None, None)
I = lambda i: {"int": i}
T = lambda shape, data, dtype="int64": {"tensor": {"shape": shape, "data": data, "dtype": dtype}}

fixed = [
    ([2, 3], []),
    ([2, 3], ["..."]),
    ([2, 3], [None]),
    ([2, 3], [ALL]),
    ([2, 3], [ALL, ALL]),
    ([2, 3], [I(0)]),
    ([2, 3], [I(-1), I(-3)]),
    ([2, 3], [I(2)]),
    ([2, 3], [I(-3)]),
    ([2, 3], [I(0), I(3)]),
    ([2, 3], [I(0), I(0), I(0)]),
    ([2, 3], ["...", "..."]),
    ([], [I(0)]),
    ([], ["..."]),
    ([], [None]),
    ([], []),
    ([], [{"bool": True}]),
    ([], [{"bool": False}]),
    ([2, 3], [{"bool": True}]),
    ([2, 3], [{"bool": False}]),
    ([2, 3], [I(1), {"bool": True}]),
    ([6], [S(None, None, 2)]),
    ([6], [S(4, 1, None)]),
    ([6], [S(-100, 100, 4)]),
    ([6], [S(None, None, -1)]),
    ([6], [S(None, None, 0)]),
    ([0], [ALL]),
    ([0], [I(0)]),
    ([0, 3], [ALL, I(1)]),
    ([2, 3, 4], [S(0, 2, None), "...", None]),
    ([2, 3, 4], ["...", I(0)]),
    ([2, 3, 4], [None, I(1), None, "...", S(1, None, None)]),
    ([2, 3, 4], [T([2], [0, 1]), ALL, T([2], [3, 0])]),
    ([2, 3, 4], [ALL, T([2], [0, 1]), T([2, 1], [[3], [0]])]),
    ([2, 3, 4], [T([2], [0, 2])]),
    ([2, 3, 4], [T([2], [0, 1]), T([3], [0, 1, 2])]),
    ([2, 3], [T([2], [0.0, 1.0], "float32")]),
    ([2, 3], [T([2, 3], [[True, False, True], [False, False, True]], "bool")]),
    ([2, 3], [T([2, 2], [[True, False], [True, False]], "bool")]),
    ([2, 3], [T([3], [True, False, True], "bool")]),
    ([2, 3], [{"bools": [True, False, True]}]),
    ([2, 3], [{"ints": []}]),
    ([2, 3], [{"ints": [1, 1, 0]}, {"ints": [0, 2, 2]}]),
    ([2, 3], [{"ints": [5]}]),
    ([3, 3], [T([], True, "bool")]),
]

gets = [{"shape": s, "dtype": "float32", "index": i} for s, i in fixed]
gets += [{"shape": [2, 3], "dtype": d, "index": [ALL, T([2], [2, 0])]} for d in
         ("uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float64", "bool")]
shapes = [[4], [2, 3], [3, 1, 4], [2, 0], [2, 3, 2, 3], [5, 4, 3]]
for _ in range(260):
    shape = random.choice(shapes)
    gets.append({"shape": shape, "dtype": random.choice(["float32", "float64", "int64"]), "index": random_index(shape)})

puts = []
for value in (7, -1.5, True):
    for dtype in ("float32", "int64", "bool", "float16"):
        puts.append({"shape": [2, 3], "dtype": dtype, "index": [ALL, S(1, None, None)], "value": value})
        puts.append({"shape": [2, 3], "dtype": dtype, "index": [T([2], [0, 1]), T([2], [2, 2])], "value": value})
V = lambda shape, dtype="float32": {"shape": shape, "dtype": dtype}
for shape, index, value in [
    ([2, 3], [], 4),
    ([2, 3], [], V([3])),
    ([2, 3], ["..."], 4),
    ([2, 3], [None], 4),
    ([], [], 4),
    ([], ["..."], V([])),
    ([2, 3], [I(1)], V([3])),
    ([2, 3], [I(1)], V([1, 1, 3])),
    ([2, 3], [I(1)], V([2])),
    ([2, 3], [I(1)], V([3], "int64")),
    ([2, 3], [I(1), I(2)], V([])),
    ([2, 3], [I(1), I(2)], V([1])),
    ([2, 3], [I(9)], 1),
    ([2, 3], [T([2, 3], [[True, False, True], [False, False, True]], "bool")], 0),
    ([2, 3], [T([2, 3], [[True, False, True], [False, False, True]], "bool")], V([3])),
    ([2, 3], [T([2, 3], [[True, False, True], [False, False, True]], "bool")], V([2])),
    ([2, 3], [T([2], [0, 1]), T([2], [2, 0])], V([2])),
    ([2, 3], [T([2], [0, 1]), T([2], [2, 0])], V([2], "float64")),
    ([2, 3], [{"bools": [True, False]}], V([3])),
    ([2, 3], [{"bools": [True, False]}, I(1)], 5),
    ([2, 3], [{"bool": True}], 5),
    ([2, 3], [{"bool": False}], 5),
    ([6], [S(None, None, 2)], V([3])),
    ([6], [S(None, None, 2)], V([4])),
    ([6], [S(None, None, -1)], 1),
]:
    puts.append({"shape": shape, "dtype": "float32", "index": index, "value": value})
for _ in range(160):
    shape = random.choice(shapes)
    index = random_index(shape)
    try:
        want = base(shape, "float32")[tuple(python_index(i) for i in index)].shape
    except IndexError:
        want = []
    # If an index occurs twice, any of the values may remain, so assign one number to all.
    repeats = any(isinstance(i, dict) and ("ints" in i or "tensor" in i) for i in index)
    value = (random.choice([3, 2.5]) if repeats or random.random() < 0.3
             else V(list(want)[random.randint(0, len(want)) :]))
    puts.append({"shape": shape, "dtype": "float32", "index": index, "value": value})

out = {"torch": torch.__version__.split("+")[0], "get": [get(c) for c in gets], "put": [put(c) for c in puts]}
path = pathlib.Path(__file__).with_name("index.json")
path.write_text("{\n" + ",\n".join(
    json.dumps(k) + ": "
    + (json.dumps(v) if isinstance(v, str) else "[\n" + ",\n".join(json.dumps(c) for c in v) + "\n]")
    for k, v in out.items()) + "\n}\n")
