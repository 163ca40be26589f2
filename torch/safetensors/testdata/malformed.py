"""Writes malformed/*.safetensors, files that are damaged or hostile, and malformed.json. For
each file malformed.json has the kind of the error that reading it gives, the tensor that the
error names, and whether Python's package reads the file.

    build/venv/bin/python torch/safetensors/testdata/malformed.py
"""

import json
import os
import struct

from safetensors import safe_open

here = os.path.dirname(os.path.abspath(__file__))
folder = os.path.join(here, "malformed")
os.makedirs(folder, exist_ok=True)
for old in os.listdir(folder):
    os.remove(os.path.join(folder, old))
cases = {}


def raw(name, content, kind="format", tensor=""):
    path = os.path.join(folder, name + ".safetensors")
    with open(path, "wb") as f:
        f.write(content)
    python = "reads it"
    try:
        with safe_open(path, framework="pt") as f:
            for key in f.keys():
                f.get_tensor(key)
    except BaseException as e:  # panics in Rust too
        python = type(e).__name__
    cases[name] = {"kind": kind, "tensor": tensor, "python": python}


def text(name, header, data=b"", kind="format", tensor=""):
    if isinstance(header, str):
        header = header.encode()
    raw(name, struct.pack("<Q", len(header)) + header + data, kind, tensor)


def info(dtype="F32", shape=(2,), offsets=(0, 8), **more):
    return {"dtype": dtype, "shape": list(shape), "data_offsets": list(offsets), **more}


def tensors(name, data, kind="format", tensor="", **infos):
    text(name, json.dumps(infos), data, kind, tensor)


eight = bytes(range(8))
good = json.dumps({"a": info()})

# Lengths of the header.
raw("nothing", b"", "truncated")
raw("one_byte", b"\x02", "truncated")
raw("seven_bytes", b"\x02" + bytes(6), "truncated")
raw("length_alone", struct.pack("<Q", 2), "truncated")
raw("length_zero", struct.pack("<Q", 0))
raw("length_zero_with_data", struct.pack("<Q", 0) + b"{}")
raw("length_one_too_many", struct.pack("<Q", 3) + b"{}", "truncated")
raw("length_one_too_few", struct.pack("<Q", len(good) - 1) + good.encode() + eight)
raw("length_largest", struct.pack("<Q", 2**64 - 1) + b"{}")
raw("length_sign_bit", struct.pack("<Q", 2**63) + b"{}")
raw("length_wraps", struct.pack("<Q", 2**64 - 8) + b"{}")
raw("length_above_limit", struct.pack("<Q", 100_000_001) + b"{}")
raw("length_at_limit", struct.pack("<Q", 100_000_000) + b"{}", "truncated")
raw("length_big_endian", struct.pack(">Q", len(good)) + good.encode() + eight)

