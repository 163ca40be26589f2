"""Computes the entries of own.json, for optimizers that have test files of their own: the
printed optimizer, and the results of 10 steps. `make generate MODE=goldens` runs it for new rows."""

import json
import sys

import torch

torch.set_num_threads(1)


def numbers(t):
    return t.detach().double().flatten().tolist() if torch.is_tensor(t) else [float(t)]


out = {}
for name, row in json.load(sys.stdin).items():
    ps = [torch.arange(k, k + 6, dtype=torch.float32).sin() for k in range(2)]
    ps = [(p.reshape(3, 2) if row["matrices"] else p).requires_grad_() for p in ps]
    o = eval(row["python"], {"torch": torch, "ps": ps})
    text = str(o)
    for _ in range(10):
        o.zero_grad()
        for p in ps:
            (p - 1).square().sum().backward()
        o.step()
    state = [{k: numbers(v) for k, v in o.state[p].items() if v is not None} for p in ps]
    out[name] = dict(text=text, end=[numbers(p) for p in ps], state=state)
json.dump(out, sys.stdout)
