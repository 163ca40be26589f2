"""Training steps of several ranks, each a process; ddp.go has the same."""

import os
import socket
import subprocess
import sys
import time

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from torch.nn.parallel import DistributedDataParallel


def model(resnet):
    if resnet:
        from torchvision.models import resnet18

        return resnet18(), torch.randn(2, 3, 64, 64), torch.randint(1000, (2,))
    net = nn.Sequential(nn.Linear(256, 512), nn.ReLU(), nn.Linear(512, 512), nn.ReLU(), nn.Linear(512, 10))
    return net, torch.randn(32, 256), torch.randint(10, (32,))


def steps(n, world=2, resnet=0, check=1):
    net, x, target = model(resnet)
    if world:
        dist.init_process_group("gloo")
        net = DistributedDataParallel(net)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01, momentum=0.9, fused=True)

    def step():
        loss = F.cross_entropy(net(x), target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

    for _ in range(min(n, max(n // 10, 10))):
        step()
    start = time.perf_counter_ns()
    for _ in range(n):
        step()
    taken = time.perf_counter_ns() - start
    if world:
        dist.destroy_process_group()
    return taken


def ddp(iterations, world=2, **named):
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port = s.getsockname()[1]
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port), WORLD_SIZE=str(world), GLOO_SOCKET_IFNAME="lo")
    request = [str(iterations), f"world={world}"] + [f"{k}={v}" for k, v in named.items()]
    others = [
        subprocess.Popen([sys.executable, __file__, *request], env={**os.environ, "RANK": str(r)})
        for r in range(1, world)
    ]
    os.environ["RANK"] = "0"
    taken = steps(iterations, world, **named)
    for p in others:
        if p.wait():
            raise RuntimeError("a rank has failed")
    return taken


CASES = {"ddp": ddp}

if __name__ == "__main__":
    torch.set_num_threads(1)
    steps(int(sys.argv[1]), **{k: int(v) for k, v in (a.split("=") for a in sys.argv[2:])})
