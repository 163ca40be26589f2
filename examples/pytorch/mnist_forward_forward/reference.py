"""The program of main.go in Python: layers that learn MNIST's digits each by itself.

    python reference.py --data "$(../../../scripts/get_fashion_mnist.sh)" --epochs 1
"""

import argparse
import gzip
import time

import torch
from torch import nn
from torch.utils.data import TensorDataset

MEAN, STD = 0.1307, 0.3081  # of the pixels of MNIST's training images, scaled to 0..1
CLASSES = 10


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


def normalized(images):
    return images.float().div_(255).sub_(MEAN).div_(STD)


def first(dataset, n, device):
    """At most n images as rows (n, 784), and their labels."""
    images, labels = dataset.tensors
    return normalized(images[:n].to(device)).flatten(1), labels[:n].to(device)


def overlay(x, label):
    """Writes labels into the first pixels of a copy of the images."""
    out = x.clone()
    out[:, :CLASSES].zero_()
    out[torch.arange(len(x), device=x.device), label] = x.max()
    return out


def wrong(y):
    """A wrong label for each label."""
    other = torch.randint(CLASSES - 1, y.shape).to(y.device)
    return other + (other >= y)


def goodness(h):
    return h.pow(2).mean(1)


class Layer(nn.Linear):
    """A linear layer on normalized inputs, with its optimizer."""

    def prepare(self, lr):
        self.opt = torch.optim.Adam(self.parameters(), lr=lr)

    def forward(self, x):
        direction = x / (x.norm(2, 1, keepdim=True) + 1e-4)
        return super().forward(direction).relu_()

    def loss(self, right, bad, threshold):
        g, b = goodness(self(right)), goodness(self(bad))
        return torch.cat([-g + threshold, b - threshold]).exp().log1p().mean()


def predict(layers, x):
    """The labels with the largest goodness in all layers."""
    every = []
    for label in range(CLASSES):
        h, total = overlay(x, label), torch.zeros(len(x), device=x.device)
        for layer in layers:
            h = layer(h)
            total += goodness(h)
        every.append(total)
    return torch.stack(every, 1).argmax(1)


def failed(layers, x, y):
    return 1 - (predict(layers, x) == y).float().mean().item()


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--data", help="folder with the four files of MNIST, or of Fashion-MNIST")
    p.add_argument("--examples", type=int, default=4096, help="number of generated images without --data")
    p.add_argument("--device", default="cpu")
    p.add_argument("--epochs", type=int, default=1000)
    p.add_argument("--train-size", type=int, default=50000)
    p.add_argument("--test-size", type=int, default=10000)
    p.add_argument("--lr", type=float, default=0.03)
    p.add_argument("--threshold", type=float, default=2)
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
    net = nn.ModuleList([Layer(784, 500), Layer(500, 500)]).to(args.device)
    x, y = first(images, args.train_size, args.device)
    right, bad = overlay(x, y), overlay(x, wrong(y))
    log = []
    for i, layer in enumerate(net):
        layer.prepare(args.lr)
        for _ in range(args.epochs):
            if len(log) == args.steps:
                break
            loss = layer.loss(right, bad, args.threshold)
            layer.opt.zero_grad()
            loss.backward()
            layer.opt.step()
            log.append(f"{time.time():.6f} {loss.item():.9g}\n")
        print(f"layer {i}: loss {loss.item():.4f}")
        with torch.no_grad():
            right, bad = layer(right), layer(bad)
    with torch.no_grad():
        print(f"train error: {failed(net, x, y):.4f}")
        x, y = first(tests, args.test_size, args.device)
        print(f"test error: {failed(net, x, y):.4f}")
    if args.save:
        torch.save(net.state_dict(), args.save)
    if args.losses:
        with open(args.losses, "w") as f:
            f.writelines(log)


if __name__ == "__main__":
    main()
