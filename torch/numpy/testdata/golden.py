"""Writes the files of golden/ with NumPy, and golden.json, which describes them: PyTorch's
dtype and shape, the strides, and the elements as float64.

    build/venv/bin/python torch/numpy/testdata/golden.py
"""

import json
import os

import numpy as np
import torch

here = os.path.dirname(os.path.abspath(__file__))
folder = os.path.join(here, "golden")
os.makedirs(folder, exist_ok=True)
for old in os.listdir(folder):
    os.remove(os.path.join(folder, old))
goldens = {}


def said(a):
    t = torch.from_numpy(np.array(a.astype(a.dtype.newbyteorder("=")), order="K"))
    flat = (torch.view_as_real(t) if t.is_complex() else t).flatten()
    return {
        "dtype": str(t.dtype).split(".")[1],
        "shape": list(t.shape),
        "fortran": a.flags.f_contiguous and not a.flags.c_contiguous,
        "values": [float(v) for v in flat.tolist()],
    }


def save(name, a, same=True, version=None):
    with open(os.path.join(folder, name + ".npy"), "wb") as f:
        np.lib.format.write_array(f, a, version=version)
    goldens[name] = {**said(a), "same": same}


every = {}
for code in ["?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16"]:
    a = np.array([[0, 1, 3], [5, 7, 100]]).astype(code)
    if code[0] in "ifc" and code != "i1":
        a[0, 2] = -2
    if code[0] == "c":
        a[1, 2] += 3j
    name = a.dtype.name
    every[name] = a
    save(name, a)
    if a.dtype.itemsize > 1:
        save(name + "_big", a.astype(a.dtype.newbyteorder(">")), same=False)
floats = np.arange(24, dtype="f4").reshape(2, 3, 4)
save("fortran", np.asfortranarray(floats))
save("fortran_big", np.asfortranarray(floats.astype(">f4")), same=False)
save("transposed", every["int64"].T)
save("strided", floats[:, ::2])
save("scalar", np.array(3.5))
save("empty", np.zeros((3, 0, 2), "i4"))
save("empty_vector", np.zeros(0, "f8"))
save("ones", np.ones((1, 1, 1), "f4"))
save("vector", np.array([np.pi, -0.0]))
save("long", np.zeros(1234567, "?")[:64].copy())
save("dimensions", np.zeros((1,) * 32, "u1"))
save("version2", floats, same=False, version=(2, 0))
save("version3", floats, same=False, version=(3, 0))
with open(os.path.join(folder, "many.npy"), "wb") as f:
    for a in (floats, every["bool"], np.array(7)):
        np.save(f, a)
goldens["many"] = {**said(floats), "same": False}

archives = {"every": every, "names": {"a": floats, "b/c": np.array(1), "ключ": np.array([2.5]), "": np.zeros(2)},
            "none": {}}
for name, arrays in archives.items():
    for kind, write in (("stored", np.savez), ("compressed", np.savez_compressed)):
        write(os.path.join(folder, f"{name}_{kind}.npz"), **arrays)
    goldens[name] = {"names": list(arrays), "arrays": {k: said(a) for k, a in arrays.items()}}
np.savez(os.path.join(folder, "positional.npz"), floats, every["int8"])
goldens["positional"] = {"names": ["arr_0", "arr_1"], "arrays": {"arr_0": said(floats), "arr_1": said(every["int8"])}}

with open(os.path.join(here, "golden.json"), "w") as f:
    json.dump(goldens, f, indent=1, sort_keys=True)
    f.write("\n")
