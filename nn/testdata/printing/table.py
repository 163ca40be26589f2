import torch
from torch import nn

rows = torch.ones(5, 3)

ATTRIBUTES = True

MODULES = {
    "EmbeddingFromPretrained": nn.Embedding.from_pretrained(rows),
    "EmbeddingFromPretrained/all": nn.Embedding.from_pretrained(
        rows, freeze=False, padding_idx=-1, max_norm=1.5, norm_type=1.0, scale_grad_by_freq=True, sparse=True
    ),
    "EmbeddingBag": nn.EmbeddingBag(5, 3),
    "EmbeddingBag/all": nn.EmbeddingBag(
        5,
        3,
        max_norm=1.5,
        norm_type=1.0,
        scale_grad_by_freq=True,
        mode="sum",
        sparse=True,
        include_last_offset=True,
        padding_idx=-1,
    ),
    "EmbeddingBag/max": nn.EmbeddingBag(5, 3, mode="max"),
    "EmbeddingBagFromPretrained": nn.EmbeddingBag.from_pretrained(rows, mode="sum", freeze=False),
}
