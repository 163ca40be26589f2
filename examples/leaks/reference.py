"""The patterns of main.go in Python, with the native bytes of each after each step.

    python reference.py [--losses FILE]

Prints the bytes after the last step, with the leak and with its remedy. These are the bytes that
tensors request from libtorch's allocator, as torch.profiler counts them.

Two patterns differ in Python. Python's collector finds a tensor that its own hook refers to, so
this pattern is counted without a collection. Reference counts free the tensors of an early
return at once, so that leak does not exist.
"""

import argparse
import collections
import gc
import itertools
import threading
import time
import warnings

import torch
from torch.autograd.profiler import record_function

STEPS = 50


def weights():
    return torch.ones(16, 16, requires_grad=True)


def gradients(fixed):
    w = weights()

    def step(i):
        if fixed:
            w.grad = None
        (w * w * w).sum().backward(create_graph=True)

    return step


def states(fixed):
    w, state = weights(), torch.ones(16, 16)

    def step(i):
        nonlocal state
        state = (state @ w).tanh()
        if fixed:
            state = state.detach()

    return step


def losses(fixed):
    w, kept = weights(), []

    def step(i):
        loss = (w * w).exp().sum()
        kept.append(loss.item() if fixed else loss)

    return step


def devices(fixed):
    x, answers = torch.ones(256), []

    def step(i):
        answer = x * 2
        answers.append(answer.tolist() if fixed else answer)

    return step


class Node:
    def __init__(self):
        self.data, self.other = torch.ones(64), None


def cycles(fixed):
    def step(i):
        a, b = Node(), Node()
        if not fixed:
            a.other, b.other = b, a

    return step


def hooks(fixed):
    def step(i):
        x = torch.ones(64, requires_grad=True)
        data = x.detach() if fixed else x
        x.register_hook(lambda g: g * data)

    return step


seen = collections.deque()


def globals_(fixed):
    seen.clear()

    def step(i):
        seen.append(torch.full((64,), float(i)))
        if fixed and len(seen) > 4:
            seen.popleft()

    return step


def figures(fixed):
    shown = {}

    def step(i):
        shown[i] = torch.arange(0, 100, 1)
        if fixed:
            shown.clear()  # as plt.close does

    return step


def metrics(fixed):
    x, latencies = torch.ones(32), []

    def step(i):
        latencies.append(x.sum().item() if fixed else x.sum())

    return step


def norms(fixed):
    w, history = weights(), []

    def step(i):
        w.grad = None
        (w * w).sum().backward()
        norm = torch.nn.utils.clip_grad_norm_([w], 1)
        history.append(norm.item() if fixed else norm)

    return step


def caches(fixed):
    cache = {}

    def step(i):
        if i not in cache:
            while fixed and len(cache) > 3:
                cache.popitem()
            cache[i] = torch.ones(128)

    return step


def threads(fixed):
    def step(i):
        x, end = torch.ones(64), threading.Event()
        thread = threading.Thread(target=lambda: (end.wait(), x.sum()), daemon=True)
        thread.start()
        if fixed:
            end.set()
            thread.join()

    return step


def returns(fixed):
    def step(i):
        x = torch.ones(64)
        if i % 2 == 0:
            return
        del x

    return step


PATTERNS = [
    gradients, states, losses, devices, cycles, hooks, globals_, figures, metrics, norms, caches, threads, returns,
]  # fmt: skip


def curve(pattern, fixed):
    """The native bytes after each step, above those before the first."""
    gc.collect()
    gc.freeze()  # so that the collection after each step skips the imported modules
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU], profile_memory=True,
                                acc_events=True) as p:
        gc.disable()
        step = pattern(fixed)
        for i in range(STEPS):
            with record_function("a step"):
                step(i)
                if pattern is not hooks:
                    gc.collect()
        gc.enable()
    grown = itertools.accumulate(e.cpu_memory_usage for e in p.events() if e.name == "a step")
    return list(grown)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--losses", help="write seconds and bytes of each step to this file")
    args = p.parse_args()
    warnings.filterwarnings("ignore", "Using backward.. with create_graph=True")  # one of the patterns
    begun, lines = time.perf_counter(), []
    for pattern in PATTERNS:
        ends = []
        for fixed in [False, True]:
            if pattern is returns and not fixed:
                ends.append("none in Python")
                continue
            held = curve(pattern, fixed)
            lines += [f"{time.perf_counter() - begun:.6f} {n}\n" for n in held]
            ends.append(f"{held[-1]} bytes")
        print(f"{pattern.__name__.strip('_')}: {ends[0]}, with its remedy {ends[1]}")
    if args.losses:
        with open(args.losses, "w") as f:
            f.writelines(lines)


if __name__ == "__main__":
    main()