# Headers that are not JSON or not an object.
text("only_spaces", " " * 16)
text("space_first", " " + good, eight)
text("newline_first", "\n" + good, eight)
text("byte_order_mark", "\ufeff" + good, eight)
text("list", "[]")
text("number", "1")
text("string", '"a"')
text("null", "null")
text("zeros", bytes(16))
text("open_object", "{")
text("open_string", '{"a')
text("cut_in_the_middle", good[: len(good) // 2])
text("two_objects", good + good, eight)
text("text_after", good + "x", eight)
text("zero_bytes_after", good.encode() + bytes(8), eight)
text("comma_last", good[:-1] + ",}", eight)
text("single_quotes", good.replace('"', "'"), eight)
text("comment", "{/* a */" + good[1:], eight)
text("deep_lists", '{"a":' + "[" * 12_000 + "]" * 12_000 + "}")
text("deep_objects", '{"a":' * 12_000 + "1" + "}" * 12_000)
text("deep_within_limits", '{"a":' + "[" * 5_000 + "]" * 5_000 + "}", tensor="a")
text("not_utf8", good.encode().replace(b'"a"', b'"\xff"'), eight)
text("utf8_cut", good.encode().replace(b'"a"', b'"\xe2\x82"'), eight)
text("utf8_overlong", good.encode().replace(b'"a"', b'"\xc0\xaf"'), eight)
text("utf8_surrogate", good.encode().replace(b'"a"', b'"\xed\xa0\x80"'), eight)
text("high_surrogate_alone", good.replace('"a"', r'"\ud800"'), eight)
text("high_surrogate_and_more", good.replace('"a"', r'"\ud83d\ue000"'), eight)
text("low_surrogate_alone", good.replace('"a"', r'"\udc00"'), eight)
text("surrogates_swapped", good.replace('"a"', r'"\udc00\ud800"'), eight)
text("bad_escape", good.replace('"a"', r'"\x61"'), eight)
text("control_character", good.replace('"a"', '"\x01"'), eight)

# Values of wrong types and missing keys.
text("tensor_is_null", '{"a":null}', tensor="a")
text("tensor_is_list", '{"a":["F32",[2],[0,8]]}', eight, tensor="a")
text("tensor_is_number", '{"a":1}', tensor="a")
text("tensor_is_empty", '{"a":{}}', tensor="a")
text("dtype_missing", '{"a":{"shape":[2],"data_offsets":[0,8]}}', eight, tensor="a")
text("shape_missing", '{"a":{"dtype":"F32","data_offsets":[0,8]}}', eight, tensor="a")
text("offsets_missing", '{"a":{"dtype":"F32","shape":[2]}}', eight, tensor="a")
tensors("dtype_unknown", eight, a=info("F33"), tensor="a")
tensors("dtype_lower_case", eight, a=info("f32"), tensor="a")
tensors("dtype_empty", eight, a=info(""), tensor="a")
tensors("dtype_is_number", eight, a=info(32), tensor="a")
tensors("dtype_is_null", eight, a=info(None), tensor="a")
tensors("dtype_is_object", eight, a=info({"F32": None}), tensor="a")
tensors("dtype_very_long", eight, a=info("F" * 10_000), tensor="a")
tensors("shape_is_number", eight, a=dict(info(), shape=2), tensor="a")
tensors("shape_is_null", eight, a=dict(info(), shape=None), tensor="a")
tensors("shape_of_strings", eight, a=info(shape=["2"]), tensor="a")
tensors("shape_of_lists", eight, a=info(shape=[[2]]), tensor="a")
tensors("shape_negative", eight, a=info(shape=[-2]), tensor="a")
tensors("shape_fraction", eight, a=info(shape=[2.0]), tensor="a")
text("shape_exponent", good.replace("[2]", "[2e0]"), eight, tensor="a")
text("shape_leading_zero", good.replace("[2]", "[02]"), eight)
text("shape_minus_zero", good.replace("[2]", "[-0]").replace("[0, 8]", "[0, 0]"), tensor="a")
tensors("shape_65_bits", eight, a=info(shape=[2**64]), tensor="a")
tensors("shape_64_bits", eight, a=info(shape=[2**64 - 1]), tensor="a")
tensors("shape_63_bits", eight, a=info(shape=[2**63]), tensor="a")
tensors("shape_1000_digits", eight, a=info(shape=[10**1000]), tensor="a")
tensors("shape_65_dimensions", bytes(4), kind="unsupported", a=info(shape=[1] * 65, offsets=(0, 4)), tensor="a")
tensors("shape_10000_dimensions", bytes(4), kind="unsupported", a=info(shape=[1] * 10_000, offsets=(0, 4)), tensor="a")
tensors("offsets_one", eight, a=info(offsets=[8]), tensor="a")
tensors("offsets_none", eight, a=info(offsets=[]), tensor="a")
tensors("offsets_three", eight, a=info(offsets=[0, 8, 8]), tensor="a")
tensors("offsets_object", eight, a=dict(info(), data_offsets={"0": 8}), tensor="a")
tensors("offsets_swapped", eight, a=info(offsets=[8, 0]), tensor="a")
tensors("offsets_negative", eight, a=info(offsets=[-8, 0]), tensor="a")
tensors("offsets_64_bits", eight, a=info(offsets=[2**64 - 8, 2**64 - 1]), tensor="a")
tensors("offsets_63_bits", eight, a=info(offsets=[2**63 - 9, 2**63 - 1]), tensor="a")
tensors("offsets_strings", eight, a=info(offsets=["0", "8"]), tensor="a")
tensors("key_unknown", eight, a=info(strides=[1]), tensor="a")
text("key_twice", good.replace('"dtype"', '"dtype": "F32", "dtype"'), eight, tensor="a")
text("tensor_twice", good[:-1] + "," + good[1:], eight)
text("tensor_twice_escaped", good[:-1] + "," + good[1:].replace('"a"', r'"\u0061"'), eight)

# Metadata.
text("metadata_is_list", '{"__metadata__":[]}')
text("metadata_is_string", '{"__metadata__":"a"}')
text("metadata_of_numbers", '{"__metadata__":{"a":1}}')
text("metadata_of_null", '{"__metadata__":{"a":null}}')
text("metadata_of_objects", '{"__metadata__":{"a":{}}}')
text("metadata_twice", '{"__metadata__":{},"__metadata__":{}}')
text("metadata_key_twice", '{"__metadata__":{"a":"1","a":"2"}}')
text("metadata_is_a_tensor", '{"__metadata__":' + json.dumps(info()) + "}", eight)

# Wrong sizes, gaps and overlaps in the data.
tensors("too_few_bytes_said", eight, a=info(shape=[3]), tensor="a")
tensors("too_many_bytes_said", eight, a=info(shape=[1]), tensor="a")
tensors("bytes_of_an_empty_tensor", eight, a=info(shape=[0]), tensor="a")
tensors("no_bytes_of_a_scalar", b"", a=info(shape=[], offsets=(0, 0)), tensor="a")
tensors("shape_overflows", eight, a=info(shape=[2**40, 2**40]), tensor="a")
tensors("shape_overflows_to_zero", b"", a=info(shape=[2**32, 2**32], offsets=(0, 0)), tensor="a")
tensors("shape_overflows_to_eight", eight, a=info("U8", shape=[2**61 + 1, 8]), tensor="a")
tensors("shape_overflows_beside_zero", b"", a=info(shape=[2**40, 2**40, 0], offsets=(0, 0)), tensor="a")
tensors("bytes_overflow", eight, a=info(shape=[2**62]), tensor="a")
tensors("f4_half_a_byte", bytes(2), a=info("F4", [3], (0, 2)), tensor="a")
tensors("f4_half_a_byte_less", bytes(1), a=info("F4", [3], (0, 1)), tensor="a")
tensors("f6_three_quarters_less", b"", a=info("F6_E2M3", [1], (0, 0)), tensor="a")
tensors("f6_three_quarters", bytes(1), a=info("F6_E2M3", [1], (0, 1)), tensor="a")
tensors("hole_in_front", bytes(12), a=info(offsets=(4, 12)), tensor="a")
tensors("hole_between", bytes(20), a=info(), b=info(offsets=(12, 20)), tensor="b")
tensors("hole_at_the_end", bytes(12), a=info())
tensors("bytes_after", bytes(9), a=info())
tensors("bytes_without_tensors", eight)
tensors("zip_after", eight + b"PK\x05\x06" + bytes(18), a=info())
tensors("overlap", bytes(12), a=info(), b=info(offsets=(4, 12)), tensor="b")
tensors("same_bytes", eight, a=info(), b=info(), tensor="b")
tensors("within", bytes(16), a=info(shape=[4], offsets=(0, 16)), b=info(shape=[1], offsets=(4, 8)), tensor="b")
tensors("empty_within", eight, a=info(), b=info(shape=[0], offsets=(4, 4)), tensor="b")
tensors("empty_beyond", eight, a=info(), b=info(shape=[0], offsets=(16, 16)), tensor="b")
tensors("data_missing", b"", kind="truncated", a=info(), tensor="a")
tensors("data_one_byte_short", bytes(7), kind="truncated", a=info(), tensor="a")
tensors("second_missing", eight, kind="truncated", a=info(), b=info(offsets=(8, 16)), tensor="b")
tensors("claims_a_terabyte", eight, kind="truncated", a=info("U8", [2**40], (0, 2**40)), tensor="a")
tensors("claims_everything", eight, kind="truncated", a=info("U8", [2**62 // 8], (0, 2**62 // 8)), tensor="a")

# Types of the format that libtorch does not have.
tensors("unsupported_f6_e2m3", bytes(3), kind="unsupported", a=info("F6_E2M3", [4], (0, 3)), tensor="a")
tensors("unsupported_f6_e3m2", bytes(3), kind="unsupported", a=info("F6_E3M2", [4], (0, 3)), tensor="a")
tensors("unsupported_f4_odd_rows", bytes(3), kind="unsupported", a=info("F4", [2, 3], (0, 3)), tensor="a")

with open(os.path.join(here, "malformed.json"), "w") as f:
    json.dump(cases, f, indent=1, sort_keys=True)
    f.write("\n")
print(len(cases), "files;", [n for n, c in cases.items() if c["python"] == "reads it"], "are read by Python")
