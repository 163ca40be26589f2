"""Writes goldens.json: the results of torch.autograd.functional for the functions of
golden_test.go, with every option. Run with PyTorch 2.11.0: python make_goldens.py"""

import sys
from pathlib import Path

import torch
from torch.autograd.functional import hessian, hvp, jacobian, jvp, vhp, vjp

here = Path(__file__).parent
sys.path.insert(0, str(here / "../../../../torchtest"))
from goldens import write  # noqa: E402

torch.manual_seed(11)
f64 = dict(dtype=torch.float64)
x, w = torch.randn(2, 3, **f64), torch.randn(3, **f64)
v, u = torch.randn(2, 3, **f64), torch.randn(3, **f64)
s = torch.tensor(0.3, **f64)


def two(x, w):
    return (x * w).sin(), (x @ w).exp()


def one(x):
    return x.tanh().sum(1)


def number(x, w):
    return ((x * w).sin() * x.exp()).sum()


def cube(x):
    return (x**3).sum()


def flat(t):
    if isinstance(t, torch.Tensor):
        return [t]
    return [e for p in t for e in flat(p)]


cases = dict(
    jacobian=jacobian(two, (x, w)),
    jacobian_one=jacobian(one, x),
    jacobian_vectorize=jacobian(two, (x, w), vectorize=True),
    jacobian_forward=jacobian(two, (x, w), vectorize=True, strategy="forward-mode"),
    jacobian_unused=jacobian(lambda x, w: x.sin(), (x, w)),
    jacobian_unused_vectorize=jacobian(lambda x, w: x.sin(), (x, w), vectorize=True),
    hessian=hessian(number, (x, w)),
    hessian_one=hessian(cube, x),
    hessian_vectorize=hessian(number, (x, w), vectorize=True),
    hessian_forward=hessian(number, (x, w), vectorize=True, outer_jacobian_strategy="forward-mode"),
    vjp=vjp(two, (x, w), (v, torch.tensor([0.5, -1.0], **f64))),
    vjp_number=vjp(number, (x, w)),
    jvp=jvp(two, (x, w), (v, u)),
    jvp_number=jvp(lambda s: s.sin() * w, s),
    vhp=vhp(number, (x, w), (v, u)),
    hvp=hvp(number, (x, w), (v, u)),
    vhp_number=vhp(lambda s: s**4, s),
    hvp_number=hvp(lambda s: s**4, s),
    vjp_unused=vjp(lambda x, w: x.sin(), (x, w), v),
    jvp_unused=jvp(lambda x, w: (x.sin(), torch.ones(2, **f64)), (x, w), (v, u)),
)

# The gradients of a scalar that is computed from each result, with respect to the inputs.
graph = {}
for name, run in dict(
    jacobian=lambda x, w: jacobian(two, (x, w), create_graph=True),
    jacobian_vectorize=lambda x, w: jacobian(two, (x, w), create_graph=True, vectorize=True),
    hessian=lambda x, w: hessian(number, (x, w), create_graph=True),
    vjp=lambda x, w: vjp(number, (x, w), create_graph=True),
    jvp=lambda x, w: jvp(two, (x, w), (v, u), create_graph=True),
    vhp=lambda x, w: vhp(number, (x, w), (v, u), create_graph=True),
    hvp=lambda x, w: hvp(number, (x, w), (v, u), create_graph=True),
).items():
    a, b = x.clone().requires_grad_(), w.clone().requires_grad_()
    graph[name] = torch.autograd.grad(sum(t.sin().sum() for t in flat(run(a, b))), (a, b))

write(
    here / "goldens.json",
    inputs=dict(x=x, w=w, v=v, u=u, s=s),
    cases={k: flat(c) for k, c in cases.items()},
    graph={k: list(c) for k, c in graph.items()},
)
