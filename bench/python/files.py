"""The Python side of the files.* rows of the benchmarks."""

import os
import time

import torch
from safetensors.torch import load_file, save_file

PATH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "build", "bench", "files.safetensors")
TENSORS, SIDE = 64, 2048


def prepare():
    """Writes the file as bench/cmd/ours does, if it does not exist."""
    if os.path.exists(PATH):
        return
    os.makedirs(os.path.dirname(PATH), exist_ok=True)
    save_file({f"layer.{i}": torch.full((SIDE, SIDE), float(i)) for i in range(TENSORS)}, PATH)


def forget():
    """Takes the file out of the system's cache."""
    fd = os.open(PATH, os.O_RDONLY)
    os.fsync(fd)
    os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
    os.close(fd)


def load(iterations, cold=0):
    """Loads the file and sums each tensor. Preparations are not timed."""
    prepare()

    def once():
        total = 0.0
        for tensor in load_file(PATH).values():
            total += tensor.sum().item()
        want = SIDE * SIDE * sum(range(TENSORS))
        assert abs(total - want) <= want / 1000, total

    once()
    took = 0
    for _ in range(iterations):
        if cold:
            forget()
        start = time.perf_counter_ns()
        once()
        took += time.perf_counter_ns() - start
    return took


CASES = {"files.load": load}
