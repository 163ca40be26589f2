"""Writes peaks.json: the most bytes that the modules of printing/*.py need in a forward
pass without gradients, and in one with its backward pass, beyond those alive before it.
Run: python make_peaks.py LIBCOUNTING, which is bench/cpp/counting_allocator.cpp, compiled
(`make bench` does). peaks_inputs.json are the inputs of members_*_test.go, which
TestPeaks writes. With instructions up to AVX2: what oneDNN takes for convolutions differs
from one kind of processor to the next."""

import ctypes
import gc
import json
import os
import runpy
import sys
import warnings
from pathlib import Path

os.environ["ONEDNN_MAX_CPU_ISA"] = "AVX2"  # before the library is loaded

import torch  # noqa: E402

warnings.simplefilter("ignore")
here = Path(__file__).parent
library = ctypes.CDLL(sys.argv[1])
for name in ("gotorch_counter_live", "gotorch_counter_peak"):
    getattr(library, name).restype = ctypes.c_int64
library.gotorch_counter_install()


def tensor(shape, dtype, data=None):
    dtype = getattr(torch, dtype)
    if data is not None:
        return torch.tensor(data, dtype=dtype).reshape(shape)
    return torch.rand(shape, dtype=dtype)


def peak(fn):
    gc.collect()
    library.gotorch_counter_reset()
    base = library.gotorch_counter_live()
    fn()
    return library.gotorch_counter_peak() - base


def tensors(out):
    if isinstance(out, torch.Tensor):
        return [out]
    return [t for o in out if o is not None for t in tensors(o)] if isinstance(out, tuple | list) else []


def measure(m, args):
    if isinstance(m, torch.nn.MultiheadAttention):
        args = [args[0]] * 3
    elif isinstance(m, torch.nn.LSTMCell | torch.nn.TransformerEncoderLayer | torch.nn.TransformerEncoder):
        args = args[:1]
    elif isinstance(m, torch.nn.Transformer):
        args = args[::-1]
    elif isinstance(m, torch.nn.CTCLoss):
        args += [[5, 4], [args[1].shape[1], 1]]

    def infer():
        with torch.no_grad():
            y = m(*args)
        del y

    def train():
        y = m(*args)
        total = None
        for t in tensors(y):
            if t.requires_grad:
                total = t.sum() if total is None else total + t.sum()
        if total is not None:
            total.backward()

    m.train()
    infer()
    first = peak(infer)
    for a in args[:1]:
        if a.is_floating_point():
            a.requires_grad_()

    def clear():
        m.zero_grad()
        for a in args[:1]:
            a.grad = None

    train()
    clear()
    return [first, peak(train)]


modules = {}
for path in sorted((here / "printing").glob("*.py")):
    modules.update(runpy.run_path(str(path))["MODULES"])
out = {}
for name, inputs in json.loads((here / "peaks_inputs.json").read_text()).items():
    if name not in modules:
        continue
    args = [None if a is None else tensor(*a) for a in inputs]
    try:
        out[name] = measure(modules[name], args)
    except Exception as e:  # noqa: BLE001  Forward's arguments are others
        print(name, type(e), str(e)[:100], file=sys.stderr)
(here / "peaks.json").write_text(json.dumps(out, separators=(",", ":")) + "\n")
