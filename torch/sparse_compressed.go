package torch

import (
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
)

// This file has sparse tensors with compressed rows or columns, and functions that
// accept only sparse tensors.

type compressedFunc func(cx abi.Ctx, compressed, plain, values abi.Tensor, size []int64, dtype, layout int8,
	device int32, pin *bool) abi.Ret

// compressed makes a tensor from its compressed indices, plain indices and
// values, after converting them as the SparseOptions say.
func compressed(op string, sized compressedFunc,
	plain func(cx abi.Ctx, compressed, plain, values abi.Tensor, dtype, layout int8, device int32, pin *bool) abi.Ret,
	parts [3]*Tensor, shape Shape, opts []SparseOption,
) *Tensor {
	for i, p := range parts {
		p.handle(op, i)
	}
	c := readCreation(op, opts)
	return Tidy(func() *Tensor {
		for i, p := range parts {
			if c.device != -1 {
				parts[i] = convert(op, p, []ToOption{DeviceOf(c.device)})
			}
		}
		if c.dtype != -1 {
			parts[2] = toDType(op, parts[2], DTypeOf(c.dtype))
		}
		// Without a dtype, libtorch would convert the values to the default dtype.
		dtype := parts[2].DType().code()
		h0, h1, h2 := parts[0].handle(op, 0), parts[1].handle(op, 1), parts[2].handle(op, 2)
		device := parts[2].Device().code()
		var t *Tensor
		if shape == nil {
			f := plain
			r := BeginRaw(op, parts[0], parts[1], parts[2])
			t = r.Tensor(f(r.Ctx, h0, h1, h2, dtype, -1, device, nil))
		} else {
			f := sized
			r := BeginRaw(op, parts[0], parts[1], parts[2])
			t = r.Tensor(f(r.Ctx, h0, h1, h2, shape, dtype, -1, device, nil))
		}
		// Without this check, libtorch would read out of bounds for bad indices.
		layout, size := t.Layout().code(), t.Shape()
		r := BeginRaw(op, parts[0], parts[1], parts[2])
		r.Status(aten.UnderValidateSparseCompressedTensorArgs(r.Ctx, h0, h1, h2, size, layout, nil))
		return c.finish(t)
	})
}

// SparseCSRTensor returns a sparse matrix in compressed row format. The values
// of row i are values[crow[i]:crow[i+1]], and col holds the column of each
// value. Further leading dimensions are a batch. Without a shape, the tensor is
// as large as the indices require. A DType converts the values, and a Device
// copies to a device; otherwise the result shares memory with the arguments.
// Gradients flow to values. It panics with ErrShape, ErrIndex, ErrValue or
// ErrRuntime if the parts do not match, and with ErrDType for indices that are
// not Int32 or Int64. Follows torch.sparse_csr_tensor.
func SparseCSRTensor(crow, col, values *Tensor, shape Shape, opts ...SparseOption) *Tensor {
	return compressed("SparseCSRTensor(crow, col, values)", aten.SparseCsrTensorCrowColValueSize,
		aten.SparseCsrTensorCrowColValue,
		[3]*Tensor{crow, col, values}, shape, opts)
}

// SparseCSCTensor is [SparseCSRTensor] in compressed column format. It panics
// as SparseCSRTensor does. Follows torch.sparse_csc_tensor.
func SparseCSCTensor(ccol, row, values *Tensor, shape Shape, opts ...SparseOption) *Tensor {
	return compressed("SparseCSCTensor(ccol, row, values)", aten.SparseCscTensorCcolRowValueSize,
		aten.SparseCscTensorCcolRowValue,
		[3]*Tensor{ccol, row, values}, shape, opts)
}

// SparseBSRTensor is [SparseCSRTensor] with a block for each value: values has
// two more dimensions. It panics as SparseCSRTensor does.
// Follows torch.sparse_bsr_tensor.
func SparseBSRTensor(crow, col, values *Tensor, shape Shape, opts ...SparseOption) *Tensor {
	return compressed("SparseBSRTensor(crow, col, values)", aten.SparseBsrTensorCrowColValueSize,
		aten.SparseBsrTensorCrowColValue,
		[3]*Tensor{crow, col, values}, shape, opts)
}

