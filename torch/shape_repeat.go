package torch

import (
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
)

// Copies of a tensor's elements in another arrangement.

// Repeat returns t copied side by side, repeats[i] times along dimension i; new
// dimensions may come first. The result is a new tensor, owned by the innermost
// scope, else by the collector. It panics with ErrNil or ErrClosed for a tensor
// that is nil or closed, and with ErrShape for fewer repeats than dimensions or
// a negative one. Follows Tensor.repeat.
func (t *Tensor) Repeat(repeats ...int64) *Tensor {
	return call("Repeat(self)", t, func(cx abi.Ctx, h abi.Tensor) abi.Ret { return aten.Repeat(cx, h, repeats) })
}

// Tile is Repeat with missing repeats taken as 1. The result is a new tensor,
// owned by the innermost scope, else by the collector. It panics with ErrNil or
// ErrClosed for a tensor that is nil or closed, and with ErrShape for a
// negative repeat. Follows torch.tile.
func (t *Tensor) Tile(repeats ...int64) *Tensor {
	return call("Tile(self)", t, func(cx abi.Ctx, h abi.Tensor) abi.Ret { return aten.Tile(cx, h, repeats) })
}

// OutputSize is the size of the result along the dimension that is repeated,
// which saves a GPU from being asked. output_size in Python; computed unless
// given.
type OutputSize int64

// A RepeatOption says what is repeated: [Dim], [OutputSize].
//
//gotorch:options Dim OutputSize
type RepeatOption interface{ repeatOption() }

// repetition is a list of options about repeats, read.
type repetition struct {
	dim, size         int64
	haveDim, haveSize bool
}

func readRepeat(op string, opts []RepeatOption) (r repetition) {
	for _, o := range opts {
		switch o := o.(type) {
		case Dim:
			r.dim, r.haveDim = int64(o), true
		case OutputSize:
			r.size, r.haveSize = int64(o), true
		default:
			panic(badOption(op, o))
		}
	}
	return r
}

// args returns the dimension and the size, nil for one that was not given. The
// results are part of r.
func (r *repetition) args() (dim, size *int64) {
	if r.haveDim {
		dim = &r.dim
	}
	if r.haveSize {
		size = &r.size
	}
	return dim, size
}

// RepeatInterleave returns t with each slice along [Dim] repeated in place;
// without it t is flattened and each element repeated. It panics with ErrNil or
// ErrClosed for a tensor that is nil or closed, with ErrIndex if there is no
// such dimension, with ErrValue for negative repeats and with ErrShape for an
// [OutputSize] that is not that of the result. The result is a new tensor,
// owned by the innermost scope, else by the collector.
// Follows torch.repeat_interleave.
func (t *Tensor) RepeatInterleave(repeats int64, opts ...RepeatOption) *Tensor {
	const op = "RepeatInterleave(self)"
	o := readRepeat(op, opts)
	return call(op, t, func(cx abi.Ctx, h abi.Tensor) abi.Ret {
		dim, size := o.args()
		return aten.RepeatInterleaveSelfInt(cx, h, repeats, dim, size)
	})
}

// RepeatInterleaveEach is RepeatInterleave with a number of repeats, int32 or
// int64, for each slice. It panics as RepeatInterleave does, with ErrShape if
// there are not as many as slices, and with ErrDType for other repeats. The
// result is a new tensor, owned by the innermost scope, else by the collector.
// Follows torch.repeat_interleave.
func (t *Tensor) RepeatInterleaveEach(repeats *Tensor, opts ...RepeatOption) *Tensor {
	const op = "RepeatInterleaveEach(self, repeats)"
	o := readRepeat(op, opts)
	return binary(op, func(cx abi.Ctx, h, n abi.Tensor) abi.Ret {
		dim, size := o.args()
		return aten.RepeatInterleaveSelfTensor(cx, h, n, dim, size)
	}, t, repeats)
}

// Flip returns t in reverse order along the given dimensions: a copy, unlike
// NumPy's. The result is owned by the innermost scope, else by the collector.
// It panics with ErrNil or ErrClosed for a tensor that is nil or closed, with
// ErrIndex for a dimension that is not there and with ErrShape for one given
// twice. Follows torch.flip.
func (t *Tensor) Flip(dims ...int64) *Tensor {
	return call("Flip(self)", t, func(cx abi.Ctx, h abi.Tensor) abi.Ret { return aten.Flip(cx, h, dims) })
}

// FlipLR returns a copy with the columns in reverse order. The result is owned
// by the innermost scope, else by the collector. It panics with ErrNil or
// ErrClosed for a tensor that is nil or closed, and with ErrShape for fewer
// than two dimensions. Follows torch.fliplr.
func (t *Tensor) FlipLR() *Tensor { return unary("FlipLR(self)", aten.Fliplr, t) }

// FlipUD returns a copy with the rows in reverse order. The result is owned by
// the innermost scope, else by the collector. It panics with ErrNil or
// ErrClosed for a tensor that is nil or closed, and with ErrShape for a tensor
// of no dimensions. Follows torch.flipud.
func (t *Tensor) FlipUD() *Tensor { return unary("FlipUD(self)", aten.Flipud, t) }

// Roll returns a copy with the elements moved along each given dimension by
// that many places; what leaves at one end enters at the other. Without
// dimensions the flattened tensor rolls by the one shift. The result is owned
// by the innermost scope, else by the collector. It panics with ErrNil or
// ErrClosed for a tensor that is nil or closed, with ErrShape, ErrIndex or
// ErrValue if the lists do not fit each other or t. Follows torch.roll.
func (t *Tensor) Roll(shifts, dims []int64) *Tensor {
	return call("Roll(self)", t, func(cx abi.Ctx, h abi.Tensor) abi.Ret { return aten.Roll(cx, h, shifts, dims) })
}

