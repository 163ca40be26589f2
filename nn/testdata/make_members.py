"""Computes the entries of members.json for the rows of members_*_test.go: the printed module, the
shapes of its state dict, and its attributes, which are fields in Go. An entry also has two peaks
of memory, in bytes above the memory that is alive before: of a forward pass without gradients,
and of a forward and backward pass. `make generate MODE=goldens` runs this for new rows. The
argument is bench/cpp/counting_allocator.cpp, compiled. The script uses instructions up to AVX2,
because with newer instructions oneDNN uses other amounts of memory for convolutions."""

import ctypes
import gc
import json
import os
import sys
import warnings

os.environ["ONEDNN_MAX_CPU_ISA"] = "AVX2"  # set before torch is imported, because oneDNN reads it then

import torch  # noqa: E402
from torch import nn  # noqa: E402

warnings.simplefilter("ignore")
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
    if isinstance(m, nn.MultiheadAttention):
        args = [args[0]] * 3
    elif isinstance(m, nn.LSTMCell | nn.TransformerEncoderLayer | nn.TransformerEncoder):
        args = args[:1]
    elif isinstance(m, nn.Transformer):
        args = args[::-1]
    elif isinstance(m, nn.CTCLoss):
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


out = {}
for name, row in json.load(sys.stdin).items():
    m = eval(row["python"], {"torch": torch, "nn": nn})
    out[name] = dict(text=repr(m), state={k: list(v.shape) for k, v in m.state_dict().items()})
    if row["attributes"]:
        out[name]["attributes"] = {
            k: v for k, v in vars(m).items() if not k.startswith("_") and k != "training" and not callable(v)
        }
    if row["in"] is None:
        continue
    try:
        out[name]["peaks"] = measure(m, [None if a is None else tensor(*a) for a in row["in"]])
    except Exception as e:  # noqa: BLE001  Python's forward takes other arguments than Go's
        print(name, type(e), str(e)[:100], file=sys.stderr)
json.dump(out, sys.stdout)
