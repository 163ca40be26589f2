"""Writes reparam.json: PyTorch's modules with normalized, orthogonal or pruned weights, for
reparam_test.go. Run: python make_reparam.py"""

import json
import warnings
from pathlib import Path

import torch
from torch import nn
from torch.nn import utils
from torch.nn.utils import parametrizations as pz
from torch.nn.utils import parametrize, prune

warnings.simplefilter("ignore")


def data(t):
    return dict(shape=list(t.shape), data=[float(f"{v:.9g}") for v in t.detach().flatten().tolist()])


def state(m):
    return [dict(name=k, **data(v)) for k, v in m.state_dict().items()]


ROW = torch.tensor([[1.0, -2, 0.5, 3, -1], [0.25, 1, 2, -3, 0.5]])


def inputs(m):
    if isinstance(m, nn.Linear):
        return ROW[:, : m.in_features].clone()
    shape = (2, 2, 5) if isinstance(m, nn.Conv1d) else (1, 2, 3, 3)
    n = torch.Size(shape).numel()
    return (torch.arange(n, dtype=torch.float32) / n - 0.3).reshape(shape)


def both(*fns):
    def apply(m):
        for f in fns:
            f(m)
    return apply


def removed(name="weight"):
    return lambda m: parametrize.remove_parametrizations(m, name)


MASK = torch.tensor([[1.0, 0, 1], [0, 1, 1], [1, 1, 1], [0, 0, 1]])
W = "weight"
CASES = {
    "WeightNorm": (lambda: nn.Linear(3, 4), pz.weight_norm, removed()),
    "WeightNorm/dim": (lambda: nn.Conv1d(2, 3, 2), lambda m: pz.weight_norm(m, dim=1), removed()),
    "WeightNorm/whole": (lambda: nn.Linear(3, 4), lambda m: pz.weight_norm(m, dim=None), removed()),
    "SpectralNorm": (lambda: nn.Linear(3, 4), pz.spectral_norm, removed()),
    "SpectralNorm/steps": (lambda: nn.Conv2d(2, 3, 2), lambda m: pz.spectral_norm(m, n_power_iterations=2), removed()),
    "SpectralNorm/transposed": (lambda: nn.ConvTranspose2d(2, 3, 2), pz.spectral_norm, removed()),
    "SpectralNorm/vector": (lambda: nn.Linear(3, 4), lambda m: pz.spectral_norm(m, name="bias"), removed("bias")),
    "Orthogonal/square": (lambda: nn.Linear(4, 4), pz.orthogonal, removed()),
    "Orthogonal/wide": (lambda: nn.Linear(5, 3), pz.orthogonal, removed()),
    "Orthogonal/exp": (lambda: nn.Linear(3, 5), lambda m: pz.orthogonal(m, orthogonal_map="matrix_exp"), removed()),
    "Orthogonal/cayley": (lambda: nn.Linear(4, 4), lambda m: pz.orthogonal(m, orthogonal_map="cayley"), removed()),
    "Orthogonal/plain": (lambda: nn.Linear(3, 5), lambda m: pz.orthogonal(m, use_trivialization=False), removed()),
    "Orthogonal/plainexp": (
        lambda: nn.Linear(4, 4),
        lambda m: pz.orthogonal(m, orthogonal_map="matrix_exp", use_trivialization=False),
        removed(),
    ),
    "old/WeightNorm": (lambda: nn.Linear(3, 4), utils.weight_norm, utils.remove_weight_norm),
    "old/SpectralNorm": (lambda: nn.Linear(3, 4), utils.spectral_norm, utils.remove_spectral_norm),
    "old/SpectralNorm/transposed": (lambda: nn.ConvTranspose2d(2, 3, 2), utils.spectral_norm,
                                    utils.remove_spectral_norm),
    "two": (lambda: nn.Linear(4, 4), both(pz.orthogonal, pz.spectral_norm), removed()),
}
PRUNED = {
    "identity": lambda m: prune.identity(m, W),
    "l1": lambda m: prune.l1_unstructured(m, W, 0.3),
    "l1/scores": lambda m: prune.l1_unstructured(m, W, 5, importance_scores=m.weight.detach() ** 2 + MASK),
    "l1/again": both(lambda m: prune.l1_unstructured(m, W, 3), lambda m: prune.l1_unstructured(m, W, 0.25)),
    "random": lambda m: prune.random_unstructured(m, W, 4),
    "random/again": both(lambda m: prune.random_unstructured(m, W, 4), lambda m: prune.random_unstructured(m, W, 0.5)),
    "structured": lambda m: prune.random_structured(m, W, 0.5, 0),
    "ln": lambda m: prune.ln_structured(m, W, 1, 2, -1),
    "ln/again": both(lambda m: prune.ln_structured(m, W, 1, 1, 0),
                     lambda m: prune.ln_structured(m, W, 0.5, float("inf"), 0)),
    "mixed": both(lambda m: prune.l1_unstructured(m, W, 3), lambda m: prune.ln_structured(m, W, 1, 2, 0),
                  lambda m: prune.l1_unstructured(m, W, 2)),
    "mask": lambda m: prune.custom_from_mask(m, W, MASK),
    "global": lambda m: prune.global_unstructured([(m, W), (m, "bias")], prune.L1Unstructured, amount=0.4),
}
for name, fn in PRUNED.items():
    CASES["prune/" + name] = (lambda: nn.Linear(3, 4), fn, lambda m: prune.remove(m, W))

out = {}
for name, (make, apply, remove) in CASES.items():
    torch.manual_seed(3)
    m = make()
    apply(m)
    c = dict(text=repr(m), made=state(m))
    x = inputs(m).requires_grad_()
    ys = [m(x), m(x)]
    (ys[0] * ys[0] + ys[1]).sum().backward()
    c["outs"] = [data(y) for y in ys]
    c["grad"] = data(x.grad)
    c["grads"] = [dict(name=k, **data(p.grad)) for k, p in m.named_parameters()]
    m.eval()
    c["outs"].append(data(m(x)))
    c["used"] = state(m)
    remove(m)
    c["left"] = repr(m)
    c["removed"] = state(m)
    out[name] = c
Path(__file__).with_name("reparam.json").write_text(json.dumps(out, indent=None, separators=(",", ":")) + "\n")
