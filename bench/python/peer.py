"""The Python peer of the benchmarks.

Answers "run CASE ITERATIONS [key=value ...]" on standard input with
"ok NANOSECONDS" or "err TEXT" on standard output.
"""

import sys
import threading
import time

import torch
import torch.nn.functional as F
from torch import nn

import aoti
import checkpoint
import data
import ddp
import exported
import files
import scripted
import transforms
from profiled import profiled


def timed(n, body):
    """Returns the time of body(n), a loop of n iterations, after some to warm up."""
    body(n // 20 + 1)
    start = time.perf_counter_ns()
    body(n)
    return time.perf_counter_ns() - start


def add(iterations, n=1):
    a, b = torch.ones(n), torch.ones(n)

    def loop(k):
        for _ in range(k):
            a + b

    return timed(iterations, loop)


def dlpack(iterations):
    x = torch.ones(256)

    def loop(k):
        for _ in range(k):
            torch.from_dlpack(torch.utils.dlpack.to_dlpack(x))

    return timed(iterations, loop)


def network():
    return nn.Sequential(
        nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 10)
    )


def mlp_step(iterations, fused=0, run=None, compiled=0):
    run = run or timed
    model = network()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, fused=bool(fused) or None)
    x, target = torch.randn(16, 32), torch.randint(10, (16,))
    loss_of = compiled_loss(model) if compiled else lambda x, target: F.cross_entropy(model(x), target)

    def loop(k):
        for _ in range(k):
            loss = loss_of(x, target)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()

    return run(iterations, loop)


def compiled_loss(forward):
    """Forward pass and loss by torch.compile, which compiles the backward pass too."""
    return torch.compile(lambda x, target: F.cross_entropy(forward(x), target))


def graph_block(iterations):
    """The training step of a layer of a transformer, compiled."""
    layer, head = nn.TransformerEncoderLayer(32, 4, 64, dropout=0), nn.Linear(32, 10)
    optimizer = torch.optim.AdamW([*layer.parameters(), *head.parameters()], lr=1e-3, fused=True)
    x, target = torch.randn(16, 8, 32), torch.randint(10, (8,))
    loss_of = compiled_loss(lambda x: head(layer(x).mean(0)))

    def loop(k):
        for _ in range(k):
            loss = loss_of(x, target)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()

    return timed(iterations, loop)


def optim_step(make, iterations, tensors=60, n=1024):
    """A single optimizer step for several tensors of n elements."""
    ps = [torch.randn(n, requires_grad=True) for _ in range(tensors)]
    for p in ps:
        p.grad = torch.randn(n)
    optimizer = make(ps)

    def loop(k):
        for _ in range(k):
            optimizer.step()

    return timed(iterations, loop)


def optim_adamw(iterations, tensors=60, n=1024):
    return optim_step(lambda ps: torch.optim.AdamW(ps, lr=1e-3), iterations, tensors, n)


def optim_sgd(iterations, tensors=60, n=1024):
    return optim_step(lambda ps: torch.optim.SGD(ps, lr=1e-3, momentum=0.9), iterations, tensors, n)


def optim_rmsprop(iterations, tensors=60, n=1024):
    return optim_step(lambda ps: torch.optim.RMSprop(ps, lr=1e-3), iterations, tensors, n)


def mlp_forward(iterations):
    model, x = network(), torch.randn(16, 32)

    def loop(k):
        with torch.no_grad():
            for _ in range(k):
                model(x)

    return timed(iterations, loop)


