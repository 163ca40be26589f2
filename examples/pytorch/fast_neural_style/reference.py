"""The program of main.go in Python: a network that redraws pictures in the style of another.

    python reference.py --width 0.25 --image-size 64
"""

import argparse
import glob
import time

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def conv(inputs, outputs, kernel, stride):
    """A convolution with reflection padding."""
    layer = nn.Sequential()
    layer.add_module("reflection_pad", nn.ReflectionPad2d(kernel // 2))
    layer.add_module("conv2d", nn.Conv2d(inputs, outputs, kernel, stride))
    return layer


class Residual(nn.Sequential):
    def __init__(self, n):
        super().__init__()
        self.conv1, self.in1 = conv(n, n, 3, 1), nn.InstanceNorm2d(n, affine=True)
        self.relu = nn.ReLU()
        self.conv2, self.in2 = conv(n, n, 3, 1), nn.InstanceNorm2d(n, affine=True)

    def forward(self, x):
        return super().forward(x) + x


def transformer(width):
    a, b, c = (int(n * width) for n in (32, 64, 128))
    m = nn.Sequential()

    def add(name, norm, inputs, outputs, kernel, stride):
        m.add_module(name, conv(inputs, outputs, kernel, stride))
        m.add_module(norm, nn.InstanceNorm2d(outputs, affine=True))
        m.add_module(name + "_relu", nn.ReLU())

    add("conv1", "in1", 3, a, 9, 1)
    add("conv2", "in2", a, b, 3, 2)
    add("conv3", "in3", b, c, 3, 2)
    for i in range(5):
        m.add_module(f"res{i + 1}", Residual(c))
    m.add_module("upsample1", nn.Upsample(scale_factor=2))
    add("deconv1", "in4", c, b, 3, 1)
    m.add_module("upsample2", nn.Upsample(scale_factor=2))
    add("deconv2", "in5", b, a, 3, 1)
    m.add_module("deconv3", conv(a, 3, 9, 1))
    return m


def gram(x):
    """The Gram matrices (N, C, C) of features (N, C, H, W)."""
    seen = x.flatten(2)
    return seen.bmm(seen.transpose(1, 2)) / (seen.size(1) * seen.size(2))


class Perception:
    """Compares pictures by the features of the first ten convolutions of VGG-16."""

    def __init__(self, path, width, style, device):
        if path:
            width = 1
        self.layers = nn.Sequential()
        inputs = 3
        for n in (64, 64, 0, 128, 128, 0, 256, 256, 256, 0, 512, 512, 512):
            if n == 0:
                self.layers.append(nn.MaxPool2d(2, 2))
                continue
            layer = nn.Conv2d(inputs, int(n * width), 3, padding=1)
            nn.init.kaiming_normal_(layer.weight)
            nn.init.zeros_(layer.bias)
            self.layers.append(layer).append(nn.ReLU(inplace=True))
            inputs = int(n * width)
        if path:
            prefix = "features."
            saved = {k.removeprefix(prefix): v for k, v in torch.load(path).items() if k.startswith(prefix)}
            self.layers.load_state_dict({k: saved[k] for k in self.layers.state_dict()})
        self.layers.requires_grad_(False).to(device)
        self.slices = [self.layers[:4], self.layers[4:9], self.layers[9:16], self.layers[16:23]]
        self.content = self.layers[:9]
        self.mean = torch.tensor([0.485, 0.456, 0.406], device=device).view(3, 1, 1)
        self.std = torch.tensor([0.229, 0.224, 0.225], device=device).view(3, 1, 1)
        self.style = []
        y = self.normalize(style.to(device))
        for part in self.slices:
            y = part(y)
            self.style.append(gram(y))

    def normalize(self, x):
        return (x / 255 - self.mean) / self.std

    def losses(self, model, x):
        """The content loss and the style loss of a model's drawings of x."""
        y = self.normalize(model(x))
        same = self.content(self.normalize(x))
        lacks = []
        for i, part in enumerate(self.slices):
            y = part(y)
            if i == 1:
                content = F.mse_loss(y, same)
            g = gram(y)
            lacks.append(F.mse_loss(g, self.style[i].expand_as(g)))
        return content, torch.stack(lacks).sum()


def read(path):
    """A picture's bytes (3, H, W)."""
    from PIL import Image

    with Image.open(path) as f:
        picture = f.convert("RGB")
    x = torch.frombuffer(bytearray(picture.tobytes()), dtype=torch.uint8)
    return x.view(picture.height, picture.width, 3).permute(2, 0, 1)


def write(path, picture):
    """Writes numbers (1, 3, H, W) as a file."""
    from PIL import Image

    x = picture[0].clamp(0, 255).to(torch.uint8).permute(1, 2, 0).contiguous()
    Image.frombytes("RGB", (x.size(1), x.size(0)), bytes(x.flatten().tolist())).save(path)


def axes(h, w):
    return torch.arange(3).view(3, 1, 1), torch.arange(h).view(1, h, 1), torch.arange(w).view(1, 1, w)


def wave(x):
    """Whole numbers as bytes that go from 255 down to 0 and up again."""
    return (x % 510 - 255).abs().to(torch.uint8)


def made_up_content(size):
    color, y, x = axes(3 * size, 4 * size)
    return wave(y * x // 16 + color * 170)


def made_up_style(size):
    _, y, x = axes(size, size)
    return wave(torch.cat([y * 40 + x * 4, x * 40 + y * 4, (x - y) * 24]))


def numbers(picture):
    return picture.contiguous().unsqueeze(0).float()


def open_squares(args):
    """All pictures as squares of bytes (N, 3, size, size), row by row."""
    size = args.image_size
    pictures = [read(path) for path in sorted(glob.glob(args.data))] if args.data else [made_up_content(size)]
    return torch.stack(
        [
            picture[:, y : y + size, x : x + size]
            for picture in pictures
            for y in range(0, picture.size(1) - size + 1, size)
            for x in range(0, picture.size(2) - size + 1, size)
        ]
    )


def open_style(args):
    picture = numbers(read(args.style_image) if args.style_image else made_up_style(args.image_size))
    if args.style_size > 0:
        picture = F.interpolate(picture, args.style_size, mode="bilinear", antialias=True)
    return picture


def open_content(args):
    if not args.content_image:
        return numbers(open_squares(args)[0])
    picture = numbers(read(args.content_image))
    if args.content_scale != 1:
        picture = F.interpolate(picture, scale_factor=1 / args.content_scale, mode="bilinear", antialias=True)
    return picture


def learn(args, model):
    seen = Perception(args.vgg, args.width, open_style(args), args.device)
    loader = DataLoader(TensorDataset(open_squares(args)), args.batch_size, shuffle=True)
    opt = torch.optim.Adam(model.parameters(), lr=args.lr)
    log = []
    for epoch in range(args.epochs):
        contents = styles = steps = 0
        for (x,) in loader:
            opt.zero_grad()
            content, style = seen.losses(model, x.to(args.device).float())
            content, style = content * args.content_weight, style * args.style_weight
            loss = content + style
            loss.backward()
            opt.step()
            contents, styles, steps = contents + content.item(), styles + style.item(), steps + 1
            log.append(f"{time.time():.6f} {loss.item():.9g}\n")
            if len(log) == args.steps:
                break
        print(f"epoch {epoch + 1}: content {contents / steps:.0f}, style {styles / steps:.0f}")
        if len(log) == args.steps:
            break
    if args.save:
        torch.save(model.state_dict(), args.save)
    if args.losses:
        with open(args.losses, "w") as f:
            f.writelines(log)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--data", help="pattern of names of pictures to learn from; without it one is generated")
    p.add_argument("--style-image", help="picture whose style is learned; without it a pattern is generated")
    p.add_argument("--style-size", type=int, default=0, help="side of the style's picture after resizing, in pixels")
    p.add_argument("--vgg", help="torchvision's file of VGG-16; without it VGG's weights are random")
    p.add_argument("--device", default="cpu")
    p.add_argument("--image-size", type=int, default=256)
    p.add_argument("--width", type=float, default=1.0)
    p.add_argument("--epochs", type=int, default=2)
    p.add_argument("--batch-size", type=int, default=4)
    p.add_argument("--lr", type=float, default=1e-3)
    p.add_argument("--content-weight", type=float, default=1e5)
    p.add_argument("--style-weight", type=float, default=1e10)
    p.add_argument("--save", help="save the trained network in this file")
    p.add_argument("--model", help="file of a trained network; skips the training")
    p.add_argument("--content-image", help="picture to redraw; without it the first square")
    p.add_argument("--content-scale", type=float, default=1.0)
    p.add_argument("--output-image", help="redraw --content-image into this PNG file")
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--threads", type=int, default=torch.get_num_threads())
    p.add_argument("--steps", type=int, default=-1, help="stop after this number of steps; -1: after the epochs")
    p.add_argument("--losses", help="write seconds and loss of each step to this file")
    args = p.parse_args()
    torch.set_num_threads(args.threads)
    torch.manual_seed(args.seed)

    model = transformer(args.width).to(args.device)
    if args.model:
        saved = torch.load(args.model)
        model.load_state_dict({k: v for k, v in saved.items() if ".running_" not in k})
    else:
        learn(args, model)
    if args.output_image:
        with torch.no_grad():
            write(args.output_image, model(open_content(args).to(args.device)).cpu())


if __name__ == "__main__":
    main()
