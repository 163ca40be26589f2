package torch

import (
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
)

// Diagonal selects a diagonal by its distance above the main diagonal; a negative number
// is below it. The default is 0. It is diagonal in Python.
type Diagonal int64

// Offset selects a diagonal by its distance above the main diagonal; a negative number is
// below it. The default is 0. It is offset in Python.
type Offset int64

// Dim1 is the first dimension of the matrices whose diagonals are used. Each
// function documents its default. It is dim1 in Python.
type Dim1 int64

// Dim2 is the second dimension of the matrices whose diagonals are used. Each
// function documents its default. It is dim2 in Python.
type Dim2 int64

// A DiagonalOption is an option of [Tensor.Diagonal] and [Tensor.DiagEmbed]:
// [Offset], [Dim1] or [Dim2].
//
//gotorch:options Offset Dim1 Dim2
type DiagonalOption interface{ diagonalOption() }

// diagonal holds the parsed options about diagonals.
type diagonal struct{ offset, dim1, dim2 int64 }

// take reads the options of op over the defaults in d.
func (d *diagonal) take(op string, opts []DiagonalOption) {
	for _, o := range opts {
		switch o := o.(type) {
		case Offset:
			d.offset = int64(o)
		case Dim1:
			d.dim1 = int64(o)
		case Dim2:
			d.dim2 = int64(o)
		default:
			panic(badOption(op, o))
		}
	}
}

// Diagonal returns a view of the diagonals over [Dim1] (default 0) and [Dim2]
// (default 1), as a new last dimension. It panics with ErrIndex for dimensions
// out of range, and with ErrShape if both are the same. Follows torch.diagonal.
func (t *Tensor) Diagonal(opts ...DiagonalOption) *Tensor {
	const op = "Diagonal(self)"
	d := diagonal{dim2: 1}
	d.take(op, opts)
	return call(op, t, func(cx abi.Ctx, h abi.Tensor) abi.Ret { return aten.Diagonal(cx, h, d.offset, d.dim1, d.dim2) })
}

// DiagEmbed returns matrices over the result's dimensions [Dim1] and [Dim2]
// (default the last two), with t's last dimension on their diagonals and 0
// elsewhere. It panics with ErrIndex for dimensions out of range, and with
// ErrShape if both are the same. Follows torch.diag_embed.
func (t *Tensor) DiagEmbed(opts ...DiagonalOption) *Tensor {
	const op = "DiagEmbed(self)"
	d := diagonal{dim1: -2, dim2: -1}
	d.take(op, opts)
	return call(op, t, func(cx abi.Ctx, h abi.Tensor) abi.Ret {
		return aten.DiagEmbed(cx, h, d.offset, d.dim1, d.dim2)
	})
}

// DiagonalScatter returns a copy of t with src in place of the diagonals that
// Diagonal would return. It panics as Diagonal does, and with ErrShape if src
// does not have their shape. Follows torch.diagonal_scatter.
func (t *Tensor) DiagonalScatter(src *Tensor, opts ...DiagonalOption) *Tensor {
	const op = "DiagonalScatter(self, src)"
	d := diagonal{dim2: 1}
	d.take(op, opts)
	return binary(op, func(cx abi.Ctx, h, s abi.Tensor) abi.Ret {
		return aten.DiagonalScatter(cx, h, s, d.offset, d.dim1, d.dim2)
	}, t, src)
}
