"""Writes encoded.json: images, torchvision's JPEG files of them, arrays in NumPy's file format,
and the images that FakeData draws.

    python make_encoded.py
"""

import base64
import io
import json

import numpy as np
import torch
import torchvision


def text(b):
    return base64.b64encode(bytes(b)).decode()


def images():
    g = torch.Generator().manual_seed(3)
    out = []
    for channels, h, w, quality in [(3, 17, 23, 75), (1, 8, 8, 75), (3, 1, 1, 75), (3, 5, 40, 100),
                                    (1, 33, 2, 1), (3, 16, 16, 30)]:
        x = torch.randint(0, 256, (channels, h, w), dtype=torch.uint8, generator=g)
        smooth = torch.nn.functional.avg_pool2d(x[None].float(), 5, 1, 2)[0].to(torch.uint8)
        jpeg = torchvision.io.encode_jpeg(smooth, quality)
        out.append({"shape": [channels, h, w], "quality": quality, "pixels": text(smooth.flatten().tolist()),
                    "jpeg": text(jpeg.tolist())})
    return out


def arrays():
    out = {}
    base = np.arange(12).reshape(3, 4)
    for name in ["?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16", ">i4", ">u2",
                 ">f8", ">c8", ">f2"]:
        x = (base.astype(name) - np.array(5).astype(name) if name not in ("?", "u1", "u2", "u4", "u8", ">u2")
             else base.astype(name))
        if "c" in name:
            x = (x * np.array(1 + 2j)).astype(name)
        out[name] = (x, (1, 0))
    out["fortran"] = (np.asfortranarray(base.astype("<f4")), (1, 0))
    out["fortran of 3"] = (np.asfortranarray(np.arange(24).reshape(2, 3, 4)), (2, 0))
    out["a number"] = (np.array(7.5), (3, 0))
    out["nothing"] = (np.zeros((0, 3), "<f4"), (1, 0))
    files = {}
    for name, (x, version) in out.items():
        f = io.BytesIO()
        np.lib.format.write_array(f, x, version=version)
        flat = np.ascontiguousarray(x).astype("c16").ravel()
        files[name] = {"file": text(f.getvalue()), "shape": list(x.shape),
                       "dtype": str(torch.from_numpy(x.astype(x.dtype.newbyteorder("="))).dtype).split(".")[1],
                       "real": flat.real.tolist(), "imag": flat.imag.tolist()}
    others = {"text": np.array(["ab", "c"]), "bytes": np.array([b"ab"]), "time": np.array(["2020-01-01"], "M8[D]"),
              "rows": np.zeros(2, [("a", "<i4"), ("b", "<f4")]), "objects": np.array([None, {}]),
              "long": np.zeros(2, np.longdouble)}
    for name, x in others.items():
        f = io.BytesIO()
        np.lib.format.write_array(f, x)
        files[name] = {"file": text(f.getvalue()), "shape": list(x.shape),
                       "refused": x.dtype.descr if name == "rows" else x.dtype.str}
    return files


def fake():
    set = torchvision.datasets.FakeData(5, (3, 5, 7), 10, random_offset=2)
    torch.manual_seed(1)
    before = torch.get_rng_state()
    out = []
    for i in range(5):
        image, label = set[i]
        out.append({"pixels": text(np.asarray(image).transpose(2, 0, 1).tobytes()), "label": label})
    assert torch.equal(before, torch.get_rng_state())
    return {"text": repr(set), "examples": out}


with open("encoded.json", "w") as f:
    json.dump({"images": images(), "arrays": arrays(), "fake": fake()}, f, indent=1)
    f.write("\n")
