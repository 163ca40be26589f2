"""Writes schedulers.json: the learning rates of two groups over 30 steps.
Run: python make_schedulers.py > schedulers.json"""

import json
import sys
import warnings

import torch
from torch.optim import SGD, AdamW
from torch.optim.lr_scheduler import *

warnings.simplefilter("ignore")


def rate(o, lr):
    for g in o.param_groups:
        g["lr"] = lr
    return o


metrics = [1, 0.9, 0.9, 0.9, 0.9, 0.85, 0.86, 0.9, 0.9, 0.84, 0.9, 0.9, 0.9, 0.9, 0.9, 0.2, 0.3]
CASES = {
    "StepLR": lambda o: StepLR(o, 4),
    "StepLR/gamma": lambda o: StepLR(o, 3, 0.5),
    "MultiStepLR": lambda o: MultiStepLR(o, [2, 5, 5, 11], 0.3),
    "ExponentialLR": lambda o: ExponentialLR(o, 0.9),
    "LambdaLR": lambda o: LambdaLR(o, lambda e: 1 / (e + 1)),
    "LambdaLR/groups": lambda o: LambdaLR(o, [lambda e: 1 / (e + 1), lambda e: 0.5**e]),
    "LambdaLR/set rate": lambda o: LambdaLR(rate(o, 1e-4), lambda e: 1 / (e + 1)),
    "LambdaLR/second": lambda o: (StepLR(o, 4), LambdaLR(rate(o, 1e-4), lambda e: 1 / (e + 1)))[1],
    "ConstantLR": lambda o: ConstantLR(o, 0.25, 6),
    "ConstantLR/defaults": lambda o: ConstantLR(o),
    "LinearLR/defaults": lambda o: LinearLR(o),
    "OneCycleLR/three": lambda o: OneCycleLR(o, 0.5, total_steps=30, three_phase=True, cycle_momentum=False),
    "SequentialLR/zero": lambda o: SequentialLR(o, [ConstantLR(o), ExponentialLR(o, 0.5), ConstantLR(o, 0.25)], [0, 2]),
    "SequentialLR/four": lambda o: SequentialLR(o, [CosineAnnealingWarmRestarts(o, 4), MultiStepLR(o, [0, 3], 0.5), LambdaLR(o, lambda e: 1 / (e + 1)), CosineAnnealingWarmRestarts(o, 3)], [6, 12, 18]),
    "LinearLR": lambda o: LinearLR(o, 0.1, 0.8, 7),
    "CosineAnnealingLR": lambda o: CosineAnnealingLR(o, 10),
    "CosineAnnealingLR/min": lambda o: CosineAnnealingLR(o, 7, 0.001),
    "CosineAnnealingWarmRestarts": lambda o: CosineAnnealingWarmRestarts(o, 3, 2, 0.002),
    "OneCycleLR": lambda o: OneCycleLR(o, 0.5, total_steps=30),
    "OneCycleLR/linear": lambda o: OneCycleLR(o, 0.5, total_steps=30, pct_start=0.4, anneal_strategy="linear", div_factor=10, final_div_factor=50),
    "SequentialLR": lambda o: SequentialLR(o, [LinearLR(o, 0.1, 1, 5), CosineAnnealingLR(o, 20)], [5]),
    "SequentialLR/repeated": lambda o: SequentialLR(o, [LinearLR(o, 0.1, 1, 5), StepLR(o, 2), ExponentialLR(o, 0.9)], [5, 5]),
    "ReduceLROnPlateau": lambda o: ReduceLROnPlateau(o, patience=2, factor=0.5, cooldown=1, min_lr=0.01),
    "ReduceLROnPlateau/max": lambda o: ReduceLROnPlateau(o, mode="max", patience=0, threshold=0.02, threshold_mode="abs"),
    "ReduceLROnPlateau/any": lambda o: ReduceLROnPlateau(o, patience=1, threshold=0),
}
out = {}
for name, make in CASES.items():
    a, b = torch.zeros(1, requires_grad=True), torch.zeros(1, requires_grad=True)
    o = (AdamW if "linear" in name else SGD)([dict(params=[a]), dict(params=[b], lr=0.05)], lr=0.1)
    s = make(o)
    rows = []
    for step in range(30):
        g = o.param_groups
        rows.append([g[0]["lr"], g[1]["lr"], g[0].get("betas", [g[0].get("momentum")])[0]])
        o.step()
        if name.endswith("any"):
            s.step(1 - 1e-6 * (step // 2))
        elif name.startswith("Reduce"):
            s.step(metrics[step % len(metrics)])
        elif step < 29:
            s.step()
    out[name] = rows
json.dump(out, sys.stdout, indent=0)
