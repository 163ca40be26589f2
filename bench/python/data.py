"""The Python side of the data.* rows of the benchmarks."""

import time

import torch
from torch.utils.data import DataLoader, Dataset, TensorDataset

BATCHES = 200


class Items(Dataset):
    """Examples that are in memory: a vector of four numbers and a label."""

    def __init__(self, n):
        self.items = [(torch.full((4,), float(i)), torch.tensor(i % 10)) for i in range(n)]

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        return self.items[i]


def epochs(dataset, iterations):
    """Epochs of BATCHES batches of 64, with 0 and 2 workers. The faster setting counts."""
    best = None
    for workers in (0, 2):
        loader = DataLoader(dataset, batch_size=64, num_workers=workers, persistent_workers=workers > 0)
        for _ in loader:
            pass
        took = 0
        for _ in range(max(1, iterations // BATCHES)):
            start = time.perf_counter_ns()
            for _ in loader:
                pass
            took += time.perf_counter_ns() - start
        took = took * iterations // (max(1, iterations // BATCHES) * BATCHES)
        best = took if best is None else min(best, took)
    return best


def items(iterations):
    """A TensorDataset."""
    n = BATCHES * 64
    vectors = torch.arange(n, dtype=torch.float32).unsqueeze(1).repeat(1, 4)
    return epochs(TensorDataset(vectors, torch.arange(n) % 10), iterations)


def items_get(iterations):
    """A dataset with __getitem__ alone."""
    return epochs(Items(BATCHES * 64), iterations)


CASES = {"data.items": items, "data.items.get": items_get}
