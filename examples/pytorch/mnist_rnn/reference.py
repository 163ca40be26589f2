"""The program of main.go in Python: an LSTM that reads MNIST's digits row by row.

    python reference.py --data "$(../../../scripts/get_fashion_mnist.sh)" --epochs 1
"""

import argparse
import gzip
import time

import torch
import torch.nn.functional as F
from torch import nn
from torch.optim.lr_scheduler import StepLR
from torch.utils.data import DataLoader, TensorDataset

MEAN, STD = 0.1307, 0.3081  # of the pixels of MNIST's training images, scaled to 0..1


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.LSTM(28, 64, batch_first=True)
        self.batchnorm = nn.BatchNorm1d(64)
        self.dropout1 = nn.Dropout(0.25)
        self.dropout2 = nn.Dropout(0.5)
        self.fc1 = nn.Linear(64, 32)
        self.fc2 = nn.Linear(32, 10)

    def forward(self, x):
        rows, _ = self.rnn(x.reshape(-1, 28, 28))
        x = self.batchnorm(rows[:, -1])
        x = F.relu(self.fc1(self.dropout1(x)))
        return F.log_softmax(self.fc2(self.dropout2(x)), dim=1)


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


def test(model, loader, device):
    model.eval()
    loss, correct = 0.0, 0
    with torch.no_grad():
        for images, labels in loader:
            labels = labels.to(device)
            output = model(normalized(images.to(device)))
            loss += F.nll_loss(output, labels, reduction="sum").item()
            correct += (output.argmax(dim=1) == labels).sum().item()
    model.train()
    n = len(loader.dataset)
    return f"test loss {loss / n:.4f}, accuracy {correct}/{n} ({100 * correct / n:.1f}%)"


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--data", help="folder with the four files of MNIST, or of Fashion-MNIST")
    p.add_argument("--examples", type=int, default=4096, help="number of generated images without --data")
    p.add_argument("--device", default="cpu")
    p.add_argument("--epochs", type=int, default=14)
    p.add_argument("--batch-size", type=int, default=64)
    p.add_argument("--test-batch-size", type=int, default=1000)
    p.add_argument("--lr", type=float, default=0.1)
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
    loader = DataLoader(images, args.batch_size, shuffle=True)
    test_loader = DataLoader(tests, args.test_batch_size)
    model = Net().to(args.device)
    opt = torch.optim.Adadelta(model.parameters(), lr=args.lr)
    sched = StepLR(opt, step_size=1, gamma=args.gamma)
    log = []
    for epoch in range(args.epochs):
        for images, labels in loader:
            opt.zero_grad()
            loss = F.nll_loss(model(normalized(images.to(args.device))), labels.to(args.device))
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
