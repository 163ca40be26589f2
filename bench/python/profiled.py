"""The time that torch.profiler adds to a training step: bench/cmd/ours/profiler.go in Python."""

import time

from torch.profiler import ProfilerActivity, profile

STEPS = 50


def profiled(loop, iterations):
    """Runs the steps of loop alternately without and with a profile. Returns what the
    harness reads: the time, and the time that a profile adds to a step."""
    loop(STEPS)
    total, added = 0, []
    for _ in range(max(iterations // STEPS, 1)):
        start = time.perf_counter_ns()
        loop(STEPS)
        middle = time.perf_counter_ns()
        with profile(activities=[ProfilerActivity.CPU]):
            loop(STEPS)
        end = time.perf_counter_ns()
        total += end - middle
        added.append((end - 2 * middle + start) // STEPS)
    added.sort()
    return f"{total} added={added[len(added) // 2]}"
