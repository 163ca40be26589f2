// Package special has special functions, as torch.special: element by element,
// over *torch.Tensor. Those that package torch has as methods are here under
// SciPy's names; the others are here alone.
//
//	p := special.Ndtr(x)
//	y := special.XlogyScalar(x, 2)
//	z := special.HermitePolynomialHScalar(x, 3)
//
// Where PyTorch takes a number or a tensor, the function for a number second ends
// in Scalar, and that for a number first begins with it.
//
// Every function returns a new tensor, owned by the innermost scope, else by the
// collector, and panics with a *torch.Error.
package special
