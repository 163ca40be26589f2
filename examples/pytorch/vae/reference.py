"""The program of main.go in Python: a variational autoencoder of MNIST's digits.

    python reference.py --data "$(../../../scripts/get_fashion_mnist.sh)" --epochs 1
"""

import argparse
import gzip
import time

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

class VAE(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(784, 400)
        self.fc21 = nn.Linear(400, 20)
        self.fc22 = nn.Linear(400, 20)
        self.fc3 = nn.Linear(20, 400)
        self.fc4 = nn.Linear(400, 784)

    def encode(self, x):
        h = F.relu(self.fc1(x.view(-1, 784)))
        return self.fc21(h), self.fc22(h)

    def draw(self, z):
        return torch.sigmoid(self.fc4(F.relu(self.fc3(z))))

    def forward(self, x):
        mu, logvar = self.encode(x)
        std = torch.exp(0.5 * logvar)
        return self.draw(mu + torch.randn_like(std) * std), mu, logvar


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


def scaled(images):
    return images.float().div_(255)


def loss_of(model, x):
    drawn, mu, logvar = model(x)
    lacking = F.binary_cross_entropy(drawn, x.view(-1, 784), reduction="sum")
    return lacking - 0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp())


def test(model, loader, device):
    with torch.no_grad():
        return sum(loss_of(model, scaled(images.to(device))).item() for images, _ in loader) / len(loader.dataset)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--data", help="folder with the four files of MNIST, or of Fashion-MNIST")
    p.add_argument("--examples", type=int, default=4096, help="number of generated images without --data")
    p.add_argument("--device", default="cpu")
    p.add_argument("--epochs", type=int, default=10)
    p.add_argument("--batch-size", type=int, default=128)
    p.add_argument("--lr", type=float, default=1e-3)
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
    loader = DataLoader(images, args.batch_size, shuffle=True)
    test_loader = DataLoader(tests, args.batch_size)
    model = VAE().to(args.device)
    opt = torch.optim.Adam(model.parameters(), lr=args.lr)
    log = []
    for epoch in range(args.epochs):
        total, seen = 0.0, 0
        for images, _ in loader:
            opt.zero_grad()
            loss = loss_of(model, scaled(images.to(args.device)))
            loss.backward()
            opt.step()
            total += loss.item()
            seen += len(images)
            log.append(f"{time.time():.6f} {loss.item() / len(images):.9g}\n")
            if len(log) == args.steps:
                break
        print(f"epoch {epoch + 1}: loss {total / seen:.4f}, test loss {test(model, test_loader, args.device):.4f}")
        if len(log) == args.steps:
            break
    if args.losses:
        with open(args.losses, "w") as f:
            f.writelines(log)


if __name__ == "__main__":
    main()
