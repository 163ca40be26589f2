package torch

import (
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
)

// The functions in this file copy a tensor's elements in a different arrangement.

// Repeat returns t repeated repeats[i] times along dimension i; new dimensions may come
// first. It panics with ErrShape for fewer repeats than dimensions or a negative repeat.
// Follows Tensor.repeat.
func (t *Tensor) Repeat(repeats ...int64) *Tensor {
	return call("Repeat(self)", t, func(cx abi.Ctx, h abi.Tensor) abi.Ret { return aten.Repeat(cx, h, repeats) })
}

// Tile is [Tensor.Repeat] with missing repeats taken as 1. It panics with
// ErrShape for a negative repeat. Follows torch.tile.
func (t *Tensor) Tile(repeats ...int64) *Tensor {
	return call("Tile(self)", t, func(cx abi.Ctx, h abi.Tensor) abi.Ret { return aten.Tile(cx, h, repeats) })
}

// OutputSize is the size of the result along the repeated dimension. Giving it
// avoids waiting for a GPU. By default it is computed. It is output_size in
// Python.
type OutputSize int64

// A RepeatOption is an option of [Tensor.RepeatInterleave]: [Dim] or
// [OutputSize].
//
//gotorch:options Dim OutputSize
type RepeatOption interface{ repeatOption() }

// repetition holds the parsed options about repeats.
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

// args returns the dimension and the size, or nil for one that was not given.
// The results point into r.
func (r *repetition) args() (dim, size *int64) {
	if r.haveDim {
		dim = &r.dim
	}
	if r.haveSize {
		size = &r.size
	}
	return dim, size
}

// RepeatInterleave returns t with each slice along [Dim] repeated. Without a
// Dim it flattens t and repeats each element. It panics with ErrIndex for a
// dimension out of range, with ErrValue for negative repeats, and with ErrShape
// for a wrong [OutputSize]. Follows torch.repeat_interleave.
func (t *Tensor) RepeatInterleave(repeats int64, opts ...RepeatOption) *Tensor {
	const op = "RepeatInterleave(self)"
	o := readRepeat(op, opts)
	return call(op, t, func(cx abi.Ctx, h abi.Tensor) abi.Ret {
		dim, size := o.args()
		return aten.RepeatInterleaveSelfInt(cx, h, repeats, dim, size)
	})
}

// RepeatInterleaveEach is [Tensor.RepeatInterleave] with a number of repeats for each
// slice, Int32 or Int64. It panics as RepeatInterleave does, with ErrShape unless there
// are as many repeats as slices, and with ErrDType for repeats of any other dtype.
// Follows torch.repeat_interleave.
func (t *Tensor) RepeatInterleaveEach(repeats *Tensor, opts ...RepeatOption) *Tensor {
	const op = "RepeatInterleaveEach(self, repeats)"
	o := readRepeat(op, opts)
	return binary(op, func(cx abi.Ctx, h, n abi.Tensor) abi.Ret {
		dim, size := o.args()
		return aten.RepeatInterleaveSelfTensor(cx, h, n, dim, size)
	}, t, repeats)
}

// Flip returns a copy of t in reverse order along the given dimensions. It
// panics with ErrIndex for a dimension out of range, and with ErrShape for a
// repeated one. Follows torch.flip.
func (t *Tensor) Flip(dims ...int64) *Tensor {
	return call("Flip(self)", t, func(cx abi.Ctx, h abi.Tensor) abi.Ret { return aten.Flip(cx, h, dims) })
}

// FlipLR returns a copy with the columns in reverse order. It panics with
// ErrShape for fewer than two dimensions. Follows torch.fliplr.
func (t *Tensor) FlipLR() *Tensor { return unary("FlipLR(self)", aten.Fliplr, t) }

// FlipUD returns a copy with the rows in reverse order. It panics with ErrShape
// for a tensor without dimensions. Follows torch.flipud.
func (t *Tensor) FlipUD() *Tensor { return unary("FlipUD(self)", aten.Flipud, t) }

// Roll returns a copy with the elements shifted along each given dimension.
// Elements that leave at one end enter at the other. Without dimensions it
// rolls the flattened tensor by one shift. It panics with ErrShape, ErrIndex or
// ErrValue if the lists do not match each other or t. Follows torch.roll.
func (t *Tensor) Roll(shifts, dims []int64) *Tensor {
	return call("Roll(self)", t, func(cx abi.Ctx, h abi.Tensor) abi.Ret { return aten.Roll(cx, h, shifts, dims) })
}

