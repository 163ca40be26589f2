package gonum

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/gotorch/gotorch/torch"
)

// ToDense copies a two-dimensional tensor from any device into a new matrix, in logical
// order. Floating-point numbers of any width become float64 without loss. A tensor of
// shape (0, 0) becomes gonum's empty matrix.
//
// It panics with ErrNil or ErrClosed for a nil or closed tensor, ErrShape for other
// shapes, ErrDType for integers, bools and complex numbers, ErrAutograd for a tensor
// that requires gradients, ErrDevice for a meta tensor, ErrValue for a layout that is
// not dense, and ErrOutOfMemory if memory is insufficient. Follows Tensor.numpy.
func ToDense(x *torch.Tensor) *mat.Dense {
	const op = "gonum.ToDense"
	shape := checkDense(op, x, 2)
	data := float64s(op, x)
	if len(data) == 0 {
		return &mat.Dense{}
	}
	return mat.NewDense(int(shape[0]), int(shape[1]), data)
}

// ToVecDense is [ToDense] for a tensor of one dimension.
func ToVecDense(x *torch.Tensor) *mat.VecDense {
	const op = "gonum.ToVecDense"
	checkDense(op, x, 1)
	data := float64s(op, x)
	if len(data) == 0 {
		return &mat.VecDense{}
	}
	return mat.NewVecDense(len(data), data)
}

// ToSymDense is [ToDense] for a symmetric tensor. gonum keeps only the upper triangle, so
// ToSymDense panics with ErrValue if the lower triangle differs, even by rounding. To
// make x symmetric, use the mean of x and x.T(). NaN equals NaN.
func ToSymDense(x *torch.Tensor) *mat.SymDense {
	const op = "gonum.ToSymDense"
	n := checkSquare(op, x)
	data := float64s(op, x)
	if n == 0 {
		return &mat.SymDense{}
	}
	for i := range n {
		for j := range i {
			if a, b := data[i*n+j], data[j*n+i]; a != b && (a == a || b == b) {
				panic(torch.NewError(op, torch.ErrValue, "x",
					fmt.Sprintf("the matrix is not symmetric: %v at (%d, %d) and %v at (%d, %d)", a, i, j, b, j, i)))
			}
		}
	}
	return mat.NewSymDense(n, data)
}

// ToTriDense is [ToDense] for a square triangular tensor of kind mat.Upper or mat.Lower.
// It panics with ErrValue if the other triangle is not zero. x.Triu() and x.Tril() set
// that triangle to zero.
func ToTriDense(x *torch.Tensor, kind mat.TriKind) *mat.TriDense {
	const op = "gonum.ToTriDense"
	n := checkSquare(op, x)
	data := float64s(op, x)
	if n == 0 {
		return &mat.TriDense{}
	}
	for i := range n {
		for j := range i {
			at, row, col := i*n+j, i, j // below the diagonal
			if kind == mat.Lower {
				at, row, col = j*n+i, j, i
			}
			if data[at] != 0 {
				panic(torch.NewError(op, torch.ErrValue, "x",
					fmt.Sprintf("the matrix is not triangular: %v at (%d, %d)", data[at], row, col)))
			}
		}
	}
	return mat.NewTriDense(n, kind, data)
}

// ToCDense is [ToDense] for complex numbers. Narrower complex dtypes, such as complex64,
// become complex128, and conjugate views are resolved. It panics with ErrDType for other
// dtypes.
func ToCDense(x *torch.Tensor) *mat.CDense {
	const op = "gonum.ToCDense"
	shape := checkDense(op, x, 2)
	checkDType(op, x, x.IsComplex(), "complex numbers")
	data := x.Complex128s()
	if len(data) == 0 {
		return &mat.CDense{}
	}
	return mat.NewCDense(int(shape[0]), int(shape[1]), data)
}

func float64s(op string, x *torch.Tensor) []float64 {
	checkDType(op, x, x.IsFloatingPoint(), "floating point")
	return x.Float64s()
}
