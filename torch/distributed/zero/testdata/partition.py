"""Prints how Python's ZeroRedundancyOptimizer divides parameters, as Go rows for partition_test.go."""

import torch
import torch.distributed as dist
from torch.distributed.optim import ZeroRedundancyOptimizer

SIZES = [
    ([10, 200, 30, 4], 2), ([10, 200, 30, 4], 3), ([5, 5, 5, 5, 5], 2), ([1], 3), ([7, 3, 9, 9, 2, 8, 1], 3),
    ([64, 64, 128, 1, 1, 1], 4),
]

dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
for sizes, world in SIZES:
    params = [torch.nn.Parameter(torch.zeros(n)) for n in sizes]
    zero = ZeroRedundancyOptimizer(params, torch.optim.SGD, lr=1.0)
    zero._partition_parameters_cache.clear()
    zero.world_size = world
    parts = []
    for groups in zero._partition_parameters():
        parts.append([next(i for i, q in enumerate(params) if q is p) for p in groups[0]["params"]])
    text = ", ".join("{" + ", ".join(map(str, p)) + "}" for p in parts)
    print(f"\t{{[]int64{{{', '.join(map(str, sizes))}}}, [][]int{{{text}}}}},")
