"""The program of main.go in Python: four convolutions that enlarge pictures.

    python reference.py --epochs 1
"""

import argparse
import glob
import math
import time

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Net(nn.Module):
    def __init__(self, factor):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 64, 5, padding=2)
        self.conv2 = nn.Conv2d(64, 64, 3, padding=1)
        self.conv3 = nn.Conv2d(64, 32, 3, padding=1)
        self.conv4 = nn.Conv2d(32, factor**2, 3, padding=1)
        self.pixel_shuffle = nn.PixelShuffle(factor)
        gain = nn.init.calculate_gain("relu")
        for conv in (self.conv1, self.conv2, self.conv3):
            nn.init.orthogonal_(conv.weight, gain)
        nn.init.orthogonal_(self.conv4.weight)

    def forward(self, x):
        x = F.relu(self.conv1(x))
        x = F.relu(self.conv2(x))
        x = F.relu(self.conv3(x))
        return self.pixel_shuffle(self.conv4(x))


def read(path):
    """A picture's bytes (3, H, W)."""
    from PIL import Image

    with Image.open(path) as f:
        picture = f.convert("RGB")
    x = torch.frombuffer(bytearray(picture.tobytes()), dtype=torch.uint8)
    return x.view(picture.height, picture.width, 3).permute(2, 0, 1).contiguous()


def brightness(picture):
    weights = torch.tensor([0.299, 0.587, 0.114]).view(3, 1, 1)
    return (picture.float() * weights).sum(dim=0, keepdim=True) / 255


def made_up(crop):
    """A picture (1, 6 crop, 8 crop) of waves that get shorter to the right and to the bottom."""
    y, x = torch.arange(6 * crop).view(1, -1, 1), torch.arange(8 * crop)
    return torch.sin((y * x).float() / (10 * crop)) * 0.5 + 0.5


def open_pictures(args):
    """Pairs of small and large squares of all pictures; every eighth is for the test."""
    if args.data:
        pictures = [brightness(read(path)) for path in sorted(glob.glob(args.data))]
    else:
        pictures = [made_up(args.crop)]
    squares = []
    for picture in pictures:
        for y in range(0, picture.size(1) - args.crop + 1, args.crop):
            for x in range(0, picture.size(2) - args.crop + 1, args.crop):
                squares.append(picture[:, y : y + args.crop, x : x + args.crop])
    large = torch.stack(squares)
    small = F.interpolate(large, args.crop // args.upscale_factor, mode="bilinear", antialias=True)
    i = torch.arange(len(large)) % 8
    return (TensorDataset(small[mask], large[mask]) for mask in (i != 7, i == 7))


def ratio(model, tests):
    with torch.no_grad():
        return -sum(10 * math.log10(F.mse_loss(model(x), y).item()) for x, y in tests) / len(tests)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--data", help="pattern of names of pictures; without it a picture is generated")
    p.add_argument("--crop", type=int, default=96)
    p.add_argument("--upscale-factor", type=int, default=3)
    p.add_argument("--epochs", type=int, default=2)
    p.add_argument("--batch-size", type=int, default=64)
    p.add_argument("--test-batch-size", type=int, default=10)
    p.add_argument("--lr", type=float, default=0.01)
    p.add_argument("--save", help="save the trained model in this file")
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--threads", type=int, default=torch.get_num_threads())
    p.add_argument("--steps", type=int, default=-1, help="stop after this number of steps; -1: after the epochs")
    p.add_argument("--losses", help="write seconds and loss of each step to this file")
    args = p.parse_args()
    torch.set_num_threads(args.threads)
    torch.manual_seed(args.seed)

    learned, tested = open_pictures(args)
    loader = DataLoader(learned, args.batch_size, shuffle=True)
    tests = DataLoader(tested, args.test_batch_size)
    model = Net(args.upscale_factor)
    opt = torch.optim.Adam(model.parameters(), lr=args.lr)
    log = []
    for epoch in range(args.epochs):
        for x, y in loader:
            opt.zero_grad()
            loss = F.mse_loss(model(x), y)
            loss.backward()
            opt.step()
            log.append(f"{time.time():.6f} {loss.item():.9g}\n")
            if len(log) == args.steps:
                break
        print(f"epoch {epoch + 1}: loss {loss.item():.5f}, {ratio(model, tests):.2f} dB")
        if len(log) == args.steps:
            break
    if args.save:
        torch.save(model.state_dict(), args.save)
    if args.losses:
        with open(args.losses, "w") as f:
            f.writelines(log)


if __name__ == "__main__":
    main()
