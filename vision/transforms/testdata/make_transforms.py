"""Writes transforms.json: results of torchvision's transforms of samples.

    python make_transforms.py    # with torch 2.11 and torchvision 0.26

Each transform is called with several samples and seeds. transforms_test.go makes the same samples
and has the same transforms. Of images and masks, a case has the shape and the sum of the values,
each multiplied by its index modulo 97. "next" is the next random number, which shows how many
numbers the transform has drawn.
"""

import json
import pathlib

import torch
from torchvision import tv_tensors as tv
from torchvision.transforms import InterpolationMode as I
from torchvision.transforms import v2 as T

H, W = 24, 30


def values(shape, n, dtype):
    numel = torch.Size(shape).numel()
    return ((torch.arange(numel) * 37 + numel) % n).to(dtype).reshape(shape)


BOXES = [[2, 3, 20, 18], [10.5, 0.25, 29.75, 23.5], [0, 0, 30, 24], [25, 20, 29, 23], [5, 5, 6, 20]]


def boxes(fmt, dtype):
    b = tv.BoundingBoxes(torch.tensor(BOXES), format="XYXY", canvas_size=(H, W))
    b = T.functional.convert_bounding_box_format(b, new_format=fmt)
    return tv.wrap(b.to(dtype), like=b)


def points(shape, dtype):
    return tv.KeyPoints((values(shape, 61, torch.float64) / 2.5).to(dtype), canvas_size=(H, W))


samples = {
    "xyxy": lambda: dict(image=tv.Image(values((3, H, W), 251, torch.uint8)), boxes=boxes("XYXY", torch.float32),
                         masks=tv.Mask(values((5, H, W), 2, torch.uint8)), keypoints=points((5, 3, 2), torch.float32),
                         labels=torch.arange(5), area=torch.arange(5) * 1.5),
    "xywh": lambda: dict(image=tv.Image(values((1, H, W), 101, torch.float32) / 101),
                         boxes=boxes("XYWH", torch.int64), masks=tv.Mask(values((H, W), 21, torch.int64)),
                         keypoints=points((7, 2), torch.int64), labels=torch.arange(5), area=torch.arange(5) * 1.5),
    "cxcywh": lambda: dict(image=tv.Image(values((3, H, W), 251, torch.uint8)), boxes=boxes("CXCYWH", torch.float64),
                           masks=tv.Mask(values((2, H, W), 3, torch.int64) > 0), labels=torch.arange(5),
                           area=torch.arange(5) * 1.5),
}


class Labels:
    def __call__(self, s):
        return [s["labels"], s["area"]]


