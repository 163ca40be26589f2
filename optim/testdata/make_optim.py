"""Writes optim.json: parameters and losses over 50 steps for many settings of
PyTorch's optimizers. Run: python make_optim.py > optim.json"""

import json
import sys

import torch

torch.set_num_threads(1)

STEPS = 50
SHAPES = [[3, 5], [5], [2, 3, 4]]

CASES = [
    ("SGD", dict(lr=0.1)),
    ("SGD", dict(lr=0.05, momentum=0.9)),
    ("SGD", dict(lr=0.05, momentum=0.9, dampening=0.3)),
    ("SGD", dict(lr=0.05, momentum=0.9, nesterov=True)),
    ("SGD", dict(lr=0.05, momentum=0.8, weight_decay=0.1)),
    ("SGD", dict(lr=0.01, weight_decay=0.1, maximize=True)),
    ("SGD", dict()),
    ("Adam", dict()),
    ("Adam", dict(lr=0.01)),
    ("Adam", dict(lr=0.01, betas=(0.8, 0.95), eps=1e-6)),
    ("Adam", dict(lr=0.01, weight_decay=0.1)),
    ("Adam", dict(lr=0.01, amsgrad=True)),
    ("Adam", dict(lr=0.01, amsgrad=True, weight_decay=0.05, maximize=True)),
    ("AdamW", dict()),
    ("AdamW", dict(lr=0.01)),
    ("AdamW", dict(lr=0.01, weight_decay=0.2)),
    ("AdamW", dict(lr=0.01, weight_decay=0.0)),
    ("AdamW", dict(lr=0.01, amsgrad=True)),
    ("AdamW", dict(lr=0.01, amsgrad=True, maximize=True)),
]


def values(t):
    return t.detach().double().flatten().tolist()


def run(name, kwargs, dtype, skip, fused):
    torch.manual_seed(0)
    start = [torch.randn(s, dtype=torch.float64) for s in SHAPES]
    target = [torch.randn(s, dtype=torch.float64) for s in SHAPES]
    params = [t.to(dtype, copy=True).requires_grad_() for t in start]
    opt = getattr(torch.optim, name)(params, fused=fused, **kwargs)
    losses = []
    for step in range(STEPS):
        opt.zero_grad()
        loss = 0
        for i, (p, t) in enumerate(zip(params, target)):
            # The last parameter has no gradient in every third step.
            if skip and i == 2 and step % 3 == 0:
                continue
            loss = loss + ((p - t.to(dtype)) ** 2).sum() * (i + 1) / 10
        loss.backward()
        losses.append(loss.item())
        opt.step()
    return dict(
        optimizer=name,
        options={k: list(v) if isinstance(v, tuple) else v for k, v in kwargs.items()},
        dtype=str(dtype).removeprefix("torch."),
        skip=skip,
        shapes=SHAPES,
        start=[values(t) for t in start],
        target=[values(t) for t in target],
        losses=losses,
        end=[values(p) for p in params],
        state=[
            {k: values(v) for k, v in opt.state[p].items() if torch.is_tensor(v)}
            for p in params
        ],
    )


cases = [run(n, k, torch.float32, False, False) for n, k in CASES]
cases += [run(n, k, torch.float64, False, True) for n, k in CASES]
cases += [run("AdamW", dict(lr=0.01), torch.float32, True, True)]
json.dump(cases, sys.stdout)
