// Package special provides the special functions of torch.special, elementwise over
// *torch.Tensor. Methods of package torch are here under SciPy's names; the other
// functions are only here.
//
//	p := special.Ndtr(x)
//	y := special.XlogyScalar(x, 2)
//	z := special.HermitePolynomialHScalar(x, 3)
//
// Where PyTorch accepts a number or a tensor, the name of the function with a number as
// its second argument ends in Scalar, and with a number as its first argument begins with
// Scalar.
//
// Every function returns a new tensor, owned by the innermost scope or else by the
// garbage collector, and panics with a *torch.Error.
package special
