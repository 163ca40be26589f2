"""Writes transforms.json: transforms, also the results of biject_to and transform_to.
Run: OMP_NUM_THREADS=1 python make_transforms.py"""

from pathlib import Path

import torch
import torch.distributions as D
from cases import Make, answer, goldens
from torch.distributions import constraints

D.InverseTransform = D.transforms._InverseTransform


class Region(Make):
    """A constraint, given by the name of a constant or by that of a function with arguments."""

    def find(self):
        found = getattr(constraints, self.name)
        return (lambda: found) if isinstance(found, constraints.Constraint) else found


def t(*v, dtype=torch.float32):
    return torch.tensor(v, dtype=dtype)


def inv(transform):
    return Make("InverseTransform", transform=transform)


def compose(*parts):
    return Make("ComposeTransform", parts=list(parts))


def optional(fn):
    try:
        return fn()
    except NotImplementedError:
        return None


def sign(transform):
    s = optional(lambda: transform.sign)
    return torch.tensor(s) if isinstance(s, int) else s


def case(m, x, steps=50, **more):
    leaves = {}
    transform = m.build(leaves)
    x = x.clone().requires_grad_()
    y = transform(x).detach().clone().requires_grad_()
    answers = dict(
        forward=answer(lambda: transform(x), {**leaves, "x": x}),
        inverse=answer(lambda: transform.inv(y), {**leaves, "y": y}),
        log_abs_det_jacobian=answer(lambda: transform.log_abs_det_jacobian(x, transform(x)), {**leaves, "x": x}),
    )
    return dict(
        said=m.encode(), repr=repr(transform), inv=repr(transform.inv), steps=steps, x=x, y=y, answers=answers,
        domain=repr(transform.domain), codomain=repr(transform.codomain), bijective=transform.bijective,
        sign=sign(transform),
        forward_shape=list(transform.forward_shape(x.shape)),
        inverse_shape=list(transform.inverse_shape(y.shape)), **more,
    )


numbers = torch.tensor([[-2.5, -0.5, 0.0], [0.25, 1.0, 4.0]])
positive = torch.tensor([[0.1, 0.5, 1.0], [1.25, 2.0, 4.0]])
squares = torch.linspace(-1.5, 1.5, 18).reshape(2, 3, 3)
exp = Make("ExpTransform")
sigmoid = Make("SigmoidTransform")

