"""Runs steps with torch.cuda and prints memory_stats after each step.

    python random_cuda.py <STEPS >STATS

A step is a line of JSON, [op, name, bytes], written by TestCUDARandomLikePython. The first line
of the output has the names of the statistics. Each other line has the values after a step, and
whether the step ran out of memory.
"""

import json
import sys

import torch

live = {}


def alloc(name, size):
    # gotorch calls the operator a second time, after it has emptied the cache.
    for again in (False, True):
        try:
            live[name] = torch.empty(size, dtype=torch.uint8, device="cuda")
            return False
        except torch.OutOfMemoryError:
            if not again:
                torch.cuda.empty_cache()
    return True


def limit(room):
    """Sets a limit, in whole mebibytes, that leaves room bytes beside the live tensors; 0 is no limit."""
    total = torch.cuda.mem_get_info()[1]
    most = (torch.cuda.memory_allocated() + room) >> 20 << 20
    torch.cuda.set_per_process_memory_fraction(min(most, total) / total if room else 1.0)


steps = {
    "alloc": alloc,
    "free": lambda name, _: live.pop(name, None),
    "empty_cache": lambda *_: torch.cuda.empty_cache(),
    "limit": lambda _, room: limit(room),
    "reset_peak": lambda *_: torch.cuda.reset_peak_memory_stats(),
    "reset_accumulated": lambda *_: torch.cuda.reset_accumulated_memory_stats(),
}

torch.cuda.init()
print(json.dumps(sorted(torch.cuda.memory_stats())))
for line in sys.stdin:
    op, name, size = json.loads(line)
    short = steps[op](name, size) is True
    stats = torch.cuda.memory_stats()
    print(json.dumps({"short": short, "values": [stats[k] for k in sorted(stats)]}))
