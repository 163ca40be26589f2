"""Writes boxes.json: results and gradients of the functions of torchvision.ops on boxes and masks, and of
the layers without initial values."""

import pathlib
import sys
from collections import OrderedDict

import torch
from torch import nn
from torchvision import ops
from torchvision.ops.feature_pyramid_network import LastLevelMaxPool, LastLevelP6P7

here = pathlib.Path(__file__).parent
sys.path.insert(0, str(here / "../../../torchtest"))
from goldens import write  # noqa: E402

torch.manual_seed(4)


def boxes(n, size=20.0):
    b = torch.rand(n, 4) * size
    return torch.cat([b[:, :2], b[:, :2] + 1 + b[:, 2:] / 2], 1)


a, b = boxes(5), boxes(4)
pairs = torch.stack([boxes(6), boxes(6)])
pairs[1, 0] = pairs[0, 0]
rotated = torch.tensor([[3, 4, 5, 2, 30], [10, 12, 4, 8, -75], [5, 6, 7, 8, 0.]])
corners = ops.box_convert(rotated, "cxcywhr", "xyxyxyxy")
many = boxes(1010, 200).round()
masks = torch.zeros(3, 5, 6)
masks[0, 1:3, 2:5] = 1
masks[2, 4, 0] = 0.5
logits, classes = torch.randn(4, 3) * 3, (torch.rand(4, 3) > 0.7).float()
volume = torch.randn(2, 3, 6, 7, 5)

results = {}
for name, x in dict(float=a, double=a.double(), half=a.half(), int=(a * 3).int(), byte=(a * 3).byte()).items():
    for f in ("xyxy", "xywh", "cxcywh"):
        results[f"area {name} {f}"] = ops.box_area(x, f)
        if name != "half":
            results[f"iou {name} {f}"] = ops.box_iou(x, x[1:], f)
        for g in ("xyxy", "xywh", "cxcywh"):
            results[f"convert {name} {f} {g}"] = ops.box_convert(x, f, g)
    for f in "generalized_box_iou", "distance_box_iou", "complete_box_iou":
        if name not in ("half", "byte"):
            results[f"{f} {name}"] = getattr(ops, f)(x, x[1:])
for name, x in dict(float=rotated, int=rotated.int()).items():
    for f, v in dict(cxcywhr=x, xywhr=x, xyxyxyxy=corners.to(x.dtype)).items():
        for g in ("xywhr", "cxcywhr", "xyxyxyxy"):
            results[f"convert {name} {f} {g}"] = ops.box_convert(v, f, g)
results["batched"] = ops.batched_nms(a, torch.arange(5.0), torch.tensor([0, 1, 0, 1, 0]), 0.01)
scores, kinds = torch.rand(1010).half().float(), torch.randint(0, 3, (1010,))
results["batched many"] = ops.batched_nms(many, scores, kinds, 0.2)
results["small"] = ops.remove_small_boxes(a, 5)
results["clip"] = ops.clip_boxes_to_image(torch.stack([a - 5, a]), (12, 15))
results["masks"] = ops.masks_to_boxes(masks)
results["none"] = ops.masks_to_boxes(masks[:0])

losses = {}


def loss(name, fn, *args, **kwargs):
    args = [x.clone().requires_grad_() for x in args]
    y = fn(*args, **kwargs)
    (y * torch.arange(1.0, y.numel() + 1).reshape(y.shape)).sum().backward()
    losses[name] = dict(y=y, grads=[x.grad for x in args])


for name in "generalized_box_iou_loss", "distance_box_iou_loss", "complete_box_iou_loss":
    for reduction in "none", "mean", "sum":
        loss(f"{name} {reduction}", getattr(ops, name), pairs[0], pairs[1], reduction=reduction)
    loss(f"{name} eps", getattr(ops, name), pairs[0], pairs[1], eps=0.1)
for reduction in "none", "mean", "sum":
    loss(f"focal {reduction}", lambda x: ops.sigmoid_focal_loss(x, classes, reduction=reduction), logits)
loss("focal alpha", lambda x: ops.sigmoid_focal_loss(x, classes, alpha=-1, gamma=1.5), logits)
for p in (0.3, 0.6):
    torch.manual_seed(5)
    loss(f"drop2d {p}", lambda x: ops.drop_block2d(x, p, 3), volume[0])
    torch.manual_seed(5)
    loss(f"drop3d {p}", lambda x: ops.drop_block3d(x, p, 3), volume)

torch.manual_seed(6)
pyramid = OrderedDict(feat0=torch.randn(1, 4, 9, 12), feat1=torch.randn(1, 6, 5, 6), feat2=torch.randn(1, 8, 3, 3))
layers = {}
for name, make in {
    "plain": lambda: ops.FeaturePyramidNetwork([4, 6, 8], 5),
    "pool": lambda: ops.FeaturePyramidNetwork([4, 6, 8], 5, LastLevelMaxPool(), nn.BatchNorm2d),
    "p6p7": lambda: ops.FeaturePyramidNetwork([4, 6, 8], 5, LastLevelP6P7(5, 5)),
    "c5": lambda: ops.FeaturePyramidNetwork([4, 6, 8], 5, LastLevelP6P7(8, 5)),
}.items():
    torch.manual_seed(0)
    layer = make()
    y = layer(OrderedDict(pyramid))
    sum((v * v).sum() for v in y.values()).backward()
    layers[name] = dict(printed=str(layer), names=list(layer.state_dict()), outputs=list(y), y=list(y.values()),
                        grads=[p.grad.sum() for p in layer.parameters()])
regions = [boxes(3, 60) * 4, boxes(2, 30) * 2, boxes(1)]
maps = OrderedDict(a=torch.randn(3, 1, 32, 40), b=torch.randn(3, 1, 16, 20), x=torch.randn(3, 1, 5, 5),
                   c=torch.randn(3, 1, 8, 10))
pooler = ops.MultiScaleRoIAlign(["a", "b", "c"], 2, 2, canonical_scale=30, canonical_level=3)
pooled = pooler(maps, regions, [(128, 160), (100, 110), (90, 160)])
single = ops.MultiScaleRoIAlign(["b"], (2, 3), 1)(maps, regions, [(128, 160)] * 3)
torch.manual_seed(0)
frozen = ops.FrozenBatchNorm2d(4, eps=1e-3)
for v in frozen.buffers():
    v.copy_(torch.rand(4) + 0.5)
printed = [str(v) for v in (
    frozen, pooler, ops.RoIAlign(7, 0.25, 2), ops.RoIAlign((7, 6), 1.0, -1, aligned=True), ops.RoIPool(3, 0.5),
    ops.PSRoIAlign(3, 0.5, 2), ops.PSRoIPool((3, 2), 1.0), ops.DropBlock2d(0.2, 3),
    ops.DropBlock3d(0.5, 5, inplace=True), ops.DeformConv2d(4, 6, 3),
    ops.DeformConv2d(4, 6, (3, 2), (2, 1), 1, (1, 2), 2, bias=False))]
torch.manual_seed(0)
deform = ops.DeformConv2d(4, 6, (3, 2), groups=2)
write(here / "boxes.json", a=a, pairs=pairs, rotated=rotated, corners=corners, many=many, scores=scores, kinds=kinds,
      masks=masks, logits=logits, classes=classes, volume=volume, results=results, losses=losses, layers=layers,
      maps=dict(maps), pyramid=dict(pyramid), regions=regions, pooled=pooled, single=single,
      frozen=frozen(volume.reshape(3, 4, 5, 21)),
      frozenValues=list(frozen.buffers()), printed=printed, deform=list(deform.parameters()))
