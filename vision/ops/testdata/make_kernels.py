"""Writes kernels.json: results and gradients of the operators that torchvision implements in C++."""

import itertools
import pathlib
import sys

import torch
import torchvision  # noqa: F401
from torchvision import ops

here = pathlib.Path(__file__).parent
sys.path.insert(0, str(here / "../../../torchtest"))
from goldens import write  # noqa: E402

torch.manual_seed(3)
nan = float("nan")


def boxes(n, size):
    b = torch.rand(n, 4) * size
    return torch.cat([b[:, :2], b[:, :2] + b[:, 2:] / 2], 1)


def nms(b, s, threshold):
    return dict(boxes=b, scores=s, threshold=threshold, keep=ops.nms(b, s, threshold))


many = boxes(120, 10)
ties = (torch.rand(120) * 10).floor()
odd = torch.tensor([[0, 0, 2, 2], [0, 0, nan, 2], [1, 1, 1, 1], [0, 0, 2, 2], [3, 3, 2, 2], [1, 1, 1, 1.]])
suppressed = [nms(many, torch.rand(120), t) for t in (0.1, 0.5, 0.9)]
suppressed += [nms(many.double(), ties.double(), 0.3), nms(many, ties, 0.3), nms(many, ties, 0.0),
               nms(many, ties, -1.0), nms(odd, torch.tensor([1, 3, 2, 5, 4, nan]), 0.5), nms(many[:0], ties[:0], 0.5)]

x = torch.randn(2, 12, 5, 6)
rois = torch.cat([torch.tensor([[0.], [1.], [1.], [0.], [0.], [1.], [0.]]), torch.tensor(
    [[0.3, 1.2, 9.1, 11.7], [2, 2, 17, 13], [-4, -3, 30, 8], [5, 5, 5, 5], [9, 8, 3, 2], [6.4, 0, 6.9, 13.9],
     [40, 40, 50, 50]])], 1)
weight = torch.randn(2000)
pooled = []


def pool(dtype, name, size, scale, ratio, aligned):
    in_ = x.to(dtype, copy=True).requires_grad_()
    args = dict(spatial_scale=scale)
    if "align" in name:
        args.update(sampling_ratio=ratio)
    if name == "roi_align":
        args.update(aligned=aligned)
    y = getattr(ops, name)(in_, rois.to(dtype), size, **args)
    (y * weight[: y.numel()].reshape(y.shape).to(dtype)).nan_to_num().sum().backward()
    pooled.append(dict(op=name, dtype=str(dtype)[6:], size=size, scale=scale, ratio=ratio, aligned=aligned, y=y,
                       grad=in_.grad))


for dtype in (torch.float32, torch.float64):
    for case in itertools.chain(
            itertools.product(["roi_align"], [[3, 2]], [0.4], [-1, 2], [False, True]),
            itertools.product(["ps_roi_align"], [[3, 2]], [0.4], [-1, 2], [True]),
            itertools.product(["roi_pool", "ps_roi_pool"], [[2, 3]], [0.5], [0], [False])):
        pool(dtype, *case)
for name in "roi_align", "ps_roi_align", "roi_pool", "ps_roi_pool":
    pool(torch.float16, name, [2, 3], 0.5, 2, True)

deformed = []
for dtype, (batch, groups, offsets, masked, bias, stride, padding, dilation) in itertools.product(
        (torch.float32, torch.float64),
        [(1, 1, 1, False, False, [1, 1], [0, 0], [1, 1]), (2, 2, 1, True, True, [2, 1], [1, 0], [1, 2]),
         (4, 1, 2, True, False, [1, 2], [1, 1], [1, 2]), (0, 1, 1, True, True, [1, 1], [0, 0], [1, 1])]):
    def leaf(*shape, by=1):
        return (torch.randn(shape) * by).to(dtype).requires_grad_()

    t = dict(input=leaf(batch, 4, 5, 4), weight=leaf(4, 4 // groups, 3, 2))
    h = (5 + 2 * padding[0] - (dilation[0] * 2 + 1)) // stride[0] + 1
    w = (4 + 2 * padding[1] - (dilation[1] * 1 + 1)) // stride[1] + 1
    t["offset"] = leaf(batch, 2 * offsets * 6, h, w, by=2)
    if masked:
        t["mask"] = leaf(batch, offsets * 6, h, w)
    if bias:
        t["bias"] = leaf(4)
    y = ops.deform_conv2d(**t, stride=stride, padding=padding, dilation=dilation)
    (y * weight[: y.numel()].reshape(y.shape).to(dtype)).sum().backward()
    deformed.append(dict(dtype=str(dtype)[6:], stride=stride, padding=padding, dilation=dilation, tensors=t, y=y,
                         grads={k: v.grad for k, v in t.items()}))
schemas = [str(torch._C._jit_get_schemas_for_operator("torchvision::" + n)[0]) for n in (
    "nms roi_align _roi_align_backward roi_pool _roi_pool_backward ps_roi_align _ps_roi_align_backward ps_roi_pool "
    "_ps_roi_pool_backward deform_conv2d _deform_conv2d_backward").split()]
write(here / "kernels.json", nms=suppressed, x=x, rois=rois, weight=weight, pooled=pooled, deformed=deformed,
      schemas=schemas)
