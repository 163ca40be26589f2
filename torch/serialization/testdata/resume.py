"""Continues trainings that Go began, and writes trainings for Go to continue, in files of
torch.save. It covers all optimizers and schedulers, a GradScaler and averaged models.

python resume.py write FILE    saves each state after some steps, and the results of some more
                               steps. resume.pt is such a file
python resume.py read FILE     reads such a file that Go wrote, compares its dicts with Python's
                               after the same steps, continues from its dicts, and compares the
                               results with the file's
"""

import math
import sys
import warnings

import torch
from torch.optim import SGD
from torch.optim.lr_scheduler import *
from torch.optim.swa_utils import SWALR, AveragedModel

warnings.simplefilter("ignore")

OPTIMIZERS = {
    "SGD": dict(lr=0.1, momentum=0.9),
    "SGD/plain": dict(lr=0.1),
    "SGD/groups": dict(lr=0.1, momentum=0.9, nesterov=True),
    "SGD/names": dict(lr=0.1, momentum=0.9),
    "Adam": dict(lr=0.1, amsgrad=True),
    "Adam/tensor": dict(lr=torch.tensor(0.125)),
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
    "Adafactor/eps": dict(lr=0.1, eps=(1e-30, 1e-3)),
    "Muon": dict(lr=0.1),
    "LBFGS": dict(lr=0.5, max_iter=3),
    "LBFGS/wolfe": dict(max_iter=2, line_search_fn="strong_wolfe"),
}

# Each scheduler has two constructors: one for the scheduler whose state is saved, and one for the
# scheduler that loads the state. Functions are not saved, so both constructors pass the same ones.
# Loading the state sets all other arguments.
SCHEDULERS = {
    "LambdaLR": [lambda o: LambdaLR(o, lambda e: 1 / (e + 1))] * 2,
    "MultiplicativeLR": [lambda o: MultiplicativeLR(o, lambda e: 1 - 0.1 / (e + 1))] * 2,
    "StepLR": [lambda o: StepLR(o, 4, 0.5), lambda o: StepLR(o, 2)],
    "MultiStepLR": [lambda o: MultiStepLR(o, [2, 5, 5, 7], 0.3), lambda o: MultiStepLR(o, [1])],
    "ConstantLR": [lambda o: ConstantLR(o, 0.25, 6), lambda o: ConstantLR(o)],
    "LinearLR": [lambda o: LinearLR(o, 0.1, 0.8, 7), lambda o: LinearLR(o)],
    "ExponentialLR": [lambda o: ExponentialLR(o, 0.9), lambda o: ExponentialLR(o, 0.5)],
    "SequentialLR": [
        lambda o: SequentialLR(o, [LinearLR(o, 0.1, 1, 5), MultiStepLR(o, [1, 2], 0.5)], [4]),
        lambda o: SequentialLR(o, [LinearLR(o), MultiStepLR(o, [3])], [2]),
    ],
    "PolynomialLR": [lambda o: PolynomialLR(o, 20, 0.9), lambda o: PolynomialLR(o)],
    "CosineAnnealingLR": [lambda o: CosineAnnealingLR(o, 7, 0.001), lambda o: CosineAnnealingLR(o, 10)],
    "ChainedScheduler": [
        lambda o: ChainedScheduler([ConstantLR(o, 0.1, 4), ExponentialLR(o, 0.9)]),
        lambda o: ChainedScheduler([ConstantLR(o), ExponentialLR(o, 0.5)]),
    ],
    "ReduceLROnPlateau": [
        lambda o: ReduceLROnPlateau(o, patience=1, factor=0.5, cooldown=1, min_lr=0.01),
        lambda o: ReduceLROnPlateau(o, mode="max"),
    ],
    "ReduceLROnPlateau/groups": [
        lambda o: ReduceLROnPlateau(o, patience=0, factor=0.5, min_lr=[0.02, 0.01]),
        lambda o: ReduceLROnPlateau(o),
    ],
    "CyclicLR": [
        lambda o: CyclicLR(o, 0.01, 0.1, 3, 5, "triangular2", base_momentum=0.7, max_momentum=0.95),
        lambda o: CyclicLR(o, 0.1, 0.2, 2),
    ],
    "CyclicLR/plain": [
        lambda o: CyclicLR(o, 0.01, 0.1, 4, cycle_momentum=False),
        lambda o: CyclicLR(o, 0.1, 0.2, 2, cycle_momentum=False),
    ],
    "CosineAnnealingWarmRestarts": [
        lambda o: CosineAnnealingWarmRestarts(o, 3, 2, 0.002),
        lambda o: CosineAnnealingWarmRestarts(o, 4),
    ],
    "OneCycleLR": [
        lambda o: OneCycleLR(o, 0.5, total_steps=12),
        lambda o: OneCycleLR(o, 0.1, total_steps=30, pct_start=0.4, anneal_strategy="linear"),
    ],
    "OneCycleLR/three": [
        lambda o: OneCycleLR(o, 0.5, total_steps=12, three_phase=True, anneal_strategy="linear", cycle_momentum=False),
        lambda o: OneCycleLR(o, 0.1, total_steps=30, cycle_momentum=False),
    ],
    "SWALR": [lambda o: SWALR(o, 0.02, 7, "linear"), lambda o: SWALR(o, 0.1)],
}


