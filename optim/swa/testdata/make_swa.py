"""Writes swa.json: averages of a model after four updates, and the statistics of
update_bn. Run: python make_swa.py > swa.json"""

import json
import sys

import torch
from torch.optim.swa_utils import *

CASES = {
    "default": dict(),
    "buffers": dict(use_buffers=True),
    "ema": dict(avg_fn=get_ema_avg_fn(0.9)),
    "multi ema": dict(multi_avg_fn=get_ema_multi_avg_fn(0.9)),
    "multi ema buffers": dict(multi_avg_fn=get_ema_multi_avg_fn(0.9), use_buffers=True),
    "multi swa": dict(multi_avg_fn=get_swa_multi_avg_fn()),
    "own": dict(avg_fn=lambda a, c, n: 0.25 * a + 0.75 * c),
}


def sines(shape, start):
    n = torch.Size(shape).numel()
    return (torch.arange(start, start + n, dtype=torch.float64) * 0.7).sin().float().reshape(shape)


def fill(model, k):
    with torch.no_grad():
        for i, p in enumerate(model.parameters()):
            p.copy_(sines(p.shape, 100 * k + 10 * i))
        model[1].running_mean.copy_(sines([4], k))
        model[1].num_batches_tracked.fill_(3 * k)


out = {}
for name, kwargs in CASES.items():
    model = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.BatchNorm1d(4))
    fill(model, 0)
    average = AveragedModel(model, **kwargs)
    for k in range(1, 5):
        fill(model, k)
        average.update_parameters(model)
    out[name] = {k: v.flatten().tolist() for k, v in average.state_dict().items()}
model = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.BatchNorm1d(4))
fill(model, 1)
model.eval()
update_bn([sines([5, 3], 0), (sines([7, 3], 50), None)], model)
out["update_bn"] = {k: v.flatten().tolist() for k, v in model.state_dict().items()}
json.dump(out, sys.stdout)
