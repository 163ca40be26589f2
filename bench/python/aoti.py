"""The Python side of the aoti.* rows of the benchmarks. It also compiles their packages.

    python aoti.py FOLDER

compiles the packages that do not exist yet: mlp.pt2 and resnet18.pt2, with their weights beside them.
"""

import os
import sys
import time

import torch
from safetensors.torch import save_file
from torch import nn

FOLDER = os.environ.get("GOTORCH_BENCH_AOTI", "")


def mlp():
    model = nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 10))
    return model, torch.randn(16, 32)


def resnet18():
    from torchvision.models import resnet18

    return resnet18(), torch.randn(1, 3, 224, 224)


MODELS = {"mlp": mlp, "resnet18": resnet18}


def compile_all(folder):
    for name, make in MODELS.items():
        path = os.path.join(folder, name + ".pt2")
        if os.path.exists(path):
            continue
        torch.manual_seed(0)
        model, x = make()
        save_file({k: v.contiguous() for k, v in model.eval().state_dict().items()},
                  os.path.join(folder, name + ".safetensors"))
        exported = torch.export.export(model, (x,))
        # By default, kernels are compiled for a fixed number of threads. libtorch's
        # kernels are not.
        torch._inductor.aoti_compile_and_package(
            exported, package_path=path + ".new.pt2", inductor_configs={"cpp.dynamic_threads": True}
        )
        os.rename(path + ".new.pt2", path)


def run(name, iterations):
    _, x = MODELS[name]()
    model = torch._inductor.aoti_load_package(os.path.join(FOLDER, name + ".pt2"))

    def loop(k):
        with torch.no_grad():
            for _ in range(k):
                model(x)

    loop(iterations // 20 + 1)
    start = time.perf_counter_ns()
    loop(iterations)
    return time.perf_counter_ns() - start


CASES = {f"aoti.{name}": lambda iterations, name=name: run(name, iterations) for name in MODELS}

if __name__ == "__main__":
    compile_all(sys.argv[1])
