"""Runs cuda_sequence.json with torch.cuda and writes the statistics that it reports.

    python make_cuda.py OUT

The golden files cuda*.json were made with PyTorch 2.11.0 on the simulated
driver of internal/cudasim. scripts/test_cudasim.sh writes new files with the
PyTorch that it tests, and compares with those. PYTORCH_CUDA_ALLOC_CONF was
empty for cuda.json, expandable_segments:True for cuda_expandable.json and
backend:cudaMallocAsync for cuda_async.json.
"""

import json
import pathlib
import sys

import torch
from torch._C import _accelerator_setAllocatorSettings as set_settings

here = pathlib.Path(__file__).parent
live = {}
checks = []
native = torch.cuda.get_allocator_backend() == "native"


def alloc(name, size):
    live[name] = torch.empty(size, dtype=torch.uint8, device="cuda")


def out_of_memory(size):
    # gotorch calls the operator a second time, after it has emptied the cache.
    for attempt in range(2):
        try:
            torch.empty(size, dtype=torch.uint8, device="cuda")
        except torch.OutOfMemoryError:
            if attempt == 0:
                torch.cuda.empty_cache()


def bad_settings(conf):
    # PyTorch applies the settings in conf up to the invalid one. gotorch applies none.
    before = settings()
    if before is None:
        return
    try:
        set_settings(conf)
    except (ValueError, RuntimeError):
        set_settings(f"pinned_num_register_threads:{before['pinned_num_register_threads']}")
        set_settings(before["PYTORCH_CUDA_ALLOC_CONF"])
    else:
        raise AssertionError(f"{conf!r} was taken")


def settings():
    """Returns the allocator's settings, or None for cudaMallocAsync, which has no snapshot."""
    return torch.cuda.memory._snapshot()["allocator_settings"] if native else None


def segments():
    """Returns the snapshot's segments without addresses, sorted by size; None for cudaMallocAsync."""
    if not native:
        return None
    return [
        {k: s[k] for k in ("total_size", "allocated_size", "active_size", "requested_size", "segment_type")}
        | {"blocks": [[b["size"], b["requested_size"], b["state"]] for b in s["blocks"]]}
        for s in sorted(torch.cuda.memory._snapshot()["segments"], key=lambda s: (s["total_size"], s["allocated_size"]))
    ]


def check(label):
    host = torch.cuda.host_memory_stats()
    checks.append(
        {
            "label": label,
            "stats": dict(torch.cuda.memory_stats()),
            "summary": torch.cuda.memory_summary(),
            "short": torch.cuda.memory_summary(abbreviated=True),
            "segments": segments(),
            "settings": settings(),
            # Leave out durations, which differ from run to run.
            "host": {k: v for k, v in host.items() if isinstance(v, int) and "time" not in k},
        }
    )


steps = {
    "alloc": alloc,
    "free": lambda name: live.pop(name),
    "pinned": lambda name, size: live.__setitem__(name, torch.empty(size, dtype=torch.uint8, pin_memory=True)),
    "empty_cache": torch.cuda.empty_cache,
    "reset_peak": torch.cuda.reset_peak_memory_stats,
    "reset_accumulated": torch.cuda.reset_accumulated_memory_stats,
    "fraction": lambda bytes: torch.cuda.set_per_process_memory_fraction(
        bytes / torch.cuda.mem_get_info()[1]
    ),
    "no_fraction": lambda: torch.cuda.set_per_process_memory_fraction(1.0),
    "oom": out_of_memory,
    "settings": set_settings,
    "bad_settings": bad_settings,
    "check": check,
}

torch.cuda.init()
for step in json.loads((here / "cuda_sequence.json").read_text()):
    steps[step[0]](*step[1:])
pathlib.Path(sys.argv[1]).write_text(json.dumps(checks, indent=1, sort_keys=True) + "\n")
