"""Writes goldens.json: for each operator its value under vmap, the gradient of each example
(vmap of grad) and the directional derivative (vmap of jvp); and values of nested transforms.
operators_test.go has the same operators with the same names.
Run with PyTorch 2.11.0: python make_goldens.py"""

import sys
from pathlib import Path

import torch
import torch.nn.functional as F
from torch.func import grad, grad_and_value, hessian, jacfwd, jacrev, jvp, vjp, vmap

here = Path(__file__).parent
sys.path.insert(0, str(here / "../../../torchtest"))
from goldens import write  # noqa: E402

torch.manual_seed(7)
f64 = dict(dtype=torch.float64)
x, w = torch.randn(4, 3, **f64), torch.randn(4, 3, **f64)
m, sq = torch.randn(4, 3, 5, **f64), torch.randn(4, 3, 3, **f64) + 3 * torch.eye(3, **f64)
img, ker = torch.randn(4, 2, 6, 6, **f64), torch.randn(4, 3, 2, 3, 3, **f64)
idx = torch.tensor([[0, 2, 1], [1, 1, 0], [2, 0, 0], [2, 2, 1]])
mask = torch.tensor([[True, False, True], [False] * 3, [True] * 3, [False, True, True]])
tab, label = torch.randn(4, 5, 2, **f64), torch.tensor([0, 2, 1, 1])
inputs = dict(x=x, w=w, m=m, sq=sq, img=img, ker=ker, idx=idx, mask=mask, tab=tab, label=label)

OPS = {
    "exp": ("x", lambda x: x.exp()),
    "sin": ("x", lambda x: x.sin()),
    "tanh": ("x", lambda x: x.tanh()),
    "sigmoid": ("x", lambda x: x.sigmoid()),
    "relu": ("x", lambda x: x.relu()),
    "gelu": ("x", lambda x: F.gelu(x)),
    "softplus": ("x", lambda x: F.softplus(x)),
    "log1p": ("x", lambda x: x.abs().log1p()),
    "sqrt": ("x", lambda x: x.abs().sqrt()),
    "pow": ("x", lambda x: x**3),
    "add": ("x w", lambda x, w: x + w),
    "sub": ("x w", lambda x, w: x - w),
    "mul": ("x w", lambda x, w: x * w),
    "div": ("x w", lambda x, w: x / w),
    "dot": ("x w", lambda x, w: x.dot(w)),
    "outer": ("x w", lambda x, w: x.outer(w)),
    "mv": ("sq x", lambda a, x: a.mv(x)),
    "matmul": ("sq m", lambda a, b: a.matmul(b)),
    "bmm": ("img", lambda i: i.bmm(i)),
    "einsum": ("sq m", lambda a, b: torch.einsum("ij,jk->ki", a, b)),
    "sum": ("m", lambda m: m.sum(dim=1)),
    "mean": ("m", lambda m: m.mean(dim=0, keepdim=True)),
    "var": ("m", lambda m: m.var(dim=1)),
    "std": ("m", lambda m: m.std(dim=0)),
    "amax": ("m", lambda m: m.amax(dim=1)),
    "max": ("m", lambda m: m.max(dim=0)[0]),
    "argmax": ("m", lambda m: m.argmax(dim=1)),
    "cumsum": ("m", lambda m: m.cumsum(1)),
    "cumprod": ("m", lambda m: m.cumprod(0)),
    "softmax": ("m", lambda m: m.softmax(1)),
    "log_softmax": ("m", lambda m: m.log_softmax(0)),
    "logsumexp": ("m", lambda m: m.logsumexp(dim=1)),
    "norm": ("m", lambda m: m.norm()),
    "sort": ("x", lambda x: x.sort()[0]),
    "topk": ("m", lambda m: m.topk(2, dim=-1)[0]),
    "flip": ("m", lambda m: m.flip(0, 1)),
    "roll": ("m", lambda m: m.roll([1], [1])),
    "transpose": ("m", lambda m: m.transpose(0, 1)),
    "permute": ("img", lambda i: i.permute(2, 0, 1)),
    "reshape": ("m", lambda m: m.reshape(5, 3)),
    "unsqueeze": ("m", lambda m: m.unsqueeze(1)),
    "squeeze": ("m", lambda m: m[:1].squeeze()),
    "cat": ("x w", lambda x, w: torch.cat([x, w, x])),
    "stack": ("x w", lambda x, w: torch.stack([x, w], 1)),
    "slice": ("m", lambda m: m[1:, ::2]),
    "gather": ("m idx", lambda m, i: m.gather(1, i.unsqueeze(1))),
    "index_select": ("m idx", lambda m, i: m.index_select(0, i)),
    "index": ("m idx", lambda m, i: m[i]),
    "where": ("x mask", lambda x, m: x.where(m, 0.5)),
    "masked_fill": ("x mask", lambda x, m: x.masked_fill(m, 2.0)),
    "scatter_add": ("x idx w", lambda x, i, w: x.scatter_add(0, i, w)),
    "clamp": ("x", lambda x: x.clamp(-0.5, 0.5)),
    "tril": ("sq", lambda a: a.tril(0)),
    "triu": ("sq", lambda a: a.triu(1)),
    "diagonal": ("sq", lambda a: a.diagonal()),
    "trace": ("sq", lambda a: a.trace()),
    "expand": ("x", lambda x: x.expand(2, 3)),
    "repeat": ("x", lambda x: x.repeat(2, 2)),
    "unfold": ("x", lambda x: x.unfold(0, 2, 1)),
    "det": ("sq", lambda a: a.det()),
    "inverse": ("sq", lambda a: a.inverse()),
    "solve": ("sq m", lambda a, b: torch.linalg.solve(a, b)),
    "linear": ("x m", lambda x, m: F.linear(x, m.t())),
    "conv2d": ("img ker", lambda i, k: F.conv2d(i.unsqueeze(0), k)),
    "max_pool2d": ("img", lambda i: F.max_pool2d(i.unsqueeze(0), 2)),
    "avg_pool2d": ("img", lambda i: F.avg_pool2d(i.unsqueeze(0), 2)),
    "layer_norm": ("m", lambda m: F.layer_norm(m, (5,))),
    "group_norm": ("img", lambda i: F.group_norm(i.unsqueeze(0), 2)),
    "embedding": ("tab idx", lambda t, i: F.embedding(i, t)),
    "attention": ("m", lambda m: F.scaled_dot_product_attention(m, m, m)),
    "pad": ("m", lambda m: F.pad(m, (1, 2))),
    "one_hot": ("idx", lambda i: F.one_hot(i, 3)),
    "mse_loss": ("x w", lambda x, w: F.mse_loss(x, w)),
    "cross_entropy": ("x label", lambda x, t: F.cross_entropy(x, t)),
    "add_": ("x w", lambda x, w: x.clone().add_(w)),
}


