"""The program of main.go in Python: a ResNet-18 that learns a folder of images, or noise.

    python reference.py --dummy --examples 400 --image-size 64 --batch-size 8 --epochs 1
"""

import argparse
import math
import os
import shutil
import time

import torch
import torch.nn.functional as F
from torch import nn
from torch.optim.lr_scheduler import StepLR
from torch.utils.data import DataLoader, Dataset

MEAN = torch.tensor([0.485, 0.456, 0.406]).view(3, 1, 1)  # of the colors in ImageNet, scaled to 0..1
STD = torch.tensor([0.229, 0.224, 0.225]).view(3, 1, 1)


def conv(inputs, outputs, size, stride):
    return nn.Conv2d(inputs, outputs, size, stride, padding=size // 2, bias=False)


class BasicBlock(nn.Module):
    def __init__(self, inputs, outputs, stride):
        super().__init__()
        downsample = None
        if stride != 1:
            downsample = nn.Sequential(conv(inputs, outputs, 1, stride), nn.BatchNorm2d(outputs))
        self.conv1, self.bn1 = conv(inputs, outputs, 3, stride), nn.BatchNorm2d(outputs)
        self.relu = nn.ReLU(inplace=True)
        self.conv2, self.bn2 = conv(outputs, outputs, 3, 1), nn.BatchNorm2d(outputs)
        self.downsample = downsample

    def forward(self, x):
        out = self.bn2(self.conv2(self.relu(self.bn1(self.conv1(x)))))
        out += x if self.downsample is None else self.downsample(x)
        return self.relu(out)


class ResNet18(nn.Module):
    """torchvision's resnet18, with the same names and initial values."""

    def __init__(self):
        super().__init__()
        self.conv1, self.bn1 = conv(3, 64, 7, 2), nn.BatchNorm2d(64)
        self.relu = nn.ReLU(inplace=True)
        self.maxpool = nn.MaxPool2d(3, 2, 1)
        inputs = 64
        for i, outputs in enumerate((64, 128, 256, 512)):
            blocks = BasicBlock(inputs, outputs, 1 if i == 0 else 2), BasicBlock(outputs, outputs, 1)
            self.add_module(f"layer{i + 1}", nn.Sequential(*blocks))
            inputs = outputs
        self.avgpool = nn.AdaptiveAvgPool2d(1)
        self.fc = nn.Linear(512, 1000)
        for m in self.modules():
            if isinstance(m, nn.Conv2d):
                nn.init.kaiming_normal_(m.weight, mode="fan_out", nonlinearity="relu")

    def forward(self, x):
        x = self.maxpool(self.relu(self.bn1(self.conv1(x))))
        x = self.layer4(self.layer3(self.layer2(self.layer1(x))))
        return self.fc(self.avgpool(x).flatten(1))


class Noise(Dataset):
    """The images of torchvision's FakeData, from 0 to 1."""

    def __init__(self, n, size):
        self.n, self.size = n, size

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        g = torch.Generator().manual_seed(i)
        image = torch.randn(3, self.size, self.size, generator=g).mul_(255).byte()
        return image.float().div_(255), torch.randint(0, 1000, (), generator=g)


class Folder(Dataset):
    """Normalized images. Each folder inside of the data's folder is a class."""

    def __init__(self, root, change):
        self.change, self.samples = change, []
        for label, name in enumerate(sorted(e.name for e in os.scandir(root) if e.is_dir())):
            for folder, _, files in sorted(os.walk(os.path.join(root, name), followlinks=True)):
                self.samples += [(os.path.join(folder, f), label) for f in sorted(files)]

    def __len__(self):
        return len(self.samples)

    def __getitem__(self, i):
        path, label = self.samples[i]
        return self.change(read(path)).sub(MEAN).div_(STD), label


def read(path):
    """A picture (3, H, W), from 0 to 1."""
    from PIL import Image

    with Image.open(path) as f:
        picture = f.convert("RGB")
    x = torch.frombuffer(bytearray(picture.tobytes()), dtype=torch.uint8)
    return x.view(picture.height, picture.width, 3).permute(2, 0, 1).float().mul_(1 / 255)


def resized(image, height, width):
    if image.shape[1:] == (height, width):
        return image
    return F.interpolate(image[None], (height, width), mode="bilinear", antialias=True)[0]


def random_part(image, size):
    """A random part, resized and perhaps mirrored, as from RandomResizedCrop and RandomHorizontalFlip."""
    height, width = image.shape[1:]
    for _ in range(10):
        area = height * width * torch.empty(1).uniform_(0.08, 1).item()
        ratio = torch.empty(1).uniform_(math.log(3 / 4), math.log(4 / 3)).exp().item()
        w, h = round(math.sqrt(area * ratio)), round(math.sqrt(area / ratio))
        if 0 < w <= width and 0 < h <= height:
            top = torch.randint(0, height - h + 1, (1,)).item()
            left = torch.randint(0, width - w + 1, (1,)).item()
            break
    else:
        w, h = min(width, round(height * 4 / 3)), min(height, round(width * 4 / 3))
        top, left = (height - h) // 2, (width - w) // 2
    image = resized(image[:, top : top + h, left : left + w], size, size)
    return image.flip(2) if torch.rand(1) < 0.5 else image


def middle(image, size):
    """The middle of a resized image, as from Resize and CenterCrop."""
    height, width = image.shape[1:]
    short = size * 256 // 224
    if height <= width:
        height, width = short, int(short * width / height)
    else:
        height, width = int(short * height / width), short
    image = resized(image, height, width)
    top, left = round((height - size) / 2), round((width - size) / 2)
    return image[:, top : top + size, left : left + size]


def open_images(args):
    size = args.image_size
    if args.dummy:
        return Noise(args.examples, size), Noise(args.examples // 25, size)
    train = Folder(os.path.join(args.data, "train"), lambda image: random_part(image, size))
    return train, Folder(os.path.join(args.data, "val"), lambda image: middle(image, size))


class Meter:
    """The last of some numbers and their mean."""

    def __init__(self, name, form):
        self.name, self.form, self.last, self.sum, self.count = name, form, 0, 0, 0

    def add(self, v, n=1):
        self.last = v
        self.sum += v * n
        self.count += n

    def mean(self):
        return self.sum / self.count

    def __str__(self):
        return f"{self.name} {self.last:{self.form}} ({self.mean():{self.form}})"


class Meters:
    def __init__(self, title, batches, every):
        self.title, self.batches, self.every, self.end = title, batches, every, time.time()
        self.time, self.data = Meter("Time", "6.3f"), Meter("Data", "6.3f")
        self.loss, self.top1, self.top5 = Meter("Loss", ".4e"), Meter("Acc@1", "6.2f"), Meter("Acc@5", "6.2f")

    def loaded(self):
        self.data.add(time.time() - self.end)

    def score(self, loss, output, target):
        n = len(target)
        self.loss.add(loss.item(), n)
        right = output.detach().topk(5).indices == target[:, None]
        self.top1.add(100 / n * right[:, 0].sum().item(), n)
        self.top5.add(100 / n * right.sum().item(), n)

    def stepped(self, i):
        self.time.add(time.time() - self.end)
        self.end = time.time()
        if i % self.every == 0:
            total = str(self.batches)
            meters = self.time, self.data, self.loss, self.top1, self.top5
            print("\t".join([f"{self.title}[{i + 1:{len(total)}d}/{total}]", *map(str, meters)]))


def train(loader, model, opt, epoch, log, args):
    meters = Meters(f"Epoch: [{epoch}]", len(loader), args.print_freq)
    model.train()
    for i, (images, target) in enumerate(loader):
        images, target = images.to(args.device), target.to(args.device)
        meters.loaded()
        output = model(images)
        loss = F.cross_entropy(output, target)
        meters.score(loss, output, target)
        opt.zero_grad()
        loss.backward()
        opt.step()
        log.append(f"{time.time():.6f} {loss.item():.9g}\n")
        meters.stepped(i)
        if len(log) == args.steps:
            break


def validate(loader, model, args):
    meters = Meters("Test: ", len(loader), args.print_freq)
    model.eval()
    with torch.no_grad():
        for i, (images, target) in enumerate(loader):
            images, target = images.to(args.device), target.to(args.device)
            meters.loaded()
            output = model(images)
            meters.score(F.cross_entropy(output, target), output, target)
            meters.stepped(i)
    means = meters.loss.mean(), meters.top1.mean(), meters.top5.mean()
    print(" * Loss {:.4f} Acc@1 {:.3f} Acc@5 {:.3f}".format(*means))
    return meters.top1.mean()


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--data", default="imagenet",
                   help="folder with train and val, which have a folder of images for each class")
    p.add_argument("--dummy", action="store_true", help="train on images of noise")
    p.add_argument("--examples", type=int, default=1281167,
                   help="images of noise for training, and a 25th as many for the validation")
    p.add_argument("--image-size", type=int, default=224)
    p.add_argument("--arch", default="resnet18", choices=["resnet18"])
    p.add_argument("--pretrained", help="read the weights from this file of torchvision")
    p.add_argument("--device", default="cpu")
    p.add_argument("--workers", type=int, default=4)
    p.add_argument("--epochs", type=int, default=90)
    p.add_argument("--start-epoch", type=int, default=0)
    p.add_argument("--batch-size", type=int, default=256)
    p.add_argument("--lr", type=float, default=0.1)
    p.add_argument("--momentum", type=float, default=0.9)
    p.add_argument("--weight-decay", type=float, default=1e-4)
    p.add_argument("--print-freq", type=int, default=10)
    p.add_argument("--save-dir", default=".",
                   help='folder for checkpoint.pth.tar and model_best.pth.tar; "" saves nothing')
    p.add_argument("--resume", help="continue from this checkpoint")
    p.add_argument("--evaluate", action="store_true", help="only validate")
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--threads", type=int, default=torch.get_num_threads())
    p.add_argument("--steps", type=int, default=-1, help="stop after this number of steps; -1: after the epochs")
    p.add_argument("--losses", help="write seconds and loss of each step to this file")
    args = p.parse_args()
    torch.set_num_threads(args.threads)
    torch.manual_seed(args.seed)

    learned, tested = open_images(args)
    model = ResNet18()
    if args.pretrained:
        model.load_state_dict(torch.load(args.pretrained))
    model.to(args.device)
    opt = torch.optim.SGD(model.parameters(), args.lr, momentum=args.momentum, weight_decay=args.weight_decay)
    sched = StepLR(opt, step_size=30, gamma=0.1)
    start, best = args.start_epoch, 0.0
    if args.resume:
        saved = torch.load(args.resume, map_location="cpu")
        start, best = saved["epoch"], saved["best_acc1"]
        model.load_state_dict(saved["state_dict"])
        opt.load_state_dict(saved["optimizer"])
        sched.load_state_dict(saved["scheduler"])
        print(f"{args.resume}: {start} epochs are over, the best had Acc@1 {best:.3f}")
        del saved
    loader = DataLoader(learned, args.batch_size, shuffle=True, num_workers=args.workers)
    tests = DataLoader(tested, args.batch_size, num_workers=args.workers)
    if args.evaluate:
        validate(tests, model, args)
        return
    if args.save_dir:
        os.makedirs(args.save_dir, exist_ok=True)
    log = []
    for epoch in range(start, args.epochs):
        train(loader, model, opt, epoch, log, args)
        top1 = validate(tests, model, args)
        sched.step()
        if args.save_dir:
            path = os.path.join(args.save_dir, "checkpoint.pth.tar")
            state = {"epoch": epoch + 1, "arch": args.arch, "state_dict": model.state_dict(),
                     "best_acc1": max(best, top1)}
            torch.save({**state, "optimizer": opt.state_dict(), "scheduler": sched.state_dict()}, path)
            if top1 > best:
                shutil.copyfile(path, os.path.join(args.save_dir, "model_best.pth.tar"))
        best = max(best, top1)
        if len(log) == args.steps:
            break
    if args.losses:
        with open(args.losses, "w") as f:
            f.writelines(log)


if __name__ == "__main__":
    main()
