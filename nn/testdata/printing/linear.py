from torch import nn

ATTRIBUTES = True

MODULES = {
    "Linear": nn.Linear(3, 2),
    "Linear/nobias": nn.Linear(3, 2, bias=False),
    "Identity": nn.Identity(),
    "Flatten": nn.Flatten(),
    "Flatten/dims": nn.Flatten(0, 1),
    "Bilinear": nn.Bilinear(3, 3, 2),
    "Bilinear/nobias": nn.Bilinear(3, 3, 2, bias=False),
    "CosineSimilarity": nn.CosineSimilarity(),
    "CosineSimilarity/all": nn.CosineSimilarity(dim=0, eps=0.1),
    "PairwiseDistance": nn.PairwiseDistance(),
    "PairwiseDistance/all": nn.PairwiseDistance(p=1.0, eps=0.1, keepdim=True),
}
