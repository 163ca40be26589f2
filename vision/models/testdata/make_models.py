"""Writes models.json: the layouts, initial values and results of torchvision's models.

    python make_models.py              # with torch 2.11 and torchvision 0.26
    python make_models.py resnet18     # prints the tensors of a model, and the model, as they are hashed

"models" has for each model the number of its parameters, a hash of the names, shapes and
dtypes of its state dict, in order, and a hash of the printed model.

"cases" has models with options. For the initial values under a seed, it has their checksums and
a hash of all checksums. For other values, which are the same on every processor, it has results
in double precision: in evaluation mode, of a training step with sums of the gradients, and in
evaluation mode after that step.

"probe" has checksums of random numbers. They show whether another processor draws the same
numbers, to the last bit. "dropped" shows whether it drops the same elements.
"""

import hashlib
import json
import math
import pathlib
import sys
import zlib

import torch
import torchvision
from torch import nn
from torchvision.models.vision_transformer import ConvStemConfig

TRAIN, THOROUGH = "train", "thorough"
PREFIXES = "alexnet convnext densenet efficientnet mobilenet resnet resnext squeezenet vgg vit wide".split()
NAMES = [n for n in torchvision.models.list_models(torchvision.models) if n.startswith(tuple(PREFIXES))]

# Each case: model, options, height and width of images, whether to train, whether only in thorough runs.
CASES = [
    ("convnext_tiny", {"layer_scale": 0.5}, 64, TRAIN),
    ("densenet121", {}, 64, TRAIN),
    ("densenet121", {"bn_size": 2, "drop_rate": 0.3, "num_classes": 5}, 64, TRAIN),
    ("efficientnet_b0", {}, 64, TRAIN),
    ("efficientnet_b0", {"stochastic_depth_prob": 0.6, "dropout": 0.5, "num_classes": 5}, 64, TRAIN),
    ("efficientnet_v2_s", {}, 64, ""),
    ("mobilenet_v2", {}, 64, TRAIN),
    ("mobilenet_v2", {"width_mult": 0.35, "round_nearest": 4, "dropout": 0.1, "num_classes": 5,
                      "inverted_residual_setting": [[1, 16, 1, 1], [6, 24, 2, 2]]}, 32, TRAIN),
    ("mobilenet_v3_small", {}, 64, TRAIN),
    ("mobilenet_v3_small", {"width_mult": 0.75, "reduced_tail": True, "dilated": True, "num_classes": 5}, 64, ""),
    ("mobilenet_v3_large", {}, 64, ""),
    ("resnet18", {}, 64, TRAIN),
    ("resnet18", {"zero_init_residual": True, "num_classes": 5, "norm_layer": "group"}, 32, TRAIN),
    ("resnet50", {"replace_stride_with_dilation": [False, True, True], "groups": 2, "width_per_group": 32}, 32, ""),
    ("resnext50_32x4d", {}, 64, ""),
    ("squeezenet1_0", {}, 64, ""),
    ("squeezenet1_1", {"dropout": 0.2}, 64, TRAIN),
    ("vit_b_32", {"image_size": 64, "dropout": 0.1, "attention_dropout": 0.1}, 64, TRAIN),
    # Large models.
    ("alexnet", {}, 64, THOROUGH + TRAIN),
    ("vgg11_bn", {}, 32, THOROUGH + TRAIN),
    ("vgg11", {"init_weights": False, "dropout": 0.1}, 32, THOROUGH + TRAIN),
    ("vit_b_32", {"image_size": 64, "representation_size": 16, "num_classes": 5,
                  "conv_stem_configs": [[8 << i, 3, 2] for i in range(5)]}, 64, THOROUGH + TRAIN),
]
PLAIN = {name for name, options, _, _ in CASES if not options}
CASES += [(n, {"image_size": 112 if n == "vit_h_14" else 64} if n.startswith("vit") else {},
           112 if n == "vit_h_14" else 64, THOROUGH) for n in NAMES if n not in PLAIN]


