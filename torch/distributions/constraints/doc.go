// Package constraints describes the sets of values that distributions and their
// parameters can take, such as the real numbers, the unit interval, the simplex and lower
// triangular matrices. A [Constraint] checks values. distributions.BijectTo and
// TransformTo turn it into a transform from unconstrained numbers, for optimizers.
//
//	constraints.Positive.Check(x)               // x > 0, elementwise
//	constraints.Interval(0, 2).Check(x)         // 0 <= x <= 2
//	constraints.Independent(constraints.Real, 1) // RealVector
//
// Constraints without arguments are constants of type [Region]. Bounds are numbers or
// tensors. The caller owns the tensors and must keep them open while the constraint is
// used.
//
// Python's dependent constraints, which a distribution computes on demand, have no
// counterpart here: the Support of a distribution is always known.
//
// The package follows torch.distributions.constraints.
package constraints
