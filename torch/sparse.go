package torch

import (
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
)

// Sparse tensors. What is not here is in package aten, and most operators take
// sparse tensors as they are.

// A SparseOption is an option of [SparseCOOTensor]: a [DType], a [Device] or
// [RequiresGrad].
//
//gotorch:options DType Device RequiresGrad
type SparseOption interface{ sparseOption() }

// SparseCOOTensor returns a sparse tensor of coordinates: column i of indices,
// which has a row for each sparse dimension, is where values[i] stands. Without
// a shape it is as large as the indices need. A DType converts the values, a
// Device places the copy. Values at the same place count as their sum; see
// Coalesce. The result shares memory with the arguments where nothing is
// converted, and gradients flow to values. It panics with ErrShape, ErrIndex or
// ErrRuntime if indices, values and shape do not fit, and with ErrDType for
// indices that are not integers. Follows torch.sparse_coo_tensor.
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

// BlockSize is the height and width of a block of the layouts SparseBSR and
// SparseBSC, which need it, as in BlockSize{2, 2}; blocksize in Python.
type BlockSize [2]int64

// DenseDim is how many of the last dimensions stay dense, dense_dim in Python. The
// default is 0.
type DenseDim int64

// ToSparse returns t with its zeros left out, in the [Layout] that is given or
// else as coordinates (SparseCOO). The result is a new tensor of t's dtype;
// gradients flow back. It panics with ErrShape, ErrIndex or ErrRuntime for a
// layout that t's dimensions do not allow. Follows Tensor.to_sparse.
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

// ToDense returns t with its zeros filled in. A dense tensor is returned
// unchanged and shares t's memory; else the result is new. Gradients flow back.
// Follows Tensor.to_dense.
func (t *Tensor) ToDense() *Tensor {
	return call("ToDense(self)", t, func(cx abi.Ctx, h abi.Tensor) abi.Ret {
		return aten.ToDense(cx, h, -1, nil)
	})
}

// IsSparse reports whether t's layout is SparseCOO, as Python's is_sparse does.
func (t *Tensor) IsSparse() bool { return Layout(t.info("IsSparse(self)").Layout+1) == SparseCOO }

// SparseDim returns how many dimensions of t are sparse, 0 for a dense tensor.
// Follows Tensor.sparse_dim.
func (t *Tensor) SparseDim() int64 { return sparseInt("SparseDim(self)", t, aten.SparseDim) }

// DenseDim returns how many dimensions of t are dense.
// Follows Tensor.dense_dim.
func (t *Tensor) DenseDim() int64 { return sparseInt("DenseDim(self)", t, aten.DenseDim) }

func sparseInt(op string, t *Tensor, f func(abi.Ctx, abi.Tensor) (int64, abi.Status)) int64 {
	h := t.handle(op, 0)
	r := BeginRaw(op, t)
	n, st := f(r.Ctx, h)
	r.Status(st)
	return n
}

// Coalesce returns a tensor of coordinates in which each occurs once, in order;
// values at the same place are added. If t is so already the result shares its
// memory. It panics with ErrRuntime unless t is SparseCOO.
// Follows Tensor.coalesce.
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

// Indices returns the coordinates of a coalesced tensor: a view of Int64, one
// row for each sparse dimension, that shares t's memory. It panics with
// ErrRuntime unless t is coalesced. Follows Tensor.indices.
func (t *Tensor) Indices() *Tensor { return unary("Indices(self)", aten.Indices, t) }

// Values returns the values of a coalesced or compressed tensor: a view of t.
// It panics with ErrRuntime for a dense tensor and for one that is not
// coalesced. Follows Tensor.values.
func (t *Tensor) Values() *Tensor { return unary("Values(self)", aten.Values, t) }
