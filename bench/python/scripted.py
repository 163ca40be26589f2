"""The Python side of the jit.* rows of the benchmarks. It scripts and freezes the TorchScript
modules that both sides run."""

import os
import time

import torch
from torch import nn

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "build", "bench")
INPUTS = {"resnet18": (1, 3, 224, 224), "mlp": (16, 32)}


def make(name):
    if name == "mlp":
        return nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 10))
    import torchvision

    return torchvision.models.resnet18(weights=None)


def prepare(name):
    """Returns the path of a module's file. Writes the file if it does not exist."""
    path = os.path.join(FOLDER, f"jit.{name}.pt")
    if not os.path.exists(path):
        os.makedirs(FOLDER, exist_ok=True)
        torch.manual_seed(0)
        torch.jit.save(torch.jit.freeze(torch.jit.script(make(name).eval())), path)
    return path


def forward(name):
    def run(iterations):
        model = torch.jit.load(prepare(name))
        x = torch.ones(INPUTS[name])
        with torch.inference_mode():
            for _ in range(iterations // 20 + 5):
                model(x)
            start = time.perf_counter_ns()
            for _ in range(iterations):
                model(x)
            return time.perf_counter_ns() - start

    return run


CASES = {f"jit.{name}": forward(name) for name in INPUTS}
