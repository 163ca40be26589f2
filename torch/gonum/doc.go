// Package gonum turns gonum's matrices into tensors and tensors into gonum's matrices, by
// copy or over one memory. It is a module of its own, so that programs without gonum do not
// get it.
//
//	a := gonum.ToDense(x)         // a copy: two dimensions, floating point
//	var eigen mat.EigenSym
//	...
//	y := gonum.FromMatrix(&result) // float64, whatever kind of matrix it is
//
// # Whose memory it is
//
//   - ToDense, ToVecDense, ToSymDense, ToTriDense and ToCDense copy into Go's memory, from
//     whatever device the tensor is on. FromMatrix, FromVector and FromCMatrix copy into a new
//     tensor.
//   - ViewDense, ViewVecDense, ViewCDense and ViewMatrix lend the tensor's own memory to a
//     function, without a copy. It cannot go meanwhile, whoever closes the tensor. When the
//     function returns the matrix is emptied, so that one that was kept by mistake has no
//     elements, in place of memory that is not there any more.
//   - FromDenseShared, FromVecDenseShared and FromCDenseShared make a tensor over the
//     matrix's memory, which is pinned until the last tensor over it is gone.
//
// gonum computes with float64 and complex128. Copies widen narrower floating point, which is
// exact; integers and bools are ErrDType and are converted by the caller. A tensor that
// requires gradients is ErrAutograd, as x.numpy() is an error in Python: gonum's results have
// no graph, and x.Detach() says that none is wanted.
//
// gonum has no matrices of 0 rows and some columns, or the other way round; its empty matrix
// is a tensor of shape (0, 0). Wrong tensors panic with a *torch.Error, which torch.Try
// returns; what a matrix of gonum's panics with passes through.
package gonum
