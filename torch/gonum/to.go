package gonum

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/gotorch/gotorch/torch"
)

// ToDense copies a tensor of two dimensions into a new matrix, from whatever device it is
// on, in its logical order. Floating point of any width becomes float64, which is exact; a
// tensor of shape (0, 0) is gonum's empty matrix.
//
// It panics with ErrNil or ErrClosed for a tensor that is nil or closed, ErrShape for other
// shapes, ErrDType for integers, bools and complex numbers, ErrAutograd for a tensor that
// requires gradients, ErrDevice for one on meta, ErrValue for one that is not dense, and
// ErrOutOfMemory for more elements than there is memory for. Follows Tensor.numpy.
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

// ToSymDense is [ToDense] for a square tensor that is symmetric. gonum keeps the upper
// triangle alone: a tensor whose lower one differs is ErrValue, also by a rounding, and the
// mean of x and x.T() is symmetric. NaN is like NaN.
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
				panic(torch.NewError(op, torch.ErrValue, "x", fmt.Sprintf("not symmetric: %v at (%d, %d) and %v at (%d, %d)", a, i, j, b, j, i)))
			}
		}
	}
	return mat.NewSymDense(n, data)
}

// ToTriDense is [ToDense] for a square tensor that is triangular, of the kind mat.Upper or
// mat.Lower. One with anything but zeros in the other triangle is ErrValue; x.Triu() and
// x.Tril() have none there.
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
				panic(torch.NewError(op, torch.ErrValue, "x", fmt.Sprintf("not triangular: %v at (%d, %d)", data[at], row, col)))
			}
		}
	}
	return mat.NewTriDense(n, kind, data)
}

// ToCDense is [ToDense] for complex numbers: complex64 and narrower become complex128, and
// conjugate views are resolved. Other dtypes are ErrDType.
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