def operator(args, fn):
    args = [inputs[a] for a in args.split()]
    case = dict(y=vmap(fn)(*args))
    if args[0].is_floating_point() and case["y"].is_floating_point():
        first, rest = args[0], args[1:]
        case["grad"] = vmap(grad(lambda a, *r: fn(a, *r).sin().sum()))(first, *rest)
        case["jvp"] = vmap(lambda a, *r: jvp(lambda t: fn(t, *r), (a,), (a.cos(),))[1])(first, *rest)
    return case


def f(x, w):
    return (x * w).sin().sum() * x.exp().sum()


def two(x, w):
    return x * w, (x.sum() * w**2).reshape(3, 1)


def mat(m):
    return (m.tanh() @ m.t()).sum()


def nested():
    a, b = x[0], w[0]
    out = dict(
        grad=grad(f)(a, b),
        grad_1=grad(f, argnums=1)(a, b),
        grad_both=grad(f, argnums=(0, 1))(a, b),
        grad_and_value=grad_and_value(f)(a, b),
        grad_grad=grad(lambda a: grad(f)(a, b).sin().sum())(a),
        vjp=vjp(two, a, b)[1]((torch.ones_like(a), torch.ones(3, 1, **f64))),
        jvp=jvp(two, (a, b), (b, a)),
        jvp_jvp=jvp(lambda t: jvp(lambda u: (u**3).sin(), (t,), (b,))[1], (a,), (b,))[1],
        jvp_grad=jvp(lambda t: grad(f)(t, b), (a,), (b,))[1],
        grad_jvp=grad(lambda t: jvp(lambda u: f(u, b), (t,), (b,))[1])(a),
        jacrev=jacrev(two, argnums=(0, 1))(a, b),
        jacfwd=jacfwd(two, argnums=(0, 1))(a, b),
        hessian=hessian(f, argnums=(0, 1))(a, b),
        hessian_mat=hessian(mat)(m[0]),
        vmap_vmap=vmap(vmap(lambda p, q: p.sin() * q))(x, w),
        vmap_hessian=vmap(hessian(f))(x, w),
        vmap_jacrev=vmap(jacrev(lambda a: a.outer(a).tanh()))(x),
        in_dims=vmap(lambda p, q: p * q.sum(), in_dims=(1, None))(x, w),
        out_dims=vmap(two, out_dims=(1, -1))(x, w),
        constant=vmap(lambda p: w[0])(x),
        no_grad=grad(lambda t: (t * t.detach()).sum())(a),
    )
    with torch.no_grad():
        out["outer_no_grad"] = grad(lambda a: grad(f)(a, b).sin().sum())(a)

    def inner_no_grad(t):
        with torch.no_grad():
            c = t.sin()
        return (t * c).sum()

    out["inner_no_grad"] = grad(inner_no_grad)(a)
    out["nested_no_grad"] = grad(lambda t: grad(inner_no_grad)(t).sum())(a)

    def jvp_no_grad(t):
        with torch.no_grad():
            return t.sin() * t

    out["jvp_no_grad"] = jvp(jvp_no_grad, (a,), (b,))[1]
    return out


def flat(v):
    if isinstance(v, torch.Tensor):
        return [v]
    return [t for e in v for t in flat(e)]


write(
    here / "goldens.json",
    inputs=inputs,
    operators={name: operator(*op) for name, op in OPS.items()},
    nested={name: flat(v) for name, v in nested().items()},
)
