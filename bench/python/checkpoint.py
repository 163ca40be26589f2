"""The Python side of the checkpoint.* rows of the benchmarks."""

import os
import shutil
import time

import torch

DIR = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "build", "bench", "checkpoints.python")
TENSORS, SIZE = 32, 1 << 21


def sync(path):
    fd = os.open(path, os.O_RDONLY)
    os.fsync(fd)
    os.close(fd)


def save(iterations):
    """Saves a state dict atomically and durably: a temporary file, fsync, a rename, and
    fsync of the folder."""
    shutil.rmtree(DIR, ignore_errors=True)
    os.makedirs(DIR)
    state = {f"layer.{i}": torch.full((SIZE,), float(i)) for i in range(TENSORS)}

    def once(step):
        value = {"step": 1, "model": state, "rng_state": torch.get_rng_state()}
        path = os.path.join(DIR, f"{step}.pt")
        torch.save(value, path + ".tmp")
        sync(path + ".tmp")
        os.replace(path + ".tmp", path)
        sync(DIR)
        if step > 0:
            os.remove(os.path.join(DIR, f"{step - 1}.pt"))

    once(0)
    start = time.perf_counter_ns()
    for i in range(iterations):
        once(i + 1)
    took = time.perf_counter_ns() - start
    shutil.rmtree(DIR)
    return took


CASES = {"checkpoint.save": save}
