import torch
from torch import nn

ATTRIBUTES = True
MODULES = {
    "SoftMarginLoss": nn.SoftMarginLoss(),
    "MultiLabelMarginLoss": nn.MultiLabelMarginLoss(),
    "MultiLabelSoftMarginLoss": nn.MultiLabelSoftMarginLoss(weight=torch.ones(3)),
    "MultiMarginLoss": nn.MultiMarginLoss(p=2, margin=0.5),
    "MultiMarginLoss/weight": nn.MultiMarginLoss(weight=torch.ones(3)),
    "HingeEmbeddingLoss": nn.HingeEmbeddingLoss(margin=2),
    "MarginRankingLoss": nn.MarginRankingLoss(margin=0.25),
    "CosineEmbeddingLoss": nn.CosineEmbeddingLoss(margin=0.25),
    "PoissonNLLLoss": nn.PoissonNLLLoss(log_input=False, full=True),
    "GaussianNLLLoss": nn.GaussianNLLLoss(full=True),
    "CTCLoss": nn.CTCLoss(zero_infinity=True),
    "TripletMarginLoss": nn.TripletMarginLoss(swap=True),
    "TripletMarginWithDistanceLoss": nn.TripletMarginWithDistanceLoss(),
    "TripletMarginWithDistanceLoss/own": nn.TripletMarginWithDistanceLoss(
        swap=True, distance_function=lambda x, y: (x - y).abs().sum(-1)),
    "AdaptiveLogSoftmaxWithLoss": nn.AdaptiveLogSoftmaxWithLoss(8, 20, [4, 10]),
    "AdaptiveLogSoftmaxWithLoss/bias": nn.AdaptiveLogSoftmaxWithLoss(8, 20, [2, 4, 10], div_value=1.5, head_bias=True),
}
