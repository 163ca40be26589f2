"""Writes a GGUF file with metadata of every type.

    python make_metadata.py metadata.gguf

It needs the package gguf.
"""

import sys

import numpy as np
from gguf import GGUFValueType as V, GGUFWriter

w = GGUFWriter(sys.argv[1], "test")
w.add_uint8("a.uint8", 255)
w.add_int8("a.int8", -128)
w.add_uint16("a.uint16", 65535)
w.add_int16("a.int16", -32768)
w.add_uint32("a.uint32", 2**32 - 1)
w.add_int32("a.int32", -(2**31))
w.add_uint64("a.uint64", 2**64 - 1)
w.add_int64("a.int64", -(2**63))
w.add_float32("a.float32", 1.5)
w.add_float64("a.float64", 0.1)
w.add_bool("a.true", True)
w.add_bool("a.false", False)
w.add_string("a.string", "grüße 😀")
w.add_array("list.strings", ["", "Ġthe", "日本"])
w.add_array("list.int32", [1, -2, 3])
w.add_array("list.float32", [0.5, -1.0])
w.add_array("list.bool", [True, False])
for name, kind, values in [
    ("uint8", V.UINT8, [0, 255]), ("int8", V.INT8, [-1, 1]), ("uint16", V.UINT16, [65535]),
    ("int16", V.INT16, [-2]), ("uint32", V.UINT32, [2**32 - 1]), ("uint64", V.UINT64, [2**63]),
    ("int64", V.INT64, [-(2**63)]), ("float64", V.FLOAT64, [0.1]),
]:
    w.add_key_value("list." + name, values, V.ARRAY, sub_type=kind)
w.add_custom_alignment(64)
w.add_tensor("matrix", np.arange(6, dtype=np.float32).reshape(2, 3))
w.add_tensor("vector", np.arange(3, dtype=np.int16))
w.add_tensor("empty", np.zeros((3, 0), np.float16))
w.write_header_to_file()
w.write_kv_data_to_file()
w.write_tensors_to_file()
w.close()
