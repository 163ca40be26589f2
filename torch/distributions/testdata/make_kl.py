"""Writes kl.json: the divergence of every pair that kl_divergence supports, and some pairs
that it does not support. Run: OMP_NUM_THREADS=1 python make_kl.py"""

from pathlib import Path

import torch
import torch.distributions as D
from cases import Make, answer, goldens
from torch.distributions import kl


def t(*v, dtype=torch.float32):
    return torch.tensor(v, dtype=dtype)


cov = torch.tensor([[2.0, 0.5, 0.1], [0.5, 1.0, -0.2], [0.1, -0.2, 1.5]])
covs = torch.stack([cov, cov * 2 + torch.eye(3)])
loc = t(0.5, -1.0, 2.0)
factor = torch.tensor([[1.0], [0.5], [-1.0]])

# Two distributions of each class. Their batches have the same shape, since PyTorch's masks do
# not broadcast.
made = {
    "Bernoulli": (Make("Bernoulli", probs=t(0.0, 0.3, 1.0)), Make("Bernoulli", logits=t(-1.0, 0.5, 2.0))),
    "Beta": (Make("Beta", concentration1=t(0.5, 2.0, 3.0), concentration0=1.5),
             Make("Beta", concentration1=t(1.5, 1.0, 4.0), concentration0=t(0.5, 2.5, 1.5))),
    "Binomial": (Make("Binomial", total_count=t(4.0, 6.0, 4.0), probs=t(0.2, 0.5, 0.7)),
                 Make("Binomial", total_count=4, probs=t(0.3, 0.4, 0.6))),
    "Categorical": (Make("Categorical", probs=t(0.0, 0.4, 0.6)),
                    Make("Categorical", logits=torch.tensor([[0.2, 0.3, 0.5], [1.0, -1.0, 0.0]]))),
    "Cauchy": (Make("Cauchy", loc=t(0.5, -1.0, 2.0), scale=1.5), Make("Cauchy", loc=0.2, scale=t(0.5, 2.5, 1.5))),
    "ContinuousBernoulli": (Make("ContinuousBernoulli", probs=t(0.1, 0.4, 0.8)),
                            Make("ContinuousBernoulli", logits=t(-1.0, 0.5, -0.25))),
    "Dirichlet": (Make("Dirichlet", concentration=t(0.5, 1.5, 3.0)),
                  Make("Dirichlet", concentration=torch.tensor([[1.0, 2.0, 0.4], [2.0, 2.0, 2.0]]))),
    "Exponential": (Make("Exponential", rate=t(0.5, 1.0, 3.0)), Make("Exponential", rate=t(0.7, 2.0, 1.35))),
    "Gamma": (Make("Gamma", concentration=t(0.5, 2.0, 3.0), rate=1.5),
              Make("Gamma", concentration=2.5, rate=t(0.7, 2.0, 1.35))),
    "Geometric": (Make("Geometric", probs=t(0.2, 0.5, 0.9)), Make("Geometric", logits=t(-1.0, 0.5, -0.25))),
    "Gumbel": (Make("Gumbel", loc=t(0.5, -1.0, 2.0), scale=1.5), Make("Gumbel", loc=0.2, scale=t(0.8, 2.5, 1.65))),
    "HalfNormal": (Make("HalfNormal", scale=t(0.5, 1.0, 3.0)), Make("HalfNormal", scale=t(0.7, 2.0, 1.35))),
    "Laplace": (Make("Laplace", loc=t(0.5, -1.0, 2.0), scale=1.5), Make("Laplace", loc=0.2, scale=t(0.8, 2.5, 1.65))),
    "LowRankMultivariateNormal": (
        Make("LowRankMultivariateNormal", loc=loc, cov_factor=factor, cov_diag=t(0.5, 1.0, 2.0)),
        Make("LowRankMultivariateNormal", loc=torch.stack([loc, -loc]), cov_factor=factor * 2,
             cov_diag=t(1.5, 1.0, 0.7))),
    "MultivariateNormal": (
        Make("MultivariateNormal", loc=loc, covariance_matrix=cov),
        Make("MultivariateNormal", loc=t(0.0, 1.0, 0.5), scale_tril=torch.linalg.cholesky(covs))),
    "Normal": (Make("Normal", loc=t(0.5, -1.0, 2.0), scale=1.5), Make("Normal", loc=0.2, scale=t(0.8, 2.5, 1.65))),
    "OneHotCategorical": (Make("OneHotCategorical", probs=t(0.0, 0.4, 0.6)),
                          Make("OneHotCategorical", logits=torch.tensor([[0.2, 0.3, 0.5], [1.0, -1.0, 0.0]]))),
    "Pareto": (Make("Pareto", scale=t(0.5, 1.0, 3.0), alpha=t(0.8, 1.5, 3.0)),
               Make("Pareto", scale=t(0.7, 2.0, 1.35), alpha=2.5)),
    "Poisson": (Make("Poisson", rate=t(0.5, 1.0, 3.0)), Make("Poisson", rate=t(0.7, 2.0, 1.35))),
    "Uniform": (Make("Uniform", low=t(0.1, 0.2, -1.0), high=t(0.7, 0.9, 2.0)),
                Make("Uniform", low=t(0.0, -2.0, -1.0), high=3.0)),
}


