// Package constraints says in which region the values of a distribution lie: the real
// numbers, the unit interval, the simplex, lower triangular matrices. A constraint checks
// values ([Constraint]), and distributions.BijectTo and TransformTo turn it into a map from
// unbounded numbers, which an optimizer can move freely.
//
//	constraints.Positive.Check(x)               // x > 0, elementwise
//	constraints.Interval(0, 2).Check(x)         // 0 <= x <= 2
//	constraints.Independent(constraints.Real, 1) // RealVector
//
// Constraints without arguments are constants of type [Region]. Bounds are numbers or
// tensors. A tensor stays the caller's: it has to be open when the constraint checks.
//
// Python's dependent constraints, which stand for one that is known only later, have no
// twin here: the Support of a distribution is always known.
//
// The package follows torch.distributions.constraints.
package constraints