def build(name, options):
    options = dict(options)
    if "norm_layer" in options:
        options["norm_layer"] = lambda channels: nn.GroupNorm(8, channels)
    if "conv_stem_configs" in options:
        options["conv_stem_configs"] = [ConvStemConfig(*c) for c in options["conv_stem_configs"]]
    return torchvision.models.get_model(name, weights=None, **options)


def layout(model):
    return "".join(f"{k} {list(v.shape)} {str(v.dtype).removeprefix('torch.')}\n"
                   for k, v in model.state_dict().items())


def hashed(text):
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def crc(t):
    return zlib.crc32(t.detach().numpy().tobytes())


def probe():
    """Checksums of draws from every distribution that initializes the models."""
    torch.manual_seed(7)
    draws = [torch.empty(5000).normal_(0, 0.02), torch.empty(7).normal_(), torch.empty(5000).uniform_(-0.3, 0.7)]
    draws.append(nn.init.trunc_normal_(torch.empty(5000), std=0.02))
    return [crc(d) for d in draws]


def dropped():
    torch.manual_seed(7)
    return crc(nn.functional.dropout(torch.ones(1000).double(), 0.3))


def images(size):
    n = 2 * 3 * size * size
    return ((torch.arange(n) * 37 % 101).double() / 101 - 0.5).reshape(2, 3, size, size)


@torch.no_grad()
def fill(model):
    """Sets parameters to values that are not random, as large as the usual initial values."""
    for i, (name, p) in enumerate(model.named_parameters()):
        n = p.numel()
        u = ((torch.arange(n) * 7919 + 11 * i) % 10007).double() / 10007 - 0.5
        if p.dim() > 1:
            u *= math.sqrt(24 / (n // len(p)))
        else:
            u /= 4
            if name.endswith("weight"):
                u += 1
        p.copy_(u.reshape(p.shape))


def digits(x):
    return float(f"{x:.6g}")


def case(name, options, size, what):
    options = {"num_classes": 10} | options
    torch.manual_seed(0)
    model = build(name, options)
    values = list(model.state_dict().values())
    sums = [crc(v) for v in values]
    c = dict(model=name, options=options, size=size, layout=hashed(layout(model)), crc=hashed(" ".join(map(str, sums))))
    if THOROUGH in what:
        c["thorough"] = True
    else:
        c |= dict(crcs=sums, sums=[digits(v.double().abs().sum().item()) for v in values])
    del values
    model.double()
    fill(model)
    x = images(size)
    model.eval()
    with torch.no_grad():
        c["eval"] = model(x).flatten().tolist()
    if TRAIN in what:
        model.train()
        torch.manual_seed(1)
        out = model(x)
        nn.functional.cross_entropy(out, torch.tensor([1, 3])).backward()
        c["train"] = out.flatten().tolist()
        c["grads"] = [[p.grad.sum().item(), p.grad.abs().sum().item()] for p in model.parameters()]
        model.eval()
        with torch.no_grad():
            c["after"] = model(x).flatten().tolist()
    return c


def main():
    with torch.device("meta"):
        if len(sys.argv) > 1:
            model = build(sys.argv[1], {})
            return print(layout(model) + str(model))
        metas = {n: build(n, {}) for n in NAMES}
    models = {n: dict(parameters=sum(p.numel() for p in m.parameters()), layout=hashed(layout(m)),
                      printed=hashed(str(m)))
              for n, m in metas.items()}
    cases = []
    for n, options, size, what in CASES:
        print(n, options, file=sys.stderr, flush=True)
        cases.append(case(n, options, size, what))
    with open(pathlib.Path(__file__).parent / "models.json", "w") as f:
        f.write('{"probe": %s, "dropped": %d,\n"models": %s,\n"cases": [\n'
                % (json.dumps(probe()), dropped(), json.dumps(models)))
        f.write(",\n".join(json.dumps(c) for c in cases) + "\n]}\n")


if __name__ == "__main__":
    main()
