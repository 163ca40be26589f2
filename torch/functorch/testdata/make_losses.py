"""Writes losses.json: vmap of the losses for which PyTorch has rules in Python. It has the
gradient of each example (vmap of grad), the gradient of the sine of this gradient, the gradient
of a sum over all examples (grad of vmap), and some Hessians of each example. It also has vmap
of addr. The script checks that a second level of vmap gives the same gradients. losses_test.go
makes the same calls.
Run with PyTorch 2.11.0: python make_losses.py"""

import itertools
import sys
import warnings
from pathlib import Path

import torch
import torch.nn.functional as F
from torch.func import grad, hessian, vmap

here = Path(__file__).parent
sys.path.insert(0, str(here / "../../../torchtest"))
from goldens import write  # noqa: E402

warnings.filterwarnings("error", "There is a performance drop")
torch.manual_seed(11)
f64 = dict(dtype=torch.float64)
BATCH, CLASSES = 4, 3
weights = torch.tensor([0.5, 2.0, 1.25], **f64)


def classes(*shape):
    return torch.arange(torch.Size(shape).numel()).mul(5).remainder(7).remainder(CLASSES).reshape(shape)


# The shapes of one example and of its class indices. The losses with ignore_index=1 ignore one
# example of C.
SHAPES = {"C": ((CLASSES,), ()), "NC": ((2, CLASSES), (2,)), "NCHW": ((1, CLASSES, 2, 2), (1, 2, 2))}
inputs = dict(weight=weights, vec=torch.randn(BATCH, 2, **f64))
for name, (x, t) in SHAPES.items():
    inputs["x" + name] = torch.randn(BATCH, *x, **f64)
    inputs["t" + name] = classes(BATCH, *t)
inputs["tC"] = torch.tensor([0, 2, 1, 2])
inputs["y"] = torch.randn(BATCH, 2, CLASSES, **f64)


def case(loss, x, target, fixed="", **options):
    """fixed names the argument that all examples share: the value of the first example."""
    kw = dict(options)
    if kw.pop("weighted", False):
        kw["weight"] = weights

    def fn(a, b):
        return getattr(F, loss)(a, b, **kw)

    def one(a, b):
        return fn(a.log_softmax(int(a.dim() > 1)) if loss == "nll_loss" else a, b).sin().sum()

    a, b = inputs[x], inputs[target]
    dims = [None if fixed == n else 0 for n in ("input", "target")]
    a, b = [v if d == 0 else v[0] for v, d in zip((a, b), dims)]
    dims = tuple(dims)
    each, twice = grad(one), grad(lambda a, b: grad(one)(a, b).sin().sum())
    out = dict(
        loss=loss,
        x=x,
        target=target,
        fixed=fixed,
        options=options,
        y=vmap(fn, dims)(a, b),
        grad=vmap(each, dims)(a, b),
        twice=vmap(twice, dims)(a, b),
        total=grad(lambda a: vmap(one, dims)(a, b).sum())(a),
    )
    if target == "y" and options.get("reduction", "mean") == "mean":
        out["hessian"] = vmap(hessian(one), dims)(a, b)
    if not fixed:
        deep = [v.unflatten(0, (2, BATCH // 2)) for v in (a, b)]
        torch.testing.assert_close(vmap(vmap(each))(*deep).flatten(0, 1), out["grad"])
    return out


cases = []
for shape, reduction in itertools.product(SHAPES, ("mean", "sum", "none")):
    for options in ({}, dict(weighted=True, ignore_index=1)):
        cases.append(case("nll_loss", "x" + shape, "t" + shape, reduction=reduction, **options))
for fixed in ("input", "target"):
    cases.append(case("nll_loss", "xNC", "tNC", fixed, weighted=True))
cases.append(case("cross_entropy", "xC", "tC"))
cases.append(case("cross_entropy", "xNC", "tNC", ignore_index=2, label_smoothing=0.25))
cases.append(case("cross_entropy", "xNCHW", "tNCHW", weighted=True))
for reduction in ("mean", "sum", "none"):
    cases.append(case("mse_loss", "xNC", "y", reduction=reduction))
    cases.append(case("smooth_l1_loss", "xNC", "y", reduction=reduction, beta=0.75))
    cases.append(case("huber_loss", "xNC", "y", reduction=reduction, delta=0.75))
cases.append(case("huber_loss", "xNC", "y", "target"))

a, b = inputs["y"][0].T, inputs["vec"]
whole = torch.arange(8).reshape(BATCH, 2)
true = b > 0
addr = dict(
    plain=vmap(lambda v: a.addr(v.exp().repeat(2)[:3], v, beta=0.5, alpha=2))(b),
    grad=vmap(grad(lambda v: a.addr(v.exp().repeat(2)[:3], v, beta=0.5, alpha=2).sin().sum()))(b),
    dropped=vmap(lambda v: (a / 0).addr(v.repeat(2)[:3], v, beta=0))(b),
    whole=vmap(lambda v: v.addr(v, v, beta=2, alpha=3))(whole),
    true=vmap(lambda v: v.addr(v, v))(true),
)
inputs.update(whole=whole, true=true)

write(here / "losses.json", inputs=inputs, cases=cases, addr=addr)
