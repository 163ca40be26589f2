"""Writes transformed.json: transformed distributions, mixtures, and distributions over vectors
and matrices.
Run: OMP_NUM_THREADS=1 python make_transformed.py"""

import torch
import torch.distributions as D
from cases import Make, record

D.LogitRelaxedBernoulli = D.relaxed_bernoulli.LogitRelaxedBernoulli
D.ExpRelaxedCategorical = D.relaxed_categorical.ExpRelaxedCategorical
D.InverseTransform = D.transforms._InverseTransform

f64 = torch.float64


def t(*v, dtype=torch.float32):
    return torch.tensor(v, dtype=dtype)


column = torch.tensor([[0.5], [2.0]])


def pair(name, first, second, low, steps=100):
    """Cases of a distribution with two parameters that broadcast; low is a value of the first."""
    return [
        Make(name, **{first: max(low, 0.5), second: 1.5}, steps=steps),
        Make(name, **{first: t(low, 0.5, 3.0), second: column + 2}, steps=steps),
        Make(name, **{first: t(low + 1, 2.5, dtype=f64), second: t(1.25, 3.5, dtype=f64)}, steps=steps),
    ]


normal = Make("Normal", loc=t(0.5, -1.0), scale=t(1.0, 0.5))
exp, sigmoid, tanh = Make("ExpTransform"), Make("SigmoidTransform"), Make("TanhTransform")


def affine(loc, scale, **args):
    return Make("AffineTransform", loc=loc, scale=scale, **args)


def inv(transform):
    return Make("InverseTransform", transform=transform)


def transformed(base, *transforms, **args):
    return Make("TransformedDistribution", base_distribution=base, transforms=list(transforms), steps=200, **args)


weights = Make("Categorical", probs=t(0.2, 0.3, 0.5))
batched = Make("Categorical", logits=torch.tensor([[0.2, 0.3, 0.5], [1.0, 0.0, -1.0]]))


def mixture(mix, component, **args):
    return Make("MixtureSameFamily", mixture_distribution=mix, component_distribution=component, steps=200, **args)


cov = torch.tensor([[2.0, 0.5, 0.1], [0.5, 1.0, -0.2], [0.1, -0.2, 1.5]])
covs = torch.stack([cov, cov * 2 + torch.eye(3)])
tril = torch.linalg.cholesky(covs)
loc = t(0.5, -1.0, 2.0)
wide = torch.tensor([[[0.5, -1.0, 2.0]], [[1.0, 0.0, 0.5]]])  # (2, 1, 3)


def independent(base, n, **args):
    return Make("Independent", base_distribution=base, reinterpreted_batch_ndims=n, **args)


