"""Writes together.json: gradients of the sum of several results of one distribution. PyTorch
computes some values on first use and keeps them, so the order of first uses determines the
order in which gradients are added.
Run: OMP_NUM_THREADS=1 python make_together.py"""

from pathlib import Path

import make_distributions
import make_transformed
import torch
from cases import encode, goldens, values, weighted

ASKED = (("log_prob", "entropy"), ("sample", "entropy", "log_prob"), ("mean", "variance", "log_prob", "entropy"))


def ask(d, name, value):
    """Returns one result of d, or None for a sample and if d does not implement it."""
    try:
        if name == "sample":
            with torch.no_grad():
                d.sample()
                return None
        return d.log_prob(value) if name == "log_prob" else d.entropy() if name == "entropy" else getattr(d, name)
    except NotImplementedError:
        return None


def together(m, names):
    """Returns the gradients of the sum of the named results of a new distribution."""
    value, _ = values(m.build({}), m)
    leaves = {}
    d = m.build(leaves)
    answers = {name: ask(d, name, value) for name in names}
    answers = {name: a for name, a in answers.items() if a is not None and a.requires_grad}
    if len(answers) < 2:
        return None
    total = sum(weighted(a) for a in answers.values())
    grads = torch.autograd.grad(total, list(leaves.values()), allow_unused=True)
    return dict(said=m.encode(), steps=m.steps, value=value, asked=list(names), added=list(answers),
                grads={name: g for name, g in zip(leaves, grads) if g is not None})


goldens.encode = encode
cases = [*make_distributions.cases, *make_transformed.cases]
found = [together(m, names) for m in cases for names in ASKED]
goldens.write(Path(__file__).parent / "together.json", capability=torch.backends.cpu.get_cpu_capability(),
              cases=[c for c in found if c])