// SparseBSCTensor is [SparseBSRTensor] in compressed column format. It panics
// as SparseCSRTensor does. Follows torch.sparse_bsc_tensor.
func SparseBSCTensor(ccol, row, values *Tensor, shape Shape, opts ...SparseOption) *Tensor {
	return compressed("SparseBSCTensor(ccol, row, values)", aten.SparseBscTensorCcolRowValueSize,
		aten.SparseBscTensorCcolRowValue,
		[3]*Tensor{ccol, row, values}, shape, opts)
}

// SparseCompressedTensor calls [SparseCSRTensor], [SparseCSCTensor], [SparseBSRTensor] or
// [SparseBSCTensor], depending on layout. It panics as SparseCSRTensor does, and with
// ErrValue for any other layout. Follows torch.sparse_compressed_tensor.
func SparseCompressedTensor(indices, plain, values *Tensor, shape Shape, layout Layout, opts ...SparseOption) *Tensor {
	switch layout {
	case SparseCSR:
		return SparseCSRTensor(indices, plain, values, shape, opts...)
	case SparseCSC:
		return SparseCSCTensor(indices, plain, values, shape, opts...)
	case SparseBSR:
		return SparseBSRTensor(indices, plain, values, shape, opts...)
	case SparseBSC:
		return SparseBSCTensor(indices, plain, values, shape, opts...)
	}
	panic(argError("SparseCompressedTensor", ErrValue, "layout",
		"expected SparseCSR, SparseCSC, SparseBSR or SparseBSC, got "+layout.String()))
}

// CrowIndices returns a view of the row boundaries of a tensor in compressed row format:
// element i is the position in [Tensor.Values] at which row i begins. It panics with
// ErrRuntime for any other layout. Follows Tensor.crow_indices.
func (t *Tensor) CrowIndices() *Tensor { return unary("CrowIndices(self)", aten.CrowIndices, t) }

// ColIndices returns a view of the column of each value, for a tensor in
// compressed row format. It panics as CrowIndices does.
// Follows Tensor.col_indices.
func (t *Tensor) ColIndices() *Tensor { return unary("ColIndices(self)", aten.ColIndices, t) }

// CcolIndices returns a view of the column boundaries of a tensor in compressed
// column format: element i is the position in [Tensor.Values] at which column i
// begins. It panics as CrowIndices does. Follows Tensor.ccol_indices.
func (t *Tensor) CcolIndices() *Tensor { return unary("CcolIndices(self)", aten.CcolIndices, t) }

// RowIndices returns a view of the row of each value, for a tensor in
// compressed column format. It panics as CrowIndices does.
// Follows Tensor.row_indices.
func (t *Tensor) RowIndices() *Tensor { return unary("RowIndices(self)", aten.RowIndices, t) }

// ToSparseCOO is [Tensor.ToSparse] with the layout SparseCOO. It panics as
// ToSparse does. Follows Tensor.to_sparse_coo.
func (t *Tensor) ToSparseCOO() *Tensor { return t.ToSparse(SparseCOO) }

// A DenseDimOption is an option of [Tensor.ToSparseCSR] and similar functions:
// [DenseDim].
//
//gotorch:options DenseDim
type DenseDimOption interface{ denseDimOption() }

// ToSparseCSR is [Tensor.ToSparse] with the layout SparseCSR. It panics as
// ToSparse does. Follows Tensor.to_sparse_csr.
func (t *Tensor) ToSparseCSR(opts ...DenseDimOption) *Tensor {
	return toSparse("ToSparseCSR(self)", t, SparseCSR, nil, opts)
}

// ToSparseCSC is [Tensor.ToSparse] with the layout SparseCSC. It panics as
// ToSparse does. Follows Tensor.to_sparse_csc.
func (t *Tensor) ToSparseCSC(opts ...DenseDimOption) *Tensor {
	return toSparse("ToSparseCSC(self)", t, SparseCSC, nil, opts)
}

// ToSparseBSR is [Tensor.ToSparse] with the layout SparseBSR and blocks of the
// given size. It panics as ToSparse does. Follows Tensor.to_sparse_bsr.
func (t *Tensor) ToSparseBSR(blocksize BlockSize, opts ...DenseDimOption) *Tensor {
	return toSparse("ToSparseBSR(self)", t, SparseBSR, blocksize[:], opts)
}

