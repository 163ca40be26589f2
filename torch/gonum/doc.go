// Package gonum converts between gonum's matrices and tensors, by copying or by sharing
// memory. It is a separate module, so that programs without gonum do not depend on it.
//
//	a := gonum.ToDense(x)         // a copy: two dimensions, floating point
//	var eigen mat.EigenSym
//	...
//	y := gonum.FromMatrix(&result) // float64, whatever kind of matrix it is
//
// # Ownership of memory
//
//   - ToDense, ToVecDense, ToSymDense, ToTriDense and ToCDense copy a tensor from any
//     device into Go's memory. FromMatrix, FromVector and FromCMatrix copy into a new
//     tensor.
//   - ViewDense, ViewVecDense, ViewCDense and ViewMatrix lend the tensor's own memory to
//     a function, without a copy. The memory stays valid during the call, even if the
//     tensor is closed. Afterwards the matrix is emptied, so that a matrix kept by
//     mistake has no elements instead of pointing to freed memory.
//   - FromDenseShared, FromVecDenseShared and FromCDenseShared create a tensor over the
//     matrix's memory, which is pinned until the last tensor over it is gone.
//
// # Errors
//
// Functions panic with a *torch.Error for an invalid tensor; torch.Try returns the error.
// Panics of gonum's matrices pass through.
//
// gonum computes with float64 and complex128. Copies convert narrower floating-point
// dtypes without loss. Integers and bools cause ErrDType; convert them first. A tensor
// that requires gradients causes ErrAutograd, as for x.numpy() in Python, because gonum's
// results have no graph. Use x.Detach() to discard the graph.
//
// gonum has no matrices in which only one of the two sizes is 0. Its empty matrix
// corresponds to a tensor of shape (0, 0).
package gonum
