"""Writes the files of goldens/ with Python's safetensors, and goldens.json with their contents:
PyTorch's dtype and shape of each tensor, and its elements as float64.

    build/venv/bin/python torch/safetensors/testdata/golden.py
"""

import json
import os

import torch
from safetensors import TensorSpec, safe_open, serialize_file
from safetensors.torch import save_file

here = os.path.dirname(os.path.abspath(__file__))
folder = os.path.join(here, "goldens")
os.makedirs(folder, exist_ok=True)
goldens = {}


def write(name, tensors, metadata=None, values=True):
    path = os.path.join(folder, name + ".safetensors")
    save_file(tensors, path, metadata)
    describe(name, path)


def describe(name, path):
    with safe_open(path, framework="pt") as f:
        said = {}
        for key in f.keys():
            t = f.get_tensor(key)
            if t.dtype == torch.float4_e2m1fn_x2:
                values = t.view(torch.uint8).flatten().to(torch.float64)
            elif t.dtype.is_complex:
                values = torch.view_as_real(t).flatten().to(torch.float64)
            else:
                values = t.flatten().to(torch.float64)
            said[key] = {"dtype": str(t.dtype).split(".")[1], "shape": list(t.shape), "values": values.tolist(),
                         "code": f.get_slice(key).get_dtype()}
        offsets = [k for k in f.offset_keys() if said[k]["values"]]  # Python lists empty tensors in no fixed order
        goldens[name] = {"keys": f.keys(), "offset_keys": offsets, "metadata": f.metadata(), "tensors": said}


torch.manual_seed(0)
floats = torch.tensor([0.0, -0.0, 1.0, -1.5, 0.25, 96.0])
every = {str(d).split(".")[1]: floats.to(d) for d in (torch.float64, torch.float32, torch.float16, torch.bfloat16)}
for d in (torch.float8_e4m3fn, torch.float8_e5m2, torch.float8_e4m3fnuz, torch.float8_e5m2fnuz):
    every[str(d).split(".")[1]] = floats.to(d)
every["float8_e8m0fnu"] = torch.tensor([1.0, 2.0, 0.5, 2.0**100]).to(torch.float8_e8m0fnu)
every["float4_e2m1fn_x2"] = torch.arange(6, dtype=torch.uint8).view(2, 3).view(torch.float4_e2m1fn_x2)
for d in (torch.int64, torch.int32, torch.int16, torch.int8):
    every[str(d).split(".")[1]] = torch.tensor([[0, 1, -1], [torch.iinfo(d).max // 1024, -7, 5]]).to(d)
for d in (torch.uint64, torch.uint32, torch.uint16, torch.uint8):
    every[str(d).split(".")[1]] = torch.tensor([0, 1, 200]).to(d)
every["bool"] = torch.tensor([True, False, True])
every["complex64"] = torch.tensor([1 + 2j, -0.5j])
write("dtypes", every)
write("shapes", {"scalar": torch.tensor(3.5), "empty": torch.zeros(0), "empty3": torch.zeros(2, 0, 3),
                 "one": torch.ones(1, 1, 1), "cube": torch.arange(24.0).view(2, 3, 4)})
write("metadata", {"w": torch.arange(3.0)}, {"format": "pt"})
write("metadata_escaped", {"w": torch.arange(3.0)}, {'quote " and \\': "a\nb\tc\x01\x7f<>&\u00e9\U0001f600"})
write("names", {"": torch.tensor(1.0), "a b": torch.tensor(2.0), "\u00e9\U0001f600": torch.tensor(3.0),
                'x"\\\n': torch.tensor(4.0), "layer.0.weight": torch.tensor(5.0), "layer.10.weight": torch.tensor(6.0),
                "layer.2.weight": torch.tensor(7.0)})
write("none", {})
write("none_metadata", {}, {"a": "b"})
write("mixed", {"z": torch.arange(5, dtype=torch.uint8), "y": torch.arange(3, dtype=torch.int16),
                "x": torch.arange(2.0), "w": torch.arange(7, dtype=torch.int8),
                "v": torch.arange(1, dtype=torch.float64)})

# A file as other programs write it: data that is not aligned, and other spaces and order of keys.
header = (b'{ "b" : {"shape":[2], "data_offsets":[4,12],"dtype":"F32"} ,\n'
          b'"a":{"data_offsets":[0,4],"dtype":"I32","shape":[]}, "__metadata__":null}   ')
path = os.path.join(folder, "foreign.safetensors")
with open(path, "wb") as f:
    f.write(len(header).to_bytes(8, "little") + header + (7).to_bytes(4, "little")
            + torch.tensor([1.5, -2.0]).numpy().tobytes())
describe("foreign", path)

with open(os.path.join(here, "goldens.json"), "w") as f:
    json.dump(goldens, f, indent=1, sort_keys=True, ensure_ascii=False)
    f.write("\n")
