"""Exchanges arrays with the library that pyproof builds, in one process.

    python proof.py LIBRARY numpy|torch-first|torch-later

Checks that nothing is copied, and checks every lifetime in Python and in Go.
"""
import ctypes
import gc
import sys
import threading
import warnings
import weakref

import numpy as np

path, order = sys.argv[1:]
warnings.simplefilter("ignore")  # torch warns that complex32 is experimental
if order == "torch-first":
    import torch
go = ctypes.CDLL(path)  # releases Python's global interpreter lock during calls
held = ctypes.PyDLL(path)  # holds the lock during calls
if order == "torch-later":
    import torch

P, I, L, D = ctypes.c_void_p, ctypes.c_int, ctypes.c_int64, ctypes.c_double
for name, result, *arguments in [
    ("Error", P), ("Import", L, P, I, I), ("Export", P, L, I, I), ("Abandon", None, L, I), ("Delete", None, P, I),
    ("Arange", L, L), ("Add", None, L, D), ("Sum", D, L), ("View", L, L), ("Data", P, L), ("Describe", P, L),
    ("Free", None, P), ("Close", None, L), ("Forget", None, L), ("CloseOnWorkers", None, L, L), ("Flush", None),
    ("Collect", None, L), ("Live", L), ("Allocated", L),
]:
    for library in (go, held):
        f = getattr(library, "proof" + name)
        f.restype, f.argtypes = result, arguments

api = ctypes.pythonapi
api.PyCapsule_New.restype, api.PyCapsule_New.argtypes = ctypes.py_object, [P, ctypes.c_char_p, P]
api.PyCapsule_GetPointer.restype, api.PyCapsule_GetPointer.argtypes = P, [ctypes.py_object, ctypes.c_char_p]
api.PyCapsule_SetName.argtypes = [ctypes.py_object, ctypes.c_char_p]
at = ctypes.PYFUNCTYPE(P, P, ctypes.c_char_p)(("PyCapsule_GetPointer", api))
valid = ctypes.PYFUNCTYPE(I, P, ctypes.c_char_p)(("PyCapsule_IsValid", api))
NAMES = b"dltensor", b"dltensor_versioned"
USED = b"used_dltensor", b"used_dltensor_versioned"


@ctypes.PYFUNCTYPE(None, P)
def destroy(capsule):  # frees the struct if no consumer has taken it
    for versioned, name in enumerate(NAMES):
        if valid(capsule, name):
            go.proofDelete(at(capsule, name), versioned)


def text(p):
    s = ctypes.string_at(p).decode()
    go.proofFree(p)
    return s


def take(capsule, versioned, copied=False, library=go):
    """Hands the struct of a Python capsule to Go."""
    p = api.PyCapsule_GetPointer(capsule, NAMES[versioned])
    api.PyCapsule_SetName(capsule, USED[versioned])
    x = library.proofImport(p, versioned, copied)
    if not x:
        raise BufferError(text(go.proofError()))
    return x


def give(a, versioned=1, **how):
    return take(a.__dlpack__(max_version=(1, 0)) if versioned else a.__dlpack__(), versioned, **how)


class Exported:
    """A Go tensor as an object that from_dlpack accepts."""

    def __init__(self, x, versioned=1, readonly=0):
        self.x, self.versioned, self.readonly = x, versioned, readonly

    def __dlpack_device__(self):
        return 1, 0

    def __dlpack__(self, **_):
        p = go.proofExport(self.x, self.versioned, self.readonly)
        if not p:
            raise BufferError(text(go.proofError()))
        return api.PyCapsule_New(p, NAMES[self.versioned], ctypes.cast(destroy, P))


class Watched(np.ndarray):
    """An array that weakref.ref accepts, to see when it is freed."""


def watched(n):
    a = np.arange(n, dtype=np.float32).view(Watched)
    return a, weakref.ref(a)


def flush():
    go.proofFlush()
    gc.collect()


def refused(fn, *words):
    try:
        fn()
    except BufferError as e:
        assert all(w in str(e) for w in words), e
    else:
        raise AssertionError("not refused: %s" % (words,))