def losses(i):
    return [1, 0.9, 0.95, 0.9, 0.9, 0.85, 0.86, 0.9, 0.9, 0.84][i]


def parameters():
    ps = [torch.tensor([[1.0, -2.0], [0.5, 3.0], [-1.5, 0.25]]), torch.tensor([[2.0, 1.0], [-1.0, 0.5]])]
    return [p.requires_grad_() for p in ps]


def optimizer(name, ps):
    cls = getattr(torch.optim, name.split("/")[0])
    if name == "SGD/groups":
        ps = [dict(params=[ps[0]]), dict(params=[ps[1]], lr=0.05, weight_decay=0.1)]
    if name == "SGD/names":
        ps = [("first", ps[0]), ("second", ps[1])]
    return cls(ps, **OPTIMIZERS[name])


def train(name, ps, o):
    def closure():
        o.zero_grad()
        loss = sum(0.02 * (p**4).sum() + ((p - 1) ** 2).sum() for p in ps)
        loss.backward()
        return loss

    for _ in range(3):
        if name.startswith("LBFGS"):
            o.step(closure)
            continue
        closure()
        if name == "SparseAdam":
            for p in ps:
                p.grad = p.grad.to_sparse(1)
        o.step()


def two_groups():
    a, b = torch.zeros(1, requires_grad=True), torch.zeros(1, requires_grad=True)
    return SGD([dict(params=[a]), dict(params=[b], lr=0.05)], lr=0.1, momentum=0.9)


def course(name, o, s, begin, end):
    """Steps a scheduler. Returns the learning rates and the momentum after each step."""
    rows = []
    for i in range(begin, end):
        o.step()
        if name.startswith("Reduce"):
            s.step(losses(i))
        else:
            s.step()
        rows.append([g["lr"] for g in o.param_groups] + [o.param_groups[0]["momentum"]])
    return rows


def clone(v):
    if torch.is_tensor(v):
        return v.detach().clone()
    if isinstance(v, dict):
        out = type(v)()
        out.update({k: clone(e) for k, e in v.items()})
        return out
    if isinstance(v, (list, tuple)):
        return type(v)(clone(e) for e in v)
    return v


def fill(model, i):
    for n, p in enumerate(model.parameters()):
        p.data = torch.arange(p.numel(), dtype=torch.float32).reshape(p.shape) / (n + 2) + i


def averaged(a, begin, end):
    model = torch.nn.Linear(3, 2)
    for i in range(begin, end):
        fill(model, i)
        a.update_parameters(model)
    return a


def scale(s):
    w = torch.ones(2, requires_grad=True)
    o = SGD([w], lr=0.1)
    for _ in range(3):
        s.scale(w.sum()).backward()
        s.step(o)
        s.update()
    return s


def all_of_it():
    out = dict(optimizers={}, schedulers={})
    for name in OPTIMIZERS:
        ps = parameters()
        o = optimizer(name, ps)
        train(name, ps, o)
        case = dict(dict=clone(o.state_dict()), middle=clone(ps))
        train(name, ps, o)
        out["optimizers"][name] = dict(case, end=clone(ps))
    for name, (make, _) in SCHEDULERS.items():
        o = two_groups()
        s = make(o)
        course(name, o, s, 0, 3)
        case = dict(optimizer=clone(o.state_dict()), scheduler=clone(s.state_dict()))
        out["schedulers"][name] = dict(case, rows=course(name, o, s, 3, 9))
    s = scale(torch.amp.GradScaler("cpu", init_scale=8.0, growth_interval=4))
    out["scaler"] = dict(dict=s.state_dict(), end=scale(s).state_dict())
    a = averaged(AveragedModel(torch.nn.Linear(3, 2)), 0, 2)
    out["averaged"] = dict(dict=clone(a.state_dict()), end=clone(averaged(a, 2, 4).state_dict()))
    return out


