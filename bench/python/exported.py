"""The Python side of the export.* rows of the benchmarks. It exports the programs that both
sides run."""

import os
import time

import torch
from torch import nn

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "build", "bench")


class GPT(nn.Module):
    """A small decoder: 4 layers of width 128 for 64 tokens."""

    def __init__(self, words=256, width=128, layers=4, heads=4, length=64):
        super().__init__()
        self.heads = heads
        self.words, self.places = nn.Embedding(words, width), nn.Embedding(length, width)
        self.blocks = nn.ModuleList(nn.ModuleDict({
            "n1": nn.LayerNorm(width), "qkv": nn.Linear(width, 3 * width), "out": nn.Linear(width, width),
            "n2": nn.LayerNorm(width), "up": nn.Linear(width, 4 * width), "down": nn.Linear(4 * width, width),
        }) for _ in range(layers))
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, words)

    def forward(self, x):
        b, n = x.shape
        h = self.words(x) + self.places(torch.arange(n))
        for m in self.blocks:
            q, k, v = m["qkv"](m["n1"](h)).view(b, n, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
            a = nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
            h = h + m["out"](a.transpose(1, 2).reshape(b, n, -1))
            h = h + m["down"](nn.functional.gelu(m["up"](m["n2"](h))))
        return self.head(self.norm(h))


def make(name):
    """Returns a module and its input."""
    torch.manual_seed(0)
    if name == "gpt":
        return GPT(), torch.arange(8 * 64).view(8, 64) % 256
    if name == "encoder":
        layer = nn.TransformerEncoderLayer(384, 12, 1536, activation="gelu", batch_first=True)
        return nn.TransformerEncoder(layer, 6, enable_nested_tensor=False).eval(), torch.ones(1, 32, 384)
    import torchvision

    return torchvision.models.resnet18(weights=None, num_classes=10), torch.ones(4, 3, 64, 64)


def prepare(name):
    """Returns the path of a program. Writes it if it does not exist."""
    path = os.path.join(FOLDER, f"export.{name}.pt2")
    if not os.path.exists(path):
        os.makedirs(FOLDER, exist_ok=True)
        module, x = make(name)
        torch.export.save(torch.export.export(module, (x,)), path)
    return path


def timed(step, iterations):
    for _ in range(iterations // 20 + 5):
        step()
    start = time.perf_counter_ns()
    for _ in range(iterations):
        step()
    return time.perf_counter_ns() - start


def train(name):
    def run(iterations):
        model = torch.export.load(prepare(name)).module()
        x = make(name)[1]
        opt = torch.optim.SGD(model.parameters(), lr=1e-3)

        def step():
            opt.zero_grad()
            loss = model(x).square().mean()
            loss.backward()
            opt.step()
            return loss.item()

        return timed(step, iterations)

    return run


def infer(name):
    def run(iterations):
        model = torch.export.load(prepare(name)).module()
        x = make(name)[1]
        with torch.inference_mode():
            return timed(lambda: model(x), iterations)

    return run


CASES = {
    "export.resnet18.train": train("resnet18"),
    "export.gpt.train": train("gpt"),
    "export.encoder.infer": infer("encoder"),
}