// Rot90 returns t turned by 90 degrees k times in the plane of two dimensions,
// from the first towards the second. The result is a new tensor, owned by the
// innermost scope, else by the collector. It panics with ErrNil or ErrClosed
// for a tensor that is nil or closed, with ErrIndex, ErrShape or ErrValue
// unless they are two different dimensions of t. Follows torch.rot90.
func (t *Tensor) Rot90(k, dim0, dim1 int64) *Tensor {
	dims := []int64{dim0, dim1}
	return call("Rot90(self)", t, func(cx abi.Ctx, h abi.Tensor) abi.Ret { return aten.Rot90(cx, h, k, dims) })
}

// Diag returns a matrix with the vector t on a diagonal, or a copy of a
// diagonal of the matrix t; offset moves above (positive) or below the main
// one. The result is owned by the innermost scope, else by the collector. It
// panics with ErrNil or ErrClosed for a tensor that is nil or closed, and with
// ErrShape for other numbers of dimensions. Follows torch.diag.
func (t *Tensor) Diag(diagonal ...Diagonal) *Tensor {
	k := lastDiagonal(diagonal)
	return call("Diag(self)", t, func(cx abi.Ctx, h abi.Tensor) abi.Ret { return aten.Diag(cx, h, k) })
}

// DiagFlat returns a matrix with the flattened elements of t on a diagonal. The
// result is a new tensor, owned by the innermost scope, else by the collector.
// It panics with ErrNil or ErrClosed for a tensor that is nil or closed.
// Follows torch.diagflat.
func (t *Tensor) DiagFlat(diagonal ...Diagonal) *Tensor {
	k := lastDiagonal(diagonal)
	return call("DiagFlat(self)", t, func(cx abi.Ctx, h abi.Tensor) abi.Ret { return aten.Diagflat(cx, h, k) })
}

// Tril returns a copy with the elements above a diagonal set to 0, in each
// matrix of a batch. The result is owned by the innermost scope, else by the
// collector. It panics with ErrNil or ErrClosed for a tensor that is nil or
// closed, and with ErrShape for fewer than two dimensions. Follows torch.tril.
func (t *Tensor) Tril(diagonal ...Diagonal) *Tensor {
	k := lastDiagonal(diagonal)
	return call("Tril(self)", t, func(cx abi.Ctx, h abi.Tensor) abi.Ret { return aten.Tril(cx, h, k) })
}

// Triu returns a copy with the elements below a diagonal set to 0, in each
// matrix of a batch. The result is owned by the innermost scope, else by the
// collector. It panics with ErrNil or ErrClosed for a tensor that is nil or
// closed, and with ErrShape for fewer than two dimensions. Follows torch.triu.
func (t *Tensor) Triu(diagonal ...Diagonal) *Tensor {
	k := lastDiagonal(diagonal)
	return call("Triu(self)", t, func(cx abi.Ctx, h abi.Tensor) abi.Ret { return aten.Triu(cx, h, k) })
}

// TrilIndices returns the row and column indices, shape (2, n), of the lower
// triangle of a row x col matrix. They are int64 unless a dtype is given. The
// result is a new tensor, owned by the innermost scope, else by the collector.
// It panics with ErrShape, ErrValue or ErrRuntime for a negative row or col,
// with ErrDType for a dtype that is not Int32 or Int64, and with ErrNil for a
// nil option. Follows torch.tril_indices.
func TrilIndices(row, col, offset int64, opts ...IndicesOption) *Tensor {
	c := newCreation("TrilIndices", opts)
	r := BeginRaw("TrilIndices()")
	return r.Tensor(aten.TrilIndices(r.Ctx, row, col, offset, c.or(Int64), c.layout, c.device, c.pin))
}

// TriuIndices returns the row and column indices, shape (2, n), of the upper
// triangle of a row x col matrix. They are int64 unless a dtype is given. The
// result is a new tensor, owned by the innermost scope, else by the collector.
// It panics as TrilIndices does. Follows torch.triu_indices.
func TriuIndices(row, col, offset int64, opts ...IndicesOption) *Tensor {
	c := newCreation("TriuIndices", opts)
	r := BeginRaw("TriuIndices()")
	return r.Tensor(aten.TriuIndices(r.Ctx, row, col, offset, c.or(Int64), c.layout, c.device, c.pin))
}

// SelectScatter returns a copy of t with src in the place of the slice that
// Select would return. The result is owned by the innermost scope, else by the
// collector. It panics with ErrNil or ErrClosed for a tensor that is nil or
// closed, with ErrIndex if index or dim is out of range and with ErrShape if
// src has another shape than the slice. Follows torch.select_scatter.
func (t *Tensor) SelectScatter(src *Tensor, dim, index int64) *Tensor {
	return binary("SelectScatter(self, src)", func(cx abi.Ctx, h, s abi.Tensor) abi.Ret {
		return aten.SelectScatter(cx, h, s, dim, index)
	}, t, src)
}

// SliceScatter returns a copy of t with src in the place of the elements along
// dim from start up to but not including end, step apart. The result is owned
// by the innermost scope, else by the collector. It panics with ErrNil or
// ErrClosed for a tensor that is nil or closed, with ErrIndex if there is no
// such dimension, with ErrShape if src has another shape than those, and with
// ErrValue for a step below 1. Follows torch.slice_scatter.
func (t *Tensor) SliceScatter(src *Tensor, dim, start, end, step int64) *Tensor {
	return binary("SliceScatter(self, src)", func(cx abi.Ctx, h, s abi.Tensor) abi.Ret {
		return aten.SliceScatter(cx, h, s, dim, &start, &end, step)
	}, t, src)
}
