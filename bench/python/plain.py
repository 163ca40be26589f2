"""The programs of bench/cmd/plain in Python: no number of threads is set. It prints the same line.

    python plain.py mlp
"""

import sys
import time

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def each(n, call):
    """Mean nanoseconds of n calls, after n/5 calls to warm up."""
    for _ in range(n // 5 + 1):
        call()
    start = time.perf_counter_ns()
    for _ in range(n):
        call()
    return (time.perf_counter_ns() - start) // n


def train(n, shape, parameters, forward):
    x, target = torch.randn(shape), torch.randint(10, shape[:1])
    opt = torch.optim.AdamW(parameters, lr=1e-3)

    def step():
        loss = F.cross_entropy(forward(x), target)
        opt.zero_grad()
        loss.backward()
        opt.step()
        loss.item()

    return each(n, step)


def mlp():
    model = nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 10))
    return train(3000, [16, 32], model.parameters(), model)


def mlp256():
    model = nn.Sequential(nn.Linear(256, 512), nn.ReLU(), nn.Linear(512, 512), nn.ReLU(), nn.Linear(512, 10))
    return train(600, [64, 256], model.parameters(), model)


def cnn():
    model = nn.Sequential(
        nn.Conv2d(1, 16, 3), nn.ReLU(), nn.Conv2d(16, 32, 3), nn.ReLU(), nn.Flatten(), nn.Linear(32 * 24 * 24, 10)
    )
    return train(200, [16, 1, 28, 28], model.parameters(), model)


def lstm():
    lstm, head = nn.LSTM(16, 32, batch_first=True), nn.Linear(32, 10)
    return train(1500, [8, 8, 16], [*lstm.parameters(), *head.parameters()], lambda x: head(lstm(x)[0][:, -1]))


def readme():
    """An epoch of the program in README.md."""
    torch.manual_seed(0)
    x = torch.randn(1024, 20)
    y = (x.sum(dim=1) > 0).to(torch.int64)
    loader = DataLoader(TensorDataset(x, y), batch_size=64, shuffle=True)
    model = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 2))
    opt = torch.optim.AdamW(model.parameters(), lr=1e-2)

    def epoch():
        for input, target in loader:
            loss = F.cross_entropy(model(input), target)
            opt.zero_grad()
            loss.backward()
            opt.step()
            loss.item()

    return each(50, epoch)


def encoder():
    """A forward pass of a text encoder for one text of 32 tokens: six layers of 384 features."""
    layer = nn.TransformerEncoderLayer(384, 12, 1536, activation="gelu", batch_first=True)
    model = nn.TransformerEncoder(layer, 6).eval()
    x = torch.randn(1, 32, 384)
    with torch.no_grad():
        return each(100, lambda: model(x))


PROGRAMS = {f.__name__: f for f in [mlp, mlp256, cnn, lstm, readme, encoder]}

if __name__ == "__main__":
    print(f"bench ns={PROGRAMS[sys.argv[1]]()}")
