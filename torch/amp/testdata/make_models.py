"""Records what models compute under autocast on the CPU, for models.json: results, losses,
gradients, and the parameters after a step of an optimizer within autocast.

    python torch/amp/testdata/make_models.py
"""
import json
import os
import warnings

import torch
from torch import nn
import torch.nn.functional as F

warnings.simplefilter("ignore")


class Recurrent(nn.Module):
    def __init__(self, kind):
        super().__init__()
        self.rnn = kind(4, 6, batch_first=True)
        self.out = nn.Linear(6, 3)

    def forward(self, x):
        return self.out(self.rnn(x)[0])


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.attn = nn.MultiheadAttention(8, 2, batch_first=True)

    def forward(self, x):
        return self.attn(x, x, x, need_weights=False)[0]


# oneDNN runs LSTMs. It has float16 kernels for some processors only, and bfloat16 kernels for
# more. On other processors an LSTM fails, also in Python.
MODELS = {
    "mlp": (lambda: nn.Sequential(nn.Linear(5, 7), nn.ReLU(), nn.LayerNorm(7), nn.Linear(7, 3)), (4, 5)),
    "cnn": (lambda: nn.Sequential(nn.Conv2d(2, 4, 3, padding=1), nn.BatchNorm2d(4), nn.ReLU(), nn.MaxPool2d(2),
                                  nn.Flatten(), nn.Linear(36, 3)), (4, 2, 6, 6)),
    "lstm": (lambda: Recurrent(nn.LSTM), (2, 5, 4)),
    "gru": (lambda: Recurrent(nn.GRU), (2, 5, 4)),
    "rnn": (lambda: Recurrent(nn.RNN), (2, 5, 4)),
    "attention": (lambda: Attention(), (2, 3, 8)),
    "encoder": (lambda: nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True), (2, 3, 8)),
    "gelu": (lambda: nn.Sequential(nn.Linear(5, 6), nn.GELU(), nn.GroupNorm(2, 6), nn.Softmax(1)), (4, 5)),
}
OPTIMIZERS = {
    "SGD": lambda ps: torch.optim.SGD(ps, lr=0.1, momentum=0.9, weight_decay=0.01),
    "AdamW": lambda ps: torch.optim.AdamW(ps, lr=0.1),
    "Adagrad": lambda ps: torch.optim.Adagrad(ps, lr=0.1),
    "RMSprop": lambda ps: torch.optim.RMSprop(ps, lr=0.1, momentum=0.9, centered=True),
    "Muon": lambda ps: torch.optim.Muon([p for p in ps if p.dim() == 2], lr=0.1),
}


def t(x):
    return {"dtype": str(x.dtype)[6:], "shape": list(x.shape), "data": x.detach().double().flatten().tolist()}


def loss_of(out, name):
    if name in ("mlp", "cnn"):
        return F.cross_entropy(out, torch.arange(out.size(0)) % 3)
    return F.mse_loss(out, torch.full_like(out, 0.25))


cases = []
for low in (torch.bfloat16, torch.float16):
    for name, (make, shape) in MODELS.items():
        if name == "lstm" and low == torch.float16:
            continue
        torch.manual_seed(3)
        model = make()
        x = torch.randn(shape)
        with torch.autocast("cpu", low):
            out = model(x)
            loss = loss_of(out, name)
        loss.backward()
        case = {"model": name, "dtype": str(low)[6:], "shape": list(shape), "out": t(out), "loss": t(loss),
                "grads": {n: t(p.grad) for n, p in model.named_parameters()}}
        model.eval()
        for mode in (torch.no_grad, torch.inference_mode, torch.enable_grad):
            with mode(), torch.autocast("cpu", low):
                case[mode.__name__] = t(model(x))
        cases.append(case)

steps = []
for name, make in OPTIMIZERS.items():
    torch.manual_seed(4)
    model = nn.Linear(3, 4)
    opt = make(list(model.parameters()))
    x = torch.randn(5, 3)
    with torch.autocast("cpu", torch.bfloat16):
        for _ in range(2):
            opt.zero_grad()
            F.mse_loss(model(x), torch.zeros(5, 4)).backward()
            opt.step()
    steps.append({"optimizer": name, "params": [t(p) for p in model.parameters()]})

with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "models.json"), "w") as f:
    json.dump({"cases": cases, "steps": steps}, f)
    f.write("\n")
for c in cases:
    print(c["model"], c["dtype"], c["out"]["dtype"], c["loss"]["dtype"], c["no_grad"]["dtype"],
          c["enable_grad"]["dtype"], {g["dtype"] for g in c["grads"].values()})
