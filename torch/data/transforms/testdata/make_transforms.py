"""Writes transforms.json: results of torchvision's transforms.

Run with torchvision 0.26 from the root of the repository. golden_test.go has the same names.
Each transform is called with each kind of image and several seeds. A case has the result and the
next number of the generator, which shows how many numbers the transform has drawn.
"""
import os
import sys

import torch
import torchvision.transforms as T1
from torchvision.transforms import InterpolationMode as I
from torchvision.transforms import v2 as T

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(here, "../../../../torchtest"))
import goldens  # noqa: E402

plain = goldens.number
goldens.number = lambda v: float(f"{v:.9g}") if isinstance(v, float) else plain(v)

torch.manual_seed(7)
images = {"bytes": torch.randint(0, 256, (3, 9, 8), dtype=torch.uint8), "floats": torch.rand(3, 8, 9)}
gray = {"gray": torch.rand(1, 8, 8), "batch": torch.rand(2, 3, 8, 9)}

flip, turn = T.RandomHorizontalFlip(), T.RandomRotation(30)
cases = {
    "Resize": T.Resize(6),
    "Resize/pair": T.Resize((6, 7), interpolation=I.NEAREST, antialias=False),
    "Resize/max": T.Resize(6, max_size=7),
    "Resize/none": T.Resize(None, max_size=7),
    "CenterCrop": T.CenterCrop(5),
    "RandomCrop": T.RandomCrop(6),
    "RandomCrop/padding": T.RandomCrop((7, 9), padding=2, fill=0.5),
    "RandomCrop/needed": T.RandomCrop(14, pad_if_needed=True, padding_mode="reflect"),
    "RandomCrop/paddings": T.RandomCrop((9, 10), padding=[1, 2], padding_mode="edge"),
    "RandomResizedCrop": T.RandomResizedCrop(6),
    "RandomResizedCrop/options": T.RandomResizedCrop((4, 7), scale=(0.3, 0.9), ratio=(0.5, 2.0),
                                                     interpolation=I.BICUBIC, antialias=False),
    "RandomResizedCrop/wide": T.RandomResizedCrop(5, scale=(0.9, 1.0), ratio=(3.0, 4.0)),
    "RandomResizedCrop/high": T.RandomResizedCrop(5, scale=(0.9, 1.0), ratio=(0.2, 0.3)),
    "FiveCrop": T.FiveCrop(4),
    "TenCrop": T.TenCrop((4, 3), vertical_flip=True),
    "Pad": T.Pad(1),
    "Pad/options": T.Pad([1, 2, 3, 4], fill=[1, 0.5, 2]),
    "Pad/symmetric": T.Pad([1, 2], padding_mode="symmetric"),
    "RandomHorizontalFlip": T.RandomHorizontalFlip(),
    "RandomVerticalFlip": T.RandomVerticalFlip(0.3),
    "RandomGrayscale": T.RandomGrayscale(0.6),
    "RandomInvert": T.RandomInvert(),
    "RandomPosterize": T.RandomPosterize(3, p=0.7),
    "RandomSolarize": T.RandomSolarize(0.4),
    "RandomAdjustSharpness": T.RandomAdjustSharpness(2),
    "RandomAutocontrast": T.RandomAutocontrast(1.0),
    "RandomEqualize": T.RandomEqualize(),
    "RandomRotation": T.RandomRotation(40),
    "RandomRotation/options": T.RandomRotation((-90, 10), interpolation=I.BILINEAR, expand=True, fill=[0.1, 0.2, 0.3]),
    "RandomRotation/center": T.RandomRotation(10, center=[2, 3.5]),
    "RandomAffine": T.RandomAffine(20),
    "RandomAffine/options": T.RandomAffine((0, 30), translate=(0.2, 0.3), scale=(0.8, 1.2), shear=10,
                                           interpolation=I.BILINEAR, fill=1),
    "RandomAffine/shears": T.RandomAffine(0, shear=[-5, 5, 3, 4], center=[0, 1]),
    "RandomPerspective": T.RandomPerspective(),
    "RandomPerspective/options": T.RandomPerspective(0.3, 0.8, interpolation=I.NEAREST, fill=0.25),
    "ElasticTransform": T.ElasticTransform(alpha=20.0, sigma=1.0),
    "ElasticTransform/options": T.ElasticTransform(alpha=[10, 30.0], sigma=[0.5, 1.5], interpolation=I.NEAREST, fill=1),
    "ColorJitter": T.ColorJitter(0.4, 0.3, 0.2, 0.1),
    "ColorJitter/ranges": T.ColorJitter(brightness=(0.5, 1.0), saturation=(1, 3), hue=(-0.3, 0.5)),
    "ColorJitter/none": T.ColorJitter(contrast=0),
    "Grayscale": T.Grayscale(),
    "Grayscale/3": T.Grayscale(3),
    "RGB": T.RGB(),
    "RandomChannelPermutation": T.RandomChannelPermutation(),
    "ToDType": T.ToDtype(torch.float32, scale=True),
    "ConvertImageDType": T.ConvertImageDtype(torch.uint8),
    "RandomErasing": T.RandomErasing(),
    "RandomErasing/options": T.RandomErasing(1.0, scale=(0.1, 0.2), ratio=(0.5, 1.5), value=[1, 2, 3]),
    "RandomErasing/none": T.RandomErasing(1.0, scale=(1.0, 1.0)),
    "GaussianBlur": T.GaussianBlur(3),
    "GaussianBlur/options": T.GaussianBlur((5, 3), sigma=1.5),
    "GaussianNoise": T.GaussianNoise(0.1, sigma=0.2),
    "Identity": T.Identity(),
    "Compose": T.Compose([T.RandomResizedCrop(6), T.RandomHorizontalFlip(), T.ColorJitter(0.2, hue=0.1),
                          T.RandomErasing()]),
    "RandomApply": T.RandomApply([flip, turn], p=0.7),
    "RandomChoice": T.RandomChoice([flip, turn, T.CenterCrop(5)]),
    "RandomChoice/p": T.RandomChoice([flip, turn], p=[1, 3]),
    "RandomOrder": T.RandomOrder([turn, T.RandomCrop(8), T.RandomInvert()]),
    "AutoAugment": T.AutoAugment(),
    "AutoAugment/cifar10": T.AutoAugment(T.AutoAugmentPolicy.CIFAR10, interpolation=I.BILINEAR, fill=0.5),
    "AutoAugment/svhn": T.AutoAugment(T.AutoAugmentPolicy.SVHN),
    "RandAugment": T.RandAugment(),
    "RandAugment/options": T.RandAugment(3, magnitude=4, num_magnitude_bins=7, fill=[0.1, 0.2, 0.3]),
    "TrivialAugmentWide": T.TrivialAugmentWide(),
    "AugMix": T.AugMix(),
    "AugMix/options": T.AugMix(5, mixture_width=2, chain_depth=2, alpha=0.5, all_ops=False),
}
floats = {
    "Normalize": T.Normalize([0.4, 0.5, 0.6], [0.2, 0.3, 0.25]),
    "RandomErasing/random": T.RandomErasing(1.0, value="random", inplace=True),
}
many = {"AutoAugment", "AutoAugment/cifar10", "AutoAugment/svhn", "RandAugment", "TrivialAugmentWide", "AugMix"}
out = {"image/" + k: v for k, v in {**images, **gray}.items()}
for name, t in {**cases, **floats}.items():
    runs = []
    for kind, image in images.items():
        if name in floats and not image.is_floating_point():
            continue
        for seed in range(24 if name in many else 4 if "Random" in name or name in ("Compose", "ColorJitter") else 2):
            torch.manual_seed(seed)
            try:
                y = t(image.clone())
            except (RuntimeError, ValueError, TypeError) as e:
                print(name, kind, str(e).splitlines()[0])
                continue
            if isinstance(y, tuple):
                y = torch.stack(y)
            run = dict(kind=kind, seed=seed, next=torch.rand(1).item())
            if seed < (4 if name in many else 2):  # for other seeds, only the next number and the sum
                run["y"] = y.contiguous()
            run["sum"] = y.double().sum().item()
            runs.append(run)
    out[name] = dict(runs=runs, text=str(t))

