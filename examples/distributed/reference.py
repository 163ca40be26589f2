"""The program of main.go in Python: the same training on several processes.

    torchrun --nproc-per-node=2 reference.py --data "$(../../scripts/get_fashion_mnist.sh)"
"""

import argparse
import gzip
import os
import time

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from torch.distributed.algorithms.ddp_comm_hooks import default_hooks
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

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


def mean(total, n):
    """The quotient of two sums over all processes."""
    x = torch.tensor([total, n], dtype=torch.float64)
    dist.all_reduce(x)
    return (x[0] / x[1]).item()


def save(file, state):
    """Writes a file atomically."""
    os.makedirs(os.path.dirname(file), exist_ok=True)
    torch.save(state, file + ".tmp")
    os.replace(file + ".tmp", file)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--data", help="folder with the four files of Fashion-MNIST; without it images are generated")
    p.add_argument("--out", help="folder for the saved state, which rank 0 writes and all read")
    p.add_argument("--resume", action="store_true",
                   help="continue the training that is saved in --out, if there is one")
    p.add_argument("--epochs", type=int, default=2)
    p.add_argument("--batch", type=int, default=64)
    p.add_argument("--accumulate", type=int, default=1)
    p.add_argument("--compress", choices=["fp16"])
    p.add_argument("--examples", type=int, default=4096)
    p.add_argument("--lr", type=float, default=1e-3)
    p.add_argument("--seed", type=int, default=0)
    p.add_argument("--threads", type=int, default=1)
    p.add_argument("--losses", help="write seconds and loss of each batch of rank 0 to this file")
    args = p.parse_args()

    torch.set_num_threads(args.threads)
    torch.manual_seed(args.seed)
    if "RANK" in os.environ:
        dist.init_process_group("gloo")
    else:
        dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    rank = dist.get_rank()
    if args.data:
        train, test = load(args.data, "train"), load(args.data, "t10k")
    else:
        train, test = made_up(1, args.examples), made_up(2, 1024)
    sampler = DistributedSampler(train, seed=args.seed)
    loader = DataLoader(train, args.batch, sampler=sampler)
    tests = DataLoader(test, 256, sampler=DistributedSampler(test, shuffle=False))
    model = new_model()
    opt = torch.optim.AdamW(model.parameters(), lr=args.lr, fused=True)
    begin = step = 0
    file = os.path.join(args.out, "state.pt") if args.out else None
    if args.resume and os.path.exists(file):
        state = torch.load(file, weights_only=True)
        model.load_state_dict(state["model"])
        opt.load_state_dict(state["optimizer"])
        begin, step = state["epoch"], state["step"]
    net = DistributedDataParallel(model)
    if args.compress:
        net.register_comm_hook(None, default_hooks.fp16_compress_hook)

    log, begun = [], time.perf_counter()
    for epoch in range(begin, args.epochs):
        sampler.set_epoch(epoch)
        total = 0.0
        for i, (images, labels) in enumerate(loader):
            first = i // args.accumulate * args.accumulate
            share = min(args.accumulate, len(loader) - first)
            last = i == first + share - 1
            net.require_backward_grad_sync = last  # as no_sync
            loss = F.cross_entropy(net(normalized(images)), labels)
            (loss / share).backward()
            total += loss.item()
            log.append(f"{time.perf_counter() - begun:.6f} {loss.item():.9g}\n")
            if last:
                opt.step()
                opt.zero_grad()
                step += 1
        loss = mean(total, len(loader))
        model.eval()
        right = n = 0
        with torch.no_grad():
            for images, labels in tests:
                right += (model(normalized(images)).argmax(1) == labels).sum().item()
                n += len(labels)
        model.train()
        accuracy = mean(right, n)
        if rank == 0:
            print(f"step {step}: loss {loss:.4f}, accuracy {accuracy:.4f}")
            if file:
                save(file, {"model": model.state_dict(), "optimizer": opt.state_dict(),
                            "epoch": epoch + 1, "step": step})
    if args.losses and rank == 0:
        with open(args.losses, "w") as f:
            f.writelines(log)
    dist.barrier()  # no process exits while another one needs it
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
