"""A Python rank in a group with Go ranks. python_test.go starts it."""

import json
import sys

import torch
import torch.distributed as dist
from torch.distributed.algorithms.join import Join

torch.set_num_threads(1)


def exchange(r, n):
    x = torch.full((3,), float(r + 1))
    b = torch.full((2,), float(r))
    out = torch.zeros(2 * n)
    part = torch.zeros(2)
    dist.all_reduce(x)
    dist.broadcast(b, 1)
    dist.all_gather_into_tensor(out, torch.full((2,), float(r)))
    dist.reduce_scatter_tensor(part, torch.arange(2 * n).float() + r)
    sub = dist.new_group([0, n - 1])
    y = torch.full((1,), float(r))
    if r in (0, n - 1):
        dist.all_reduce(y, group=sub)
    p = torch.full((1,), float(r))
    dist.barrier()
    if r == 0:
        dist.send(p, 1)
    elif r == 1:
        assert dist.recv(p, 0) == 0
    return [t.tolist() for t in (x, b, out, part, y, p)]


def train(r, n):
    w = (torch.arange(12).float().view(3, 4) * 0.1 - 0.5).requires_grad_()
    b = torch.zeros(3).requires_grad_()
    steps = []
    for step in range(50):
        x = (torch.arange(32).float().view(8, 4) + float(step + 10 * r)).sin()
        ((x @ w.T + b).tanh().square().mean()).backward()
        for p in (w, b):
            dist.all_reduce(p.grad)
            with torch.no_grad():
                p -= p.grad / float(n) * 0.1
            p.grad.zero_()
        steps.append(w.detach().view(torch.int32).flatten().tolist() + b.detach().view(torch.int32).tolist())
    return steps


def ddp(r, n):
    torch.manual_seed(r)  # DDP copies rank 0's parameters to the other ranks
    net = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.BatchNorm1d(8), torch.nn.Tanh(), torch.nn.Linear(8, 3))
    both = torch.nn.parallel.DistributedDataParallel(net, bucket_cap_mb=0.0001)
    opt = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
    steps = []
    for step in range(50):
        x = (torch.arange(32).float().view(8, 4) + float(step + 10 * r)).sin()
        opt.zero_grad()
        both(x).square().mean().backward()
        opt.step()
        steps.append([i for p in net.parameters() for i in p.detach().view(torch.int32).flatten().tolist()])
    return steps


def join(r, n):
    torch.manual_seed(r)
    net = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.BatchNorm1d(8), torch.nn.Tanh(), torch.nn.Linear(8, 3))
    both = torch.nn.parallel.DistributedDataParallel(net, bucket_cap_mb=0.0001)
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    with Join([both]):
        for step in range([5, 9, 12, 3][r]):
            x = (torch.arange(32).float().view(8, 4) + float(step + 10 * r)).sin()
            opt.zero_grad()
            if step % 3 == 2:
                with both.no_sync():
                    both(x).square().mean().backward()
                continue
            both(x).square().mean().backward()
            opt.step()
    return [i for p in [*net.parameters(), *list(net.buffers())[:2]]
            for i in p.detach().view(torch.int32).flatten().tolist()]


dist.init_process_group("gloo")
result = {"exchange": exchange, "train": train, "ddp": ddp, "join": join}[sys.argv[1]](
    dist.get_rank(), dist.get_world_size())
dist.destroy_process_group()
print("outcome", json.dumps({"Result": result}))
