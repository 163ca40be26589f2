"""Runs a Python script with every native CPU byte counted.

    counted.py LIBRARY SCRIPT [ARGUMENT ...]

LIBRARY is the compiled bench/cpp/counting_allocator.cpp. It becomes libtorch's CPU
allocator right after torch is imported, before the script makes a tensor. The last line
of the output is "bench peak_bytes=N": the most bytes alive at once, in addition to the
bytes alive when the script began. If the script replaces its process, N is the peak of
all its processes.
"""

import ctypes
import os
import runpy
import sys

import torch  # noqa: F401  loads the libc10 that the library below binds to

library = ctypes.CDLL(sys.argv[1])
for name in ("gotorch_counter_live", "gotorch_counter_peak"):
    getattr(library, name).restype = ctypes.c_int64

library.gotorch_counter_install()
library.gotorch_counter_reset()
base = library.gotorch_counter_live()
del sys.argv[:2]


def peak():
    before = int(os.environ.get("GOTORCH_COUNTED_PEAK", 0))
    return max(before, library.gotorch_counter_peak() - base)


def hand_over(event, _):
    if event == "os.exec":
        os.environ["GOTORCH_COUNTED_PEAK"] = str(peak())


sys.addaudithook(hand_over)
try:
    runpy.run_path(sys.argv[0], run_name="__main__")
finally:
    print(f"bench peak_bytes={peak()}", flush=True)
