// Package special provides the special functions of torch.special, elementwise over
// *torch.Tensor. Some are methods of package torch, offered under SciPy's names; the
// others exist only in this package.
//
//	p := special.Ndtr(x)
//	y := special.XlogyScalar(x, 2)
//	z := special.HermitePolynomialHScalar(x, 3)
//
// Where PyTorch accepts a number or a tensor, there is a function for each. Its name ends
// in Scalar if its second argument is a number, and begins with Scalar if its first
// argument is a number.
//
// Every function returns a new tensor, owned by the innermost scope or else by the
// garbage collector, and panics with a *torch.Error.
package special
