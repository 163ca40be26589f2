// Package linalg has linear algebra, as torch.linalg, over *torch.Tensor. All
// dimensions but the last two, which hold a matrix, count as a batch.
//
//	x := linalg.Solve(a, b)
//	u, s, vh := linalg.SVD(a, linalg.FullMatrices(false))
//	n := linalg.VectorNorm(x, 1, linalg.Dim(-1))
//
// What Python passes by keyword is an option: a small value under PyTorch's name,
// at the end of the call, with Python's default. Most options are those of package
// torch, whose methods most functions are. If an option is given twice, the last
// one counts. A nil option is ErrNil. An option that does not apply does not
// compile.
//
// Where Python returns a named tuple, a function has several results, in that
// order. Every function returns new tensors, owned by the innermost scope, else by
// the collector, and panics with a *torch.Error: a matrix that is singular, or not
// positive-definite, or a decomposition that does not converge is ErrLinAlg. The
// functions that end in Ex say so in a last result instead, which is 0 where all
// went well, and do not wait for a GPU.
package linalg
