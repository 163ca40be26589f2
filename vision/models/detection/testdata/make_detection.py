"""Writes detection.json: the layouts, initial values and results of torchvision's models for detection.

    python make_detection.py                   # with torch 2.11 and torchvision 0.26
    python make_detection.py autocast          # writes only autocast.json: losses in mixed precision
    python make_detection.py ssd300_vgg16      # prints the tensors of a model, and the model, as they are hashed

"models" has for each model the number of its parameters, a hash of the names, shapes and dtypes of its
state dict, in order, and a hash of the printed model. "cases" has for models with options a hash of the
checksums of the initial values under a seed. For other values, which are the same on every processor, it
has losses with sums of the gradients, and detections, in double precision.
"""

import json
import pathlib
import re
import sys

import torch
import torchvision
from torchvision.models import detection

here = pathlib.Path(__file__).parent
sys.path.insert(0, str(here / "../../testdata"))
from make_models import crc, fill, hashed, layout  # noqa: E402

NAMES = torchvision.models.list_models(detection)
SMALL = {"num_classes": 4, "min_size": 64, "max_size": 96}
RCNN = SMALL | {"rpn_batch_size_per_image": 24, "box_batch_size_per_image": 16, "rpn_pre_nms_top_n_train": 60,
                "rpn_pre_nms_top_n_test": 60, "box_detections_per_img": 12}
PLAIN = SMALL | {"detections_per_img": 12, "topk_candidates": 40}

# Each case: model, options, factor of the last layers' parameters.
CASES = [
    ("retinanet_resnet50_fpn", PLAIN | {"score_thresh": 0.4}, 0.01),
    ("retinanet_resnet50_fpn_v2", PLAIN | {"score_thresh": 0.3}, 0.5),
    ("fcos_resnet50_fpn", PLAIN | {"score_thresh": 0.3}, 0.5),
    ("ssd300_vgg16", {"num_classes": 4, "detections_per_img": 12, "topk_candidates": 40}, 0.05),
    ("ssdlite320_mobilenet_v3_large", {"num_classes": 4, "detections_per_img": 12, "topk_candidates": 40}, 0.3),
    ("fasterrcnn_resnet50_fpn", RCNN, 0.01),
    ("fasterrcnn_resnet50_fpn_v2", RCNN, 0.02),
    ("fasterrcnn_mobilenet_v3_large_fpn", RCNN, 0.05),
    ("fasterrcnn_mobilenet_v3_large_320_fpn", RCNN | {"rpn_score_thresh": 0.3}, 0.05),
    ("maskrcnn_resnet50_fpn", RCNN, 0.01),
    ("maskrcnn_resnet50_fpn_v2", RCNN | {"box_detections_per_img": 4}, 0.02),
    ("keypointrcnn_resnet50_fpn", RCNN | {"num_classes": 2, "num_keypoints": 5, "min_size": [48, 64],
                                          "box_detections_per_img": 2, "box_batch_size_per_image": 8}, 0.01),
]
LAST = re.compile("cls_logits|cls_score|bbox|module_list|mask_fcn_logits|kps_score")


def build(name, options):
    return torchvision.models.get_model(name, weights=None, weights_backbone=None, **options)


def images():
    def image(h, w, k):
        return ((torch.arange(3 * h * w) * k % 101).double() / 101).reshape(3, h, w)

    return [image(48, 64, 37), image(60, 40, 23)]


def targets(options):
    def one(boxes, labels, h, w):
        t = dict(boxes=torch.tensor(boxes).double(), labels=torch.tensor(labels).clamp(max=options["num_classes"] - 1))
        t["masks"] = torch.zeros(len(boxes), h, w, dtype=torch.uint8)
        for m, (x1, y1, x2, y2) in zip(t["masks"], boxes):
            m[int(y1) + 1:int(y2), int(x1):int(x2)] = 1
        n = options.get("num_keypoints", 5)
        x1, y1, x2, y2 = t["boxes"].float()[:, None].unbind(-1)
        at = torch.arange(n) / (n - 1)
        t["keypoints"] = torch.stack([x1 + (x2 - x1) * at, y1 + (y2 - y1) * at.flip(0),
                                      (torch.arange(n) % 3 > 0).float().expand(len(boxes), n)], 2)
        return t

    return [one([[4., 6., 30., 40.], [20., 10., 60., 45.]], [1, 3], 48, 64), one([[5., 5., 35., 50.]], [2], 60, 40)]


def case(name, options, factor):
    torch.manual_seed(0)
    model = build(name, options)
    sums = [crc(v) for v in model.state_dict().values()]
    c = dict(model=name, options=options, factor=factor, crc=hashed(" ".join(map(str, sums))))
    model.double()
    fill(model)
    with torch.no_grad():
        for n, p in model.named_parameters():
            if LAST.search(n):
                p *= factor
    model.train()
    torch.manual_seed(1)
    losses = model(images(), targets(options))
    sum(losses.values()).backward()
    c["losses"] = [[k, v.item()] for k, v in losses.items()]
    c["grads"] = [p.grad.abs().sum().item() for p in model.parameters()]
    model.eval()
    with torch.no_grad():
        found = model(images())
    c["found"] = [{k: (v.flatten().tolist() if k != "masks" else v.sum((1, 2, 3)).tolist()) for k, v in d.items()}
                  for d in found]
    print(name, {k: round(v.item(), 4) for k, v in losses.items()}, file=sys.stderr)
    for d in found:
        print("  ", len(d["scores"]), d["scores"][:12].tolist(), d["labels"].tolist(), file=sys.stderr)
    return c


def write_autocast():
    """Losses of an SSDlite in mixed precision, with objects far from the origin, where rounding is coarse."""
    name, options, factor = next(c for c in CASES if c[0].startswith("ssdlite"))
    model = build(name, options)
    fill(model)
    with torch.no_grad():
        for n, p in model.named_parameters():
            if LAST.search(n):
                p *= factor
    model.train()
    wanted = [dict(boxes=torch.tensor([[37., 27., 63., 47.]]), labels=torch.tensor([1])),
              dict(boxes=torch.tensor([[23., 32., 39., 59.]]), labels=torch.tensor([2]))]
    with torch.autocast("cpu"):
        losses = model([x.float() for x in images()], wanted)
    with open(here / "autocast.json", "w") as f:
        values = [[k, v.item()] for k, v in losses.items()]
        f.write(json.dumps(dict(model=name, options=options, factor=factor, losses=values)) + "\n")


def main():
    if sys.argv[1:] == ["autocast"]:
        return write_autocast()
    if sys.argv[1:] and sys.argv[1] in NAMES:
        with torch.device("meta"):
            model = build(sys.argv[1], {})
        return print(layout(model) + str(model))
    models = {}
    for n in NAMES:
        with torch.device("meta"):
            m = build(n, {})
        models[n] = dict(parameters=sum(p.numel() for p in m.parameters()), layout=hashed(layout(m)),
                         printed=hashed(str(m)))
    weights = [dict(name=str(w), model=n, file=w.url.split("/")[-1], default=w is type(w).DEFAULT,
                    numClasses=len(w.meta["categories"])) for n in NAMES
               for w in torchvision.models.get_model_weights(n)]
    write_autocast()
    cases = [case(*c) for c in CASES if not sys.argv[1:] or re.search(sys.argv[1], c[0])]
    with open(here / "detection.json", "w") as f:
        f.write('{"models": %s,\n"weights": %s,\n"cases": [\n' % (json.dumps(models), json.dumps(weights)))
        f.write(",\n".join(json.dumps(c) for c in cases) + "\n]}\n")


if __name__ == "__main__":
    main()