// ToSparseBSC is [Tensor.ToSparse] with the layout SparseBSC and blocks of the
// given size. It panics as ToSparse does. Follows Tensor.to_sparse_bsc.
func (t *Tensor) ToSparseBSC(blocksize BlockSize, opts ...DenseDimOption) *Tensor {
	return toSparse("ToSparseBSC(self)", t, SparseBSC, blocksize[:], opts)
}

func toSparse(op string, t *Tensor, layout Layout, block []int64, opts []DenseDimOption) *Tensor {
	h := t.handle(op, 0)
	var dim int64
	var dense *int64
	for _, o := range opts {
		switch o := o.(type) {
		case DenseDim:
			dim = int64(o)
			dense = &dim
		default:
			panic(badOption(op, o))
		}
	}
	r := BeginRaw(op, t)
	return r.Tensor(aten.ToSparse(r.Ctx, h, layout.code(), block, dense))
}

// SparseMask returns the elements of a dense tensor at the positions of the
// sparse tensor mask, in mask's layout. It panics with ErrShape if the shapes
// differ, and with ErrRuntime or ErrNotImplemented for a mask that is not
// sparse. Follows Tensor.sparse_mask.
func (t *Tensor) SparseMask(mask *Tensor) *Tensor {
	return binary("SparseMask(self, mask)", aten.SparseMask, t, mask)
}

// SparseResize_ gives a sparse tensor a new shape, with the given numbers of sparse and
// dense dimensions, and returns t. To shrink it the tensor must have no values. It panics
// with ErrNotImplemented for a tensor that is not sparse, with ErrAutograd for a leaf
// that requires gradients, outside NoGrad, and with ErrShape, ErrValue or ErrRuntime for
// an invalid shape. Follows Tensor.sparse_resize_.
func (t *Tensor) SparseResize_(shape Shape, sparseDim, denseDim int64) *Tensor {
	return unaryInPlace("SparseResize_(self)", func(cx abi.Ctx, h abi.Tensor) abi.Status {
		return aten.SparseResize_(cx, h, shape, sparseDim, denseDim)
	}, t)
}

// SparseResizeAndClear_ is like [Tensor.SparseResize_], but first removes all
// values. It works in place and returns t. It panics as SparseResize_ does.
// Follows Tensor.sparse_resize_and_clear_.
func (t *Tensor) SparseResizeAndClear_(shape Shape, sparseDim, denseDim int64) *Tensor {
	return unaryInPlace("SparseResizeAndClear_(self)", func(cx abi.Ctx, h abi.Tensor) abi.Status {
		return aten.SparseResizeAndClear_(cx, h, shape, sparseDim, denseDim)
	}, t)
}

// Smm returns the product of a sparse and a dense matrix as a sparse one. It
// panics with ErrShape if the shapes do not match, with ErrDType if the dtypes
// differ, and with ErrRuntime or ErrNotImplemented unless t is sparse and other
// is dense. Follows torch.smm.
func (t *Tensor) Smm(other *Tensor) *Tensor { return binary("Smm(self, other)", aten.Smm, t, other) }

// Hspmm is [Tensor.Smm] with a result that has one sparse dimension, the rows.
// It panics as [Tensor.Smm] does. Follows torch.hspmm.
func Hspmm(mat1, mat2 *Tensor) *Tensor { return binary("Hspmm(mat1, mat2)", aten.Hspmm, mat1, mat2) }

// Sspaddmm returns [Beta] * t + [Alpha] * mat1 @ mat2 as a sparse tensor, for
// sparse t and mat1 and a dense mat2. It panics as Smm does.
// Follows torch.sspaddmm.
func (t *Tensor) Sspaddmm(mat1, mat2 *Tensor, opts ...AddmmOption) *Tensor {
	const op = "Sspaddmm(self, mat1, mat2)"
	beta, alpha := readAddmm(op, opts)
	return ternary(op, func(cx abi.Ctx, h, a, b abi.Tensor) abi.Ret {
		return aten.Sspaddmm(cx, h, a, b, beta, alpha)
	}, t, mat1, mat2)
}
