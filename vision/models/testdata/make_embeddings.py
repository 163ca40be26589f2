"""Writes embeddings.json: position embeddings of a Vision Transformer, resized."""

import pathlib
import sys

import torch
from torchvision.models.vision_transformer import interpolate_embeddings

here = pathlib.Path(__file__).parent
sys.path.insert(0, str(here / "../../../torchtest"))
from goldens import write  # noqa: E402

torch.manual_seed(0)
old = torch.randn(1, 10, 4)
new = {}
for mode in ["bicubic", "bilinear"]:
    for size in [4, 6, 8]:
        state = {"encoder.pos_embedding": old, "heads.head.weight": torch.zeros(2, 4)}
        state = interpolate_embeddings(size, 2, state, mode, True)
        new[f"{mode} {size}"] = dict(value=state["encoder.pos_embedding"], names=list(state))
write(here / "embeddings.json", old=old, new=new)
