package torch

import (
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
)

// This file has matrix factors in LAPACK's form. Most programs use package linalg
// instead.

// Geqrf returns a QR decomposition in LAPACK's form: a matrix with R on and
// above its diagonal and the Householder vectors below, and the vector tau. It
// panics with ErrShape unless t has matrices, and with ErrDType for integers.
// Follows torch.geqrf.
func (t *Tensor) Geqrf() (a, tau *Tensor) { return pair("Geqrf(self)", t, aten.Geqrf) }

// Orgqr returns the first columns of Q from the result of [Tensor.Geqrf]. It
// panics with ErrShape if the shapes do not match, and with ErrDType for
// integers and if the dtypes differ. Follows torch.orgqr.
func (t *Tensor) Orgqr(tau *Tensor) *Tensor { return binary("Orgqr(self, tau)", aten.Orgqr, t, tau) }

// An OrmqrOption is an option of [Tensor.Ormqr]: [Left] or [Transposed].
//
//gotorch:options Left Transposed
type OrmqrOption interface{ ormqrOption() }

// Transposed multiplies by the conjugate transpose. The default is false. The
// name in Python is transpose.
type Transposed bool

// Ormqr returns Q @ other, or other @ Q with Left(false), from the result of
// [Tensor.Geqrf], without computing Q. It panics with ErrShape or ErrValue if
// the shapes do not match, and with ErrDType for integers and if the dtypes
// differ. Follows torch.ormqr.
func (t *Tensor) Ormqr(tau, other *Tensor, opts ...OrmqrOption) *Tensor {
	const op = "Ormqr(self, tau, other)"
	left, transpose := readOptions2(op, opts, Left(true), Transposed(false))
	return ternary(op, func(cx abi.Ctx, h, u, x abi.Tensor) abi.Ret {
		return aten.Ormqr(cx, h, u, x, bool(left), bool(transpose))
	}, t, tau, other)
}

// An LUUnpackOption is an option of [LUUnpack]: [UnpackData] or [UnpackPivots].
//
//gotorch:options UnpackData UnpackPivots
type LUUnpackOption interface{ luUnpackOption() }

// UnpackData makes [LUUnpack] return the triangular factors; with false they
// are empty. The default is true. It is unpack_data in Python.
type UnpackData bool

// UnpackPivots makes [LUUnpack] return the permutation; with false it is empty.
// The default is true. It is unpack_pivots in Python.
type UnpackPivots bool

// LUUnpack returns the permutation and the two triangular factors from the
// result of [Tensor.LUFactor]. It panics with ErrShape if the shapes do not
// match, with ErrDType for pivots other than Int32, and with ErrIndex or
// ErrValue for invalid pivots. Follows torch.lu_unpack.
func LUUnpack(lu, pivots *Tensor, opts ...LUUnpackOption) (p, l, u *Tensor) {
	const op = "LUUnpack(lu, pivots)"
	a, b := lu.handle(op, 0), pivots.handle(op, 1)
	data, permutation := readOptions2(op, opts, UnpackData(true), UnpackPivots(true))
	r := BeginRaw(op, lu, pivots)
	res, st := aten.LuUnpack(r.Ctx, a, b, bool(data), bool(permutation))
	r.Status(st)
	return r.Wrap(res[0]), r.Wrap(res[1]), r.Wrap(res[2])
}
