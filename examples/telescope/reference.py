"""The program of main.go in Python, which prints the same numbers.

    python reference.py
    python reference.py --figures DIR  # with matplotlib
"""

import argparse
import math
import os
import time
from collections import deque

import numpy as np
import torch
import torch.nn.functional as F
from PIL import Image

here = os.path.dirname(os.path.abspath(__file__))


class Telescope:
    """An aperture that lets a disc of the Fourier transform through, and a camera behind it."""

    def __init__(self, size, radius, noise):
        self.size, self.radius, self.noise = size, radius, noise
        steps = torch.fft.fftfreq(size, 1 / size)
        self.y, self.x = steps.view(-1, 1), steps.view(1, -1)

    def place(self):
        u = torch.rand(2).tolist()
        far = (self.size / 2 - 1 - self.radius) * math.sqrt(u[0])
        return round(far * math.cos(2 * math.pi * u[1])), round(far * math.sin(2 * math.pi * u[1]))

    def mask(self, y, x):
        return ((self.y - y).square() + (self.x - x).square() <= self.radius**2).to(torch.float32)

    def amplitudes(self, image, masks):
        return torch.fft.ifft2(torch.fft.fft2(image, norm="ortho") * masks, norm="ortho").abs()

    def measure(self, image, mask):
        noise = torch.randn(self.size, self.size) * self.noise
        return (self.amplitudes(image.detach(), mask) + noise).clamp(min=0)


class MeasurementAgg:
    """The newest measurements, and how often each frequency was seen."""

    def __init__(self, size, limit):
        self.masks, self.seen = deque(maxlen=limit or None), deque(maxlen=limit or None)
        self.coverage = torch.zeros(size, size)

    def add(self, mask, seen):
        self.coverage += mask
        self.masks.append(mask)
        self.seen.append(seen)

    def stacked(self):
        return torch.stack(list(self.masks)), torch.stack(list(self.seen))


class LossAgg:
    """Running statistics of losses."""

    def __init__(self):
        self.n, self.mean, self.squares, self.min, self.max = 0, 0.0, 0.0, math.inf, -math.inf

    def add(self, loss):
        self.n += 1
        self.last, self.min, self.max = loss, min(self.min, loss), max(self.max, loss)
        before = loss - self.mean
        self.mean += before / self.n
        self.squares += before * (loss - self.mean)

    def std(self):
        return math.sqrt(self.squares / (self.n - 1)) if self.n > 1 else math.nan

    def __str__(self):
        return f"{self.n} losses: mean {self.mean:.6g}, std {self.std():.6g}, from {self.min:.6g} to {self.max:.6g}"


def draw(path, n, first, image, sky, coverage):
    import matplotlib.pyplot as plt

    fig, axes = plt.subplots(1, 4, figsize=(12, 3.3))
    coverage = torch.fft.fftshift(coverage)
    for ax, title, picture in zip(
        axes,
        ["before: one aperture", f"after: {n + 1} apertures", "the sky", "how often each frequency was seen"],
        [first, image.detach(), sky, coverage / coverage.max()],
    ):
        ax.set_title(title)
        ax.set_axis_off()
        ax.imshow(picture, cmap="gray", vmin=0, vmax=1)
    fig.savefig(path)
    plt.close(fig)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--samples", type=int, default=2000)
    p.add_argument("--every", type=int, default=100)
    p.add_argument("--history", type=int, default=8)
    p.add_argument("--size", type=int, default=128)
    p.add_argument("--radius", type=float, default=10)
    p.add_argument("--noise", type=float, default=0.002)
    p.add_argument("--lr", type=float, default=0.02)
    p.add_argument("--figures")
    p.add_argument("--seed", type=int, default=0)
    p.add_argument("--threads", type=int, default=1)
    p.add_argument("--losses", help="write seconds and loss of each sample to this file")
    p.add_argument("--bench", action="store_true")
    args = p.parse_args()

    torch.set_num_threads(args.threads)
    torch.manual_seed(args.seed)
    pixels = torch.from_numpy(np.array(Image.open(os.path.join(here, "sky.png"))))
    sky = pixels[:args.size, :args.size].to(torch.float32) / 255
    telescope = Telescope(args.size, args.radius, args.noise)
    measurements, losses = MeasurementAgg(args.size, args.history), LossAgg()
    mask = telescope.mask(0, 0)
    first = telescope.measure(sky, mask)
    measurements.add(mask, first)
    image = first.clone().requires_grad_()
    opt = torch.optim.SGD([image], lr=args.lr, momentum=0.9)

    start, log = time.perf_counter(), []
    for n in range(1, args.samples + 1):
        mask = telescope.mask(*telescope.place())
        measurements.add(mask, telescope.measure(sky, mask))
        masks, seen = measurements.stacked()
        loss = F.mse_loss(telescope.amplitudes(image, masks), seen, reduction="sum")
        opt.zero_grad()
        loss.backward()
        opt.step()
        losses.add(loss.item())
        log.append(f"{time.perf_counter() - start:.6f} {losses.last:.9g}\n")
        if n % args.every == 0:
            psnr = -10 * math.log10(F.mse_loss(image.detach(), sky).item())
            print(f"step {n} loss {losses.last:.6g} psnr {psnr:.2f}")
            if args.figures:
                draw(os.path.join(args.figures, f"sample_{n:05d}.png"), n, first, image, sky, measurements.coverage)
    took = time.perf_counter() - start
    print(losses)
    if args.losses:
        with open(args.losses, "w") as f:
            f.writelines(log)
    if args.bench:
        print(f"bench steps_per_s={args.samples / took:.2f}")


if __name__ == "__main__":
    main()
