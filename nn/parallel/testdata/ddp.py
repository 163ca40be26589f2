"""A rank of Python's DistributedDataParallel. python_test.go starts it and trains in the same way.

usage: ddp.py RANK WORLD DIR. Writes DIR/RANK.pt: for each case the initial state, the inputs,
and the results of each step.
"""

import sys

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from torch.distributed.algorithms.ddp_comm_hooks import default_hooks
from torch.nn.parallel import DistributedDataParallel as DDP

torch.set_num_threads(1)
rank, world, folder = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]


class Branches(nn.Module):
    """Takes one of two branches, by the sum of its input."""

    def __init__(self):
        super().__init__()
        self.a, self.b, self.c = nn.Linear(6, 8), nn.Linear(6, 8), nn.Linear(8, 3)

    def forward(self, x):
        return self.c(torch.relu(self.a(x) if x.sum() > 0 else self.b(x)))


def mlp():
    return nn.Sequential(nn.Linear(6, 32), nn.ReLU(), nn.Linear(32, 32), nn.Tanh(), nn.Linear(32, 3))


def frozen():
    model = mlp()
    model[0].requires_grad_(False)
    return model


def convnet():
    return nn.Sequential(
        nn.Conv2d(2, 4, 3, padding=1), nn.BatchNorm2d(4), nn.ReLU(), nn.Conv2d(4, 4, 3), nn.BatchNorm2d(4),
        nn.ReLU(), nn.Flatten(), nn.Linear(64, 3),
    )


def embedding():
    return nn.Sequential(nn.Embedding(10, 6, sparse=True), nn.Flatten(), nn.Linear(24, 3))


vector, image, words = (4, 6), (4, 2, 6, 6), (4, 4)
CASES = {
    # name: model, shape of the input, options, hook, number of steps whose gradients are
    # accumulated before they are averaged, options of join
    "mlp": (mlp, vector, {}, None, 1),
    "view": (mlp, vector, {"gradient_as_bucket_view": True}, None, 1),
    "caps": (mlp, vector, {"bucket_cap_mb": 0.001}, None, 1),
    "list": (mlp, vector, {"bucket_cap_mb_list": [0.001, 0.004]}, None, 1),
    "static": (mlp, vector, {"static_graph": True, "bucket_cap_mb": 0.001}, None, 1),
    "convnet": (convnet, image, {}, None, 1),
    "no buffers": (convnet, image, {"broadcast_buffers": False}, None, 1),
    "unused": (Branches, vector, {"find_unused_parameters": True}, None, 1),
    "unused, view": (Branches, vector, {"find_unused_parameters": True, "gradient_as_bucket_view": True,
                                        "bucket_cap_mb": 0.0001}, None, 1),
    "sparse": (embedding, words, {}, None, 1),
    "frozen": (frozen, vector, {}, None, 1),
    "no sync": (mlp, vector, {}, None, 3),
    "allreduce": (mlp, vector, {"bucket_cap_mb": 0.001}, default_hooks.allreduce_hook, 1),
    "fp16": (mlp, vector, {"bucket_cap_mb": 0.001}, default_hooks.fp16_compress_hook, 1),
    "bf16": (mlp, vector, {}, default_hooks.bf16_compress_hook, 1),
    "join": (mlp, vector, {}, None, 1, {}),
    "join, active": (mlp, vector, {"bucket_cap_mb": 0.001}, None, 1, {"divide_by_initial_world_size": False}),
    "join, frozen": (frozen, vector, {}, None, 1, {}),
    "join, buffers": (convnet, image, {}, None, 1, {}),
    "join, unused": (Branches, vector, {"find_unused_parameters": True}, None, 1, {}),
}
STEPS = 50


def train(make, shape, options, hook, every, join=None):
    torch.manual_seed(7 + rank)  # the models differ until DDP copies rank 0's parameters
    model = make()
    first = {k: v.clone() for k, v in model.state_dict().items()}
    net = DDP(model, **options)
    if hook is not None:
        # Do not use register_comm_hook, which requires NCCL for bfloat16.
        dist._register_comm_hook(net.reducer, None, hook)
    opt = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)
    xs, ys, losses, grads = [], [], [], []
    steps = STEPS
    if join is not None:
        steps -= 7 * rank
        joined = net.join(**join)
        joined.__enter__()
    for step in range(steps):
        for i in range(every):
            x = torch.randint(10, shape) if make is embedding else torch.randn(shape)
            y = torch.randint(3, (shape[0],))
            xs.append(x)
            ys.append(y)
            if i < every - 1:
                with net.no_sync():
                    loss = F.cross_entropy(net(x), y)
                    loss.backward()
            else:
                loss = F.cross_entropy(net(x), y)
                loss.backward()
            losses.append(loss.detach())
        grads.append([torch.tensor([]) if p.grad is None else p.grad.to_dense().clone() for p in model.parameters()])
        opt.step()
        opt.zero_grad()
    if join is not None:
        joined.__exit__(None, None, None)
    last = {k: v.clone() for k, v in model.state_dict().items()}
    return {
        "first": first, "last": last, "x": torch.stack(xs), "y": torch.stack(ys), "loss": torch.stack(losses),
        "grads": {f"{s}.{i}": g for s, gs in enumerate(grads) for i, g in enumerate(gs)},
    }


dist.init_process_group("gloo", init_method=f"file://{folder}/store", rank=rank, world_size=world)
torch.save({"version": torch.__version__.split("+")[0]} | {name: train(*case) for name, case in CASES.items()},
           f"{folder}/{rank}.pt")
dist.barrier()
dist.destroy_process_group()
