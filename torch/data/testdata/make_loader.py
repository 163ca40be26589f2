"""Writes loader.json: batch orders and generator states of Python's DataLoader.

    python make_loader.py > loader.json
"""

import json

import torch
from torch.utils.data import DataLoader, TensorDataset, random_split


def state(generator):
    """Returns the next four numbers. They identify the generator's state and are easier to read."""
    clone = torch.Generator()
    clone.set_state(generator.get_state())
    return torch.randint(0, 2**31, (4,), generator=clone).tolist()


def case(n, batch_size, shuffle=False, drop_last=False, own=False, stop=None, epochs=2, seed=7):
    torch.manual_seed(seed)
    generator = torch.Generator().manual_seed(seed + 1) if own else None
    loader = DataLoader(TensorDataset(torch.arange(n)), batch_size, shuffle=shuffle, drop_last=drop_last,
                        generator=generator)
    out = []
    for _ in range(epochs):
        batches = []
        for (batch,) in loader:
            batches.append(batch.tolist())
            if stop is not None and len(batches) == stop:
                break
        out.append(batches)
    return dict(n=n, batch_size=batch_size, shuffle=shuffle, drop_last=drop_last, own=own, stop=stop, seed=seed,
                len=len(loader), epochs=out, default_state=state(torch.default_generator),
                own_state=state(generator) if own else None)


def split(n, lengths, own, seed=11):
    torch.manual_seed(seed)
    generator = torch.Generator().manual_seed(seed + 1) if own else torch.default_generator
    parts = random_split(range(n), lengths, generator=generator)
    return dict(n=n, lengths=lengths, own=own, seed=seed, parts=[list(p.indices) for p in parts],
                default_state=state(torch.default_generator))


cases = []
for n, batch_size in [(10, 4), (12, 4), (1, 1), (7, 10), (100, 32)]:
    for shuffle in (False, True):
        for drop_last in (False, True):
            for own in (False, True):
                cases.append(case(n, batch_size, shuffle, drop_last, own))
cases.append(case(10, 4, shuffle=True, stop=1))
cases.append(case(10, 4, shuffle=True, own=True, stop=1))
cases.append(case(10, 4, shuffle=True, own=True, stop=3))
cases.append(case(12, 4, shuffle=True, own=True, stop=3))
cases.append(case(10, 4, shuffle=True, seed=2**63 + 5))

print(json.dumps(dict(torch=torch.__version__.split("+")[0], loader=cases,
                      split=[split(10, [7, 3], False), split(10, [2, 0, 8], True), split(1, [1], False)])))