cases = [
    case(exp, numbers),
    case(inv(exp), positive),
    case(sigmoid, numbers, 200),
    case(sigmoid, t(-200.0, 200.0)),
    case(inv(sigmoid), t(0.0, 0.3, 1.0)),
    case(sigmoid, numbers.double(), 200),
    case(Make("SoftplusTransform"), numbers, 200),
    case(Make("TanhTransform"), numbers[:, :2], 2000),
    case(Make("AbsTransform"), numbers),
    case(Make("SoftmaxTransform"), numbers),
    case(Make("StickBreakingTransform"), numbers, 500),
    case(Make("LowerCholeskyTransform"), squares),
    case(Make("PositiveDefiniteTransform"), squares, 2000),
    case(Make("CorrCholeskyTransform"), numbers / 3, 500),
    case(Make("CorrCholeskyTransform"), t(0.5, -0.2, 0.3, 0.1, -0.4, 0.2, dtype=torch.float64), 500),
    case(Make("AffineTransform", loc=1.0, scale=-2.0), numbers),
    case(Make("AffineTransform", loc=1, scale=2), numbers),
    case(Make("AffineTransform", loc=t(0.5, -1.0, 2.0), scale=torch.tensor([[2.0], [-0.5]])), numbers),
    case(Make("AffineTransform", loc=0.0, scale=t(2.0, 0.5, 1.5), event_dim=1), numbers),
    case(Make("AffineTransform", loc=0.0, scale=2.0, event_dim=2), numbers),
    case(Make("PowerTransform", exponent=2.5), positive),
    case(Make("PowerTransform", exponent=t(-1.0, 0.5, 2.0)), positive),
    case(compose(), numbers),
    case(compose(exp, Make("AffineTransform", loc=1.0, scale=t(2.0, -0.5, 1.5))), numbers),
    case(compose(Make("AffineTransform", loc=1.0, scale=2.0), Make("StickBreakingTransform")), numbers, 500),
    case(compose(Make("CorrCholeskyTransform"), inv(Make("CorrCholeskyTransform"))), numbers / 3, 500),
    case(Make("IndependentTransform", base_transform=exp, reinterpreted_batch_ndims=1), numbers),
    case(Make("IndependentTransform", base_transform=inv(exp), reinterpreted_batch_ndims=2), positive),
    case(Make("ReshapeTransform", in_shape=[3], out_shape=[3, 1]), numbers),
    case(inv(Make("ReshapeTransform", in_shape=[6], out_shape=[2, 3])), numbers),
    case(Make("CatTransform", tseq=[exp, Make("AffineTransform", loc=0.5, scale=2.0)], dim=-1, lengths=[1, 2]),
         numbers),
    case(Make("CatTransform", tseq=[exp, Make("AffineTransform", loc=0.5, scale=2.0)], dim=0), numbers),
    case(Make("CatTransform", tseq=[exp, Make("IndependentTransform", base_transform=exp, reinterpreted_batch_ndims=1)],
              dim=1, lengths=[1, 2]), numbers),
    case(Make("StackTransform", tseq=[exp, Make("AffineTransform", loc=0.5, scale=2.0)], dim=0), numbers),
    case(Make("StackTransform", tseq=[exp, exp, Make("TanhTransform")], dim=-1), numbers / 2, 200),
    case(Make("CumulativeDistributionTransform", distribution=Make("Normal", loc=0.5, scale=t(1.0, 2.0, 3.0))), numbers,
         500),
]

regions = [
    Region("real"), Region("real_vector"), Region("positive"), Region("nonnegative"), Region("unit_interval"),
    Region("simplex"),
    Region("corr_cholesky"), Region("lower_cholesky"), Region("positive_definite"), Region("positive_semidefinite"),
    Region("greater_than", lower_bound=1.5), Region("greater_than_eq", lower_bound=t(1.0, 2.0, 3.0)),
    Region("less_than", upper_bound=2.0),
    Region("interval", lower_bound=-1.0, upper_bound=2.0), Region("interval", lower_bound=0, upper_bound=1),
    Region("interval", lower_bound=t(0.0, -1.0, 0.5), upper_bound=2.0),
    Region("interval", lower_bound=-3.0, upper_bound=torch.tensor(2.0)),
    Region("half_open_interval", lower_bound=0.0, upper_bound=2.0),
    Region("independent", base_constraint=Region("positive"), reinterpreted_batch_ndims=1),
    Region("cat", cseq=[Region("positive"), Region("real")], dim=-1, lengths=[1, 2]),
    Region("stack", cseq=[Region("positive"), Region("real")], dim=0),
    Region("boolean"), Region("one_hot"), Region("nonnegative_integer"),
    Region("integer_interval", lower_bound=0, upper_bound=3),
    Region("multinomial", upper_bound=3), Region("lower_triangular"), Region("square"), Region("symmetric"),
]


class Found(Make):
    """The transform that biject_to or transform_to returns."""

    def find(self):
        return getattr(D, self.name)


for name in ("transform_to", "biject_to"):
    for r in regions:
        m = Found(name, constraint=r)
        try:
            m.build({})
        except NotImplementedError:
            cases.append(dict(said=m.encode(), repr=""))
            continue
        cases.append(case(m, squares if r.build({}).event_dim == 2 and "corr" not in r.name else numbers / 4, 2000))

goldens.write(Path(__file__).parent / "transforms.json", cases=cases)