def case(p, q, steps=500):
    leaves = {}
    first, second = p.build(leaves, "p."), q.build(leaves, "q.")
    return dict(p=p.encode(), q=q.encode(), steps=steps, answer=answer(lambda: D.kl_divergence(first, second), leaves))


cases, general = [], (D.ExponentialFamily, D.Independent, D.TransformedDistribution)
for p, q in sorted(kl._KL_REGISTRY, key=lambda pair: [c.__name__ for c in pair]):
    if p not in general:
        cases.append(case(made[p.__name__][0], made[q.__name__][1]))
        cases.append(case(made[p.__name__][1], made[q.__name__][1]))


def d(m):
    """Returns m with its tensors in double precision."""
    def f(v):
        return v.double() if isinstance(v, torch.Tensor) else v
    return Make(m.name, **{k: f(v) for k, v in m.args.items()})


def transformed(base, *transforms):
    return Make("TransformedDistribution", base_distribution=base, transforms=list(transforms))


def independent(base, n):
    return Make("Independent", base_distribution=base, reinterpreted_batch_ndims=n)


normals, uniforms = made["Normal"], made["Uniform"]
exp = Make("ExpTransform")
affine = Make("AffineTransform", loc=1.0, scale=2.0)
moved = Make("AffineTransform", loc=1.0, scale=t(2.0))
inside = Make("Uniform", low=t(0.2, 0.0), high=t(0.6, 1.0))
unit = Make("Beta", concentration1=t(1.5, 2.0), concentration0=1.5)

cases += [
    *[case(d(made[n][0]), d(made[n][1])) for n in ("Gamma", "MultivariateNormal", "Bernoulli", "Pareto")],
    case(inside, unit), case(inside, Make("ContinuousBernoulli", probs=t(0.3, 0.8))),
    case(inside, Make("Gamma", concentration=2.0, rate=1.0)),
    case(Make("Uniform", low=t(1.0, 2.0), high=4.0), Make("Pareto", scale=1.5, alpha=2.0)),
    case(inside, Make("Exponential", rate=2.0)),
    case(unit, Make("Uniform", low=t(0.0, 0.1), high=1.5)),
    case(Make("ContinuousBernoulli", probs=t(0.3, 0.8)), Make("Uniform", low=t(-1.0, 0.1), high=1.5)),
    case(Make("Categorical", probs=t(0.2, 0.8)), Make("Categorical", probs=t(0.0, 1.0))),
    case(Make("Bernoulli", probs=t(0.2, 0.8)), Make("Bernoulli", probs=t(0.0, 1.0))),
    case(Make("Poisson", rate=2.0), Make("Binomial", total_count=3, probs=0.5)),
    case(Make("Chi2", df=t(2.0, 3.0)), Make("Chi2", df=4.0)),
    case(Make("Chi2", df=t(2.0, 3.0)), Make("Exponential", rate=1.5)),
    case(Make("OneHotCategoricalStraightThrough", probs=t(0.1, 0.4, 0.5)), made["OneHotCategorical"][1]),
    case(independent(normals[0], 1), independent(normals[1], 1)),
    case(independent(normals[0], 0), independent(normals[0], 1)),
    case(transformed(normals[0], exp, affine), transformed(normals[1], exp, affine)),
    case(transformed(normals[0], exp, affine), transformed(normals[1], exp, moved)),
    case(transformed(normals[0], exp), transformed(normals[1], affine)),
    case(Make("LogNormal", loc=t(0.5, 1.0), scale=1.5), Make("LogNormal", loc=0.2, scale=2.5)),
    case(Make("LogNormal", loc=t(0.5, 1.0, 2.0), scale=1.5), transformed(normals[1], exp)),
    case(Make("LogisticNormal", loc=t(0.5, 1.0), scale=1.5), Make("LogisticNormal", loc=t(0.2, -1.0), scale=2.5)),
    case(Make("Weibull", scale=t(0.5, 1.0), concentration=1.5), Make("Weibull", scale=t(0.5, 1.0), concentration=1.5)),
    case(Make("Weibull", scale=t(0.5, 1.0), concentration=1.5), Make("Weibull", scale=t(0.5, 2.0), concentration=1.5)),
    case(Make("InverseGamma", concentration=t(0.5, 2.0), rate=1.5), Make("InverseGamma", concentration=2.5, rate=2.0)),
    case(Make("Wishart", df=5.0, covariance_matrix=cov),
         Make("Wishart", df=6.5, scale_tril=torch.linalg.cholesky(covs[1])), 5000),
    case(Make("Binomial", total_count=3, probs=0.5), Make("Binomial", total_count=4, probs=0.5)),
    case(normals[0], made["Cauchy"][0]), case(made["Bernoulli"][0], made["Categorical"][0]),
    case(made["Cauchy"][0], normals[0]), case(made["HalfNormal"][0], made["Pareto"][0]),
    case(made["Dirichlet"][0], made["Beta"][0]), case(Make("VonMises", loc=0.5, concentration=1.0), normals[0]),
]

goldens.write(Path(__file__).parent / "kl.json", cases=cases)
