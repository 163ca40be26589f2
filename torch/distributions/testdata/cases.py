"""Code that the scripts for golden files of distributions share. A case is a distribution,
given by the name of its class and its arguments, and the results of its methods in PyTorch.

    from cases import Make, record
    record("normal.json", [Make("Normal", loc=0.0, scale=torch.ones(3))])

golden_test.go reads the files. Run the scripts with one thread."""

import sys
from pathlib import Path

import torch
import torch.distributions as D

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "torchtest"))

import goldens  # noqa: E402

plain = goldens.encode


def encode(v):
    """Encodes v as goldens.py does, but with only the significant digits of float32."""
    e = plain(v)
    if isinstance(v, torch.Tensor) and v.dtype == torch.float32:
        e["data"] = [float(f"{x:.9g}") if isinstance(x, float) else x for x in e["data"]]
    return e


goldens.encode = encode

torch.set_num_threads(1)


class Make:
    """A distribution, transform or constraint, given by its name and arguments. Arguments are
    tensors, numbers, lists and Makes. Floating-point tensors get gradients.

    value is the argument of log_prob and cdf, by default a sample. q is the argument of icdf.
    steps is the number of roundings on the longest path to a result."""

    def __init__(self, name, *, value=None, q=None, steps=50, **args):
        self.name, self.args, self.value, self.q, self.steps = name, args, value, q, steps

    def build(self, leaves, path=""):
        return self.find()(**{k: build(v, leaves, f"{path}{k}") for k, v in self.args.items()})

    def find(self):
        for place in (D, D.transforms, D.constraints):
            if hasattr(place, self.name):
                return getattr(place, self.name)
        raise AttributeError(self.name)

    def encode(self):
        return dict(make=self.name, args={k: said(v) for k, v in self.args.items()})


def build(v, leaves, path):
    if isinstance(v, Make):
        return v.build(leaves, path + ".")
    if isinstance(v, list):
        return [build(e, leaves, f"{path}[{i}]") for i, e in enumerate(v)]
    if isinstance(v, torch.Tensor) and v.is_floating_point():
        v = v.clone().requires_grad_()
        leaves[path] = v
    return v


def said(v):
    if isinstance(v, Make):
        return v.encode()
    if isinstance(v, list):
        return [said(e) for e in v]
    return encode(v)


def weighted(out):
    """Returns a weighted sum to take gradients of: every element has a different weight."""
    return (out * torch.linspace(0.5, 1.5, out.numel(), dtype=out.dtype).reshape(out.shape)).sum()


def answer(fn, leaves):
    """Returns the result of fn and its gradients, or None if fn is not implemented."""
    try:
        out = fn()
    except NotImplementedError:
        return None
    grads = {}
    if out.requires_grad:
        for name, leaf in leaves.items():
            try:
                (g,) = torch.autograd.grad(weighted(out), [leaf], retain_graph=True, allow_unused=True)
            except (RuntimeError, NotImplementedError) as e:
                if not any(w in str(e) for w in ("not implemented", "inplace operation")):
                    raise  # "inplace operation": Wishart overwrites a tensor that its gradient needs
                continue
            if g is not None:
                grads[name] = g
    return dict(out=out, requires_grad=out.requires_grad, grads=grads)


def facts(d):
    return dict(
        repr=repr(d), support=repr(d.support), batch_shape=list(d.batch_shape), event_shape=list(d.event_shape),
        has_rsample=d.has_rsample, has_enumerate_support=d.has_enumerate_support,
    )


def values(d, m):
    value, q = m.value, m.q
    if value is None:
        torch.manual_seed(3)
        value = d.sample((2,)).detach()
    if q is None:
        shape = (2, *d.batch_shape, *d.event_shape)
        like = value if value.is_floating_point() else torch.empty(0)
        q = torch.linspace(0.1, 0.9, torch.Size(shape).numel(), dtype=like.dtype).reshape(shape)
    return value, q


def case(m):
    leaves = {}
    d = m.build(leaves)
    out = dict(said=m.encode(), facts=facts(d), steps=m.steps)  # before d caches any value
    value, q = values(d, m)
    out.update(value=value, q=q)
    asked = {}
    if value.is_floating_point() and not d.support.is_discrete:
        value = value.clone().requires_grad_()
        asked = dict(value=value)
    answers = {}
    for name in ("mean", "mode", "variance", "stddev"):
        answers[name] = answer(lambda name=name: getattr(d, name), leaves)
    for name in ("entropy", "perplexity"):
        answers[name] = answer(lambda name=name: getattr(d, name)(), leaves)
    answers["log_prob"] = answer(lambda: d.log_prob(value), {**leaves, **asked})
    answers["cdf"] = answer(lambda: d.cdf(value), {**leaves, **asked})
    q = q.clone().requires_grad_()
    answers["icdf"] = answer(lambda: d.icdf(q), {**leaves, "q": q})

    def draws():
        torch.manual_seed(0)
        return torch.cat([d.sample().flatten(), d.sample((2, 3)).flatten()])

    def grown():
        torch.manual_seed(2)
        return d.expand((2, *d.batch_shape)).sample((2,))

    def redrawn():
        torch.manual_seed(1)
        return d.rsample((2,))

    answers["sample"] = answer(draws, {})
    answers["rsample"] = answer(redrawn, leaves)
    answers["enumerate_support"] = answer(d.enumerate_support, {})
    answers["enumerate_support_once"] = answer(lambda: d.enumerate_support(expand=False), {})
    answers["expand.sample"] = answer(grown, {})
    if answers["expand.sample"]:
        drawn = answers["expand.sample"]["out"]
        answers["expand.log_prob"] = answer(lambda: d.expand((2, *d.batch_shape)).log_prob(drawn), leaves)
    out["answers"] = answers
    try:
        out["expanded"] = facts(m.build({}).expand((2, *d.batch_shape)))  # a new distribution caches no value
    except NotImplementedError:
        out["expanded"] = None
    return out


def record(path, cases):
    """Writes a file of cases to the script's folder."""
    goldens.write(Path(__file__).parent / path, cases=[case(m) for m in cases])