// Rot90 returns t rotated k times by 90 degrees in the plane of two dimensions,
// from the first towards the second. It panics with ErrIndex, ErrShape or
// ErrValue unless they are two different dimensions of t. Follows torch.rot90.
func (t *Tensor) Rot90(k, dim0, dim1 int64) *Tensor {
	dims := []int64{dim0, dim1}
	return call("Rot90(self)", t, func(cx abi.Ctx, h abi.Tensor) abi.Ret { return aten.Rot90(cx, h, k, dims) })
}

// Diag returns a matrix with the vector t on a diagonal, or a copy of a diagonal of the
// matrix t. A positive diagonal is above the main one, a negative one below. It panics
// with ErrShape for any other number of dimensions. Follows torch.diag.
func (t *Tensor) Diag(diagonal ...Diagonal) *Tensor {
	k := int64(lastOf(diagonal, 0))
	return call("Diag(self)", t, func(cx abi.Ctx, h abi.Tensor) abi.Ret { return aten.Diag(cx, h, k) })
}

// DiagFlat returns a matrix with the flattened elements of t on a diagonal.
// Follows torch.diagflat.
func (t *Tensor) DiagFlat(diagonal ...Diagonal) *Tensor {
	k := int64(lastOf(diagonal, 0))
	return call("DiagFlat(self)", t, func(cx abi.Ctx, h abi.Tensor) abi.Ret { return aten.Diagflat(cx, h, k) })
}

// Tril returns a copy with the elements above a diagonal set to 0, in each
// matrix of a batch. It panics with ErrShape for fewer than two dimensions.
// Follows torch.tril.
func (t *Tensor) Tril(diagonal ...Diagonal) *Tensor {
	k := int64(lastOf(diagonal, 0))
	return call("Tril(self)", t, func(cx abi.Ctx, h abi.Tensor) abi.Ret { return aten.Tril(cx, h, k) })
}

// Triu returns a copy with the elements below a diagonal set to 0, in each
// matrix of a batch. It panics with ErrShape for fewer than two dimensions.
// Follows torch.triu.
func (t *Tensor) Triu(diagonal ...Diagonal) *Tensor {
	k := int64(lastOf(diagonal, 0))
	return call("Triu(self)", t, func(cx abi.Ctx, h abi.Tensor) abi.Ret { return aten.Triu(cx, h, k) })
}

// TrilIndices returns the row and column indices of the lower triangle of a row
// x col matrix, with shape (2, n). They are Int64 unless a [DType] is given. It
// panics with ErrShape, ErrValue or ErrRuntime for a negative row or col, with
// ErrDType for a dtype that is not Int32 or Int64, and with ErrNil for a nil
// option. Follows torch.tril_indices.
func TrilIndices(row, col, offset int64, opts ...IndicesOption) *Tensor {
	c := newCreation("TrilIndices", opts)
	r := BeginRaw("TrilIndices()")
	return r.Tensor(aten.TrilIndices(r.Ctx, row, col, offset, c.or(Int64), c.layout, c.device, c.pin))
}

// TriuIndices returns the row and column indices of the upper triangle of a row
// x col matrix, with shape (2, n). They are Int64 unless a [DType] is given. It
// panics as TrilIndices does. Follows torch.triu_indices.
func TriuIndices(row, col, offset int64, opts ...IndicesOption) *Tensor {
	c := newCreation("TriuIndices", opts)
	r := BeginRaw("TriuIndices()")
	return r.Tensor(aten.TriuIndices(r.Ctx, row, col, offset, c.or(Int64), c.layout, c.device, c.pin))
}

// SelectScatter returns a copy of t with src in place of the slice that Select
// would return. It panics with ErrIndex if index or dim is out of range, and
// with ErrShape if src does not have the slice's shape.
// Follows torch.select_scatter.
func (t *Tensor) SelectScatter(src *Tensor, dim, index int64) *Tensor {
	return binary("SelectScatter(self, src)", func(cx abi.Ctx, h, s abi.Tensor) abi.Ret {
		return aten.SelectScatter(cx, h, s, dim, index)
	}, t, src)
}

// SliceScatter returns a copy of t with src in place of the elements along dim from start up to but
// not including end, in increments of step. It panics with ErrIndex for a dimension out of range,
// with ErrShape if the shape of src differs from the shape of the selected elements, and with
// ErrValue for a step below 1. Follows torch.slice_scatter.
func (t *Tensor) SliceScatter(src *Tensor, dim, start, end, step int64) *Tensor {
	return binary("SliceScatter(self, src)", func(cx abi.Ctx, h, s abi.Tensor) abi.Ret {
		return aten.SliceScatter(cx, h, s, dim, &start, &end, step)
	}, t, src)
}
