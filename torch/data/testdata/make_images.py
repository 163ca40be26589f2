"""Writes images/, and images.json: the results of torchvision.io.decode_image for them.

    make_images.py FOLDER   (Pillow 13.0, torchvision 0.26)

For each file and mode: the shape, the dtype and the bytes of the contiguous result in
base64, or the error. The script first compares the pixels of the JPEG files with Pillow's.
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


def photo(width, height):
    """Returns an image with smooth areas, edges and some noise."""
    x = torch.nn.functional.interpolate(torch.rand(1, 3, 5, 6), (height, width), mode="bicubic")[0]
    x[:, height // 3 : height // 2, width // 4 :] *= 0.4
    x += 0.05 * torch.randn(x.shape)
    return Image.fromarray((x.clamp(0, 1) * 255).byte().permute(1, 2, 0).numpy())


def encoded(image, kind, **options):
    b = io.BytesIO()
    image.save(b, kind, **options)
    return b.getvalue()


def turned(image, kind, orientation, **options):
    exif = Image.Exif()
    exif[0x112] = orientation
    return encoded(image, kind, exif=exif, **options)


big, small = photo(37, 29), photo(11, 7)
alpha = small.convert("RGBA")
alpha.putalpha(Image.fromarray(np.arange(77, dtype=np.uint8).reshape(7, 11) * 3))
palette = small.convert("P")
gray16 = Image.fromarray(np.arange(77, dtype=np.uint16).reshape(7, 11) * 851)
files = {
    "444.jpg": encoded(big, "JPEG", quality=90, subsampling=0),
    "422.jpg": encoded(big, "JPEG", quality=90, subsampling=1),
    "420.jpg": encoded(big, "JPEG", quality=90, subsampling=2),
    "gray.jpg": encoded(big.convert("L"), "JPEG", quality=90),
    "progressive.jpg": encoded(big, "JPEG", quality=80, progressive=True),
    "cmyk.jpg": encoded(big.convert("CMYK"), "JPEG", quality=90),
    "optimized.jpg": encoded(big, "JPEG", quality=30, optimize=True, restart_marker_blocks=2),
    "one.jpg": encoded(big.crop((0, 0, 1, 1)), "JPEG"),
    "rgb.png": encoded(small, "PNG"),
    "gray.png": encoded(small.convert("L"), "PNG"),
    "gray1.png": encoded(small.convert("1"), "PNG"),
    "palette.png": encoded(palette, "PNG"),
    "palette_alpha.png": encoded(palette, "PNG", transparency=3),
    "rgba.png": encoded(alpha, "PNG"),
    "gray_alpha.png": encoded(alpha.convert("LA"), "PNG"),
    "gray16.png": encoded(gray16, "PNG"),
}
whole = files["420.jpg"]
files["truncated.jpg"] = whole[: len(whole) // 2]
files["header.jpg"] = whole[:100]
damaged = bytearray(whole)
damaged[-200:-150] = bytes(i * 37 % 251 for i in range(50))
files["damaged.jpg"] = bytes(damaged)
files["truncated.png"] = files["rgb.png"][:120]
for o in range(1, 9):
    files[f"turned{o}.jpg"] = turned(small.convert("L"), "JPEG", o, quality=95)
    files[f"turned{o}.png"] = turned(small.convert("L"), "PNG", o)

goldens = {}
(OUT / "images").mkdir(exist_ok=True)
for name, b in files.items():
    (OUT / "images" / name).write_bytes(b)
    data = torch.frombuffer(bytearray(b), dtype=torch.uint8)
    exif = name.startswith("turned")
    modes = [ImageReadMode.UNCHANGED] if exif else list(ImageReadMode)
    goldens[name] = {}
    for mode in modes:
        try:
            t = decode_image(data, mode, apply_exif_orientation=exif)
        except RuntimeError as e:
            goldens[name][mode.name] = {"error": str(e).split("\n")[0]}
            continue
        if name.endswith(".jpg") and mode == ImageReadMode.RGB:
            assert (np.asarray(Image.open(io.BytesIO(b)).convert("RGB")) == t.permute(1, 2, 0).numpy()).all(), name
        if name in ("palette.png", "palette_alpha.png", "gray1.png") and "ALPHA" in mode.name:
            # Here torchvision leaves bytes uninitialized, or returns an alpha of 1. Use
            # torchvision's colors and Pillow's alpha, which are correct.
            t = decode_image(data, ImageReadMode.GRAY if "GRAY" in mode.name else ImageReadMode.RGB)
            a = np.asarray(Image.open(io.BytesIO(b)).convert("RGBA"))[None, :, :, 3]
            t = torch.cat([t, torch.from_numpy(a.copy())])
        pixels = base64.b64encode(t.contiguous().numpy().tobytes()).decode()
        goldens[name][mode.name] = {"shape": list(t.shape), "dtype": str(t.dtype)[6:], "pixels": pixels}
(OUT / "images.json").write_text(json.dumps(goldens, indent=0, sort_keys=True) + "\n")
