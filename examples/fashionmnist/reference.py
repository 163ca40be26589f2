"""The program of main.go in Python: a small CNN on Fashion-MNIST.

    python reference.py --data "$(../../scripts/get_fashion_mnist.sh)" --epochs 1
"""

import argparse
import gzip
import time

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

MEAN, STD = 0.2860, 0.3530  # of the pixels of the training images, scaled to 0..1


def read(path, header):
    with gzip.open(path) as f:
        return torch.frombuffer(bytearray(f.read()[header:]), dtype=torch.uint8)


def load(folder, half):
    """Images as bytes of shape (n, 1, 28, 28), labels as int64 of shape (n)."""
    images = read(f"{folder}/{half}-images-idx3-ubyte.gz", 16).view(-1, 1, 28, 28).clone()
    labels = read(f"{folder}/{half}-labels-idx1-ubyte.gz", 8).to(torch.int64)
    return TensorDataset(images, labels)


def normalized(images):
    return images.float().div_(255).sub_(MEAN).div_(STD)


def new_model():
    return nn.Sequential(
        nn.Conv2d(1, 32, 3), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(32, 64, 3), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Linear(64 * 5 * 5, 128), nn.ReLU(), nn.Linear(128, 10),
    )


def evaluate(model, loader, device):
    model.eval()
    correct = 0
    with torch.no_grad():
        for images, labels in loader:
            correct += (model(normalized(images.to(device))).argmax(1) == labels.to(device)).sum().item()
    return correct / len(loader.dataset)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--data", required=True, help="folder with the four files of Fashion-MNIST")
    p.add_argument("--epochs", type=int, default=1)
    p.add_argument("--batch", type=int, default=64)
    p.add_argument("--seed", type=int, default=0)
    p.add_argument("--threads", type=int, default=torch.get_num_threads())
    p.add_argument("--device", default="cpu")
    p.add_argument("--steps", type=int, default=-1, help="stop after this number of steps; -1: after the epochs")
    p.add_argument("--bench", action="store_true", help="print the time of an epoch")
    p.add_argument("--losses", help="write seconds and loss of each step to this file")
    args = p.parse_args()

    torch.set_num_threads(args.threads)
    torch.manual_seed(args.seed)
    train, test = load(args.data, "train"), load(args.data, "t10k")
    train_loader = DataLoader(train, args.batch, shuffle=True)
    test_loader = DataLoader(test, args.batch)
    model = new_model().to(args.device)
    # main.go uses the fused kernel too. PyTorch's default rounds differently: after a
    # hundred steps the third digit of the loss differs.
    opt = torch.optim.AdamW(model.parameters(), lr=1e-3, fused=True)

    losses, log, begun = [], [], time.perf_counter()
    for epoch in range(args.epochs):
        model.train()
        start, total, n = time.perf_counter(), 0.0, 0
        for images, labels in train_loader:
            loss = F.cross_entropy(model(normalized(images.to(args.device))), labels.to(args.device))
            opt.zero_grad()
            loss.backward()
            opt.step()
            losses.append(loss.item())
            log.append(f"{time.perf_counter() - begun:.6f} {losses[-1]:.9g}\n")
            total, n = total + losses[-1], n + 1
            if len(losses) == args.steps:
                break
        seconds = time.perf_counter() - start
        print(f"epoch {epoch + 1}: loss {total / n:.4f}, "
              f"accuracy {evaluate(model, test_loader, args.device):.4f}, {seconds:.1f} s")
        if args.bench:
            print(f"bench epoch_s={seconds:.4f}")
        if len(losses) == args.steps:
            break
    if args.losses:
        with open(args.losses, "w") as f:
            f.writelines(log)


if __name__ == "__main__":
    main()
