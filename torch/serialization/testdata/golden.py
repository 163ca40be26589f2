"""Writes golden/NAME.pt, and golden.txt with what torch.load returns for each file.

    python golden.py

Needs torch 2.11.0. A line of golden.txt is a file's name and its value, as Describer prints
it.
"""

import collections
import os
import pathlib

import torch

here = pathlib.Path(__file__).parent / "golden"


class Describer:
    """Prints values in a form that describe_test.go can print too."""

    def __init__(self):
        self.storages = {}

    def __call__(self, v):
        d = self.describe
        if isinstance(v, torch.nn.Parameter):
            return "Parameter(" + d(v.data, v.requires_grad) + ")"
        if isinstance(v, torch.Tensor):
            return d(v, v.requires_grad)
        if isinstance(v, torch.Size):
            return "Size" + str(list(v))
        if isinstance(v, collections.Counter):
            return "Counter" + self.items(v)
        if isinstance(v, collections.OrderedDict):
            text = "OrderedDict" + self.items(v)
            return text + "@" + self.items(v.__dict__) if v.__dict__ else text
        if isinstance(v, dict):
            return self.items(v)
        if isinstance(v, list):
            return "[" + ",".join(map(self, v)) + "]"
        if isinstance(v, tuple):
            return "(" + ",".join(map(self, v)) + ")"
        if isinstance(v, set):
            return "set(" + ",".join(sorted(map(self, v))) + ")"
        if isinstance(v, (bytes, bytearray)):
            return type(v).__name__ + ":" + v.hex()
        if isinstance(v, float):
            return "float:" + repr(v)
        if isinstance(v, complex):
            return "complex:" + repr(v)
        if isinstance(v, str):
            return "str:" + v.encode("utf-8", "surrogatepass").hex()
        return repr(v)

    def items(self, v):
        return "{" + ",".join(self(k) + "=" + self(x) for k, x in v.items()) + "}"

    def describe(self, t, grad):
        if t.layout == torch.sparse_coo:
            parts = [t._indices(), t._values()]
            return f"coo{list(t.shape)}{int(t.is_coalesced())}(" + ",".join(map(self, parts)) + ")"
        if t.layout in (torch.sparse_csr, torch.sparse_bsr):
            parts = [t.crow_indices(), t.col_indices(), t.values()]
            return f"{t.layout}{list(t.shape)}(" + ",".join(map(self, parts)) + ")"
        if t.layout in (torch.sparse_csc, torch.sparse_bsc):
            parts = [t.ccol_indices(), t.row_indices(), t.values()]
            return f"{t.layout}{list(t.shape)}(" + ",".join(map(self, parts)) + ")"
        head = f"{str(t.dtype)[6:]}{list(t.shape)}{list(t.stride())}+{t.storage_offset()}"
        if t.device.type == "meta":
            return head + " meta"
        number = "-"
        if t.untyped_storage().data_ptr():
            number = self.storages.setdefault(t.untyped_storage().data_ptr(), len(self.storages))
        plain = t.detach().resolve_conj().resolve_neg().contiguous().clone()
        data = bytes(plain.view(-1).view(torch.uint8).tolist()) if plain.numel() else b""
        bits = ("c" if t.is_conj() else "") + ("n" if t.is_neg() else "") + ("g" if grad else "")
        return f"{head} s{number}{bits}:{data.hex()}"


FLOATS = [torch.float16, torch.bfloat16, torch.float32, torch.float64]
INTS = [torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64, torch.uint16, torch.uint32, torch.uint64]
COMPLEX = [torch.complex32, torch.complex64, torch.complex128]
FLOAT8 = [torch.float8_e4m3fn, torch.float8_e5m2, torch.float8_e4m3fnuz, torch.float8_e5m2fnuz]


def dtypes():
    out = {}
    for d in FLOATS + INTS + COMPLEX + FLOAT8 + [torch.bool]:
        out[str(d)[6:]] = torch.tensor([0, 1, 2.5, 3] if d not in INTS else [0, 1, 2, 200]).to(d).reshape(2, 2)
    return out


def views():
    base = torch.arange(24, dtype=torch.float32)
    z = torch.tensor([1 + 2j, 3 - 4j])
    return {
        "base": base.view(4, 6),
        "t": base.view(4, 6).t(),
        "row": base.view(4, 6)[2],
        "column": base.view(4, 6)[:, 3],
        "step": base[1::5],
        "expanded": base[:1].expand(3),
        "conj": z.conj(),
        "neg": torch._neg_view(torch.tensor([1.0, -2.0])),
        "z": z,
        "scalar": torch.tensor(3.5),
        "empty": torch.empty(0, 3),
        "empty too": torch.empty(2, 0, 3, dtype=torch.int64),
        "last": torch.ones(2, 3, 4, 5).to(memory_format=torch.channels_last),
    }


