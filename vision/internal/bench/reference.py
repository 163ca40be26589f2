"""The program of main.go in Python, with torchvision's model. It prints the same line."""

import argparse
import time

import torch
import torch.nn.functional as F
import torchvision
from torchvision.models import resnet18


def timed(n, fn):
    """Mean nanoseconds of n calls, after two calls to warm up."""
    fn()
    fn()
    start = time.perf_counter_ns()
    for _ in range(n):
        fn()
    return (time.perf_counter_ns() - start) // n


def measure(memory_format, n):
    torch.manual_seed(0)
    model = resnet18().to(memory_format=memory_format)
    opt = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    x = torch.randn(n, 3, 224, 224).to(memory_format=memory_format)
    target = torch.randint(0, 1000, (n,))

    def step():
        loss = F.cross_entropy(model(x), target)
        opt.zero_grad()
        loss.backward()
        opt.step()

    model.eval()
    with torch.no_grad():
        infer = timed(10, lambda: model(x))
    model.train()
    return infer, timed(5, step)


def measure_boxes():
    torch.manual_seed(0)
    corners = torch.rand(2000, 2) * 200
    boxes = torch.cat([corners, corners + torch.rand(2000, 2) * 60], 1)
    scores = torch.rand(2000)
    nms = timed(20, lambda: torchvision.ops.nms(boxes, scores, 0.5))

    x = torch.randn(2, 64, 64, 64, requires_grad=True)
    rois = torch.cat([torch.randint(0, 2, (500, 1)).float(), boxes[:500]], 1)

    def align():
        torchvision.ops.roi_align(x, rois, 7, 0.25, 2).sum().backward()
        x.grad = None

    align = timed(10, align)

    y = torch.randn(2, 16, 32, 32, requires_grad=True)
    offset, weight = torch.randn(2, 18, 30, 30), torch.randn(32, 16, 3, 3)

    def deform():
        torchvision.ops.deform_conv2d(y, offset, weight).sum().backward()
        y.grad = None

    deform = timed(10, deform)
    model = torchvision.models.detection.ssdlite320_mobilenet_v3_large(weights=None, weights_backbone=None,
                                                                       num_classes=10)
    model.eval()
    photo = torch.rand(3, 240, 320)
    with torch.no_grad():
        return nms, align, deform, timed(5, lambda: model([photo]))


parser = argparse.ArgumentParser()
parser.add_argument("--threads", type=int, default=torch.get_num_threads())
parser.add_argument("--images", type=int, default=4)
args = parser.parse_args()
torch.set_num_threads(args.threads)
infer, train = measure(torch.contiguous_format, args.images)
infer_last, train_last = measure(torch.channels_last, args.images)
nms, align, deform, detect = measure_boxes()
print(f"bench infer={infer} train={train} infer_channels_last={infer_last} train_channels_last={train_last} nms={nms} "
      f"roi_align={align} deform={deform} detect={detect}")
