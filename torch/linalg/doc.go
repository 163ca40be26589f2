// Package linalg provides the linear algebra of torch.linalg, over *torch.Tensor. The
// last two dimensions hold a matrix; all others are batch dimensions.
//
//	x := linalg.Solve(a, b)
//	u, s, vh := linalg.SVD(a, linalg.FullMatrices(false))
//	n := linalg.VectorNorm(x, 1, linalg.Dim(-1))
//
// Python's keyword arguments are options here, passed at the end of the call, with
// PyTorch's names and defaults. Most functions call methods of package torch and take the
// options of that package. If an option is given twice, the last one counts. A nil option
// panics with ErrNil. An option that does not apply is a compile error.
//
// Where Python returns a named tuple, a function returns several results in the same
// order. Every function returns new tensors, owned by the innermost scope or else by the
// garbage collector, and panics with a *torch.Error. The kind is ErrLinAlg for a singular
// matrix, for a matrix that is not positive-definite, and for a decomposition that does
// not converge. The functions whose names end in Ex report this in their last result
// instead, which is 0 on success, and do not wait for a GPU.
package linalg
