package gonum

import (
	"gonum.org/v1/gonum/mat"

	"github.com/gotorch/gotorch/torch"
)

// FromMatrix copies a matrix of any type into a new contiguous tensor of shape (rows,
// columns), owned by the innermost scope or else by the garbage collector. Symmetric,
// triangular, banded and diagonal matrices are copied with all their elements, and
// vectors as columns. By default the tensor is float64 on the default device. FromMatrix
// takes the options of [torch.FromSliceWith]; a DType option converts the elements.
//
// FromMatrix panics with ErrNil for a nil matrix, and as FromSliceWith and a's methods
// do.
func FromMatrix(a mat.Matrix, opts ...torch.TensorOption) *torch.Tensor {
	checkGiven("gonum.FromMatrix", a)
	rows, cols := a.Dims()
	return torch.FromSliceWith(elements(a, rows, cols), torch.Shape{int64(rows), int64(cols)}, opts...)
}

// elements returns a matrix's own elements if they are stored row by row, and otherwise a
// copy.
func elements(a mat.Matrix, rows, cols int) []float64 {
	if rows == 0 || cols == 0 {
		return []float64{}
	}
	if m, ok := a.(*mat.Dense); ok && m.RawMatrix().Stride == cols {
		return m.RawMatrix().Data[:rows*cols]
	}
	return mat.DenseCopyOf(a).RawMatrix().Data
}

// FromVector is [FromMatrix] for a vector; the tensor has one dimension.
func FromVector(v mat.Vector, opts ...torch.TensorOption) *torch.Tensor {
	checkGiven("gonum.FromVector", v)
	data := make([]float64, v.Len())
	for i := range data {
		data[i] = v.AtVec(i)
	}
	return torch.FromSliceWith(data, nil, opts...)
}

// FromCMatrix is [FromMatrix] for complex matrices; the tensor is complex128.
func FromCMatrix(a mat.CMatrix, opts ...torch.TensorOption) *torch.Tensor {
	checkGiven("gonum.FromCMatrix", a)
	rows, cols := a.Dims()
	data := make([]complex128, 0, rows*cols)
	for i := range rows {
		for j := range cols {
			data = append(data, a.At(i, j))
		}
	}
	return torch.FromSliceWith(data, torch.Shape{int64(rows), int64(cols)}, opts...)
}

// FromDenseShared returns a float64 CPU tensor of shape (rows, columns) over the matrix's
// own memory. Nothing is copied, and each side sees the other's writes. A submatrix keeps
// its strides. The memory is pinned until the last tensor over it is closed or collected.
// If the matrix reallocates its memory, for example by Reset and a new size, the tensor
// keeps the old memory. The tensor is owned by the innermost scope or else by the garbage
// collector.
//
// The matrix must be in Go's memory. A matrix that [ViewDense] lends is not.
//
// It panics with ErrNil for a nil matrix. Follows torch.from_numpy.
func FromDenseShared(a *mat.Dense) *torch.Tensor {
	checkGiven("gonum.FromDenseShared", a)
	raw := a.RawMatrix()
	return shared(raw.Data, []int64{int64(raw.Rows), int64(raw.Cols)}, []int64{int64(raw.Stride), 1})
}

// FromVecDenseShared is [FromDenseShared] for a vector; the tensor has one dimension.
func FromVecDenseShared(v *mat.VecDense) *torch.Tensor {
	checkGiven("gonum.FromVecDenseShared", v)
	raw := v.RawVector()
	return shared(raw.Data, []int64{int64(raw.N)}, []int64{int64(raw.Inc)})
}

// FromCDenseShared is [FromDenseShared] for a complex matrix; the tensor is complex128.
func FromCDenseShared(a *mat.CDense) *torch.Tensor {
	checkGiven("gonum.FromCDenseShared", a)
	raw := a.RawCMatrix()
	return shared(raw.Data, []int64{int64(raw.Rows), int64(raw.Cols)}, []int64{int64(raw.Stride), 1})
}

func shared(data any, size, stride []int64) *torch.Tensor {
	return torch.Tidy(func() *torch.Tensor {
		return torch.FromSliceShared(data).AsStrided(size, stride, 0)
	})
}
