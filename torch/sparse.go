package torch

import (
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
)

// This file makes and converts sparse tensors. Most operators accept them. Package aten
// has further functions on them.

// A SparseOption is an option of [SparseCOOTensor]: a [DType], a [Device] or
// [RequiresGrad].
//
//gotorch:options DType Device RequiresGrad
type SparseOption interface{ sparseOption() }

// SparseCOOTensor returns a sparse tensor in coordinate format. indices has a row for
// each sparse dimension, and column i is the position of values[i]. Without a shape, the
// tensor is as large as the indices require. An element is the sum of all values at its
// position; see [Tensor.Coalesce]. A DType converts the values, and a Device copies to a
// device; otherwise the result shares memory with the arguments. Gradients flow to
// values. It panics with ErrShape, ErrIndex or ErrRuntime if indices, values and shape do
// not match, and with ErrDType for indices that are not integers. Follows
// torch.sparse_coo_tensor.
func SparseCOOTensor(indices, values *Tensor, shape Shape, opts ...SparseOption) *Tensor {
	const op = "SparseCOOTensor(indices, values)"
	indices.handle(op, 0)
	values.handle(op, 1)
	c := readCreation(op, opts)
	return Tidy(func() *Tensor {
		i, v := indices, values
		if c.device != -1 {
			i, v = convert(op, i, []ToOption{DeviceOf(c.device)}), convert(op, v, []ToOption{DeviceOf(c.device)})
		}
		if c.dtype != -1 {
			v = toDType(op, v, DTypeOf(c.dtype))
		}
		hi, hv := i.handle(op, 0), v.handle(op, 1)
		r := BeginRaw(op, i, v)
		if shape == nil {
			return c.finish(r.Tensor(aten.SparseCooTensorIndices(r.Ctx, hi, hv, -1, -1, -1, nil, nil)))
		}
		return c.finish(r.Tensor(aten.SparseCooTensorIndicesSize(r.Ctx, hi, hv, shape, -1, -1, -1, nil, nil)))
	})
}

// A ToSparseOption is an option of [Tensor.ToSparse]: a [Layout], [BlockSize]
// or [DenseDim].
//
//gotorch:options Layout BlockSize DenseDim
type ToSparseOption interface{ toSparseOption() }

// BlockSize is the height and width of a block, as in BlockSize{2, 2}. The
// layouts SparseBSR and SparseBSC require it. It is blocksize in Python.
type BlockSize [2]int64

// DenseDim is the number of last dimensions that stay dense. The default is 0.
// It is dense_dim in Python.
type DenseDim int64

// ToSparse returns t without its zeros, in the given [Layout] (default
// SparseCOO). Gradients flow back. It panics with ErrShape, ErrIndex or
// ErrRuntime for a layout that t's dimensions do not allow.
// Follows Tensor.to_sparse.
func (t *Tensor) ToSparse(opts ...ToSparseOption) *Tensor {
	const op = "ToSparse(self)"
	h := t.handle(op, 0)
	layout := int8(-1)
	var size BlockSize
	var block []int64
	var dim int64
	var dense *int64
	for _, o := range opts {
		switch o := o.(type) {
		case Layout:
			layout = o.code()
		case BlockSize:
			size = o
			block = size[:]
		case DenseDim:
			dim = int64(o)
			dense = &dim
		default:
			panic(badOption(op, o))
		}
	}
	r := BeginRaw(op, t)
	return r.Tensor(aten.ToSparse(r.Ctx, h, layout, block, dense))
}

// ToDense returns t as a dense tensor. If t is dense already, the result shares t's
// memory. Gradients flow back. Follows Tensor.to_dense.
func (t *Tensor) ToDense() *Tensor {
	return call("ToDense(self)", t, func(cx abi.Ctx, h abi.Tensor) abi.Ret {
		return aten.ToDense(cx, h, -1, nil)
	})
}

// IsSparse reports whether t's layout is SparseCOO. Follows Tensor.is_sparse.
func (t *Tensor) IsSparse() bool { return Layout(t.info("IsSparse(self)").Layout+1) == SparseCOO }

// SparseDim returns the number of t's sparse dimensions, 0 for a dense tensor.
// Follows Tensor.sparse_dim.
func (t *Tensor) SparseDim() int64 { return sparseInt("SparseDim(self)", t, aten.SparseDim) }

// DenseDim returns the number of t's dense dimensions.
// Follows Tensor.dense_dim.
func (t *Tensor) DenseDim() int64 { return sparseInt("DenseDim(self)", t, aten.DenseDim) }

func sparseInt(op string, t *Tensor, f func(abi.Ctx, abi.Tensor) (int64, abi.Status)) int64 {
	h := t.handle(op, 0)
	r := BeginRaw(op, t)
	n, st := f(r.Ctx, h)
	r.Status(st)
	return n
}

// Coalesce returns a tensor in coordinate format in which each coordinate
// occurs once, in order. Values at the same position are added. If t is already
// coalesced the result shares its memory. It panics with ErrRuntime unless t is
// SparseCOO. Follows Tensor.coalesce.
func (t *Tensor) Coalesce() *Tensor { return unary("Coalesce(self)", aten.Coalesce, t) }

// IsCoalesced reports whether each coordinate of t occurs once, in order. It
// panics as Coalesce does. Follows Tensor.is_coalesced.
func (t *Tensor) IsCoalesced() bool {
	const op = "IsCoalesced(self)"
	h := t.handle(op, 0)
	r := BeginRaw(op, t)
	is, st := aten.IsCoalesced(r.Ctx, h)
	r.Status(st)
	return is
}

// Indices returns a view of the coordinates of a coalesced tensor, as Int64
// with one row for each sparse dimension. It panics with ErrRuntime unless t is
// coalesced. Follows Tensor.indices.
func (t *Tensor) Indices() *Tensor { return unary("Indices(self)", aten.Indices, t) }

// Values returns a view of the values of a coalesced or compressed tensor. It
// panics with ErrRuntime for a dense tensor and for one that is not coalesced.
// Follows Tensor.values.
func (t *Tensor) Values() *Tensor { return unary("Values(self)", aten.Values, t) }
