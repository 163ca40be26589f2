"""The Python side of the data.* rows of the benchmarks."""

import time

import torch
from torch.utils.data import DataLoader, Dataset


class Items(Dataset):
    """Examples that are in memory: a vector of four numbers and a label."""

    def __init__(self, n):
        self.items = [(torch.full((4,), float(i)), torch.tensor(i % 10)) for i in range(n)]

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        return self.items[i]


def items(iterations):
    """Epochs of 200 batches of 64, with 0 and 2 workers: the quicker one counts."""
    batches = 200
    dataset = Items(batches * 64)
    best = None
    for workers in (0, 2):
        loader = DataLoader(dataset, batch_size=64, num_workers=workers, persistent_workers=workers > 0)
        for _ in loader:
            pass
        took = 0
        for _ in range(max(1, iterations // batches)):
            start = time.perf_counter_ns()
            for _ in loader:
                pass
            took += time.perf_counter_ns() - start
        took = took * iterations // (max(1, iterations // batches) * batches)
        best = took if best is None else min(best, took)
    return best


CASES = {"data.items": items}