cases = [
    transformed(normal, exp),
    transformed(normal),
    transformed(normal, affine(1.0, 2.0), exp),
    transformed(normal, affine(t(1.0, 2.0), t(-2.0, 0.5)), tanh),
    transformed(normal, affine(0.5, column), sigmoid),
    transformed(Make("Uniform", low=0.0, high=1.0), inv(sigmoid), affine(0.5, 2.0)),
    transformed(normal, affine(1.0, 2.0, event_dim=1)),
    transformed(normal, Make("StickBreakingTransform")),
    transformed(Make("Normal", loc=torch.zeros(2, 3), scale=1.0), Make("CorrCholeskyTransform")),
    transformed(Make("Normal", loc=torch.zeros(6), scale=1.0),
                Make("ReshapeTransform", in_shape=[6], out_shape=[2, 3]), exp),
    transformed(independent(normal, 1), exp),
    transformed(Make("MultivariateNormal", loc=loc, covariance_matrix=cov), affine(1.0, 2.0)),
    transformed(Make("Normal", loc=t(0.5, dtype=f64), scale=t(1.5, dtype=f64)), Make("SoftplusTransform")),
    transformed(normal, Make("CumulativeDistributionTransform", distribution=Make("Normal", loc=0.0, scale=2.0))),
    transformed(Make("Gamma", concentration=t(1.5, 3.0), rate=2.0), Make("PowerTransform", exponent=t(0.5, -1.0))),
    independent(Make("OneHotCategoricalStraightThrough", probs=torch.tensor([[0.2, 0.8], [0.5, 0.5]])), 0),
    independent(normal, 1),
    independent(normal, 0),
    independent(Make("Bernoulli", probs=t(0.2, 0.7)), 1),
    independent(Make("Bernoulli", probs=t(0.2, 0.7)), 0),
    independent(Make("Normal", loc=torch.zeros(2, 3), scale=t(1.0, 2.0, 3.0)), 2),
    independent(Make("Dirichlet", concentration=torch.tensor([[0.5, 1.5], [1.0, 2.0]])), 1),
    mixture(weights, Make("Normal", loc=t(-1.0, 0.0, 2.0), scale=t(0.5, 1.0, 1.5))),
    mixture(batched, Make("Normal", loc=torch.tensor([[-1.0, 0.0, 2.0], [0.5, 1.0, 3.0]]), scale=1.5)),
    mixture(weights, Make("Poisson", rate=t(1.0, 5.0, 9.0))),
    mixture(weights,
            independent(Make("Normal", loc=torch.tensor([[-1.0, 0.0], [2.0, 1.0], [0.0, 3.0]]), scale=t(0.5, 1.0)), 1)),
    mixture(weights, Make("MultivariateNormal", loc=torch.stack([loc, loc + 1, -loc]), covariance_matrix=cov)),
    *pair("LogNormal", "loc", "scale", -1.0, 2000),
    *[Make("HalfNormal", scale=s) for s in (2.0, t(0.5, 2.0), column, t(1.5, dtype=f64))],
    *[Make("HalfCauchy", scale=s) for s in (2.0, t(0.5, 2.0), column, t(1.5, dtype=f64))],
    *pair("Gumbel", "loc", "scale", -1.0, 500),
    *pair("Weibull", "scale", "concentration", 0.5, 500),
    *pair("Pareto", "scale", "alpha", 0.5, 500),
    Make("Pareto", scale=t(1.0, 2.0, 2.0), alpha=t(0.5, 1.5, 2.0), value=t(1.5, 2.5, 4.0), steps=500),
    *pair("Kumaraswamy", "concentration1", "concentration0", 0.5, 2000),
    *pair("InverseGamma", "concentration", "rate", 0.5, 500),
    Make("LogisticNormal", loc=0.5, scale=1.5, steps=500),
    Make("LogisticNormal", loc=t(0.5, -1.0, 0.2), scale=column + 0.5, steps=500),
    *[Make(name, temperature=temperature, **args, steps=500) for name in ("RelaxedBernoulli", "LogitRelaxedBernoulli")
      for temperature, args in (
        (torch.tensor(0.5), dict(probs=t(0.2, 0.7))),
        (t(2.0, 0.7), dict(logits=t(-1.0, 0.5))),
        (torch.tensor(0.8, dtype=f64), dict(probs=t(0.3, 0.6, dtype=f64))),
        (torch.tensor(1.5), dict(probs=0.3)),
    )],
    *[Make(name, temperature=torch.tensor(temperature), **args, steps=1000)
      for name in ("RelaxedOneHotCategorical", "ExpRelaxedCategorical") for temperature, args in (
        (0.5, dict(probs=t(0.2, 0.3, 0.5))),
        (2.0, dict(logits=torch.tensor([[0.2, -0.3, 0.5], [0.0, 1.0, 0.4]]))),
    )],
    *pair("VonMises", "loc", "concentration", -1.0),
    Make("VonMises", loc=t(0.5, 1.0, 3.0), concentration=t(1e-6, 3.75, 50.0), value=t(0.1, -3.0, 2.5), steps=500),
    Make("MultivariateNormal", loc=loc, covariance_matrix=cov),
    Make("MultivariateNormal", loc=loc, precision_matrix=covs),
    Make("MultivariateNormal", loc=wide, scale_tril=tril[:1]),
    Make("MultivariateNormal", loc=wide, scale_tril=tril),
    Make("MultivariateNormal", loc=torch.stack([loc, -loc]), covariance_matrix=covs,
         value=torch.linspace(-2, 2, 36).reshape(3, 2, 2, 3)[:, :1]),
    Make("MultivariateNormal", loc=loc.double(), covariance_matrix=covs.double()),
    Make("LowRankMultivariateNormal", loc=loc, cov_factor=torch.tensor([[1.0], [0.5], [-1.0]]),
         cov_diag=t(0.5, 1.0, 2.0), steps=200),
    Make("LowRankMultivariateNormal", loc=wide, cov_factor=tril[..., :2], cov_diag=t(0.5, 1.0, 2.0), steps=200),
    Make("LowRankMultivariateNormal", loc=loc.double(), cov_factor=tril[..., :1].double(),
         cov_diag=t(0.5, 1.0, 2.0).double(), steps=200),
    Make("LKJCholesky", dim=3, concentration=0.5, steps=200),
    Make("LKJCholesky", dim=2, concentration=t(0.5, 1.0, 4.0), steps=200),
    Make("LKJCholesky", dim=4, concentration=torch.tensor([[1.5]], dtype=f64), steps=200),
    Make("Wishart", df=5.0, covariance_matrix=cov, steps=500),
    Make("Wishart", df=t(3.5, 6.0), precision_matrix=covs, steps=500),
    Make("Wishart", df=t(4.5, 8.0, dtype=f64), scale_tril=tril.double(), steps=500),
    Make("GeneralizedPareto", loc=0.5, scale=1.5, concentration=0.2, steps=200),
    Make("GeneralizedPareto", loc=t(0.5, 1.0, -1.0, 0.0), scale=1.5, concentration=t(0.0, -0.4, 0.6, 1.2),
         value=t(1.0, 2.0, 0.5, 3.0), steps=200),
]

if __name__ == "__main__":
    record("transformed.json", cases)
