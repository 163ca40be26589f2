"""Writes schedulers.json: the learning rates of two groups over 30 steps. Also
writes long.json: a digest of the learning rates over 1000 steps.
Run: python make_schedulers.py > schedulers.json
python make_schedulers.py long > long.json"""

import hashlib
import json
import struct
import sys
import warnings

import torch
from torch.optim import SGD, AdamW
from torch.optim.lr_scheduler import *
from torch.optim.swa_utils import SWALR

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
    "SequentialLR/four": lambda o: SequentialLR(o, [CosineAnnealingWarmRestarts(o, 4), MultiStepLR(o, [0, 3], 0.5),
                                                    LambdaLR(o, lambda e: 1 / (e + 1)),
                                                    CosineAnnealingWarmRestarts(o, 3)], [6, 12, 18]),
    "LinearLR": lambda o: LinearLR(o, 0.1, 0.8, 7),
    "CosineAnnealingLR": lambda o: CosineAnnealingLR(o, 10),
    "CosineAnnealingLR/min": lambda o: CosineAnnealingLR(o, 7, 0.001),
    "CosineAnnealingWarmRestarts": lambda o: CosineAnnealingWarmRestarts(o, 3, 2, 0.002),
    "OneCycleLR": lambda o: OneCycleLR(o, 0.5, total_steps=30),
    "OneCycleLR/linear": lambda o: OneCycleLR(o, 0.5, total_steps=30, pct_start=0.4, anneal_strategy="linear",
                                              div_factor=10, final_div_factor=50),
    "SequentialLR": lambda o: SequentialLR(o, [LinearLR(o, 0.1, 1, 5), CosineAnnealingLR(o, 20)], [5]),
    "SequentialLR/repeated": lambda o: SequentialLR(o, [LinearLR(o, 0.1, 1, 5), StepLR(o, 2), ExponentialLR(o, 0.9)],
                                                    [5, 5]),
    "ReduceLROnPlateau": lambda o: ReduceLROnPlateau(o, patience=2, factor=0.5, cooldown=1, min_lr=0.01),
    "ReduceLROnPlateau/max": lambda o: ReduceLROnPlateau(o, mode="max", patience=0, threshold=0.02,
                                                         threshold_mode="abs"),
    "ReduceLROnPlateau/any": lambda o: ReduceLROnPlateau(o, patience=1, threshold=0),
    "MultiplicativeLR": lambda o: MultiplicativeLR(o, lambda e: 1 - 0.1 / (e + 1)),
    "MultiplicativeLR/groups": lambda o: MultiplicativeLR(o, [lambda e: 1 / (e + 1), lambda e: 0.5]),
    "PolynomialLR": lambda o: PolynomialLR(o),
    "PolynomialLR/power": lambda o: PolynomialLR(o, 20, 0.9),
    "ChainedScheduler": lambda o: ChainedScheduler([ConstantLR(o, 0.1, 4), ExponentialLR(o, 0.9),
                                                    CosineAnnealingLR(o, 12)]),
    "SequentialLR/chained": lambda o: SequentialLR(o, [ChainedScheduler([LinearLR(o, 0.1), StepLR(o, 3)]),
                                                       PolynomialLR(o, 15, 2.0),
                                                       MultiplicativeLR(o, lambda e: 0.9)], [6, 20]),
    "SequentialLR/nested": lambda o: SequentialLR(o, [SequentialLR(o, [LinearLR(o, 0.1), StepLR(o, 3)], [4]),
                                                      ExponentialLR(o, 0.9)], [12]),
    "CyclicLR": lambda o: CyclicLR(o, 0.01, 0.1, 4),
    "CyclicLR/two": lambda o: CyclicLR(o, 0.01, 0.1, 3, 5, "triangular2", base_momentum=0.7, max_momentum=0.95),
    "CyclicLR/linear range": lambda o: CyclicLR(o, [0.01, 0.02], [0.1, 0.3], 3, 2, "exp_range", 0.97,
                                                base_momentum=[0.7, 0.6], max_momentum=[0.9, 0.8]),
    "CyclicLR/own": lambda o: CyclicLR(o, 0.01, 0.1, 4, scale_fn=lambda x: 1 / (5 ** (x * 0.0001)),
                                       scale_mode="iterations", cycle_momentum=False),
    "CyclicLR/cycles": lambda o: CyclicLR(o, 0.01, 0.1, 4, scale_fn=lambda x: 0.5 + 1 / x, cycle_momentum=False),
    "OneCycleLR/groups": lambda o: OneCycleLR(o, [0.5, 0.2], total_steps=30, base_momentum=[0.8, 0.7],
                                              max_momentum=[0.9, 0.95]),
    "ReduceLROnPlateau/groups": lambda o: ReduceLROnPlateau(o, patience=0, factor=0.5, min_lr=[0.02, 0.01]),
    "SWALR": lambda o: SWALR(o, 0.02),
    "SWALR/groups": lambda o: SWALR(o, [0.02, 0.2], 7, "linear"),
    "SWALR/at once": lambda o: SWALR(o, 0.02, 0),
    "SequentialLR/swa": lambda o: SequentialLR(o, [CosineAnnealingLR(o, 20), SWALR(o, 0.02, 6)], [10]),
    "CosineAnnealingWarmRestarts/epochs": lambda o: CosineAnnealingWarmRestarts(o, 4, 2),
    "CosineAnnealingWarmRestarts/equal epochs": lambda o: CosineAnnealingWarmRestarts(o, 4),
}


def course(name, make, steps):
    """Yields the rates of both groups and the momentum in each step."""
    a, b = torch.zeros(1, requires_grad=True), torch.zeros(1, requires_grad=True)
    o = (AdamW if "linear" in name else SGD)([dict(params=[a]), dict(params=[b], lr=0.05)], lr=0.1)
    s = make(o)
    for step in range(steps):
        g = o.param_groups
        yield [g[0]["lr"], g[1]["lr"], g[0].get("betas", [g[0].get("momentum")])[0]]
        o.step()
        if name.endswith("any"):
            s.step(1 - 1e-6 * (step // 2))
        elif name.startswith("Reduce"):
            s.step(metrics[step % len(metrics)])
        elif name.endswith("epochs"):
            s.step((step + 1) * 0.75)
        elif step < steps - 1:
            s.step()


out = {name: list(course(name, make, 30)) for name, make in CASES.items()}
if sys.argv[1:] == ["long"]:
    out = {
        name: hashlib.sha256(b"".join(struct.pack("<3d", *row) for row in course(name, make, 1000))).hexdigest()
        for name, make in CASES.items() if not name.startswith("OneCycle")
    }
json.dump(out, sys.stdout, indent=0)
