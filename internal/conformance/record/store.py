"""Compressed files of recorded values: a line of JSON, followed by the bytes of the tensors.
../file.go reads them."""

import gzip
import hashlib
import json
import math
import os

import torch


SMALL = os.environ.get("SMALL") == "1"


def some(samples, n=2):
    """Returns all samples, or n evenly spread ones for testdata."""
    if not SMALL or len(samples) <= n:
        return samples
    return [samples[i * (len(samples) - 1) // max(n - 1, 1)] for i in range(n)]


class Recorder:
    """Collects the values of one file. Each storage is written once, even if several tensors share it."""

    def __init__(self):
        self.tensors = []
        self.names = []  # names of the tensors: digests of their values, the same in every file
        self.storages = []
        self.digests = []
        self.blob = []
        self.size = 0
        self.seen = {}
        self.begin()

    def begin(self):
        """Starts a case. Tensors and storages of arguments are numbered within a case."""
        self.objects = {}
        self.memory = {}

    def bytes(self, data):
        """Returns the index of a storage with these bytes."""
        key = hashlib.blake2b(data, digest_size=16).digest()
        if key not in self.seen:
            self.seen[key] = len(self.storages)
            self.storages.append([self.size, len(data)])
            self.digests.append(key.hex())
            self.blob.append(data)
            self.size += len(data)
        return self.seen[key]

    def argument(self, t):
        """Returns a tensor with its identity: "id" is its number in the case, and "memory" is the
        number of its storage."""
        entry = {"t": self.tensor(t, t.requires_grad)}
        entry["id"] = self.objects.setdefault(id(t), (len(self.objects), t))[0]
        if t.layout == torch.strided:
            entry["memory"] = self.memory.setdefault(t.untyped_storage()._cdata, len(self.memory))
        return entry

    def tensor(self, t, grad=False):
        """Returns the index of a tensor with these values."""
        t = t.detach()
        if t.layout != torch.strided:
            if t.layout != torch.sparse_coo:
                raise NotImplementedError(f"layout {t.layout}")
            record = {
                "dtype": str(t.dtype)[6:],
                "shape": list(t.shape),
                "sparse": [self.tensor(t._indices()), self.tensor(t._values())],
                "coalesced": t.is_coalesced(),
            }
        else:
            if t._is_zerotensor():
                raise NotImplementedError("a tensor of zeros without memory")
            data = t.untyped_storage()
            record = {
                "dtype": str(t.dtype)[6:],
                "shape": list(t.shape),
                "stride": list(t.stride()),
                "offset": t.storage_offset(),
                "storage": self.bytes(storage_bytes(data)),
            }
            for bit in ("conj", "neg"):
                if getattr(t, "is_" + bit)():
                    record[bit] = True
        if grad:
            record["grad"] = True
        key = json.dumps(record)
        if key not in self.seen:
            self.seen[key] = len(self.tensors)
            self.tensors.append(record)
            told = dict(record)
            if "sparse" in told:
                told["sparse"] = [self.names[i] for i in told["sparse"]]
            else:
                told["storage"] = self.digests[told["storage"]]
            self.names.append(hashlib.blake2b(json.dumps(told).encode(), digest_size=16).hexdigest())
        return self.seen[key]

    def name(self, v):
        """Returns a case with the digests of its tensors instead of their indices in this file."""
        if isinstance(v, dict):
            return {k: self.names[x] if k == "t" else self.name(x) for k, x in v.items()}
        return [self.name(x) for x in v] if isinstance(v, list) else v

    def value(self, v):
        """Returns an argument as JSON, for ../value.go."""
        if v is None or isinstance(v, (bool, str, int)):
            return v
        if isinstance(v, float):
            return v if math.isfinite(v) else {"f": str(v)}
        if isinstance(v, complex):
            return {"c": [self.value(v.real), self.value(v.imag)]}
        if isinstance(v, torch.Tensor):
            return self.argument(v)
        if isinstance(v, torch.nn.utils.rnn.PackedSequence):
            return {"packed": [self.value(x) for x in v]}
        if isinstance(v, (list, tuple, torch.Size)):
            return [self.value(x) for x in v]
        if isinstance(v, dict):
            return {"dict": {k: self.value(x) for k, x in v.items()}}
        if isinstance(v, torch.dtype):
            return {"dtype": str(v)[6:]}
        if isinstance(v, torch.layout):
            return {"layout": str(v)[6:]}
        if isinstance(v, torch.memory_format):
            return {"format": str(v)[6:]}
        if isinstance(v, torch.device):
            return {"device": str(v)}
        if isinstance(v, torch.nn.Module):
            return {
                "module": type(v).__name__,
                "args": {k: self.value(x) for k, x in v.__dict__["recorded"].items()},
                "state": [[n, self.tensor(t)] for n, t in v.state_dict().items()],
            }
        if callable(v):
            return {"fn": v.__name__}
        raise NotImplementedError(type(v).__name__)

    def write(self, path, cases):
        head = {
            "torch": torch.__version__.split("+")[0],
            "cpu": torch.backends.cpu.get_cpu_capability(),
            "storages": self.storages,
            "tensors": self.tensors,
            "cases": cases,
        }
        if SMALL and self.size > 64_000 and not path.endswith("each.gz"):
            print(f"{path}: too large for testdata")
            return
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as f, gzip.GzipFile(fileobj=f, mode="wb", compresslevel=9 if SMALL else 1, mtime=0,
                                                  filename="") as z:
            z.write(json.dumps(head, separators=(",", ":")).encode() + b"\n")
            for b in self.blob:
                z.write(b)


def storage_bytes(storage):
    n = storage.nbytes()
    if n == 0:
        return b""
    return torch.tensor([], dtype=torch.uint8).set_(storage, 0, (n,)).numpy().tobytes()


def flat(v):
    """Returns the tensors of a result in order, with None for missing tensors."""
    if v is None or isinstance(v, torch.Tensor):
        return [v]
    if isinstance(v, (list, tuple)):
        return [t for x in v for t in flat(x)]
    raise NotImplementedError(f"result {type(v).__name__}")
