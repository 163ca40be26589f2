// Package constraints describes the regions of the values of distributions: the real
// numbers, the unit interval, the simplex, lower triangular matrices. A [Constraint]
// checks values. distributions.BijectTo and TransformTo turn it into a transform from
// unconstrained numbers, for optimizers.
//
//	constraints.Positive.Check(x)               // x > 0, elementwise
//	constraints.Interval(0, 2).Check(x)         // 0 <= x <= 2
//	constraints.Independent(constraints.Real, 1) // RealVector
//
// Constraints without arguments are constants of type [Region]. Bounds are numbers or
// tensors. The caller keeps a tensor, which must be open when the constraint checks.
//
// Python's dependent constraints, which are only known later, have no counterpart here:
// the Support of a distribution is always known.
//
// The package follows torch.distributions.constraints.
package constraints
