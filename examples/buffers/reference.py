"""The program of main.go in Python: one thread fills tensors and another computes with them. Two
queues pass the tensors around. The sums are the same.

    python reference.py [--batches 24] [--size 256] [--wait 8] [--losses FILE]
"""

import argparse
import queue
import threading
import time

import torch


def load(args, i, buffer):
    """Fills a buffer in place. It sleeps as if it waited for a disk or a network."""
    time.sleep(args.wait / 1e3 * (3 if i % 4 == 3 else 1))
    buffer.fill_(i % 8 / args.size)


def compute(batch):
    """Processes a batch: multiplies matrices 40 times."""
    x = batch
    for _ in range(40):
        x = torch.matmul(x, batch).tanh()
    return x.sum().item()


def pipeline(args, n):
    """Loads and computes all batches with n buffers, and yields the sum of each."""
    free, full = queue.Queue(), queue.Queue()
    for _ in range(n):
        free.put(torch.zeros(args.size, args.size))

    def loading():
        for i in range(args.batches):
            buffer = free.get()
            load(args, i, buffer)
            full.put(buffer)

    thread = threading.Thread(target=loading)
    thread.start()
    for _ in range(args.batches):
        buffer = full.get()
        yield compute(buffer)
        free.put(buffer)
    thread.join()


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--batches", type=int, default=24)
    p.add_argument("--size", type=int, default=256, help="rows and columns of a batch")
    p.add_argument("--wait", type=float, default=8,
                   help="milliseconds for a batch to arrive; every fourth takes three times as long")
    p.add_argument("--losses", help="write seconds and the mean of each result to this file")
    args = p.parse_args()
    torch.set_num_threads(1)
    begun, lines = time.perf_counter(), []
    for n in range(1, 4):
        start, total = time.perf_counter(), 0.0
        for value in pipeline(args, n):
            total += value
            lines.append(f"{time.perf_counter() - begun:.6f} {value / args.size**2:.9g}\n")
        print(f"{n} buffers: {args.batches} batches in {1e3 * (time.perf_counter() - start):.0f} ms, sum {total:.6g}")
    if args.losses:
        with open(args.losses, "w") as f:
            f.writelines(lines)


if __name__ == "__main__":
    main()
