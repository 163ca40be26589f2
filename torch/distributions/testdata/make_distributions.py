"""Writes distributions.json: the distributions that make_transformed.py leaves out.
Run: OMP_NUM_THREADS=1 python make_distributions.py"""

import math

import torch
from cases import Make, record

f64 = torch.float64


def t(*v, dtype=torch.float32):
    return torch.tensor(v, dtype=dtype)


column = torch.tensor([[0.5], [2.0]])
weights = torch.tensor([[0.1, 0.2, 0.7], [1.0, 1.0, 2.0]])
scores = torch.tensor([[0.5, -1.0, 2.0], [0.0, 0.3, -0.2]])
half = torch.tensor(0.5)


def binary(name, extra=(), **args):
    """Cases of a distribution whose parameter is a probability or log odds."""
    return [
        Make(name, probs=0.3, **args),
        Make(name, logits=-0.4, **args),
        Make(name, probs=t(0.1, 0.5, 0.8), **args),
        Make(name, logits=t(-2.0, 0.0, 3.0), **args),
        Make(name, probs=t(0.25, 0.6, dtype=f64), **args),
        *[Make(name, **{**args, **e}) for e in extra],
    ]


def categories(name, **args):
    """Cases of a distribution over categories."""
    return [
        Make(name, probs=t(0.2, 0.3, 0.5), **args),
        Make(name, logits=t(0.2, -1.3, 0.5), **args),
        Make(name, probs=weights, **args),
        Make(name, logits=scores, **args),
        Make(name, probs=weights.double(), **args),
        Make(name, logits=scores.double()[:, None], **args),
        Make(name, probs=t(1.0), **args),
    ]


def pair(name, first, second, low=-1.0):
    """Cases of a distribution with two parameters that broadcast; low is a value of the first."""
    return [
        Make(name, **{first: max(low, 0.5), second: 1.5}),
        Make(name, **{first: t(low, 0.5, 1.5), second: 2.0}),
        Make(name, **{first: 0.25, second: column}),
        Make(name, **{first: t(low, 0.5, 3.0), second: column + 3}),
        Make(name, **{first: t(low, 0.5, dtype=f64), second: t(1.25, 3.5, dtype=f64)}),
        Make(name, **{first: t(low).reshape(1, 1), second: t(4.5).reshape(1, 1)}),
        Make(name, **{first: 1, second: 2}),
    ]


cases = [
    *pair("Normal", "loc", "scale"),
    Make("Normal", loc=torch.zeros(20), scale=torch.ones(20)),
    Make("Normal", loc=t(0.5, -1.0, dtype=torch.bfloat16), scale=t(0.5, 2.0, dtype=torch.bfloat16)),
    *pair("Laplace", "loc", "scale"),
    *pair("Cauchy", "loc", "scale"),
    *pair("Uniform", "low", "high"),
    Make("Uniform", low=-1.0, high=2.0, value=t(-1.0, 0.0, 2.0)),
    *pair("Gamma", "concentration", "rate", 0.3),
    *pair("Beta", "concentration1", "concentration0", 0.3),
    Make("Beta", concentration1=t(0.5, 2.0), concentration0=t(0.5, 3.0), value=t(0.25, 0.75)),
    *pair("FisherSnedecor", "df1", "df2", 2.5),
    Make("FisherSnedecor", df1=t(1.0, 3.0, 8.0), df2=t(2.0, 4.0, 9.0)),
    *[Make("Chi2", df=df) for df in (2.0, 3, half, t(0.4, 2.0, 7.5), column, t(1.5, 4.0, dtype=f64))],
    *[Make("Exponential", rate=r) for r in (2.0, 3, half, t(0.4, 2.0, 7.5), column, t(1.5, 4.0, dtype=f64))],
    *[Make("Poisson", rate=r) for r in (2.5, 3, half, t(0.0, 2.0, 17.5), column, t(1.5, 4.0, dtype=f64))],
    *[Make("Dirichlet", concentration=c) for c in (
        t(0.5, 0.3), t(2.0, 1.0, 3.5), weights * 10, weights, t(1.5, 2.5, 0.7, dtype=f64), t(3.0),
        weights[:, None] + 1)],
    Make("StudentT", df=3.0, loc=0.0, scale=1.0),
    Make("StudentT", df=t(0.5, 1.0, 1.5, 2.0, 2.5, 30.0), loc=0.5, scale=2.0),
    Make("StudentT", df=3.0, loc=t(0.5, 1.0), scale=column),
    Make("StudentT", df=t(3.5, 4.5, dtype=f64), loc=t(-1.0, 1.0, dtype=f64), scale=t(0.5, 1.5, dtype=f64)),
    *binary("Bernoulli", [dict(probs=t(0.0, 1.0, 0.5)), dict(logits=column), dict(probs=half)]),
    *binary("Geometric", [dict(probs=t(1.0, 0.01), value=t(0.0, 3.0)), dict(logits=column)]),
    *binary("ContinuousBernoulli", [
        # The formulas lose digits by cancellation near 0.5.
        dict(probs=t(0.0, 0.4985, 0.4995, 0.5, 0.5005, 1.0), value=torch.tensor([[0.0], [0.4], [1.0]]), steps=5000),
        dict(probs=t(0.3, 0.45), lims=(0.4, 0.6)), dict(logits=column)]),
    *binary("Binomial", [
        dict(probs=t(0.0, 1.0), value=t(0.0, 5.0)), dict(logits=column),
        dict(total_count=t(3.0, 20.0), probs=t(0.4, 0.9), steps=200),
        dict(total_count=torch.tensor([[2], [4]]), probs=t(0.4, 0.9))], total_count=5),
    *binary("NegativeBinomial", [
        dict(total_count=t(0.0, 2.5), probs=t(0.4, 0.9), value=t(0.0, 2.0)), dict(logits=column),
        dict(total_count=torch.tensor([2, 4]), probs=column * 0.3)], total_count=5),
    *categories("Categorical"),
    Make("Categorical", probs=t(0.0, 0.25, 0.75), value=torch.tensor([0, 1, 2])),
    Make("Categorical", logits=t(0.0, -math.inf, 1.0), value=torch.tensor([0, 2])),
    *categories("OneHotCategorical"),
    *categories("OneHotCategoricalStraightThrough"),
    *categories("Multinomial", total_count=4),
    Make("Multinomial", total_count=3, probs=t(0.0, 0.25, 0.75), value=t(0.0, 1.0, 2.0)),
    Make("Multinomial", total_count=3, logits=t(0.0, -math.inf, 1.0), value=t(1.0, 0.0, 2.0)),
]

if __name__ == "__main__":
    record("distributions.json", cases)
