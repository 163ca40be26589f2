"""Writes script.pt and program.pt2, which call torchvision's operators."""

import pathlib

import torch
from torch import nn
from torchvision import ops

here = pathlib.Path(__file__).parent


class Best(nn.Module):
    def forward(self, boxes, scores):
        return boxes[ops.nms(boxes, scores, 0.5)]


class Pool(nn.Module):
    def forward(self, x, rois):
        return ops.roi_align(x, rois, 2, 0.5, 1)


torch.jit.script(Best()).save(here / "script.pt")

program = torch.export.export(Pool(), (torch.zeros(1, 1, 4, 4), torch.zeros(2, 5)))
for node in program.graph.nodes:
    if trace := node.meta.get("stack_trace"):  # without the folders of this machine
        node.meta["stack_trace"] = trace.replace(str(here.resolve()) + "/", "")
torch.export.save(program, here / "program.pt2")
