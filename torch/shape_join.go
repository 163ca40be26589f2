package torch

import (
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
)

// Several tensors into one: a new tensor, owned by the innermost scope, else by
// the collector. All panic with ErrValue for an empty list, with ErrNil or
// ErrClosed for elements that are no open tensors, and with ErrShape if the
// shapes do not fit. Different dtypes are promoted.

// Cat returns the tensors joined along a dimension that they have, the first unless given;
// the sizes of the other dimensions agree. The result is a new tensor, owned by the
// innermost scope, else by the collector. It panics with ErrIndex if there is
// no such dimension, with ErrValue for an empty list, with ErrShape for sizes
// that do not fit, and with ErrNil or ErrClosed for an unusable element.
// Follows torch.cat.
func Cat(tensors []*Tensor, dim ...Dim) *Tensor {
	d := lastDim(dim, 0)
	return join("Cat", tensors, func(cx abi.Ctx, hs []abi.Tensor) abi.Ret { return aten.Cat(cx, hs, d) })
}

// Stack returns the tensors, all of one shape, joined along a new
// dimension, the first unless given. // The result is a new tensor, owned by the innermost scope, else by the
// collector. It panics with ErrNil or ErrClosed for a tensor that is nil or
// closed, with ErrIndex if dim is out of range, with ErrValue for an empty
// list, and with ErrShape for shapes that differ. Follows torch.stack.
func Stack(tensors []*Tensor, dim ...Dim) *Tensor {
	d := lastDim(dim, 0)
	return join("Stack", tensors, func(cx abi.Ctx, hs []abi.Tensor) abi.Ret { return aten.Stack(cx, hs, d) })
}

// HStack joins tensors side by side: along the second dimension, or along the
// only one. Owner and panics are those of [Cat]. Follows torch.hstack.
func HStack(tensors ...*Tensor) *Tensor { return join("HStack", tensors, aten.Hstack) }

// VStack joins tensors one below the other, vectors as rows. Owner and panics
// are those of [Cat]. Follows torch.vstack.
func VStack(tensors ...*Tensor) *Tensor { return join("VStack", tensors, aten.Vstack) }

// DStack joins tensors along the third dimension. Owner and panics are those of
// [Cat]. Follows torch.dstack.
func DStack(tensors ...*Tensor) *Tensor { return join("DStack", tensors, aten.Dstack) }

// ColumnStack joins vectors as columns, matrices side by side. Owner and panics
// are those of [Cat]. Follows torch.column_stack.
func ColumnStack(tensors ...*Tensor) *Tensor { return join("ColumnStack", tensors, aten.ColumnStack) }

// BlockDiag returns a matrix with the tensors, of at most two dimensions, as
// blocks along its diagonal and 0 elsewhere. Owner and panics are those of
// [Cat]. Follows torch.block_diag.
func BlockDiag(tensors ...*Tensor) *Tensor { return join("BlockDiag", tensors, aten.BlockDiag) }

// CartesianProd returns every combination of one element of each vector, as
// rows. Owner and panics are those of [Cat]. Follows torch.cartesian_prod.
func CartesianProd(tensors ...*Tensor) *Tensor {
	return join("CartesianProd", tensors, aten.CartesianProd)
}

// Indexing says in which order [Meshgrid] lays its vectors, indexing in Python.
// The default is IndexingIJ.
type Indexing string

// Orders of the vectors of [Meshgrid].
const (
	IndexingIJ Indexing = "ij" // the first vector runs down the rows
	IndexingXY Indexing = "xy" // the first vector runs along the columns
)

// A MeshgridOption says how [Meshgrid] lays out its results: [Indexing].
//
//gotorch:options Indexing
type MeshgridOption interface{ meshgridOption() }

// Meshgrid returns grids of coordinates from vectors: result i repeats vector i
// along all other dimensions, laid out as [Indexing] says. The results share
// memory with the vectors and within, so they must not be changed in place. It
// panics with ErrNil or ErrClosed for a tensor that is nil or closed, with
// ErrValue for an unknown Indexing and with ErrDType if the dtypes differ.
// Follows torch.meshgrid.
func Meshgrid(tensors []*Tensor, opts ...MeshgridOption) []*Tensor {
	const op = "Meshgrid"
	indexing := IndexingIJ
	for _, o := range opts {
		switch o := o.(type) {
		case Indexing:
			indexing = o
		default:
			panic(badOption(op, o))
		}
	}
	return grid(op, tensors, func(cx abi.Ctx, hs []abi.Tensor) ([]abi.Tensor, abi.Status) {
		return aten.MeshgridIndexing(cx, hs, string(indexing))
	})
}

// BroadcastTensors returns the tensors in the one shape that they broadcast to:
// views that share their memory, owned by the innermost scope, else by the
// collector. See Expand about changing them in place. It panics with ErrNil or
// ErrClosed for a tensor that is nil or closed, and with ErrShape if the shapes
// do not broadcast. Follows torch.broadcast_tensors.
func BroadcastTensors(tensors ...*Tensor) []*Tensor {
	return grid("BroadcastTensors", tensors, aten.BroadcastTensors)
}

// WithReplacement lets an element be chosen more than once. with_replacement in
// Python, False unless given.
type WithReplacement bool

// A CombinationsOption says what [Tensor.Combinations] chooses:
// [WithReplacement].
//
//gotorch:options WithReplacement
type CombinationsOption interface{ combinationsOption() }

// Combinations returns the combinations of r elements of a vector, as rows. The
// result is a new tensor, owned by the innermost scope, else by the collector.
// It panics with ErrNil or ErrClosed for a tensor that is nil or closed, with
// ErrShape unless t is a vector and with ErrValue for a negative r.
// Follows torch.combinations.
func (t *Tensor) Combinations(r int64, opts ...CombinationsOption) *Tensor {
	const op = "Combinations(self)"
	again := false
	for _, o := range opts {
		switch o := o.(type) {
		case WithReplacement:
			again = bool(o)
		default:
			panic(badOption(op, o))
		}
	}
	return call(op, t, func(cx abi.Ctx, h abi.Tensor) abi.Ret { return aten.Combinations(cx, h, r, again) })
}
