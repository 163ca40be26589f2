from torch import nn

MODULES = {
    "ReLU": nn.ReLU(),
    "GELU": nn.GELU(),
    "GELU/tanh": nn.GELU(approximate="tanh"),
    "Sigmoid": nn.Sigmoid(),
    "Tanh": nn.Tanh(),
    "SiLU": nn.SiLU(),
    "LeakyReLU": nn.LeakyReLU(),
    "LeakyReLU/slope": nn.LeakyReLU(2.0),
    "Softmax": nn.Softmax(dim=1),
    "LogSoftmax": nn.LogSoftmax(dim=-1),
    "Dropout": nn.Dropout(),
    "Dropout/zero": nn.Dropout(0.0),
    "Dropout2d": nn.Dropout2d(0.25),
}
