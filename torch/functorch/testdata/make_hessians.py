"""Writes hessians.json: derivatives of functions whose backward passes have no forward
derivative in libtorch, and of similar functions. For each function it has the Hessian of each
of two examples, the Hessian in a direction (jvp of grad), and two third derivatives: the
backward and the forward derivative of the Hessian in that direction. hessians_test.go has the
same functions with the same names.

In Python the backward passes of huber_loss and soft_margin_loss have no forward derivative, and
that of mse_loss fails. For these functions the script computes grad of grad instead, and
leaves the forward third derivative out.
Run with PyTorch 2.11.0: python make_hessians.py"""

import sys
import warnings
from pathlib import Path

import torch
import torch.nn.functional as F
from torch.func import grad, hessian, jacrev, jvp, vmap

here = Path(__file__).parent
sys.path.insert(0, str(here / "../../../torchtest"))
from goldens import write  # noqa: E402

warnings.filterwarnings("error", "There is a performance drop")
torch.manual_seed(13)
f64 = dict(dtype=torch.float64)
x, img = torch.randn(2, 3, 4, **f64), torch.randn(2, 2, 3, 2, **f64)
w, b = torch.randn(2, 4, **f64), torch.randn(2, 4, **f64)
inputs = dict(
    x=x,
    img=img,
    w=w,
    b=b,
    w3=torch.randn(2, 3, **f64),
    one=torch.randn(2, 4, **f64),
    label=torch.tensor([[0, 2, 3], [1, 1, 2]]),
    pixel=torch.tensor([[[0, 1], [1, 0], [1, 1]], [[1, 1], [0, 1], [0, 0]]]),
    class_=torch.tensor([1, 3]),
    sign=torch.tensor([[1.0, -1, 1, -1], [-1, -1, 1, 1]], **f64),
    prob=torch.randn(2, 3, 4, **f64).softmax(2),
    w1=torch.randn(2, 5, 4, **f64),
    b1=torch.randn(2, 5, **f64),
    w2=torch.randn(2, 4, 5, **f64),
)
weight = torch.tensor([0.5, 2.0, 1.25, 0.75], **f64)
two = torch.tensor([0.5, 2.0], **f64)
mean, var = torch.tensor([0.5, -0.25, 0.1], **f64), torch.tensor([0.5, 2.0, 1.5], **f64)
inputs.update(weight=weight, two=two, mean=mean, var=var)


def s(y):
    return y.sin().sum()


def mlp(x, w1, b1, w2, t):
    return F.cross_entropy(F.linear(F.layer_norm(F.linear(x, w1, b1), (5,)).tanh(), w2), t)


