"""Writes models.json: the layouts, initial values and results of torchvision's models for
segmentation, and weights.json: the files of weights and the results of their preprocessing.

    python make_models.py              # with torch 2.11 and torchvision 0.26
    python make_models.py fcn_resnet50 # prints the tensors of a model, and the model, as they are hashed

The files are like those of ../../testdata/make_models.py, whose functions this script uses. Results
are the scores of four pixels in each of four rows.
"""

import json
import pathlib
import sys

import torch
import torchvision
from torch import nn

here = pathlib.Path(__file__).parent
sys.path.insert(0, str(here.parent.parent / "testdata"))

from make_models import crc, digits, dropped, fill, hashed, images, layout, probe  # noqa: E402

module = torchvision.models.segmentation
TRAIN, THOROUGH = "train", "thorough"

# Each case: model, options, height and width of images, whether to train, whether only in thorough runs.
CASES = [
    ("fcn_resnet50", {"num_classes": 5, "aux_loss": True}, 32, TRAIN),
    ("deeplabv3_resnet50", {"num_classes": 3}, 32, ""),
    # Images large enough for the smallest dilation.
    ("deeplabv3_mobilenet_v3_large", {"num_classes": 4, "aux_loss": True}, 208, TRAIN),
    ("lraspp_mobilenet_v3_large", {}, 64, TRAIN),
    # Large models.
    ("fcn_resnet50", {}, 64, THOROUGH),
    ("fcn_resnet101", {"aux_loss": True}, 32, THOROUGH + TRAIN),
    ("deeplabv3_resnet50", {"aux_loss": True}, 104, THOROUGH + TRAIN),
    ("deeplabv3_resnet101", {"aux_loss": True}, 32, THOROUGH),
    ("deeplabv3_mobilenet_v3_large", {}, 64, THOROUGH),
]


def build(name, options):
    return torchvision.models.get_model(name, weights=None, weights_backbone=None, **options)


def some(y):
    return {k: v[:, :, ::v.shape[2] // 4, ::v.shape[3] // 4].flatten().tolist() for k, v in y.items()}


def case(name, options, size, what):
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
        c["eval"] = some(model(x))
    if TRAIN in what:
        classes = options.get("num_classes", 21)
        masks = (torch.arange(2 * size * size) % classes).reshape(2, size, size)
        model.train()
        torch.manual_seed(1)
        y = model(x)
        loss = nn.functional.cross_entropy(y["out"], masks)
        if "aux" in y:
            loss = loss + 0.5 * nn.functional.cross_entropy(y["aux"], masks)
        loss.backward()
        c["train"] = some(y)
        if THOROUGH not in what:
            c["grads"] = [[p.grad.sum().item(), p.grad.abs().sum().item()] for p in model.parameters()]
        model.eval()
        with torch.no_grad():
            c["after"] = some(model(x))
    return c


def weights():
    image = (torch.arange(3 * 40 * 60) * 37 % 251).to(torch.uint8).reshape(3, 40, 60)
    for name in torchvision.models.list_models(module):
        for w in torchvision.models.get_model_weights(name):
            t = w.transforms()
            y = t(image)
            with torch.device("meta"):
                state = build(name, {"aux_loss": True} if "lraspp" not in name else {})
            parameters = sum(p.numel() for p in state.parameters())
            assert parameters == w.meta["num_params"], name
            yield dict(name=str(w), model=name, file=w.url.split("/")[-1], default=w is type(w).DEFAULT,
                       auxLoss="lraspp" not in name, resizeSize=t.resize_size[0], interpolation=t.interpolation.value,
                       mean=t.mean, std=t.std, categories=w.meta["categories"], shape=list(y.shape),
                       result=y.double().mean((1, 2)).tolist())


def main():
    with torch.device("meta"):
        if len(sys.argv) > 1:
            model = build(sys.argv[1], {"aux_loss": True} if "lraspp" not in sys.argv[1] else {})
            return print(layout(model) + str(model))
        metas = {n: build(n, {"aux_loss": True} if "lraspp" not in n else {})
                 for n in torchvision.models.list_models(module)}
    models = {n: dict(parameters=sum(p.numel() for p in m.parameters()), layout=hashed(layout(m)),
                      printed=hashed(str(m)))
              for n, m in metas.items()}
    cases = []
    for n, options, size, what in CASES:
        print(n, options, file=sys.stderr, flush=True)
        cases.append(case(n, options, size, what))
    with open(here / "models.json", "w") as f:
        f.write('{"probe": %s, "dropped": %d,\n"models": %s,\n"cases": [\n'
                % (json.dumps(probe()), dropped(), json.dumps(models)))
        f.write(",\n".join(json.dumps(c) for c in cases) + "\n]}\n")
    with open(here / "weights.json", "w") as f:
        f.write('{"rows": [\n' + ",\n".join(map(json.dumps, weights())) + "\n]}\n")


if __name__ == "__main__":
    main()
