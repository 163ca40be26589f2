# Writes scripted.pt and porting.pt, TorchScript modules with the methods that
# docs/files.md and docs/porting.md call. Usage: python make_scripted.py
import os
from typing import List

import torch

HERE = os.path.dirname(os.path.abspath(__file__))


class Page(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = torch.nn.Linear(20, 2)

    def forward(self, x, scale: float = 1.0):
        return self.fc(x) * scale

    @torch.jit.export
    def tokenize(self, text: str) -> List[str]:
        return text.split(" ")


class Porting(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = torch.nn.Linear(4, 2)

    def forward(self, x, times: int = 1, scale: float = 1.0):
        return self.fc(x) * times * scale

    @torch.jit.export
    def encode(self, text: str) -> List[str]:
        return text.split(" ")


torch.manual_seed(0)
torch.jit.script(Page()).save(os.path.join(HERE, "scripted.pt"))
torch.jit.script(Porting()).save(os.path.join(HERE, "porting.pt"))
