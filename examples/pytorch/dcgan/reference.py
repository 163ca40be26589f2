"""The program of main.go in Python: a generator of images against a discriminator.

    python reference.py --data "$(../../../scripts/get_fashion_mnist.sh)" --epochs 1 --ngf 16 --ndf 16
"""

import argparse
import gzip
import time

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

def generator(nz, ngf):
    layers, n = [nn.ConvTranspose2d(nz, 8 * ngf, 4, bias=False)], 8 * ngf
    while n > ngf:
        layers += [nn.BatchNorm2d(n), nn.ReLU(True), nn.ConvTranspose2d(n, n // 2, 4, 2, 1, bias=False)]
        n //= 2
    layers += [nn.BatchNorm2d(ngf), nn.ReLU(True), nn.ConvTranspose2d(ngf, 1, 4, 2, 1, bias=False), nn.Tanh()]
    return nn.Sequential(*layers).apply(initial)


def discriminator(ndf):
    layers, n = [nn.Conv2d(1, ndf, 4, 2, 1, bias=False), nn.LeakyReLU(0.2, True)], ndf
    while n < 8 * ndf:
        layers += [nn.Conv2d(n, 2 * n, 4, 2, 1, bias=False), nn.BatchNorm2d(2 * n), nn.LeakyReLU(0.2, True)]
        n *= 2
    layers += [nn.Conv2d(8 * ndf, 1, 4, bias=False), nn.Sigmoid()]
    return nn.Sequential(*layers).apply(initial)


def initial(m):
    if isinstance(m, (nn.Conv2d, nn.ConvTranspose2d)):
        nn.init.normal_(m.weight, 0.0, 0.02)
    elif isinstance(m, nn.BatchNorm2d):
        nn.init.normal_(m.weight, 1.0, 0.02)
        nn.init.zeros_(m.bias)


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


def resized(images):
    return F.interpolate(images.float().div_(255).sub_(0.5).div_(0.5), 64, mode="bilinear")


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--data", help="folder with the four files of MNIST, or of Fashion-MNIST")
    p.add_argument("--examples", type=int, default=4096, help="number of generated images without --data")
    p.add_argument("--device", default="cpu")
    p.add_argument("--epochs", type=int, default=25)
    p.add_argument("--batch-size", type=int, default=64)
    p.add_argument("--nz", type=int, default=100)
    p.add_argument("--ngf", type=int, default=64)
    p.add_argument("--ndf", type=int, default=64)
    p.add_argument("--lr", type=float, default=0.0002)
    p.add_argument("--beta1", type=float, default=0.5)
    p.add_argument("--save", help="save the generator in this file")
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--threads", type=int, default=torch.get_num_threads())
    p.add_argument("--steps", type=int, default=-1, help="stop after this number of steps; -1: after the epochs")
    p.add_argument("--losses", help="write seconds and loss of each step to this file")
    args = p.parse_args()
    torch.set_num_threads(args.threads)
    torch.manual_seed(args.seed)

    images = load(args.data, "train") if args.data else made_up(1, args.examples)
    loader = DataLoader(images, args.batch_size, shuffle=True)
    net_g = generator(args.nz, args.ngf).to(args.device)
    net_d = discriminator(args.ndf).to(args.device)

    def noise(n):
        return torch.randn(n, args.nz, 1, 1, device=args.device)

    def judge(images, real):
        said = net_d(images).view(-1)
        loss = F.binary_cross_entropy(said, torch.full_like(said, real))
        loss.backward()
        return loss.detach()

    # Main.go draws this noise for its samples. Draw it here too, so that later random
    # numbers are the same.
    noise(32)
    opt_d = torch.optim.Adam(net_d.parameters(), lr=args.lr, betas=(args.beta1, 0.999))
    opt_g = torch.optim.Adam(net_g.parameters(), lr=args.lr, betas=(args.beta1, 0.999))
    log = []
    for epoch in range(args.epochs):
        for images, _ in loader:
            net_d.zero_grad()
            images = resized(images.to(args.device))
            loss_real = judge(images, 1.0)
            drawn = net_g(noise(len(images)))
            loss_d = (loss_real + judge(drawn.detach(), 0.0)).item()
            opt_d.step()

            net_g.zero_grad()
            loss_g = judge(drawn, 1.0).item()
            opt_g.step()
            log.append(f"{time.time():.6f} {loss_d + loss_g:.9g}\n")
            if len(log) == args.steps:
                break
        print(f"epoch {epoch + 1}: discriminator's loss {loss_d:.4f}, generator's loss {loss_g:.4f}")
        if len(log) == args.steps:
            break
    if args.save:
        torch.save(net_g.state_dict(), args.save)
    if args.losses:
        with open(args.losses, "w") as f:
            f.writelines(log)


if __name__ == "__main__":
    main()