def values():
    shared = [1, 2]
    return {
        "none": None,
        "bools": [True, False],
        "ints": [0, 1, -1, 255, 256, 65535, 65536, -(2**31), 2**31, 2**63 - 1, -(2**63), 2**63, -(2**63) - 1,
                 2**100, -(2**71)],
        "floats": [0.0, -0.0, 1.5, 1e300, 5e-324, float("inf"), float("-inf"), 0.1, 1e16, 1e-5],
        "complex": [1 + 2j, -0.5j, complex(float("inf"), 0)],
        "text": ["", "a", "é", "日本語", "😀", "a\nb'\"\\", "x" * 300],
        "bytes": [b"a", bytes(range(256)), bytearray(b"ab"), bytearray()],
        "tuples": [(), (1,), (1, 2), (1, 2, 3), (1, 2, 3, 4), ((1,), [2])],
        "lists": [[], [[]], shared, shared],
        "sets": [set(), {1, "a"}, {(1, 2)}],
        "keys": {1: "int", 1.5: "float", (1, "a"): "tuple", None: "none", b"b": "bytes", "s": "str", 2**70: "big",
                 False: "bool", torch.float32: "dtype"},
        "size": torch.Size([2, 3]),
        "dtypes": [torch.float32, torch.bfloat16, torch.float8_e5m2, torch.bool],
        "devices": [torch.device("cpu"), torch.device("cuda", 1), torch.device("cuda"), torch.device("meta")],
        "counter": collections.Counter("abca"),
        "ordered": collections.OrderedDict([("b", 1), ("a", 2)]),
        "many": {f"key{i}": i for i in range(1001)},
        "thousand": {i: -i for i in range(1000)},
        "long": list(range(2001)),
        "one": {"k": "v"},
        "nothing": [{}, collections.OrderedDict()],
    }


def parameters():
    p = torch.nn.Parameter(torch.arange(3.0))
    q = torch.nn.Parameter(torch.ones(2), requires_grad=False)
    w = torch.nn.Parameter(torch.zeros(2))
    w.tag = "here"
    return {"p": p, "again": p, "q": q, "w": w, "leaf": torch.ones(2, requires_grad=True), "data": p.data}


def sparse():
    coo = torch.sparse_coo_tensor([[0, 1, 1], [2, 0, 2]], [3.0, 4.0, 5.0], (2, 3))
    dense = torch.tensor([[0.0, 1, 0, 2], [3, 0, 0, 0], [0, 0, 4, 0], [0, 5, 0, 0]])
    return {
        "coo": coo,
        "coalesced": coo.coalesce(),
        "hybrid": torch.sparse_coo_tensor([[0, 2]], [[1.0, 2], [3, 4]], (3, 2)),
        "csr": dense.to_sparse_csr(),
        "csc": dense.to_sparse_csc(),
        "bsr": dense.to_sparse_bsr((2, 2)),
        "bsc": dense.to_sparse_bsc((2, 2)),
        "none": torch.sparse_coo_tensor(torch.empty(2, 0, dtype=torch.int64), torch.empty(0), (2, 3)),
    }


def model():
    torch.manual_seed(1)
    return torch.nn.Sequential(
        torch.nn.Linear(4, 5), torch.nn.BatchNorm1d(5), torch.nn.Sequential(*[torch.nn.Linear(5, 5) for _ in range(5)])
    )


def big_endian(name, value):
    """Writes a file as a big-endian machine writes it."""
    import zipfile

    torch.save(value, here / "tmp.pt")
    width = {}
    for t in value.values():
        width[t.untyped_storage().data_ptr()] = t.dtype.itemsize // (2 if t.dtype.is_complex else 1)
    order = list(width.values())
    with zipfile.ZipFile(here / "tmp.pt") as f, zipfile.ZipFile(here / name, "w") as out:
        for info in f.infolist():
            data = f.read(info)
            if info.filename.endswith("/byteorder"):
                data = b"big"
            if "/data/" in info.filename:
                n = order[int(info.filename.split("/")[-1])]
                data = b"".join(data[i : i + n][::-1] for i in range(0, len(data), n))
            out.writestr(zipfile.ZipInfo(info.filename), data)
    (here / "tmp.pt").unlink()


