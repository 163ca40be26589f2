import torch
from torch import nn

MODULES = {
    "CrossEntropyLoss": nn.CrossEntropyLoss(),
    "CrossEntropyLoss/all": nn.CrossEntropyLoss(weight=torch.ones(3), ignore_index=0, label_smoothing=0.1, reduction="sum"),
    "NLLLoss": nn.NLLLoss(),
    "MSELoss": nn.MSELoss(),
    "L1Loss": nn.L1Loss(),
    "SmoothL1Loss": nn.SmoothL1Loss(),
    "HuberLoss": nn.HuberLoss(),
    "BCELoss": nn.BCELoss(),
    "BCEWithLogitsLoss": nn.BCEWithLogitsLoss(pos_weight=torch.ones(3)),
    "KLDivLoss": nn.KLDivLoss(),
}
