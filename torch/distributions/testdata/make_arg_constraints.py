"""Writes arg_constraints.json: the constraints on the parameters of each distribution in
make_distributions.py and make_transformed.py, once for each set of arguments.
Run: python make_arg_constraints.py"""

from pathlib import Path

import cases

made = []
cases.record = lambda path, found: made.extend(found)

import make_distributions  # noqa: E402, F401
import make_transformed  # noqa: E402, F401

first = {}
for m in made:
    first.setdefault((m.name, *m.args), m)


def region(v):
    return {name: repr(c) for name, c in v.arg_constraints.items()}


cases.goldens.write(
    Path(__file__).parent / "arg_constraints.json",
    cases=[dict(said=m.encode(), arg_constraints=region(m.build({}))) for m in first.values()],
)
