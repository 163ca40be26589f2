"""Writes workers.json: the examples that Python's DataLoader yields with and without workers.

An example is a pair of its index and a random number that is drawn when the example is read. The
numbers show which worker read an example, and how many numbers the worker had drawn before.

    python make_workers.py > workers.json
"""

import json

import torch
from torch.utils.data import DataLoader, Dataset, IterableDataset, get_worker_info
from torch.utils.data.distributed import DistributedSampler


class Drawing(Dataset):
    def __init__(self, n):
        self.n = n

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        return torch.tensor([i, int(torch.randint(0, 1000, (1,)))])


class Stream(IterableDataset):
    """lengths has one length for a stream that workers share, or a length for each worker."""

    def __init__(self, lengths):
        self.lengths = lengths

    def __iter__(self):
        w = get_worker_info()
        n, first, step = self.lengths[0], 0, 1
        if w is not None and len(self.lengths) > 1:
            n = self.lengths[w.id]
        elif w is not None:
            first, step = w.id, w.num_workers
        for i in range(first, n, step):
            yield torch.tensor([i, int(torch.randint(0, 1000, (1,)))])


def numbers(generator=None):
    return torch.randint(0, 2**31, (4,), generator=generator).tolist()


def case(kind, n=0, lengths=(), stop=None, own=False, epochs=2, seed=3, **options):
    dataset = Drawing(n) if kind == "map" else Stream(lengths)
    torch.manual_seed(seed)
    generator = torch.Generator().manual_seed(seed + 1) if own else None
    loader = DataLoader(dataset, generator=generator, **options)
    out = []
    for _ in range(epochs):
        epoch = []
        for batch in loader:
            epoch.append(batch.flatten().tolist())
            if stop is not None and len(epoch) == stop:
                break
        out.append(epoch)
    return {
        "kind": kind, "n": n, "lengths": list(lengths), "stop": stop, "own": own, "seed": seed,
        "batch_size": options.get("batch_size", 1) or 0, "shuffle": options.get("shuffle", False),
        "drop_last": options.get("drop_last", False), "num_workers": options.get("num_workers", 0),
        "prefetch_factor": options.get("prefetch_factor") or 0,
        "persistent": options.get("persistent_workers", False),
        "epochs": out, "default_state": numbers(), "own_state": numbers(generator) if own else None,
    }


def main():
    cases = []
    for workers in range(4):
        for own in (False, True):
            cases.append(case("map", n=11, own=own, batch_size=2, shuffle=True, num_workers=workers))
        cases.append(case("map", n=7, batch_size=3, drop_last=True, num_workers=workers))
        cases.append(case("map", n=5, batch_size=None, shuffle=True, num_workers=workers))
        cases.append(case("map", n=9, own=True, batch_size=2, shuffle=True, stop=2, num_workers=workers))
        cases.append(case("iterable", lengths=[11], batch_size=2, num_workers=workers))
        cases.append(case("iterable", lengths=[8], batch_size=3, drop_last=True, num_workers=workers))
        cases.append(case("iterable", lengths=[5], batch_size=None, num_workers=workers))
    for prefetch in (1, 3):
        cases.append(case("map", n=13, batch_size=2, shuffle=True, own=True, num_workers=2, prefetch_factor=prefetch))
    for stop in (None, 2):
        cases.append(case("map", n=13, batch_size=2, shuffle=True, own=True, num_workers=2, persistent_workers=True,
                          stop=stop, epochs=3))
    cases.append(case("iterable", lengths=[3, 8], batch_size=2, num_workers=2))
    cases.append(case("iterable", lengths=[8, 1], batch_size=2, num_workers=2, persistent_workers=True))
    cases.append(case("iterable", lengths=[0, 5], batch_size=2, num_workers=2))

    distributed = []
    for n, replicas in ((10, 3), (7, 2), (2, 5), (9, 3)):
        for shuffle in (True, False):
            for drop_last in (True, False):
                for rank in (0, replicas - 1):
                    s = DistributedSampler(range(n), num_replicas=replicas, rank=rank, shuffle=shuffle, seed=5,
                                           drop_last=drop_last)
                    epochs = []
                    for epoch in range(2):
                        s.set_epoch(epoch)
                        epochs.append(list(s))
                    distributed.append({
                        "n": n, "replicas": replicas, "rank": rank, "shuffle": shuffle, "drop_last": drop_last,
                        "len": len(s), "epochs": epochs,
                    })
    rows = ",\n".join("  " + json.dumps(c) for c in cases)
    more = ",\n".join("  " + json.dumps(c) for c in distributed)
    print('{"workers": [\n' + rows + '\n], "distributed": [\n' + more + "\n]}")


if __name__ == "__main__":
    main()
