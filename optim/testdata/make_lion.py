"""Writes lion.json: 20 steps of a custom optimizer, a subclass of
torch.optim.Optimizer, with two groups and a scheduler. example_test.go has the same
optimizer. Run: python make_lion.py > lion.json"""

import json
import sys

import torch


class Lion(torch.optim.Optimizer):
    def __init__(self, params, lr=1e-4, betas=(0.9, 0.99), weight_decay=0.0):
        super().__init__(params, dict(lr=lr, betas=betas, weight_decay=weight_decay))

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            beta1, beta2 = group["betas"]
            for p in group["params"]:
                if p.grad is None:
                    continue
                state = self.state[p]
                if len(state) == 0:
                    state["exp_avg"] = torch.zeros_like(p)
                avg = state["exp_avg"]
                p.mul_(1 - group["lr"] * group["weight_decay"])
                update = avg * beta1 + p.grad * (1 - beta1)
                p.add_(update.sign_(), alpha=-group["lr"])
                avg.mul_(beta2).add_(p.grad, alpha=1 - beta2)


a = torch.tensor([1.0, -2.0, 3.0], dtype=torch.float64, requires_grad=True)
b = torch.tensor([0.5, 0.25], dtype=torch.float64, requires_grad=True)
opt = Lion([a], lr=0.01, weight_decay=0.1)
opt.add_param_group(dict(params=[b], lr=0.05))
sched = torch.optim.lr_scheduler.StepLR(opt, 8, gamma=0.5)
rows = []
for _ in range(20):
    opt.zero_grad()
    loss = (a * a).sum() + (b * b * b).sum()
    loss.backward()
    rows.append([loss.item(), *a.tolist(), *b.tolist(), *sched.get_last_lr()])
    opt.step()
    sched.step()
json.dump(dict(rows=rows, text=str(opt)), sys.stdout, indent=0)