fills = {tv.Image: 7, tv.Mask: 2, "others": 0}
color = {tv.Image: [1, 2.5, 3], tv.Mask: 1, "others": 0}
cases = {
    "RandomHorizontalFlip": T.RandomHorizontalFlip(),
    "RandomVerticalFlip": T.RandomVerticalFlip(0.7),
    "Resize": T.Resize(12),
    "Resize/pair": T.Resize((10, 33), interpolation=I.NEAREST),
    "Resize/max": T.Resize(20, max_size=22, antialias=False),
    "Resize/none": T.Resize(None, max_size=40),
    "Resize/same": T.Resize((H, W)),
    "RandomResize": T.RandomResize(8, 40),
    "RandomShortestSize": T.RandomShortestSize([9, 15, 30], max_size=33),
    "RandomShortestSize/one": T.RandomShortestSize(17, interpolation=I.BICUBIC, antialias=False),
    "CenterCrop": T.CenterCrop(13),
    "CenterCrop/large": T.CenterCrop((29, 17)),
    "RandomCrop": T.RandomCrop((11, 17)),
    "RandomCrop/padding": T.RandomCrop((25, 29), padding=[1, 2, 3, 4], fill=fills),
    "RandomCrop/needed": T.RandomCrop(36, pad_if_needed=True),
    "RandomCrop/same": T.RandomCrop((H, W)),
    "RandomResizedCrop": T.RandomResizedCrop(14),
    "RandomResizedCrop/options": T.RandomResizedCrop((9, 21), scale=(0.3, 0.9), ratio=(0.5, 2.0),
                                                     interpolation=I.NEAREST_EXACT, antialias=False),
    "RandomIoUCrop": T.RandomIoUCrop(),
    "RandomIoUCrop/options": T.RandomIoUCrop(min_scale=0.5, max_scale=0.9, min_aspect_ratio=0.8,
                                             max_aspect_ratio=1.5, sampler_options=[0.2, 0.4], trials=10),
    "RandomZoomOut": T.RandomZoomOut(),
    "RandomZoomOut/options": T.RandomZoomOut(fill=fills, side_range=(1.5, 2.5), p=0.9),
    "ScaleJitter": T.ScaleJitter((20, 26)),
    "ScaleJitter/options": T.ScaleJitter((40, 30), scale_range=(0.5, 1.5), interpolation=I.NEAREST),
    "Pad": T.Pad(3),
    "Pad/negative": T.Pad([-2, 3, 4, -5], fill=fills),
    "Pad/color": T.Pad([2, 1], fill=color),
    "ClampBoundingBoxes": T.Compose([T.SetClampingMode(None), T.Pad([-4, -3]), T.ClampBoundingBoxes("soft")]),
    "SetClampingMode": T.Compose([T.SetClampingMode(None), T.CenterCrop(15), T.ClampBoundingBoxes()]),
    "ClampKeyPoints": T.Compose([T.CenterCrop(15), T.ClampKeyPoints()]),
    "SanitizeBoundingBoxes": T.Compose([T.RandomIoUCrop(), T.SanitizeBoundingBoxes()]),
    "SanitizeBoundingBoxes/options": T.Compose([T.RandomCrop(16), T.SanitizeBoundingBoxes(
        min_size=4, min_area=40, labels_getter=Labels())]),
    "SanitizeKeyPoints": T.Compose([T.RandomCrop(20), T.SanitizeKeyPoints()]),
    "ConvertBoundingBoxFormat/XYXY": T.ConvertBoundingBoxFormat("XYXY"),
    "ConvertBoundingBoxFormat/XYWH": T.ConvertBoundingBoxFormat("XYWH"),
    "ConvertBoundingBoxFormat/CXCYWH": T.ConvertBoundingBoxFormat("CXCYWH"),
    "Compose": T.Compose([T.RandomZoomOut(fill=fills), T.RandomIoUCrop(), T.RandomHorizontalFlip(),
                          T.RandomResize(10, 30), T.SanitizeBoundingBoxes()]),
}


def summed(x):
    x = x.as_subclass(torch.Tensor)
    x = x.double().reshape(-1)
    return (x * (torch.arange(len(x)) % 97)).sum().item()


own = {"RandomCrop/padding", "RandomZoomOut/options", "Pad/negative", "Pad/color", "SanitizeBoundingBoxes/options",
       "Compose"}
out = {}
for name, t in cases.items():
    runs = []
    for kind, sample in samples.items():
        for seed in range(5 if "Random" in str(t) or "Jitter" in name else 1):
            torch.manual_seed(seed)
            s = sample()
            if name in ("ClampKeyPoints", "SanitizeKeyPoints") and "keypoints" not in s:
                continue
            if "color" in name and len(s["image"]) != 3:
                continue
            y = t(s)
            run = dict(kind=kind, seed=seed, next=torch.rand(1).item())
            for k in ("image", "masks"):
                run[k] = dict(shape=list(y[k].shape), dtype=str(y[k].dtype).removeprefix("torch."), sum=summed(y[k]))
            b = y["boxes"]
            run["boxes"] = dict(shape=list(b.shape), values=b.flatten().tolist(), format=b.format.value,
                                canvas=list(b.canvas_size), mode=b.clamping_mode or "none")
            if "keypoints" in y:
                k = y["keypoints"]
                run["points"] = dict(shape=list(k.shape), values=k.flatten().tolist(), canvas=list(k.canvas_size))
            run["labels"] = y["labels"].tolist()
            run["area"] = y["area"].tolist()
            runs.append(run)
    # Go prints neither dicts nor functions.
    out[name] = dict(runs=runs, text="" if name in own else str(t))
with open(pathlib.Path(__file__).parent / "transforms.json", "w") as f:
    f.write("{" + ",\n".join(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in out.items()) + "}\n")
