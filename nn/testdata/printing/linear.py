from torch import nn

MODULES = {
    "Linear": nn.Linear(3, 2),
    "Linear/nobias": nn.Linear(3, 2, bias=False),
    "Identity": nn.Identity(),
    "Flatten": nn.Flatten(),
    "Flatten/dims": nn.Flatten(0, 1),
}
