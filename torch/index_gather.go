package torch

import (
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
)

// The functions in this file read elements at indices. Indices are int64 (many
// operators also take int32) and count from 0. Negative ones are out of range unless
// documented otherwise. The results are copies, and gradients flow back.

// Gather returns t's elements at index along dim, in index's shape: for dim 0,
// result[i][j] = t[index[i][j]][j]. index must have as many dimensions as t and must not
// be larger than t except along dim. It panics with ErrIndex for an index out of range,
// with ErrShape for an index of the wrong shape, and with ErrDType for indices that are
// not int64. Follows torch.gather.
func (t *Tensor) Gather(dim int64, index *Tensor) *Tensor {
	return binary("Gather(self, index)", func(cx abi.Ctx, h, i abi.Tensor) abi.Ret {
		return aten.Gather(cx, h, dim, i, false)
	}, t, index)
}

// TakeAlongDim is [Tensor.Gather] along [Dim] for indices that broadcast against t, such
// as the results of ArgSort. Without a Dim, both t and indices are flattened. It panics
// with ErrIndex for an index or dimension out of range, with ErrShape if the shapes do
// not broadcast, and with ErrDType for indices that are not int64.
// Follows torch.take_along_dim.
func (t *Tensor) TakeAlongDim(indices *Tensor, dim ...Dim) (taken *Tensor) {
	const op = "TakeAlongDim(self, indices)"
	o := alongOne(dim)
	err := Try(func() {
		taken = binary(op, func(cx abi.Ctx, h, i abi.Tensor) abi.Ret {
			return aten.TakeAlongDim(cx, h, i, o.single())
		}, t, indices)
	})
	if err == nil {
		return taken
	}
	if e, ok := err.(*Error); ok && e.Message == "ZeroDivisionError" { //nolint:errorlint // Try returns no other
		// libtorch would divide by the number of elements, which is 0.
		err = argError(op, ErrIndex, "indices", "expected no indices, because self has no elements")
	}
	panic(err)
}

// Take returns the elements of the flattened t at index, in index's shape.
// Negative indices count from the end. It panics with ErrIndex for an index out
// of range, and with ErrDType for indices that are not int64.
// Follows torch.take.
func (t *Tensor) Take(index *Tensor) *Tensor { return binary("Take(self, index)", aten.Take, t, index) }

// IndexSelect returns the slices of t along dim at the positions in the vector
// index. It panics with ErrIndex for an index or dimension out of range, and
// with ErrDType or ErrIndex for indices that are not integers.
// Follows torch.index_select.
func (t *Tensor) IndexSelect(dim int64, index *Tensor) *Tensor {
	return binary("IndexSelect(self, index)", func(cx abi.Ctx, h, i abi.Tensor) abi.Ret {
		return aten.IndexSelect(cx, h, dim, i)
	}, t, index)
}

// MaskedSelect returns the elements where a Bool mask, broadcast against t, is
// true, as a vector. It panics with ErrShape if the mask does not broadcast
// against t, and with ErrDType for a mask that is not Bool.
// Follows torch.masked_select.
func (t *Tensor) MaskedSelect(mask *Tensor) *Tensor {
	return binary("MaskedSelect(self, mask)", aten.MaskedSelect, t, mask)
}

// Nonzero returns the indices of all nonzero elements, one per row: an Int64
// tensor of shape (n, t.Dim()). Follows torch.nonzero.
func (t *Tensor) Nonzero() *Tensor { return unary("Nonzero(self)", aten.Nonzero, t) }

// NonzeroTuple returns the indices of all nonzero elements as one Int64 vector
// for each dimension, which Index accepts. Follows torch.nonzero with as_tuple,
// and torch.where with only a condition.
func (t *Tensor) NonzeroTuple() []*Tensor { return list("NonzeroTuple(self)", t, aten.NonzeroNumpy) }

// ArgWhere is an alias of Nonzero. It panics as Nonzero does.
// Follows torch.argwhere.
func (t *Tensor) ArgWhere() *Tensor { return unary("ArgWhere(self)", aten.Argwhere, t) }
