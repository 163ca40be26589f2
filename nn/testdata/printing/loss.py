import torch
from torch import nn

ATTRIBUTES = True
MODULES = {
    "CrossEntropyLoss": nn.CrossEntropyLoss(ignore_index=-1),
    "CrossEntropyLoss/all": nn.CrossEntropyLoss(weight=torch.ones(3), ignore_index=0,
                                                label_smoothing=0.1, reduction="sum"),
    "NLLLoss": nn.NLLLoss(ignore_index=-1),
    "MSELoss": nn.MSELoss(),
    "L1Loss": nn.L1Loss(),
    "SmoothL1Loss": nn.SmoothL1Loss(beta=0),
    "HuberLoss": nn.HuberLoss(delta=0.125),
    "BCELoss": nn.BCELoss(),
    "BCEWithLogitsLoss": nn.BCEWithLogitsLoss(pos_weight=torch.ones(3)),
    "KLDivLoss": nn.KLDivLoss(log_target=True, reduction="batchmean"),
}
