"""Writes summary.json: tables that torch.cuda.memory_summary prints for made-up
statistics of all magnitudes. No GPU is needed, because the statistics replace
the allocator's.

    python make_summary.py      (torch 2.11.0)
"""
import json
import os
import random

import torch
import torch.cuda.memory as memory

METRICS = ["allocation", "segment", "active", "inactive_split", "allocated_bytes",
           "reserved_bytes", "active_bytes", "inactive_split_bytes", "requested_bytes"]
SINGLE = ["num_alloc_retries", "num_ooms", "num_sync_all_streams", "num_device_alloc",
          "num_device_free", "max_split_size"]


def stats(rng, top):
    value = lambda: rng.choice([0, rng.randrange(top), 768 * 1024, 768 * 1024 - 1, 750 * 1000,
                                750 * 1000 - 1, 768 * 1024 * 1024])
    flat = {}
    for m in METRICS:
        for pool in ("all", "small_pool", "large_pool"):
            for k in ("current", "peak", "allocated", "freed"):
                flat[f"{m}.{pool}.{k}"] = value()
    for m in ("oversize_allocations", "oversize_segments"):
        for k in ("current", "peak", "allocated", "freed"):
            flat[f"{m}.{k}"] = value()
    for m in SINGLE:
        flat[m] = rng.randrange(10 ** rng.randrange(1, 11))
    return flat


def main():
    rng = random.Random(7)
    cases = []
    for i in range(10):
        flat = stats(rng, 10 ** rng.randrange(1, 18))
        memory.memory_stats = lambda device=None: flat
        memory._get_device_index = lambda device, optional=False: device
        device = rng.choice([0, 1, 7, 12])
        cases.append({
            "device": device,
            "stats": flat,
            "full": memory.memory_summary(device),
            "abbreviated": memory.memory_summary(device, abbreviated=True),
        })
    here = os.path.dirname(os.path.abspath(__file__))
    with open(os.path.join(here, "summary.json"), "w") as f:
        json.dump({"torch": torch.__version__, "cases": cases}, f, sort_keys=True)
        f.write("\n")


main()
