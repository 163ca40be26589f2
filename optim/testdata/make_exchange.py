"""Writes exchange.json: for each optimizer the state dict after three steps, and
the parameters after three more, for a program that loads the dict and continues.
python make_exchange.py > exchange.json

python make_exchange.py read DICTS loads the dicts of a file that the Go test writes
in the same form (GOTORCH_EXCHANGE=DICTS), continues, and compares the parameters."""

import json
import sys

import torch

CASES = {
    "SGD": dict(lr=0.1, momentum=0.9),
    "Adam": dict(lr=0.1, amsgrad=True),
    "AdamW": dict(lr=0.1),
    "RMSprop": dict(lr=0.1, momentum=0.5, centered=True),
    "Adagrad": dict(lr=0.1, lr_decay=0.1),
    "Adadelta": dict(lr=0.5),
    "Adamax": dict(lr=0.1),
    "NAdam": dict(lr=0.1),
    "RAdam": dict(lr=0.1),
    "Rprop": dict(lr=0.1),
    "ASGD": dict(lr=0.1, t0=2.5),
    "SparseAdam": dict(lr=0.1),
    "Adafactor": dict(lr=0.1),
    "Muon": dict(lr=0.1),
    "LBFGS": dict(lr=0.5, max_iter=3),
    "LBFGS/wolfe": dict(max_iter=2, line_search_fn="strong_wolfe"),
}


def encode(v):
    if torch.is_tensor(v):
        return {"tensor": v.double().flatten().tolist(), "shape": list(v.shape), "dtype": str(v.dtype)[6:]}
    if isinstance(v, dict):
        return {str(k): encode(e) for k, e in v.items()}
    if isinstance(v, (list, tuple)):
        return [encode(e) for e in v]
    return v


def decode(v):
    if isinstance(v, dict) and "tensor" in v:
        return torch.tensor(v["tensor"], dtype=getattr(torch, v["dtype"])).reshape(v["shape"])
    if isinstance(v, dict):
        return {int(k) if k.isdigit() else k: decode(e) for k, e in v.items()}
    if isinstance(v, list):
        return [decode(e) for e in v]
    return v


def start(name):
    ps = [torch.tensor([[1.0, -2.0], [0.5, 3.0], [-1.5, 0.25]]), torch.tensor([[2.0, 1.0], [-1.0, 0.5]])]
    ps = [p.requires_grad_() for p in ps]
    return ps, getattr(torch.optim, name.split("/")[0])(ps, **CASES[name])


def step(name, ps, o):
    def closure():
        o.zero_grad()
        loss = sum(0.02 * (p**4).sum() + ((p - 1) ** 2).sum() for p in ps)
        loss.backward()
        return loss

    if name.startswith("LBFGS"):
        o.step(closure)
        return
    closure()
    if name == "SparseAdam":
        for p in ps:
            p.grad = p.grad.to_sparse(1)
    o.step()


def write():
    out = {}
    for name in CASES:
        ps, o = start(name)
        for _ in range(3):
            step(name, ps, o)
        sd = encode(o.state_dict())
        middle = [encode(p.detach().clone()) for p in ps]
        for _ in range(3):
            step(name, ps, o)
        out[name] = dict(dict=sd, middle=middle, end=[encode(p.detach()) for p in ps])
    json.dump(out, sys.stdout)


def read(file):
    with open(file) as f:
        theirs = json.load(f)
    for name in CASES:
        ps, o = start(name)
        for _ in range(3):
            step(name, ps, o)
        qs, other = start(name)
        sd = decode(theirs[name])
        for g in sd["param_groups"]:  # JSON has no tuples
            g.update({k: tuple(v) for k, v in g.items() if isinstance(v, list) and k != "params"})
        other.load_state_dict(sd)
        for p, q in zip(ps, qs):
            q.data.copy_(p.data)
        for _ in range(3):
            step(name, ps, o)
            step(name, qs, other)
        settings = lambda o: {k: v for k, v in o.param_groups[0].items() if k != "params"}
        assert settings(o) == settings(other), f"{name}: {other}"
        for p, q in zip(ps, qs):
            torch.testing.assert_close(q, p, rtol=1e-6, atol=1e-7, msg=name)
        keys = lambda d: {i: sorted(s) for i, s in d.state_dict()["state"].items()}
        for i, want in keys(o).items():
            assert set(want) - {"al"} == set(keys(other)[i]) - {"al"}, name
        print(name, "ok")


if sys.argv[1:2] == ["read"]:
    read(sys.argv[2])
else:
    write()
