"""The program of main.go in Python: whether two images show the same digit.

    python reference.py --data "$(../../../scripts/get_fashion_mnist.sh)" --epochs 1
"""

import argparse
import gzip
import time

import torch
import torch.nn.functional as F
from torch import nn
from torch.optim.lr_scheduler import StepLR
from torch.utils.data import DataLoader, Dataset, TensorDataset

CLASSES = 10


def conv(inputs, outputs, size, stride):
    return nn.Conv2d(inputs, outputs, size, stride, padding=size // 2, bias=False)


class Block(nn.Module):
    """A residual block of two convolutions."""

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


def resnet18():
    """The layers of torchvision's resnet18 except the last one, for gray images."""
    layers = [conv(3, 64, 7, 2), nn.BatchNorm2d(64), nn.ReLU(inplace=True), nn.MaxPool2d(3, 2, 1)]
    for inputs, outputs, stride in [(64, 64, 1), (64, 128, 2), (128, 256, 2), (256, 512, 2)]:
        layers.append(nn.Sequential(Block(inputs, outputs, stride), Block(outputs, outputs, 1)))
    layers.append(nn.AdaptiveAvgPool2d(1))
    nn.Linear(512, 1000)  # main.go creates this layer too, which draws random numbers
    net = nn.Sequential(*layers)
    for m in net.modules():
        if isinstance(m, nn.Conv2d):
            nn.init.kaiming_normal_(m.weight, mode="fan_out", nonlinearity="relu")
    net[0] = conv(1, 64, 7, 2)
    return net


class Siamese(nn.Module):
    def __init__(self):
        super().__init__()
        self.resnet = resnet18()
        self.fc = nn.Sequential(nn.Linear(2 * 512, 256), nn.ReLU(inplace=True), nn.Linear(256, 1))
        for m in self.fc:
            if isinstance(m, nn.Linear):
                nn.init.xavier_uniform_(m.weight)
                nn.init.constant_(m.bias, 0.01)

    def forward(self, a, b):
        seen = torch.cat([self.resnet(a).flatten(1), self.resnet(b).flatten(1)], 1)
        return torch.sigmoid(self.fc(seen).squeeze(1))


def below(n):
    return torch.randint(n, ()).item()


def other(n, i):
    """A number below n that is not i."""
    k = below(n - 1)
    return k if k < i else k + 1


class Pairs(Dataset):
    """Pairs of images; those with even numbers show the same class, and their target is 1."""

    def __init__(self, dataset):
        self.images, labels = dataset.tensors
        self.members = [(labels == c).nonzero().flatten().tolist() for c in range(CLASSES)]

    def __len__(self):
        return len(self.images)

    def __getitem__(self, i):
        c = below(CLASSES)
        one = below(len(self.members[c]))
        first = self.members[c][one]
        if i % 2 == 0:
            second = self.members[c][other(len(self.members[c]), one)]
        else:
            c = other(CLASSES, c)
            second = self.members[c][below(len(self.members[c]))]
        return self.images[first].float(), self.images[second].float(), torch.tensor(1.0 - i % 2)


def read(path, header):
    with gzip.open(path) as f:
        return torch.frombuffer(bytearray(f.read()[header:]), dtype=torch.uint8)


def load(folder, half):
    """Images as bytes of shape (n, 1, 28, 28), labels as int64 of shape (n)."""
    images = read(f"{folder}/{half}-images-idx3-ubyte.gz", 16).view(-1, 1, 28, 28).clone()
    labels = read(f"{folder}/{half}-labels-idx1-ubyte.gz", 8).to(torch.int64)
    return TensorDataset(images, labels)


def made_up(seed, n):
    """Images of noise with a bright horizontal band, whose position is the label."""
    g = torch.Generator().manual_seed(seed)
    labels = torch.randint(0, 10, (n,), generator=g)
    images = torch.randint(0, 160, (n, 1, 28, 28), generator=g, dtype=torch.uint8)
    height = torch.arange(28).reshape(1, 1, 28, 1) - 2 * labels.reshape(n, 1, 1, 1)
    images += ((height >= 0) & (height < 6)).to(torch.uint8) * 60
    return TensorDataset(images, labels)


def test(model, loader, device):
    model.eval()
    loss, correct, n = 0.0, 0, len(loader.dataset)
    with torch.no_grad():
        for a, b, target in loader:
            target = target.to(device)
            same = model(a.to(device), b.to(device))
            loss += F.binary_cross_entropy(same, target, reduction="sum").item()
            correct += ((same > 0.5) == target).sum().item()
    model.train()
    return f"test loss {loss / n:.4f}, accuracy {100 * correct / n:.1f}%"


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--data", help="folder with the four files of MNIST, or of Fashion-MNIST")
    p.add_argument("--examples", type=int, default=4096, help="number of generated images without --data")
    p.add_argument("--device", default="cpu")
    p.add_argument("--epochs", type=int, default=14)
    p.add_argument("--batch-size", type=int, default=64)
    p.add_argument("--test-batch-size", type=int, default=1000)
    p.add_argument("--lr", type=float, default=1.0)
    p.add_argument("--gamma", type=float, default=0.7)
    p.add_argument("--save", help="save the trained model in this file")
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--threads", type=int, default=torch.get_num_threads())
    p.add_argument("--steps", type=int, default=-1, help="stop after this number of steps; -1: after the epochs")
    p.add_argument("--losses", help="write seconds and loss of each step to this file")
    args = p.parse_args()
    torch.set_num_threads(args.threads)
    torch.manual_seed(args.seed)

    if args.data:
        images, tests = load(args.data, "train"), load(args.data, "t10k")
    else:
        images, tests = made_up(1, args.examples), made_up(2, args.examples // 4)
    loader = DataLoader(Pairs(images), args.batch_size)
    test_loader = DataLoader(Pairs(tests), args.test_batch_size)
    model = Siamese().to(args.device)
    opt = torch.optim.Adadelta(model.parameters(), lr=args.lr)
    sched = StepLR(opt, step_size=1, gamma=args.gamma)
    log = []
    for epoch in range(args.epochs):
        for a, b, target in loader:
            opt.zero_grad()
            loss = F.binary_cross_entropy(model(a.to(args.device), b.to(args.device)), target.to(args.device))
            loss.backward()
            opt.step()
            log.append(f"{time.time():.6f} {loss.item():.9g}\n")
            if len(log) == args.steps:
                break
        print(f"epoch {epoch + 1}: loss {loss.item():.4f}, {test(model, test_loader, args.device)}")
        sched.step()
        if len(log) == args.steps:
            break
    if args.save:
        torch.save(model.state_dict(), args.save)
    if args.losses:
        with open(args.losses, "w") as f:
            f.writelines(log)


if __name__ == "__main__":
    main()
