"""The program of main.go in Python, with torchvision's model. It prints the same line."""

import argparse
import time

import torch
import torch.nn.functional as F
from torchvision.models import resnet18


def timed(n, fn):
    """Mean nanoseconds of n calls, after two calls to warm up."""
    fn()
    fn()
    start = time.perf_counter_ns()
    for _ in range(n):
        fn()
    return (time.perf_counter_ns() - start) // n


def measure(memory_format, n):
    torch.manual_seed(0)
    model = resnet18().to(memory_format=memory_format)
    opt = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    x = torch.randn(n, 3, 224, 224).to(memory_format=memory_format)
    target = torch.randint(0, 1000, (n,))

    def step():
        loss = F.cross_entropy(model(x), target)
        opt.zero_grad()
        loss.backward()
        opt.step()

    model.eval()
    with torch.no_grad():
        infer = timed(10, lambda: model(x))
    model.train()
    return infer, timed(5, step)


parser = argparse.ArgumentParser()
parser.add_argument("--threads", type=int, default=torch.get_num_threads())
parser.add_argument("--images", type=int, default=4)
args = parser.parse_args()
torch.set_num_threads(args.threads)
infer, train = measure(torch.contiguous_format, args.images)
infer_last, train_last = measure(torch.channels_last, args.images)
print(f"bench infer={infer} train={train} infer_channels_last={infer_last} train_channels_last={train_last}")
