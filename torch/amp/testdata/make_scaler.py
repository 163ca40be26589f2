"""Records trainings with a GradScaler, step by step, for scaler.json.

    python torch/amp/testdata/make_scaler.py
"""
import json
import os
import warnings

import torch

warnings.simplefilter("ignore")

# Cases by name. optimizers are keys of MAKE. overflow maps a step to the indices of
# optimizers whose gradients overflow in it. clip says whether gradients are unscaled and
# clipped before each step. backward is the number of backward passes for each step.
CASES = {
    "sgd": dict(optimizers=["sgd"], overflow={2: [0], 3: [0], 8: [0]}, clip=False, backward=1),
    "clip": dict(optimizers=["sgd"], overflow={1: [0], 6: [0]}, clip=True, backward=1),
    "two": dict(optimizers=["sgd", "adamw"], overflow={0: [1], 4: [0], 5: [0, 1]}, clip=False, backward=1),
    "two clipped": dict(optimizers=["adamw", "sgd"], overflow={3: [1]}, clip=True, backward=1),
    "fused": dict(optimizers=["fused"], overflow={2: [0], 7: [0]}, clip=False, backward=1),
    "fused clipped": dict(optimizers=["fused", "sgd"], overflow={2: [0], 7: [1]}, clip=True, backward=1),
    "accumulated": dict(optimizers=["sgd"], overflow={4: [0]}, clip=False, backward=2),
    "sparse": dict(optimizers=["sparse"], overflow={2: [0]}, clip=False, backward=1),
}
MAKE = {
    "sgd": lambda p: torch.optim.SGD([p], lr=0.05, momentum=0.9),
    "sparse": lambda p: torch.optim.SGD([p], lr=0.05),
    "adamw": lambda p: torch.optim.AdamW([p], lr=0.05),
    "fused": lambda p: torch.optim.AdamW([p], lr=0.05, fused=True),
}


def loss_of(p, k, overflow, sparse):
    if sparse:
        y = torch.nn.functional.embedding(torch.tensor([k % 2, 1]), p, sparse=True).sum(0)
    else:
        y = p @ ((torch.arange(3.0) + k) / 7)
    if overflow:
        y = y * float("inf")
    return (y - 1).square().sum()


out = {}
for name, c in CASES.items():
    ps = [(torch.arange(6.0).reshape(2, 3) / 10 + i).requires_grad_() for i in range(len(c["optimizers"]))]
    opts = [MAKE[o](p) for o, p in zip(c["optimizers"], ps)]
    scaler = torch.amp.GradScaler("cpu", init_scale=1024.0, growth_factor=4.0, backoff_factor=0.25, growth_interval=3)
    steps = []
    for k in range(10):
        for o in opts:
            o.zero_grad()
        for _ in range(c["backward"]):
            losses = [loss_of(p, k, i in c["overflow"].get(k, []), c["optimizers"][0] == "sparse")
                      for i, p in enumerate(ps)]
            for l in scaler.scale(losses):
                l.backward()
        norms = []
        for o, p in zip(opts, ps):
            if c["clip"]:
                scaler.unscale_(o)
                norms.append(float(torch.nn.utils.clip_grad_norm_([p], 0.5)))
            scaler.step(o)
        scaler.update()
        steps.append({"state": scaler.state_dict(), "params": [p.detach().flatten().tolist() for p in ps]})
    out[name] = {**c, "steps": steps}
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "scaler.json"), "w") as f:
    json.dump(out, f)
    f.write("\n")
for n, c in out.items():
    print(n, [s["state"]["scale"] for s in c["steps"]])
