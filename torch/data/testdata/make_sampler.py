"""Writes sampler.json: the indices that Python's samplers draw in a DataLoader.

    python make_sampler.py > sampler.json
"""

import json

import torch
from torch.utils.data import (DataLoader, RandomSampler, SequentialSampler, SubsetRandomSampler, TensorDataset,
                              WeightedRandomSampler)


def state(generator):
    """Returns the next four numbers, which identify the generator's state, as in make_loader.py."""
    clone = torch.Generator()
    clone.set_state(generator.get_state())
    return torch.randint(0, 2**31, (4,), generator=clone).tolist()


def case(kind, n, num, batch_size, drop_last, replacement, own, seed=5):
    torch.manual_seed(seed)
    generator = torch.Generator().manual_seed(seed + 1) if own else None
    data = TensorDataset(torch.arange(n))
    sampler = {
        "sequential": lambda: SequentialSampler(data),
        "random": lambda: RandomSampler(data, replacement, num or None, generator),
        "subset": lambda: SubsetRandomSampler(range(0, n, 2), generator),
        "weighted": lambda: WeightedRandomSampler([i + 1.0 for i in range(n)], num or n, replacement, generator),
    }[kind]()
    loader = DataLoader(data, batch_size, sampler=sampler, drop_last=drop_last)
    epochs = [[batch.tolist() for (batch,) in loader] for _ in range(2)]
    return dict(kind=kind, n=n, num=num, batch_size=batch_size, drop_last=drop_last, replacement=replacement, own=own,
                seed=seed, len=len(loader), epochs=epochs, default_state=state(torch.default_generator),
                own_state=state(generator) if own else None)


cases = []
for own in (False, True):
    for drop_last in (False, True):
        cases.append(case("sequential", 10, 0, 4, drop_last, False, own))
        for num, replacement in [(0, False), (0, True), (7, False), (25, False), (70, True), (64, True), (12, False)]:
            cases.append(case("random", 12, num, 4, drop_last, replacement, own))
        cases.append(case("subset", 11, 0, 4, drop_last, False, own))
        cases.append(case("weighted", 10, 0, 4, drop_last, True, own))
        cases.append(case("weighted", 10, 6, 3, drop_last, False, own))
print(json.dumps(cases))
