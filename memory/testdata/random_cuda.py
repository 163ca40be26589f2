"""Runs steps through torch.cuda and tells what memory_stats says after each.

    python random_cuda.py <STEPS >STATS

A step is a line of JSON, [op, name, bytes]; TestCUDARandomLikePython makes them. The first line
of the output has the names of the statistics, each other line the values after a step and
whether memory was short.
"""

import json
import sys

import torch

live = {}


def alloc(name, size):
    # gotorch calls the operator a second time, with the cache emptied.
    for again in (False, True):
        try:
            live[name] = torch.empty(size, dtype=torch.uint8, device="cuda")
            return False
        except torch.OutOfMemoryError:
            if not again:
                torch.cuda.empty_cache()
    return True


def limit(room):
    """Sets a limit of whole mebibytes with room beside the live tensors; 0 is none."""
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
