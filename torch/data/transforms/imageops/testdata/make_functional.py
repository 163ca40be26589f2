"""Writes functional.json: results of torchvision's functions on tensors.

Run with torchvision 0.26 from the root of the repository. golden_test.go has the same
names. Each function is called with each kind of image.
"""
import os
import sys

import numpy as np
import PIL.Image
import torch
from torchvision.transforms import InterpolationMode as I
from torchvision.transforms.v2 import functional as F

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(here, "../../../../../torchtest"))
import goldens  # noqa: E402

plain = goldens.number
goldens.number = lambda v: float(f"{v:.9g}") if isinstance(v, float) else plain(v)  # enough digits for a float32

torch.manual_seed(0)
images = {
    "bytes": torch.randint(0, 256, (3, 9, 12), dtype=torch.uint8),
    "floats": torch.rand(2, 3, 8, 7),
    "gray": torch.rand(1, 10, 6),
    "graybytes": torch.randint(40, 200, (2, 1, 7, 9), dtype=torch.uint8),
    "shorts": torch.randint(0, 2**15, (3, 6, 6), dtype=torch.int16),
}
out = {"image/" + k: v for k, v in images.items()}
quad = [[0, 0], [5, 0], [5, 5], [0, 5]], [[1, 0], [4, 1], [5, 5], [0, 4]]
cases = {
    "Resize/5": lambda x: F.resize(x, [5]),
    "Resize/13": lambda x: F.resize(x, [13]),
    "Resize/4x5": lambda x: F.resize(x, [4, 5]),
    "Resize/bicubic": lambda x: F.resize(x, [4, 5], interpolation=I.BICUBIC),
    "Resize/bicubic/rough": lambda x: F.resize(x, [12, 5], interpolation=I.BICUBIC, antialias=False),
    "Resize/rough": lambda x: F.resize(x, [4, 5], antialias=False),
    "Resize/nearest": lambda x: F.resize(x, [4, 5], interpolation=I.NEAREST),
    "Resize/exact": lambda x: F.resize(x, [4, 11], interpolation=I.NEAREST_EXACT),
    "Resize/max": lambda x: F.resize(x, [5], max_size=6),
    "Resize/none": lambda x: F.resize(x, None, max_size=5),
    "Crop": lambda x: F.crop(x, 1, 2, 4, 3),
    "Crop/outside": lambda x: F.crop(x, -2, 3, 5, 12),
    "CenterCrop": lambda x: F.center_crop(x, [3, 4]),
    "CenterCrop/wider": lambda x: F.center_crop(x, [4, 15]),
    "CenterCrop/larger": lambda x: F.center_crop(x, [14, 15]),
    "ResizedCrop": lambda x: F.resized_crop(x, 1, 1, 4, 5, [7, 3]),
    "FiveCrop": lambda x: torch.stack(F.five_crop(x, [4, 3])),
    "TenCrop": lambda x: torch.stack(F.ten_crop(x, [4, 3])),
    "TenCrop/vertical": lambda x: torch.stack(F.ten_crop(x, [4, 3], vertical_flip=True)),
    "HFlip": F.horizontal_flip,
    "VFlip": F.vertical_flip,
    "Pad/2": lambda x: F.pad(x, [2]),
    "Pad/fill": lambda x: F.pad(x, [1, 2], fill=3.7),
    "Pad/fills": lambda x: F.pad(x, [1, 2, 0, 3], fill=[1.9, 2.9, 3.9][: x.shape[-3]]),
    "Pad/negative": lambda x: F.pad(x, [1, -2, -1, 3]),
    "Pad/edge": lambda x: F.pad(x, [1, 2, 3, 0], padding_mode="edge"),
    "Pad/reflect": lambda x: F.pad(x, [1, 2, 3, 0], padding_mode="reflect"),
    "Pad/symmetric": lambda x: F.pad(x, [1, 2, 3, -1], padding_mode="symmetric"),
    "Rotate/30": lambda x: F.rotate(x, 30.0),
    "Rotate/30/bilinear": lambda x: F.rotate(x, 30.0, interpolation=I.BILINEAR),
    "Rotate/fill": lambda x: F.rotate(x, -73.0, fill=0.5),
    "Rotate/fill/bilinear": lambda x: F.rotate(x, -73.0, interpolation=I.BILINEAR, fill=0.5),
    "Rotate/fills": lambda x: F.rotate(x, 45.0, fill=[0.1, 0.2, 0.3][: x.shape[-3]]),
    "Rotate/center": lambda x: F.rotate(x, 25.0, center=[2.0, 1.5], interpolation=I.BILINEAR),
    "Rotate/expand": lambda x: F.rotate(x, 33.0, expand=True),
    "Rotate/expand/bilinear": lambda x: F.rotate(x, 250.0, expand=True, interpolation=I.BILINEAR),
    "Rotate/0": lambda x: F.rotate(x, 360.0),
    "Rotate/90": lambda x: F.rotate(x, 90.0, expand=True),
    "Rotate/90/bilinear": lambda x: F.rotate(x, 90.0, interpolation=I.BILINEAR),
    "Rotate/180": lambda x: F.rotate(x, -180.0),
    "Affine": lambda x: F.affine(x, 20.0, [1, 2], 0.9, [5.0, 3.0]),
    "Affine/bilinear": lambda x: F.affine(x, -20.0, [1.5, -2.0], 1.3, [5.0, 0.0], interpolation=I.BILINEAR, fill=0.25),
    "Affine/center": lambda x: F.affine(x, 10.0, [0, 0], 1.0, [30.0], center=[0.0, 0.0], interpolation=I.BILINEAR),
    "Perspective": lambda x: F.perspective(x, *quad),
    "Perspective/nearest": lambda x: F.perspective(x, *quad, interpolation=I.NEAREST, fill=0.5),
    "RGBToGrayscale": F.rgb_to_grayscale,
    "RGBToGrayscale/3": lambda x: F.rgb_to_grayscale(x, 3),
    "GrayscaleToRGB": F.grayscale_to_rgb,
    "AdjustBrightness": lambda x: F.adjust_brightness(x, 1.3),
    "AdjustContrast": lambda x: F.adjust_contrast(x, 0.6),
    "AdjustContrast/more": lambda x: F.adjust_contrast(x, 1.7),
    "AdjustSaturation": lambda x: F.adjust_saturation(x, 1.4),
    "AdjustHue": lambda x: F.adjust_hue(x, 0.2),
    "AdjustHue/back": lambda x: F.adjust_hue(x, -0.37),
    "AdjustGamma": lambda x: F.adjust_gamma(x, 0.7),
    "AdjustGamma/gain": lambda x: F.adjust_gamma(x, 2.2, gain=1.5),
    "AdjustSharpness": lambda x: F.adjust_sharpness(x, 0.3),
    "AdjustSharpness/more": lambda x: F.adjust_sharpness(x, 2.0),
    "GaussianBlur": lambda x: F.gaussian_blur(x, 3),
    "GaussianBlur/5x3": lambda x: F.gaussian_blur(x, [5, 3], [1.5, 0.7]),
    "Invert": F.invert,
    "Posterize": lambda x: F.posterize(x, 3),
    "Solarize": lambda x: F.solarize(x, 0.6),
    "Autocontrast": F.autocontrast,
    "Equalize": lambda x: F.equalize(x),
    "ConvertImageDType/floats": lambda x: F.to_dtype(x, torch.float32, scale=True),
    "ConvertImageDType/bytes": lambda x: F.to_dtype(x, torch.uint8, scale=True),
    "ConvertImageDType/ints": lambda x: F.to_dtype(x.to(torch.float64) if x.is_floating_point() else x,
                                                   torch.int32, scale=True),
    "ToDType": lambda x: F.to_dtype(x, torch.float16),
    "Erase": lambda x: F.erase(x, 1, 2, 3, 2, torch.tensor([[[0.6]]])),
    "PermuteChannels": lambda x: F.permute_channels(x, [2, 0, 1] if x.shape[-3] == 3 else [0]),
}
floats = {
    "Normalize": lambda x: F.normalize(x, [0.4, 0.5, 0.6][: x.shape[-3]], [0.2, 0.3, 0.4][: x.shape[-3]]),
    "Elastic": lambda x: F.elastic(
        x, torch.linspace(-0.3, 0.4, x.shape[-1] * x.shape[-2] * 2).view(1, x.shape[-2], x.shape[-1], 2)),
    "Elastic/fill": lambda x: F.elastic(
        x, torch.linspace(-0.3, 0.4, x.shape[-1] * x.shape[-2] * 2).view(1, x.shape[-2], x.shape[-1], 2),
        interpolation=I.NEAREST, fill=1
    ),
}
for name, f in {**cases, **floats}.items():
    for kind, image in images.items():
        if name in floats and not image.is_floating_point():
            continue
        try:
            out[f"{name}/{kind}"] = f(image.clone()).contiguous()
        except (RuntimeError, TypeError, ValueError) as e:
            print(name, kind, str(e).splitlines()[0])
out["expanded"] = [
    [h, w, a, *F.rotate(torch.zeros(1, h, w), float(a), expand=True).shape[-2:]]
    for h, w in [(5, 8), (32, 32), (31, 17), (480, 640)]
    for a in [1, 13, 29, 45, 60, 90, 91, 135, 179, 222, 271, 300, 359]
]
out["coefficients"] = F._geometry._get_perspective_coeffs(*quad)
for mode, shape in {"L": (4, 5), "RGB": (4, 5, 3), "RGBA": (4, 5, 4)}.items():
    pic = PIL.Image.fromarray(np.random.RandomState(1).randint(0, 256, shape, dtype=np.uint8), mode)
    out["picture/" + mode] = F.pil_to_tensor(pic)
    out["numbers/" + mode] = F.to_image(pic) / 255
goldens.write(os.path.join(here, "functional.json"), **out)