# Cases by name: how many of the first arguments to differentiate with respect to, the names
# of all arguments in inputs, and the function.
CASES = {
    "softmax": (1, "x", lambda x: s(x.softmax(1))),
    "softmax_0": (1, "one", lambda x: s(x.softmax(0))),
    "log_softmax": (1, "x", lambda x: s(x.log_softmax(0))),
    "nll_loss": (1, "x label", lambda x, t: s(F.nll_loss(x.log_softmax(1), t))),
    "nll_loss_sum": (1, "x label", lambda x, t: s(F.nll_loss(x.sin(), t, weight, reduction="sum"))),
    "nll_loss_none": (1, "x label", lambda x, t: s(F.nll_loss(x.sin(), t, ignore_index=2, reduction="none"))),
    "nll_loss_one": (1, "one class_", lambda x, t: s(F.nll_loss(x.log_softmax(0), t, weight))),
    "nll_loss2d": (1, "img pixel",
                   lambda x, t: s(F.nll_loss(x.unsqueeze(0).sin(), t.unsqueeze(0), two, ignore_index=5))),
    "cross_entropy": (1, "x label", lambda x, t: F.cross_entropy(x, t)),
    "cross_entropy_sum": (1, "x label", lambda x, t: F.cross_entropy(x, t, reduction="sum")),
    "cross_entropy_none": (1, "x label", lambda x, t: s(F.cross_entropy(x, t, reduction="none"))),
    "cross_entropy_weight": (1, "x label", lambda x, t: F.cross_entropy(x, t, weight, ignore_index=2)),
    "cross_entropy_smooth": (1, "x label", lambda x, t: F.cross_entropy(x, t, weight, label_smoothing=0.25)),
    "cross_entropy_prob": (1, "x prob", lambda x, t: F.cross_entropy(x, t, weight)),
    "cross_entropy_2d": (1, "img pixel", lambda x, t: F.cross_entropy(x.unsqueeze(0), t.unsqueeze(0), ignore_index=5)),
    "kl_div": (1, "x prob", lambda x, t: F.kl_div(x.log_softmax(1), t, reduction="batchmean")),
    "layer_norm": (1, "x", lambda x: s(F.layer_norm(x, (4,)))),
    "layer_norm_affine": (3, "x w b", lambda x, w, b: s(F.layer_norm(x, (4,), w, b))),
    "layer_norm_weight": (1, "w x", lambda w, x: s(F.layer_norm(x, (4,), w))),
    "layer_norm_all": (1, "x", lambda x: s(F.layer_norm(x, (3, 4), eps=0.1))),
    "batch_norm": (1, "x", lambda x: s(F.batch_norm(x, None, None, training=True))),
    "batch_norm_affine": (3, "x w b", lambda x, w, b: s(F.batch_norm(x, None, None, w, b, training=True, eps=0.1))),
    "batch_norm_2d": (1, "img", lambda x: s(F.batch_norm(x.unsqueeze(1), None, None, mean[:1].exp(), training=True))),
    "batch_norm_eval": (2, "img w3", lambda x, w: s(F.batch_norm(x, mean, var, w))),
    "instance_norm": (1, "img", lambda x: s(F.instance_norm(x.unsqueeze(0)))),
    "group_norm": (1, "img", lambda x: s(F.group_norm(x.unsqueeze(0), 2))),
    "logsigmoid": (1, "one", lambda x: s(F.logsigmoid(x))),
    "bce": (1, "one sign", lambda x, t: F.binary_cross_entropy(x.sigmoid(), (t + 1) / 2)),
    "bce_with_logits": (1, "one sign",
                        lambda x, t: F.binary_cross_entropy_with_logits(x, (t + 1) / 2, pos_weight=weight)),
    "soft_margin_loss": (1, "one sign", lambda x, t: F.soft_margin_loss(x, t)),
    "soft_margin_loss_sum": (1, "one sign", lambda x, t: F.soft_margin_loss(x, t, reduction="sum")),
    "multilabel_soft_margin_loss": (1, "x prob", lambda x, t: F.multilabel_soft_margin_loss(x, t, weight)),
    "mse_loss": (1, "x prob", lambda x, t: F.mse_loss(x.sin(), t)),
    "smooth_l1_loss": (1, "x prob", lambda x, t: F.smooth_l1_loss(x.sin(), t, beta=0.5)),
    "huber_loss": (2, "x prob", lambda x, t: F.huber_loss(x.sin(), t, delta=0.5)),
    "huber_loss_none": (1, "x prob", lambda x, t: s(F.huber_loss(x.sin(), t, reduction="none", delta=0.5))),
    "attention": (1, "x", lambda x: s(F.scaled_dot_product_attention(x, x.sin(), x))),
    "mlp": (4, "x w1 b1 w2 label", mlp),
}
BACKWARD = ("huber_loss", "huber_loss_none", "soft_margin_loss", "soft_margin_loss_sum", "mse_loss")


def flat(v):
    return [v] if isinstance(v, torch.Tensor) else [t for e in v for t in flat(e)]


def case(name, n, args, fn):
    """The Hessian is of each example. The other results are of the first example, in the
    direction sin(3 x)."""
    args = [inputs[a] for a in args.split()]
    wrt = tuple(range(n))
    one = [a[0] for a in args]
    rest, v = one[n:], tuple((3 * a).sin() for a in one[:n])

    def along(*a):
        return jvp(lambda *u: grad(fn, wrt)(*u, *rest), a, v)[1]

    def hessians(*a):
        return hessian(fn, wrt)(*a)

    if name in BACKWARD:

        def along(*a):  # noqa: F811
            return grad(lambda *u: sum((g * d).sum() for g, d in zip(grad(fn, wrt)(*u, *rest), v)), wrt)(*a)

        def hessians(*a):  # noqa: F811
            return jacrev(jacrev(fn, wrt), wrt)(*a)

    def number(*a):
        return sum(s(t) for t in along(*a))

    with warnings.catch_warnings():
        if name.startswith("soft_margin"):  # vmap has no rule for its operators, and warns
            warnings.simplefilter("ignore")
        each = vmap(hessians)(*args)
    out = dict(each=flat(each), along=flat(along(*one[:n])), backward=flat(grad(number, wrt)(*one[:n])))
    if name not in BACKWARD:
        out["forward"] = flat(jvp(along, tuple(one[:n]), v)[1])
    return out


write(here / "hessians.json", inputs=inputs, cases={name: case(name, *c) for name, c in CASES.items()})
