"""Writes a GGUF file with a tensor of each type, and one with the same tensors as float32.

    python make_types.py types.gguf types_f32.gguf 1024 1

The numbers are the elements of each tensor and the seed. Half of the blocks are random
bytes, half have the scales of a real model. It needs the package gguf.
"""

import sys

import numpy as np
from gguf import GGML_QUANT_SIZES, GGMLQuantizationType as T, GGUFWriter
from gguf.quants import dequantize, quantize

# Where a block has its scales in float16.
SCALES = {
    "Q4_0": [0], "Q4_1": [0, 2], "Q5_0": [0], "Q5_1": [0, 2], "Q8_0": [0], "Q2_K": [80, 82], "Q3_K": [108],
    "Q4_K": [0, 2], "Q5_K": [0, 2], "Q6_K": [208], "IQ4_NL": [0], "IQ4_XS": [0], "TQ1_0": [52], "TQ2_0": [64],
    "MXFP4": [], "NVFP4": [],
}
PLAIN = {
    "F32": np.float32, "F16": np.float16, "F64": np.float64, "I8": np.int8, "I16": np.int16, "I32": np.int32,
    "I64": np.int64,
}


def blocks(kind, elements, rng):
    """Returns blocks of a type as bytes, and their values."""
    size, nbytes = GGML_QUANT_SIZES[T[kind]]
    n = elements // size
    if kind in PLAIN:
        half = rng.standard_normal(elements // 2)
        if kind.startswith("I"):
            half *= 100
        with np.errstate(invalid="ignore", over="ignore"):
            bits = rng.integers(0, 256, elements // 2 * nbytes, np.uint8).view(PLAIN[kind])
            a = np.concatenate([half.astype(PLAIN[kind]), bits])
            return a, a.astype(np.float32)
    raw = rng.integers(0, 256, (n, nbytes), np.uint8)
    if kind == "Q8_K":
        raw[:, :4] = (rng.standard_normal((n, 1)) / 100).astype(np.float32).view(np.uint8)
        with np.errstate(invalid="ignore", over="ignore"):
            values = raw[:, :4].copy().view(np.float32) * raw[:, 4:260].copy().view(np.int8).astype(np.float32)
        return raw.reshape(-1), values.reshape(-1)
    for at in SCALES.get(kind, []):
        raw[: n // 2, at : at + 2] = (rng.standard_normal((n // 2, 1)) / 100).astype(np.float16).view(np.uint8)
    try:
        with np.errstate(invalid="ignore", over="ignore"):
            real = quantize(rng.standard_normal((1, n // 4 * size)).astype(np.float32), T[kind])
        raw[n // 4 : n // 4 * 2] = real.view(np.uint8).reshape(-1, nbytes)
    except NotImplementedError:
        pass
    with np.errstate(invalid="ignore", over="ignore"):
        return raw.reshape(-1), dequantize(raw.reshape(1, -1), T[kind]).reshape(-1)


def main():
    types, floats, elements, seed = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    rng = np.random.default_rng(seed)
    a, b = GGUFWriter(types, "test"), GGUFWriter(floats, "test")
    for kind in list(PLAIN) + ["BF16", "Q8_K"] + list(SCALES):
        raw, values = blocks(kind, elements, rng)
        raw = raw.reshape(4, -1)
        a.add_tensor(kind, raw, raw_dtype=None if kind in PLAIN else T[kind])
        b.add_tensor(kind, values.astype(np.float32).reshape(4, -1))
    for w in (a, b):
        w.write_header_to_file()
        w.write_kv_data_to_file()
        w.write_tensors_to_file()
        w.close()


if __name__ == "__main__":
    main()