mix = dict(images=torch.rand(4, 2, 5, 6), labels=torch.tensor([2, 0, 1, 1]), probabilities=torch.rand(4, 3))
for name, t in dict(MixUp=T.MixUp(num_classes=3), CutMix=T.CutMix(alpha=0.4)).items():
    runs = []
    for seed in range(6):
        torch.manual_seed(seed)
        x, y = t(mix["images"], mix["labels"] if name == "MixUp" else mix["probabilities"])
        runs.append(dict(seed=seed, images=x, labels=y, next=torch.rand(1).item()))
    mix[name] = dict(runs=runs, text=str(t))
out["mix"] = mix
matrix, mean = torch.rand(12, 12), torch.rand(12)
small = torch.rand(2, 3, 2, 2)
out["linear"] = dict(matrix=matrix, mean=mean, x=small, y=T.LinearTransformation(matrix, mean)(small))

# Results of torchvision's version 1 of transforms that draw the same random numbers in version 2.
for name, t in {
    "v1/RandomCrop": T1.RandomCrop(6), "v1/RandomResizedCrop": T1.RandomResizedCrop(6),
    "v1/RandomHorizontalFlip": T1.RandomHorizontalFlip(),
    "v1/RandomAffine": T1.RandomAffine(20, translate=(0.2, 0.2), shear=10), "v1/RandomErasing": T1.RandomErasing(),
}.items():
    runs = []
    for seed in range(4):
        torch.manual_seed(seed)
        runs.append(dict(kind="floats", seed=seed, y=t(images["floats"].clone()).contiguous(), sum=0,
                         next=torch.rand(1).item()))
    out[name] = dict(runs=runs, text="")
goldens.write(os.path.join(here, "transforms.json"), **out)
