"""Writes weights.json: torchvision's files of weights, and the result of their preprocessing for a
uint8 image: its shape and the mean of each channel."""

import json
import pathlib

import torch
from torchvision import models

PREFIXES = "alexnet convnext densenet efficientnet mobilenet resnet resnext squeezenet vgg vit wide".split()

image = (torch.arange(3 * 40 * 60) * 37 % 251).to(torch.uint8).reshape(3, 40, 60)
rows = []
for name in models.list_models(models):
    if not name.startswith(tuple(PREFIXES)):
        continue
    for w in models.get_model_weights(name):
        t = w.transforms()
        y = t(image)
        rows.append(dict(name=str(w), model=name, file=w.url.split("/")[-1], default=w is type(w).DEFAULT,
                         resizeSize=t.resize_size[0], cropSize=t.crop_size[0], interpolation=t.interpolation.value,
                         mean=t.mean, std=t.std, shape=list(y.shape), result=y.double().mean((1, 2)).tolist()))
with open(pathlib.Path(__file__).parent / "weights.json", "w") as f:
    f.write('{"rows": [\n' + ",\n".join(map(json.dumps, rows)) + "\n]}\n")
