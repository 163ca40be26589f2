"""Writes constraints.json: the text of constraints, and which values satisfy them.
Run: OMP_NUM_THREADS=1 python make_constraints.py"""

import sys
from pathlib import Path

import torch
from torch.distributions import constraints

sys.path.insert(0, str(Path(__file__).resolve().parents[4] / "torchtest"))

import goldens  # noqa: E402

nan, inf = float("nan"), float("inf")
numbers = torch.tensor([-inf, -1.0, -0.5, 0.0, 0.25, 1.0, 1.5, 2.0, 3.0, inf, nan])
rows = torch.tensor([[0.0, 1.0, 0.0], [0.2, 0.3, 0.5], [1.0, 1.0, 0.0], [-0.5, 1.0, 0.5],
                     [nan, 0.0, 1.0], [2.0, 0.0, 1.0]])
whole = torch.tensor([[0, 1, 0], [2, 0, 1], [1, 1, 1]])
a = torch.tensor([[2.0, 0.5], [0.5, 1.0]])
squares = torch.stack([
    a, torch.linalg.cholesky(a), torch.eye(2), -a, torch.ones(2, 2), torch.zeros(2, 2),
    torch.tensor([[1.0, 0.0], [0.6, 0.8]]),
    torch.tensor([[1.0, 0.0], [0.6, -0.8]]), torch.tensor([[1.0, 0.3], [0.0, 1.0]])])
symmetric = torch.stack([a, -a, torch.eye(2), torch.ones(2, 2), torch.zeros(2, 2),
                         torch.tensor([[0.0, 1.0], [1.0, 0.0]])])
wide = torch.ones(3, 2, 4)
low, high = torch.tensor([0.0, 0.3, -1.0]), torch.tensor(1.0)

# Each case has the Go expression, the Python constraint, and values to check.
cases = [
    ("Real", constraints.real, [numbers, whole]),
    ("RealVector", constraints.real_vector, [rows]),
    ("Positive", constraints.positive, [numbers, whole]),
    ("NonNegative", constraints.nonnegative, [numbers]),
    ("UnitInterval", constraints.unit_interval, [numbers]),
    ("Boolean", constraints.boolean, [numbers, whole, whole > 0]),
    ("OneHot", constraints.one_hot, [rows, whole]),
    ("NonNegativeInteger", constraints.nonnegative_integer, [numbers, whole]),
    ("PositiveInteger", constraints.positive_integer, [numbers, whole]),
    ("Simplex", constraints.simplex, [rows, rows.double()]),
    ("LowerTriangular", constraints.lower_triangular, [squares]),
    ("LowerCholesky", constraints.lower_cholesky, [squares, squares[:1]]),
    ("CorrCholesky", constraints.corr_cholesky, [squares, squares.double()]),
    ("Square", constraints.square, [squares, wide]),
    ("Symmetric", constraints.symmetric, [squares, wide]),
    ("PositiveSemidefinite", constraints.positive_semidefinite, [squares, symmetric, wide]),
    ("PositiveDefinite", constraints.positive_definite, [squares, symmetric, wide, a]),
    ("Interval(-0.5, 2)", constraints.interval(-0.5, 2), [numbers, whole]),
    ("Interval(low, high)", constraints.interval(low, high), [rows]),
    ("HalfOpenInterval(0.0, 2.0)", constraints.half_open_interval(0.0, 2.0), [numbers]),
    ("IntegerInterval(0, 2)", constraints.integer_interval(0, 2), [numbers, whole]),
    ("IntegerInterval(0, count)", constraints.integer_interval(0, torch.tensor(1)), [numbers]),
    ("GreaterThan(1.5)", constraints.greater_than(1.5), [numbers]),
    ("GreaterThan(low)", constraints.greater_than(low), [rows]),
    ("GreaterThanEq(1)", constraints.greater_than_eq(1), [numbers]),
    ("LessThan(1e-5)", constraints.less_than(1e-5), [numbers]),
    ("Multinomial(2)", constraints.multinomial(2), [rows, whole]),
    ("Independent(Positive, 1)", constraints.independent(constraints.positive, 1), [rows, numbers]),
    ("Independent(Simplex, 0)", constraints.independent(constraints.simplex, 0), [rows]),
    ("Independent(OneHot, 1)", constraints.independent(constraints.one_hot, 1), [whole, rows]),
    ("MixtureSameFamily(UnitInterval)", constraints.MixtureSameFamilyConstraint(constraints.unit_interval), [numbers]),
    ("MixtureSameFamily(GreaterThan(low))", constraints.MixtureSameFamilyConstraint(constraints.greater_than(low)),
     [numbers]),
    ("MixtureSameFamily(Simplex)", constraints.MixtureSameFamilyConstraint(constraints.simplex), [rows]),
    ("Cat(Positive, Boolean; -1; 1, 2)", constraints.cat([constraints.positive, constraints.boolean], -1, [1, 2]),
     [rows, whole]),
    ("Cat(Real, Positive, Real; 0)", constraints.cat([constraints.real, constraints.positive, constraints.real]),
     [rows[:3]]),
    ("Stack(Positive, Boolean, Real; 1)",
     constraints.stack([constraints.positive, constraints.boolean, constraints.real], 1), [rows]),
    ("Stack(Simplex, RealVector; -2)", constraints.stack([constraints.simplex, constraints.real_vector], -2),
     [rows[None, :2]]),
]

goldens.write(Path(__file__).parent / "constraints.json", cases=[
    dict(go=go, repr=repr(c), is_discrete=c.is_discrete, event_dim=c.event_dim,
         values=[dict(value=v, check=c.check(v)) for v in values])
    for go, c, values in cases
])
