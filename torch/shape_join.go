package torch

import (
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
)

// The functions in this file join tensors into a new one. All panic with ErrValue for
// an empty list, with ErrNil or ErrClosed for nil or closed elements, and with ErrShape
// if the shapes do not match.

// Cat joins tensors along an existing dimension (default 0); the other sizes
// must be equal. Different dtypes are promoted. It panics with ErrIndex for a
// dimension out of range, with ErrValue for an empty list, and with ErrShape if
// the sizes do not match. Follows torch.cat.
func Cat(tensors []*Tensor, dim ...Dim) *Tensor {
	d := int64(lastOf(dim, 0))
	return join("Cat", tensors, func(cx abi.Ctx, hs []abi.Tensor) abi.Ret { return aten.Cat(cx, hs, d) })
}

// Stack joins tensors of the same shape along a new dimension (default 0). It
// panics with ErrIndex for a dimension out of range, with ErrValue for an empty
// list, and with ErrShape if the shapes differ. Follows torch.stack.
func Stack(tensors []*Tensor, dim ...Dim) *Tensor {
	d := int64(lastOf(dim, 0))
	return join("Stack", tensors, func(cx abi.Ctx, hs []abi.Tensor) abi.Ret { return aten.Stack(cx, hs, d) })
}

// HStack joins tensors side by side: along the second dimension, or along the
// only one. It panics as [Cat] does. Follows torch.hstack.
func HStack(tensors ...*Tensor) *Tensor { return join("HStack", tensors, aten.Hstack) }

// VStack joins tensors one below the other, vectors as rows. It panics as [Cat]
// does. Follows torch.vstack.
func VStack(tensors ...*Tensor) *Tensor { return join("VStack", tensors, aten.Vstack) }

// DStack joins tensors along the third dimension. It panics as [Cat] does.
// Follows torch.dstack.
func DStack(tensors ...*Tensor) *Tensor { return join("DStack", tensors, aten.Dstack) }

// ColumnStack joins vectors as columns, and matrices side by side. It panics as [Cat]
// does. Follows torch.column_stack.
func ColumnStack(tensors ...*Tensor) *Tensor { return join("ColumnStack", tensors, aten.ColumnStack) }

// BlockDiag returns a matrix with the tensors, of at most two dimensions, as
// blocks along its diagonal and 0 elsewhere. It panics as [Cat] does.
// Follows torch.block_diag.
func BlockDiag(tensors ...*Tensor) *Tensor { return join("BlockDiag", tensors, aten.BlockDiag) }

// CartesianProd returns every combination of one element of each vector, as
// rows. It panics as [Cat] does. Follows torch.cartesian_prod.
func CartesianProd(tensors ...*Tensor) *Tensor {
	return join("CartesianProd", tensors, aten.CartesianProd)
}

// Indexing sets the order of the vectors of [Meshgrid]. The default is
// IndexingIJ. It is indexing in Python.
type Indexing string

// These are the orders of the vectors of [Meshgrid].
const (
	IndexingIJ Indexing = "ij" // the first vector varies along dimension 0
	IndexingXY Indexing = "xy" // the first vector varies along dimension 1
)

// A MeshgridOption is an option of [Meshgrid]: [Indexing].
//
//gotorch:options Indexing
type MeshgridOption interface{ meshgridOption() }

// Meshgrid returns coordinate grids: result i repeats vector i along all other
// dimensions, in the order of [Indexing]. The results share memory with the
// vectors, and their elements share memory with each other, so do not modify
// them in place. It panics with ErrValue for an unknown Indexing, and with
// ErrDType if the dtypes differ. Follows torch.meshgrid.
func Meshgrid(tensors []*Tensor, opts ...MeshgridOption) []*Tensor {
	const op = "Meshgrid"
	indexing := readOption(op, opts, IndexingIJ)
	return grid(op, tensors, func(cx abi.Ctx, hs []abi.Tensor) ([]abi.Tensor, abi.Status) {
		return aten.MeshgridIndexing(cx, hs, string(indexing))
	})
}

// BroadcastTensors returns views of the tensors, expanded to a common shape. Do
// not modify them in place, see [Tensor.Expand]. It panics with ErrShape if the
// shapes do not broadcast. Follows torch.broadcast_tensors.
func BroadcastTensors(tensors ...*Tensor) []*Tensor {
	return grid("BroadcastTensors", tensors, aten.BroadcastTensors)
}

// WithReplacement lets an element be chosen more than once. The default is
// false. It is with_replacement in Python.
type WithReplacement bool

// A CombinationsOption is an option of [Tensor.Combinations]:
// [WithReplacement].
//
//gotorch:options WithReplacement
type CombinationsOption interface{ combinationsOption() }

// Combinations returns the combinations of r elements of a vector, as rows. It
// panics with ErrShape unless t is a vector and with ErrValue for a negative r.
// Follows torch.combinations.
func (t *Tensor) Combinations(r int64, opts ...CombinationsOption) *Tensor {
	const op = "Combinations(self)"
	again := readOption(op, opts, WithReplacement(false))
	return call(op, t, func(cx abi.Ctx, h abi.Tensor) abi.Ret { return aten.Combinations(cx, h, r, bool(again)) })
}