live, allocated = go.proofLive(), go.proofAllocated()


def flat(what):
    flush()
    assert go.proofLive() == live, (what, "tensors", go.proofLive() - live)
    assert go.proofAllocated() == allocated, (what, "bytes", go.proofAllocated() - allocated)


# A Python array in Go shares its memory, which stays alive while Go has views of it.
for versioned in (0, 1):
    a, gone = watched(6)
    x = give(a, versioned)
    assert go.proofData(x) == a.ctypes.data
    go.proofAdd(x, 1)
    assert a.tolist() == [1, 2, 3, 4, 5, 6]
    a[0] = 100
    assert go.proofSum(x) == 120
    view = go.proofView(x)
    del a
    go.proofClose(x)
    flush()
    assert gone() is not None and go.proofSum(view) == 5, "Go has a view"
    go.proofClose(view)
    flush()
    assert gone() is None, "the last one"

    a, gone = watched(6)
    x = give(a, versioned, copied=True)
    del a
    flush()
    assert gone() is None and go.proofSum(x) == 15, "a copy needs no array"
    go.proofClose(x)

    a, gone = watched(6)
    go.proofForget(give(a, versioned))
    del a
    go.proofCollect(live)
    gc.collect()
    assert gone() is None, "Go's collector found it"
    flat("import")

# A Go tensor in Python shares its memory, which stays alive while Python uses it.
for versioned in (0, 1):
    x = go.proofArange(1000)
    data, want = go.proofData(x), sum(range(1000))
    a = np.from_dlpack(Exported(x, versioned))
    assert a.ctypes.data == data and a.sum() == want and a.dtype == np.float32
    go.proofAdd(x, 1)
    assert a[0] == 1 and a[999] == 1000
    go.proofClose(x)
    flush()
    assert go.proofAllocated() >= allocated + 4000 and go.proofLive() == live
    assert a.sum() == want + 1000, "Go has closed it"
    part = a[10:20]
    del a
    gc.collect()
    assert go.proofAllocated() >= allocated + 4000 and part[0] == 11
    del part
    flat("export")

# NumPy may write to a versioned struct unless it is marked read-only, and never to an
# unversioned struct.
x = go.proofArange(4)
a = np.from_dlpack(Exported(x, 1))
a += 10
assert go.proofSum(x) == 46 and a.flags.writeable
assert not np.from_dlpack(Exported(x, 1, 1)).flags.writeable
refused(lambda: np.from_dlpack(Exported(x, 0, 1)), "ReadOnly")
del a

# If no consumer takes a struct, the capsule's destructor or Go's collector frees it.
for versioned in (0, 1):
    Exported(x, versioned).__dlpack__()
go.proofAbandon(x, 10)
go.proofClose(x)
go.proofCollect(live)
flat("abandoned")

# A Python array that passes through Go comes back with the same memory.
a, gone = watched(100)
x = give(a)
b = np.from_dlpack(Exported(x))
assert b.ctypes.data == a.ctypes.data
go.proofClose(x)
del a
flush()
assert gone() is not None and b.sum() == 4950, "Python holds it through Go"
del b
flush()
assert gone() is None

# Arrays that tensors do not support, and tensors that NumPy does not support, are refused.
r = np.arange(4.0)
r.flags.writeable = False
refused(lambda: give(r), "read-only")
refused(lambda: give(np.arange(6.0)[::-1]), "strides[0]", "negative")
for a, want in [
    (np.arange(6.0)[::2], "(3) (2) float64"),
    (np.zeros((2, 3, 4), np.int16).transpose(2, 0, 1), "(4, 2, 3) (1, 12, 4) int16"),
    (np.array(7, np.uint8), "() () uint8"),
    (np.zeros((0, 3), np.complex64), "(0, 3) (3, 1) complex64"),
    (np.array([True, False]), "(2) (1) bool"),
    (np.zeros(2, np.float16), "(2) (1) float16"),
    (np.zeros(2, np.uint64), "(2) (1) uint64"),
    (np.asfortranarray(np.zeros((2, 3))), "(2, 3) (1, 2) float64"),
]:
    x = give(a)
    got = text(go.proofDescribe(x)).replace(",)", ")")
    assert got == want, (got, want)
    b = np.from_dlpack(Exported(x))
    assert b.shape == a.shape and b.dtype == a.dtype and b.tolist() == a.tolist()
    assert a.size == 0 or b.ctypes.data == a.ctypes.data
    go.proofClose(x)
