"""Writes malformed/*, files that are damaged, hostile, or contain values that a tensor cannot hold.
Also writes malformed.json, which has the kind of the error of reading each file.

    build/venv/bin/python torch/numpy/testdata/malformed.py
"""

import io
import json
import os
import struct
import zipfile

import numpy as np

here = os.path.dirname(os.path.abspath(__file__))
folder = os.path.join(here, "malformed")
os.makedirs(folder, exist_ok=True)
for old in os.listdir(folder):
    os.remove(os.path.join(folder, old))
cases = {}


def raw(name, content, kind="format"):
    with open(os.path.join(folder, name), "wb") as f:
        f.write(content)
    cases[name] = kind


def npy(header, data=b"", version=1):
    if isinstance(header, dict):
        header = repr(header)
    header = header.encode("latin1")
    return b"\x93NUMPY" + bytes([version, 0]) + struct.pack("<H" if version == 1 else "<I", len(header)) + header + data


def said(descr="<f4", order=False, shape=(2,), **more):
    return {"descr": descr, "fortran_order": order, "shape": shape, **more}


def saved(a, **more):
    f = io.BytesIO()
    np.lib.format.write_array(f, np.asarray(a), **more)
    return f.getvalue()


eight = bytes(range(8))
good = npy(said(), eight)

# The magic string, the version, and the length of the header.
raw("nothing.npy", b"", "truncated")
raw("one_byte.npy", b"\x93", "truncated")
raw("magic_alone.npy", b"\x93NUMPY", "truncated")
raw("text.npy", b"1.0, 2.0, 3.0\n")
raw("pickle.npy", b"\x80\x04]\x94.")
raw("version_0.npy", npy(said(), eight, 0))
raw("version_4.npy", npy(said(), eight, 4))
raw("header_cut.npy", good[:40], "truncated")
raw("header_length_alone.npy", good[:10], "truncated")
raw("header_of_gigabytes.npy", b"\x93NUMPY\x02\x00" + struct.pack("<I", 0xFFFFFFF0) + good[10:])
raw("header_of_20000.npy", npy(repr(said()) + " " * 20000, eight))
raw("header_empty.npy", npy("", eight))

# The header.
raw("no_dictionary.npy", npy("[1, 2]", eight))
raw("code.npy", npy("__import__('os').system('true')", eight))
raw("key_missing.npy", npy({"descr": "<f4", "shape": (2,)}, eight))
raw("key_unknown.npy", npy(said(other=1), eight))
raw("order_of_1.npy", npy(said(order=1), eight))
raw("shape_is_list.npy", npy(said(shape=[2]), eight))
raw("shape_is_number.npy", npy(said(shape=2), eight))
raw("shape_negative.npy", npy(said(shape=(-2,)), eight))
raw("shape_of_floats.npy", npy(said(shape=(2.0,)), eight))
raw("shape_65_dimensions.npy", npy(said(shape=(1,) * 65), eight))
raw("shape_of_20_digits.npy", npy(said(shape=(10**20,)), eight))
raw("shape_overflows.npy", npy(said(shape=(2**62, 4)), eight))
raw("shape_overflows_to_zero.npy", npy(said(shape=(2**32, 2**32)), eight))
raw("shape_overflows_beside_zero.npy", npy(said(shape=(2**62, 2**62, 0))))
raw("dtype_unknown.npy", npy(said("<q4"), eight))
raw("dtype_of_3_bytes.npy", npy(said("<i3"), eight))
raw("dtype_empty.npy", npy(said(""), eight))
raw("quote_open.npy", npy("{'descr': '<f4", eight))
raw("zero_bytes.npy", npy("\0" * 60, eight))

# The elements.
raw("numbers_missing.npy", npy(said()), "truncated")
raw("numbers_cut.npy", good[:-1], "truncated")
raw("claims_a_terabyte.npy", npy(said(shape=(2**38,)), eight), "truncated")
raw("claims_exabytes.npy", npy(said(shape=(2**60,)), eight), "truncated")
raw("fortran_cut.npy", npy(said(order=True, shape=(3, 2)), eight), "truncated")

