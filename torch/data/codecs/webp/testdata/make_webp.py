"""Writes *.webp, and webp.json: the results of torchvision.io.decode_image for them.

    make_webp.py FOLDER   (Pillow 13.0, torchvision 0.26)
"""

import base64
import io
import json
import pathlib
import sys

import numpy as np
import torch
from PIL import Image
from torchvision.io import ImageReadMode, decode_image

OUT = pathlib.Path(sys.argv[1])
torch.manual_seed(0)
x = torch.nn.functional.interpolate(torch.rand(1, 3, 4, 5), (23, 31), mode="bicubic")[0].clamp(0, 1)
image = Image.fromarray((x * 255).byte().permute(1, 2, 0).numpy())
clear = image.convert("RGBA")
clear.putalpha(Image.fromarray((np.arange(23 * 31).reshape(23, 31) % 256).astype(np.uint8)))
goldens = {}
for name, (img, options) in {
    "lossy": (image, {"quality": 80}), "lossless": (image, {"lossless": True}),
    "clear": (clear, {"lossless": True, "exact": True}), "clear_lossy": (clear, {"quality": 60}),
}.items():
    b = io.BytesIO()
    img.save(b, "WEBP", **options)
    (OUT / f"{name}.webp").write_bytes(b.getvalue())
    data = torch.frombuffer(bytearray(b.getvalue()), dtype=torch.uint8)
    goldens[name] = {}
    for mode in ImageReadMode:
        try:
            t = decode_image(data, mode)
            goldens[name][mode.name] = {"shape": list(t.shape),
                                        "pixels": base64.b64encode(t.contiguous().numpy().tobytes()).decode()}
        except RuntimeError as e:
            goldens[name][mode.name] = {"error": str(e).split("\n")[0]}
(OUT / "webp.json").write_text(json.dumps(goldens, sort_keys=True) + "\n")