del a, b, r
flat("layouts")

# After a thousand round trips in each direction, the counts in Python and in Go are unchanged.
a, gone = watched(256)
refs = sys.getrefcount(a)
for i in range(1000):
    x = give(a, i % 2)
    b = np.from_dlpack(Exported(x, i // 2 % 2))
    assert b.ctypes.data == a.ctypes.data
    go.proofClose(x)
    del b
flush()
assert sys.getrefcount(a) == refs, (sys.getrefcount(a), refs)
for i in range(1000):
    x = go.proofArange(256)
    b = np.from_dlpack(Exported(x, i % 2))
    go.proofClose(x)
    y = give(b) if b.flags.writeable else 0
    del b
    if y:
        go.proofClose(y)
flat("a thousand")

# Python's deleters need the global interpreter lock. A call that holds the lock and waits for
# goroutines that close Python's arrays must still return.
arrays = [watched(64) for _ in range(32)]
ids = [give(a, library=held) for a, _ in arrays]
held.proofCloseOnWorkers(ids[0], len(ids))
assert all(a[0] == 1 for a, _ in arrays)
ends = [gone for _, gone in arrays]
del arrays, a
held.proofLive()
flush()
assert not any(gone() for gone in ends)
flat("with the lock")

# Calls from Python's threads, which Go has not created.
failed = []


def work(seed):
    try:
        for i in range(100):
            a = np.full(64, seed, np.float32)
            x = give(a, i % 2)
            go.proofAdd(x, 1)
            b = np.from_dlpack(Exported(x))
            go.proofClose(x)
            assert a[0] == b[63] == seed + 1
    except BaseException as e:
        failed.append(e)


threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
for t in threads:
    t.start()
for t in threads:
    t.join()
assert not failed, failed
flat("threads")

if order != "numpy":
    names = {l.split()[-1] for l in open("/proc/self/maps") if "libtorch_cpu" in l}
    assert len(names) == 1, "one libtorch serves both: %s" % names

    for name in ("bfloat16 float16 float32 float64 complex32 complex64 complex128 bool "
                 "uint8 int8 int16 int32 int64 uint16 uint32 uint64 "
                 "float8_e4m3fn float8_e4m3fnuz float8_e5m2 float8_e5m2fnuz float8_e8m0fnu float4_e2m1fn_x2").split():
        for versioned in (0, 1):
            t = torch.empty(2, 3, 4, dtype=getattr(torch, name)).transpose(0, 2)[1:]
            x = give(t, versioned)
            assert go.proofData(x) == t.data_ptr()
            got = text(go.proofDescribe(x))
            want = "%s %s %s" % (tuple(t.shape), tuple(t.stride()), name)
            assert got == want, (got, want)
            u = torch.from_dlpack(Exported(x, versioned))
            assert (u.dtype == t.dtype and u.shape == t.shape and u.stride() == t.stride()
                    and u.data_ptr() == t.data_ptr())
            go.proofClose(x)
    del t, u
    flat("dtypes")

    x = go.proofArange(10)
    t = torch.from_dlpack(Exported(x))
    t.mul_(2)
    assert go.proofSum(x) == 90
    go.proofClose(x)
    w = torch.ones(10, requires_grad=True)
    (w * t).sum().backward()
    assert torch.equal(w.grad, t), "PyTorch computes with it"
    x = give(t)
    u = torch.utils.dlpack.from_dlpack(Exported(x, 0).__dlpack__())
    assert u.data_ptr() == t.data_ptr()
    go.proofClose(x)
    del t, u, w
    flat("PyTorch")
print("ok", order)