# Arrays of dtypes that a tensor cannot have.
raw("objects.npy", saved(np.array([{"a": 1}, None], dtype=object), allow_pickle=True), "unsupported")
raw("structured.npy", saved(np.zeros(2, dtype=[("a", "<i4"), ("b", "<f8")])), "unsupported")
raw("bytes.npy", saved(np.array([b"abc", b"d"])), "unsupported")
raw("texts.npy", saved(np.array(["abc", "d"])), "unsupported")
raw("dates.npy", saved(np.array(["2024-01-01"], dtype="M8[D]")), "unsupported")
raw("durations.npy", saved(np.array([3], dtype="m8[ns]")), "unsupported")
raw("void.npy", saved(np.zeros(2, dtype="V7")), "unsupported")
raw("longdouble.npy", npy(said("<f16", shape=(1,)), bytes(16)), "unsupported")


# Archives.
def archive(*entries, method=zipfile.ZIP_STORED):
    f = io.BytesIO()
    with zipfile.ZipFile(f, "w", method) as z:
        for name, data in entries:
            z.writestr(zipfile.ZipInfo(name), data, method)
    return f.getvalue()


def patched(b, at, old, new):
    i = b.rindex(at) if at else 0
    j = b.index(old, i)
    return b[:j] + new + b[j + len(old) :]


one = archive(("a.npy", good))
raw("nothing.npz", b"", "truncated")
raw("cut.npz", one[:-10], "truncated")
raw("start_alone.npz", one[:20], "truncated")
raw("no_zip.npz", b"something else\n" * 4)
raw("array.npz", good)
raw("checksum.npz", one.replace(eight, eight[::-1]))
raw("entry_is_text.npz", archive(("a.txt", b"some text that is no array")))
raw("entry_cut.npz", archive(("a.npy", good[:-1])), "truncated")
raw("entry_longer.npz", archive(("a.npy", good + b"x")))
raw("entry_claims_a_terabyte.npz", archive(("a.npy", npy(said(shape=(2**38,)), eight))), "truncated")
raw("entry_of_objects.npz", archive(("a.npy", saved(np.array([None]), allow_pickle=True))), "unsupported")
raw("names_twice.npz", archive(("a.npy", good), ("a", good)))
raw("encrypted.npz", patched(one, b"PK\x01\x02", b"\x14\x00\x00\x00", b"\x14\x00\x01\x00"), "unsupported")
raw("method.npz", archive(("a.npy", good), method=zipfile.ZIP_BZIP2), "unsupported")
# Archives whose directory claims more bytes than the file has.
size = struct.pack("<II", len(good), len(good))
raw("size_unequal.npz", patched(one, b"PK\x01\x02", size, struct.pack("<II", len(good), len(good) + 8)))
raw("size_of_gigabytes.npz", patched(one, b"PK\x01\x02", size, struct.pack("<II", 0xFFFFFFF0, 0xFFFFFFF0)))
packed = archive(("a.npy", npy(said(shape=(2000,)), bytes(8000))), method=zipfile.ZIP_DEFLATED)
at = packed.rindex(b"PK\x01\x02")
grown = packed[: at + 24] + struct.pack("<I", 0xFFFFFFF0) + packed[at + 28 :]
raw("grows_to_gigabytes.npz", grown, "unsupported")
longer = packed[: at + 24] + struct.pack("<I", 100_000) + packed[at + 28 :]
raw("grows_to_less_than_said.npz", longer)
raw("deflate_damaged.npz", packed[:40] + b"\xff\xff\xff\xff" + packed[44:])

with open(os.path.join(here, "malformed.json"), "w") as f:
    json.dump(cases, f, indent=1, sort_keys=True)
    f.write("\n")