# Keys that only the state dicts of Python's schedulers have. If a Python scheduler loads a dict
# without one of these keys, it keeps its own value.
BOOKKEEPING = {"_is_initial", "_get_lr_called_within_step", "mode_worse", "param_names", "al"}


def same(theirs, ours, where, name):
    """Compares Go's dict with Python's."""
    if torch.is_tensor(ours) and name == "Adam/tensor":
        ours = ours.item() if ours.numel() == 1 and not torch.is_tensor(theirs) else ours
    if torch.is_tensor(ours):
        assert torch.is_tensor(theirs) and theirs.dtype == ours.dtype, where
        torch.testing.assert_close(theirs, ours, rtol=1e-5, atol=1e-6, msg=lambda m: f"{where}: {m}")
    elif isinstance(ours, dict):
        assert type(theirs) is type(ours) or type(ours) is not dict and type(theirs) is dict, f"{where}: {type(theirs)}"
        assert set(theirs) - BOOKKEEPING == set(ours) - BOOKKEEPING, f"{where}: {list(theirs)}, expected {list(ours)}"
        for k in set(theirs) - BOOKKEEPING:
            if not (k == "_step_count" and name.startswith("CosineAnnealingWarm")):  # Python's stays 0
                same(theirs[k], ours[k], f"{where}[{k!r}]", name)
    elif isinstance(ours, (list, tuple)):
        assert type(theirs) is type(ours) and len(theirs) == len(ours), f"{where}: {theirs}"
        for i, v in enumerate(ours):
            same(theirs[i], v, f"{where}[{i}]", name)
    elif isinstance(ours, float) or isinstance(ours, int) and isinstance(theirs, float):
        assert math.isclose(theirs, ours, rel_tol=1e-5, abs_tol=1e-6), f"{where}: {theirs}, expected {ours}"
    else:
        assert type(theirs) is type(ours) and theirs == ours, f"{where}: {theirs}, expected {ours}"


def read(file):
    theirs, ours = torch.load(file, weights_only=True), all_of_it()
    close = lambda a, b, name: torch.testing.assert_close(a, b, rtol=1e-6, atol=1e-6, msg=lambda m: f"{name}: {m}")
    for kind in ours:
        assert set(theirs[kind]) == set(ours[kind]), kind
    for name, case in theirs["optimizers"].items():
        same(case["dict"], ours["optimizers"][name]["dict"], name, name)
        ps = [p.clone().requires_grad_() for p in case["middle"]]
        o = optimizer(name, ps)
        for g in o.param_groups:
            g["lr"] = 7.0
        o.load_state_dict(case["dict"])
        train(name, ps, o)
        for p, end in zip(ps, case["end"], strict=True):
            close(p.detach(), end, name)
    for name, case in theirs["schedulers"].items():
        same(case["optimizer"], ours["schedulers"][name]["optimizer"], name, name)
        same(case["scheduler"], ours["schedulers"][name]["scheduler"], name, name)
        o = two_groups()
        s = SCHEDULERS[name][1](o)
        o.load_state_dict(case["optimizer"])
        s.load_state_dict(case["scheduler"])
        close(torch.tensor(course(name, o, s, 3, 9)), torch.tensor(case["rows"]), name)
    same(theirs["scaler"]["dict"], ours["scaler"]["dict"], "scaler", "scaler")
    s = torch.amp.GradScaler("cpu")
    s.load_state_dict(theirs["scaler"]["dict"])
    same(scale(s).state_dict(), theirs["scaler"]["end"], "scaler", "scaler")
    a = AveragedModel(torch.nn.Linear(3, 2))
    a.load_state_dict(theirs["averaged"]["dict"])
    for k, v in averaged(a, 2, 4).state_dict().items():
        close(v, theirs["averaged"]["end"][k], k)
    print(sum(len(v) for v in theirs.values()), "ok")


if sys.argv[1] == "read":
    read(sys.argv[2])
else:
    torch.save(all_of_it(), sys.argv[2])
