"""Writes peaks.json: the peak memory of models with ten classes for two images of 64x64 pixels, in
bytes above the memory that is alive before. One peak is of a forward pass in evaluation mode
without gradients, the other of a training step with its backward pass. The script uses one thread
and instructions up to AVX2, because with newer instructions oneDNN uses other amounts of memory.

    python make_peaks.py LIBCOUNTING

LIBCOUNTING is bench/cpp/counting_allocator.cpp, compiled by `make bench`.
"""

import ctypes
import gc
import json
import os
import pathlib
import sys

os.environ |= {"ONEDNN_MAX_CPU_ISA": "AVX2", "OMP_NUM_THREADS": "1"}  # torch reads them when it is imported

import torch
import torchvision

NAMES = ["resnet18", "resnet50", "mobilenet_v2", "mobilenet_v3_small", "efficientnet_b0", "convnext_tiny",
         "densenet121", "squeezenet1_1"]

library = ctypes.CDLL(sys.argv[1])
for name in ("gotorch_counter_live", "gotorch_counter_peak"):
    getattr(library, name).restype = ctypes.c_int64
library.gotorch_counter_install()


def peak(fn):
    gc.collect()
    library.gotorch_counter_reset()
    base = library.gotorch_counter_live()
    fn()
    return library.gotorch_counter_peak() - base


def measure(name):
    model = torchvision.models.get_model(name, num_classes=10)
    x, target = torch.randn(2, 3, 64, 64), torch.tensor([1, 3])

    def infer():
        with torch.no_grad():
            model(x)

    def train():
        torch.nn.functional.cross_entropy(model(x), target).backward()

    model.eval()
    infer()
    first = peak(infer)
    model.train()
    train()
    model.zero_grad()
    return [first, peak(train)]


peaks = {name: measure(name) for name in NAMES}
(pathlib.Path(__file__).parent / "peaks.json").write_text(json.dumps(peaks, indent=1) + "\n")
