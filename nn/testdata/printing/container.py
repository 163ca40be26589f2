import torch
from torch import nn

MODULES = {
    "Sequential": nn.Sequential(nn.Linear(3, 2), nn.Sequential(nn.ReLU(), nn.Flatten())),
    "Sequential/empty": nn.Sequential(),
    "ModuleList": nn.ModuleList([nn.ReLU(), nn.ReLU(), nn.Linear(3, 2), nn.ReLU()]),
    "ModuleList/nested": nn.ModuleList([nn.Sequential(nn.ReLU(), nn.Tanh()), nn.Sequential(nn.ReLU(), nn.Tanh())]),
    "ModuleDict": nn.ModuleDict(dict(b=nn.ReLU(), a=nn.Linear(3, 2))),
    "ParameterList": nn.ParameterList([torch.zeros(2, 3), torch.zeros(())]),
    "ParameterDict": nn.ParameterDict(dict(a=torch.zeros(2), b=torch.zeros(2, 3))),
    "ParameterDict/empty": nn.ParameterDict(),
    "ParameterList/one": nn.ParameterList([torch.zeros(2)]),
}