def mlp_concurrent(iterations, workers=8):
    """Divides the iterations among workers, and returns the time until all have finished."""
    model, x = network(), torch.randn(16, 32)
    each = iterations // workers

    def loop(k):
        with torch.no_grad():
            for _ in range(k):
                model(x)

    loop(each // 20 + 1)
    threads = [threading.Thread(target=loop, args=(each,)) for _ in range(workers)]
    start = time.perf_counter_ns()
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    return time.perf_counter_ns() - start


class FeedForward(nn.Module):
    """A transformer's feed-forward block: LayerNorm, 256 to 1024 to 256, residual."""

    def __init__(self):
        super().__init__()
        self.norm = nn.LayerNorm(256)
        self.up = nn.Linear(256, 1024)
        self.down = nn.Linear(1024, 256)

    def forward(self, x):
        return x + self.down(F.gelu(self.up(self.norm(x))))


def block(iterations):
    model, x = FeedForward(), torch.randn(8, 256, 256)

    def loop(k):
        for _ in range(k):
            model.zero_grad()
            model(x).sum().backward()

    return timed(iterations, loop)


def sequence_step(iterations, model, forward, shape):
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    x, target = torch.randn(shape), torch.randint(10, shape[:1])

    def loop(k):
        for _ in range(k):
            loss = F.cross_entropy(forward(x), target)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()

    return timed(iterations, loop)


def lstm_step(iterations):
    lstm, head = nn.LSTM(16, 32, batch_first=True), nn.Linear(32, 10)
    return sequence_step(iterations, nn.ModuleList([lstm, head]), lambda x: head(lstm(x)[0][:, -1]), (8, 8, 16))


def transformer_step(iterations):
    layer = nn.TransformerEncoderLayer(32, 4, 64, batch_first=True)
    encoder, head = nn.TransformerEncoder(layer, 2), nn.Linear(32, 10)
    return sequence_step(iterations, nn.ModuleList([encoder, head]), lambda x: head(encoder(x).mean(1)), (8, 16, 32))


class BasicBlock(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(64, 64, 3, padding=1, bias=False), nn.BatchNorm2d(64), nn.ReLU(),
            nn.Conv2d(64, 64, 3, padding=1, bias=False), nn.BatchNorm2d(64),
        )

    def forward(self, x):
        return F.relu(self.body(x) + x)


def conv_step(iterations):
    model = nn.Sequential(
        nn.Conv2d(3, 64, 7, stride=2, padding=3, bias=False), nn.BatchNorm2d(64), nn.ReLU(),
        nn.MaxPool2d(3, stride=2, padding=1),
        BasicBlock(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(64, 10),
    )
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    x, target = torch.randn(8, 3, 64, 64), torch.randint(10, (8,))

    def loop(k):
        for _ in range(k):
            loss = F.cross_entropy(model(x), target)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()

    return timed(iterations, loop)


CASES = {
    "add": add,
    "dlpack": dlpack,
    "mlp.step": mlp_step,
    "graph.block": graph_block,
    "profiler.step": lambda n: mlp_step(n, run=lambda k, loop: profiled(loop, k)),
    "optim.adamw": optim_adamw,
    "optim.sgd": optim_sgd,
    "optim.rmsprop": optim_rmsprop,
    "mlp.forward": mlp_forward,
    "mlp.concurrent": mlp_concurrent,
    "block": block,
    "conv.step": conv_step,
    "lstm.step": lstm_step,
    "transformer.step": transformer_step,
    "transform.resize": transforms.resize,
    "transform.jitter": transforms.jitter,
    "transform.train": transforms.train,
    **checkpoint.CASES,
    **data.CASES,
    **ddp.CASES,
    **files.CASES,
    **aoti.CASES,
    **exported.CASES,
    **scripted.CASES,
}


def answer(line):
    verb, case, iterations, *named = line.split()
    if verb != "run":
        raise ValueError("bad request")
    args = {k: int(v) for k, v in (word.split("=", 1) for word in named)}
    torch.set_num_threads(args.pop("threads", 1))
    return CASES[case](int(iterations), **args)


def main():
    for line in sys.stdin:
        try:
            print("ok", answer(line), flush=True)
        except Exception as error:  # The harness prints the error and continues.
            text = str(error).splitlines() or [""]
            print("err", type(error).__name__, text[0], flush=True)


if __name__ == "__main__":
    main()
