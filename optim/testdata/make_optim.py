"""Writes optim.json: 50 steps of many settings of PyTorch's optimizers, with
each implementation. Losses, parameters and state are from this machine. "bits"
has hashes of the exact parameters and state for each instruction set that the
machine supports. Run: python make_optim.py > optim.json"""

import hashlib
import json
import os
import subprocess
import sys

import torch

torch.set_num_threads(1)

STEPS = 50
SHAPES = [[3, 5], [5], [2, 3, 4], [129]]

CASES = [
    ("SGD", dict(lr=0.1)),
    ("SGD", dict(lr=0.05, momentum=0.9)),
    ("SGD", dict(lr=0.05, momentum=0.9, dampening=0.3)),
    ("SGD", dict(lr=0.05, momentum=0.9, nesterov=True)),
    ("SGD", dict(lr=0.05, momentum=0.8, weight_decay=0.1)),
    ("SGD", dict(lr=0.01, weight_decay=0.1, maximize=True)),
    ("SGD", dict(lr=0.01, momentum=0.5, weight_decay=0.1, nesterov=True, maximize=True)),
    ("SGD", dict()),
    ("Adam", dict()),
    ("Adam", dict(lr=0.01)),
    ("Adam", dict(lr=0.01, betas=(0.8, 0.95), eps=1e-6)),
    ("Adam", dict(lr=0.01, betas=(0.0, 0.0))),
    ("Adam", dict(lr=0.01, weight_decay=0.1)),
    ("Adam", dict(lr=0.01, amsgrad=True)),
    ("Adam", dict(lr=0.01, amsgrad=True, weight_decay=0.05, maximize=True)),
    ("Adam", dict(lr=0.01, weight_decay=0.1, decoupled_weight_decay=True)),
    ("AdamW", dict()),
    ("AdamW", dict(lr=0.01)),
    ("AdamW", dict(lr=0.01, weight_decay=0.2)),
    ("AdamW", dict(lr=0.01, weight_decay=0.0)),
    ("AdamW", dict(lr=0.01, amsgrad=True)),
    ("AdamW", dict(lr=0.01, amsgrad=True, maximize=True)),
]
# Of these, only Adagrad has a fused kernel. An optimizer that has no foreach kernels updates
# one parameter after the other, even with foreach=True.
MORE = [
    ("RMSprop", dict()),
    ("RMSprop", dict(lr=0.02, alpha=0.9, eps=1e-6, weight_decay=0.1, momentum=0.9, centered=True)),
    ("RMSprop", dict(lr=0.02, centered=True, maximize=True)),
    ("Adagrad", dict()),
    ("Adagrad", dict(lr=0.1, lr_decay=0.01, weight_decay=0.1, initial_accumulator_value=0.2, eps=1e-8)),
    ("Adagrad", dict(lr=0.1, maximize=True)),
    ("Adadelta", dict()),
    ("Adadelta", dict(lr=0.5, rho=0.8, eps=1e-4, weight_decay=0.1, maximize=True)),
    ("Adamax", dict()),
    ("Adamax", dict(lr=0.02, betas=(0.8, 0.95), eps=1e-6, weight_decay=0.1, maximize=True)),
    ("NAdam", dict(maximize=True)),
    ("NAdam", dict(lr=0.005, betas=(0.85, 0.99), weight_decay=0.1, momentum_decay=0.01)),
    ("NAdam", dict(lr=0.01, weight_decay=0.1, decoupled_weight_decay=True)),
    ("RAdam", dict(lr=0.02)),
    ("RAdam", dict(lr=0.02, betas=(0.8, 0.95), eps=1e-6, weight_decay=0.1)),
    ("RAdam", dict(lr=0.02, weight_decay=0.1, decoupled_weight_decay=True, maximize=True)),
    ("Rprop", dict()),
    ("Rprop", dict(lr=0.02, etas=(0.4, 1.3), step_sizes=(1e-3, 0.1), maximize=True)),
    ("ASGD", dict(lr=0.1)),
    ("ASGD", dict(lr=0.1, lambd=1e-3, alpha=0.6, t0=20.0, weight_decay=0.1)),
    ("ASGD", dict(lr=0.01, t0=5.0, maximize=True)),
    ("Adafactor", dict(lr=0.1)),
    ("Adafactor", dict(lr=0.1, beta2_decay=-0.5, eps=(1e-5, 1e-2), d=1.5, weight_decay=0.1, maximize=True)),
    ("Muon", dict()),
    ("Muon", dict(lr=0.1, momentum=0.9, nesterov=False, weight_decay=0.01, ns_steps=3, adjust_lr_fn="match_rms_adamw")),
    ("Muon", dict(lr=0.1, eps=1e-5, ns_coefficients=(3.0, -4.0, 2.0), adjust_lr_fn="original")),
]
DTYPES = [torch.float32, torch.float64]
IMPLEMENTATIONS = ["", "foreach", "fused"]


