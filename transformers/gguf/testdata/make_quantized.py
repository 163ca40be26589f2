"""Writes the blocks of gguf.quantize for float32 values.

    python make_quantized.py values.f32 Q8_0 blocks.bin

The file of values has raw float32 numbers. It needs the package gguf.
"""

import sys

import numpy as np
from gguf import GGMLQuantizationType as T
from gguf.quants import quantize

values = np.fromfile(sys.argv[1], np.float32).reshape(-1, 256)
with np.errstate(all="ignore"):
    quantize(values, T[sys.argv[2]]).tofile(sys.argv[3])
