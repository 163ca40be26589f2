"""The program of main.go in Python: the same training, which prints the same losses.

    python reference.py --data "$(../../scripts/get_fashion_mnist.sh)" --epochs 5
"""

import argparse
import copy
import gzip
import time

import torch
import torch.nn.functional as F
from torch import nn
from torch.optim.lr_scheduler import CosineAnnealingLR, LinearLR, SequentialLR
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


def made_up(seed, n):
    """Images of noise with a bright horizontal band, whose position is the label."""
    g = torch.Generator().manual_seed(seed)
    labels = torch.randint(0, 10, (n,), generator=g)
    noise = torch.randint(0, 160, (n, 1, 28, 28), generator=g)
    height = torch.arange(28).reshape(1, 1, 28, 1) - 2 * labels.reshape(n, 1, 1, 1)
    band = 60 * ((height >= 0) & (height < 6)).to(torch.int64)
    return TensorDataset((noise + band).to(torch.uint8), labels)


def normalized(images):
    return images.float().div_(255).sub_(MEAN).div_(STD)


def new_model():
    return nn.Sequential(
        nn.Conv2d(1, 16, 3), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(16, 32, 3), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Linear(32 * 5 * 5, 64), nn.ReLU(), nn.Linear(64, 10),
    )


def validate(model, loader, device, autocast):
    model.eval()
    total = right = n = 0
    with torch.no_grad():
        for images, labels in loader:
            labels = labels.to(device)
            with autocast():
                out = model(normalized(images.to(device)))
                loss = F.cross_entropy(out, labels)
            total += loss.item() * len(labels)
            right += (out.argmax(1) == labels).sum().item()
            n += len(labels)
    model.train()
    return total / n, right / n


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--data", help="folder with the four files of Fashion-MNIST; without it images are generated")
    p.add_argument("--device", default="cpu")
    p.add_argument("--epochs", type=int, default=5)
    p.add_argument("--batch", type=int, default=64)
    p.add_argument("--accumulate", type=int, default=2)
    p.add_argument("--warmup", type=int, default=20)
    p.add_argument("--lr", type=float, default=2e-3)
    p.add_argument("--clip", type=float, default=1)
    p.add_argument("--patience", type=int, default=3)
    p.add_argument("--examples", type=int, default=4096)
    p.add_argument("--seed", type=int, default=0)
    p.add_argument("--threads", type=int, default=torch.get_num_threads())
    p.add_argument("--amp", action="store_true", help="mixed precision")
    p.add_argument("--losses", help="write seconds and loss of each batch to this file")
    args = p.parse_args()

    torch.set_num_threads(args.threads)
    torch.manual_seed(args.seed)
    if args.data:
        train, test = load(args.data, "train"), load(args.data, "t10k")
    else:
        train, test = made_up(1, args.examples), made_up(2, 1024)
    loader, tests = DataLoader(train, args.batch, shuffle=True), DataLoader(test, 256)
    model = new_model().to(args.device)
    opt = torch.optim.AdamW(model.parameters(), lr=args.lr, fused=True)
    steps = args.epochs * -(-len(loader) // args.accumulate)
    warmup = min(args.warmup, steps - 1)
    sched = SequentialLR(
        opt, [LinearLR(opt, start_factor=0.01, total_iters=warmup), CosineAnnealingLR(opt, steps - warmup)],
        milestones=[warmup])

    kind = torch.device(args.device).type
    autocast = lambda: torch.autocast(kind, enabled=args.amp)
    scaler = torch.amp.GradScaler(kind, enabled=args.amp and kind == "cuda")

    losses, log, best, begun = [], [], None, time.perf_counter()
    for epoch in range(args.epochs):
        total = 0.0
        for i, (images, labels) in enumerate(loader):
            share = min(args.accumulate, len(loader) - i // args.accumulate * args.accumulate)
            with autocast():
                loss = F.cross_entropy(model(normalized(images.to(args.device))), labels.to(args.device))
            scaler.scale(loss / share).backward()
            losses.append(loss.item())
            log.append(f"{time.perf_counter() - begun:.6f} {losses[-1]:.9g}\n")
            total += losses[-1]
            if (i + 1) % args.accumulate == 0 or i + 1 == len(loader):
                scaler.unscale_(opt)
                torch.nn.utils.clip_grad_norm_(model.parameters(), args.clip)
                scaler.step(opt)
                scaler.update()
                opt.zero_grad()
                sched.step()
        loss, accuracy = validate(model, tests, args.device, autocast)
        print(f"epoch {epoch + 1}: loss {total / len(loader):.4f}, validation {loss:.4f}, accuracy {accuracy:.4f}")
        if best is None or loss < best[0]:
            best = loss, epoch + 1, copy.deepcopy(model.state_dict())
        if args.patience > 0 and epoch + 1 - best[1] >= args.patience:
            print(f"no better validation in {args.patience} epochs: the end")
            break
    print(f"best: epoch {best[1]}, loss {best[0]:.4f}")
    if args.losses:
        with open(args.losses, "w") as f:
            f.writelines(log)


if __name__ == "__main__":
    main()