def implementations(name):
    keywords = getattr(torch.optim, name).__init__.__annotations__
    return [i for i in IMPLEMENTATIONS if not i or i in keywords]

torch.manual_seed(0)
START = [torch.randn(s, dtype=torch.float64) for s in SHAPES]
TARGET = [torch.randn(s, dtype=torch.float64) for s in SHAPES]


def values(t):
    t = torch.view_as_real(t) if t.is_complex() else t
    return t.detach().double().flatten().tolist()


def digest(tensors):
    h = hashlib.sha256()
    for t in tensors:
        h.update(t.detach().double().contiguous().numpy().astype("<f8").tobytes())
    return h.hexdigest()[:16]


def fingerprint():
    """Returns a digest of results of the optimizers' operators on this machine. Tests
    compare it to know whether they run with the same instructions."""
    out = []
    for dtype in DTYPES:
        a, b, c = (torch.arange(n, n + 129, dtype=dtype).sin() for n in (0, 200, 400))
        out += [
            torch.lerp(a, b, 0.1), torch.addcmul(a, b, c, value=0.3), torch.addcdiv(a, b, c, value=0.3),
            torch.add(a, b, alpha=0.3), b.abs().sqrt(), b / 0.7,
        ]
    out.append(torch.tensor([(1 - 0.999**k) ** 0.5 / (1 - 0.9**k) for k in range(1, 51)], dtype=torch.float64))
    return digest(out)


def run(name, kwargs, dtype, implementation, skip=False):
    params = [t.to(dtype, copy=True).requires_grad_() for t in START if name != "Muon" or t.dim() == 2]
    if implementation:
        kwargs = {**kwargs, implementation: True}
    opt = getattr(torch.optim, name)(params, **kwargs)
    losses = []
    for step in range(STEPS):
        opt.zero_grad()
        loss = 0
        for i, (p, t) in enumerate(zip(params, TARGET)):
            # One parameter has no gradient in every third step.
            if skip and i == 2 and step % 3 == 0:
                continue
            d = p - t.to(dtype)
            loss = loss + (d * d).sum() * (i + 1) / 10
        loss.backward()
        losses.append(loss.item())
        opt.step()
    return opt, params, losses


def all_runs():
    for name, kwargs in CASES + MORE:
        for dtype in DTYPES:
            for implementation in implementations(name):
                yield name, kwargs, dtype, implementation, False
    for implementation in IMPLEMENTATIONS:
        yield "AdamW", dict(lr=0.01), torch.float32, implementation, True


def bits():
    out = []
    for case in all_runs():
        opt, params, _ = run(*case)
        state = [opt.state[p][k] for p in params for k in sorted(opt.state[p])]
        out.append(digest(params + state))
    return dict(fingerprint=fingerprint(), bits=out)


def kept(name, dtype):
    """Reports whether the goldens have values for this dtype: float64 only for CASES."""
    return dtype == torch.float32 or name in [n for n, _ in CASES]


def main():
    machines = {}
    for capability in ("default", "avx2", "avx512"):
        out = subprocess.run(
            [sys.executable, __file__, "bits"],
            env={**os.environ, "ATEN_CPU_CAPABILITY": capability}, capture_output=True, check=True,
        )
        got = json.loads(out.stdout)
        machines[got["fingerprint"]] = got["bits"]
    runs = []
    for i, (name, kwargs, dtype, implementation, skip) in enumerate(all_runs()):
        opt, params, losses = run(name, kwargs, dtype, implementation, skip)
        runs.append(dict(
            optimizer=name,
            options={k: list(v) if isinstance(v, tuple) else v for k, v in kwargs.items()},
            implementation=implementation,
            dtype=str(dtype).removeprefix("torch."),
            skip=skip,
            losses=losses[::7],
            # The implementations differ only in the last bits, so only the default one stores its values.
            end=[values(p) for p in params] if not implementation and kept(name, dtype) else None,
            state=[
                {k: values(v) for k, v in opt.state[p].items() if torch.is_tensor(v)}
                for p in params
            ] if not implementation and kept(name, dtype) else None,
            text=str(opt),
            bits={f: b[i] for f, b in machines.items()},
        ))
    json.dump(dict(
        torch=torch.__version__.split("+")[0], shapes=SHAPES,
        start=[values(t) for t in START], target=[values(t) for t in TARGET], runs=runs,
    ), sys.stdout)


if sys.argv[1:] == ["bits"]:
    json.dump(bits(), sys.stdout)
else:
    main()