def compressed(name, value):
    """Writes an archive that was unpacked and compressed again, in a folder with another name."""
    import zipfile

    torch.save(value, here / "tmp.pt")
    with zipfile.ZipFile(here / "tmp.pt") as f, zipfile.ZipFile(here / name, "w", zipfile.ZIP_DEFLATED) as out:
        for info in f.infolist():
            z = zipfile.ZipInfo("other name/" + info.filename.split("/", 1)[1])
            z.compress_type = zipfile.ZIP_DEFLATED
            out.writestr(z, f.read(info))
    (here / "tmp.pt").unlink()


def arrays(name, note):
    """Writes NumPy's numbers and arrays to files for NumPy 1 and 2 and several pickle protocols.
    golden.txt has the same values as Python's numbers and tensors."""
    import numpy as np

    a = np.arange(6, dtype=np.float32).reshape(2, 3)
    values = {
        "loss": np.float64(0.25), "half": np.float16(0.5), "single": np.float32(1.5), "yes": np.bool_(True),
        "byte": np.int8(-3),
        "long": np.int64(1 << 40), "unsigned": np.uint8(200), "large": np.uint64((1 << 64) - 1),
        "complex": np.complex64(1 + 2j),
        "text": np.str_("caf\u00e9"), "bytes": np.bytes_(b"ab"), "array": a, "turned": a.T,
        "fortran": np.asfortranarray(a),
        "big": a.astype(">f4"), "ints": np.arange(3), "bools": np.array([True, False]),
        "alone": np.array(2.5), "complexes": np.array([1j]), "words": np.arange(3, dtype=np.uint16), "again": a,
    }

    def plain(v):
        if isinstance(v, np.ndarray):
            return torch.from_numpy(v.astype(v.dtype.newbyteorder("=")))
        return v.item()

    for protocol in [2, 4, 5]:
        torch.save(values, here / f"{name}_p{protocol}.pt", pickle_protocol=protocol)
        seen = {}
        note(f"{name}_p{protocol}.pt", None, value={k: seen.setdefault(id(v), plain(v)) for k, v in values.items()})
    torch.save(values, here / "tmp.pt")
    old = (here / "tmp.pt").read_bytes()
    (here / "tmp.pt").unlink()
    import io
    import zipfile

    with zipfile.ZipFile(io.BytesIO(old)) as f, zipfile.ZipFile(here / f"{name}_1.pt", "w") as out:
        for info in f.infolist():  # replaces numpy._core by its name in NumPy 1
            out.writestr(zipfile.ZipInfo(info.filename.replace("tmp", "numpy")),
                         f.read(info).replace(b"numpy._core", b"numpy.core"))
    note(f"{name}_1.pt", None, value={k: seen[id(v)] for k, v in values.items()})


def main():
    here.mkdir(exist_ok=True)
    for old in here.glob("*.pt"):
        old.unlink()
    lines = []

    def note(name, _, safe=True, value=None):
        loaded = value if value is not None else torch.load(here / name, weights_only=safe)
        lines.append(name + " " + Describer()(loaded))

    sets = {
        "dtypes": dtypes(), "views": views(), "values": values(), "parameters": parameters(),
        "sparse": sparse(), "state": model().state_dict(), "tensor": torch.arange(6).view(2, 3),
        "number": 7, "meta": {"m": torch.empty(2, 3, device="meta")},
    }
    arrays("numpy", note)
    for name, value in sets.items():
        torch.save(value, here / f"{name}.pt")
        note(f"{name}.pt", value)
        if name == "dtypes":  # leaves out the new dtypes, which the old format does not support
            value = {k: v for k, v in value.items() if v.dtype not in torch.storage._new_dtypes()}
        torch.save(value, here / f"{name}_legacy.pt", _use_new_zipfile_serialization=False)
        note(f"{name}_legacy.pt", value)
    for protocol in [3, 4, 5]:
        for name in ["values", "state"] if protocol == 4 else ["views"]:
            torch.save(sets[name], here / f"{name}_p{protocol}.pt", pickle_protocol=protocol)
            note(f"{name}_p{protocol}.pt", sets[name], safe=False)
    torch.serialization.set_crc32_options(False)
    torch.save(sets["views"], here / "no_crc32.pt")
    note("no_crc32.pt", sets["views"])
    torch.serialization.set_crc32_options(True)
    compressed("compressed.pt", sets["state"])
    lines.append("compressed.pt " + Describer()(sets["state"]))
    big = {k: v for k, v in dtypes().items()}
    big_endian("big_endian.pt", big)
    lines.append("big_endian.pt " + Describer()(big))
    (here.parent / "golden.txt").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    os.environ.setdefault("PYTHONHASHSEED", "0")
    main()
