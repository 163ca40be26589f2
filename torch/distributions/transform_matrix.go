package distributions

import (
	"fmt"
	"math"
	"slices"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/aten"
)

// This file has the transforms of vectors and matrices: stick breaking and Cholesky factors.

func tooFew(want int64, got torch.Shape) string {
	return fmt.Sprintf("expected at least %d dimensions, got shape %v", want, got)
}

func vectorShape(op string, shape torch.Shape, _ bool) torch.Shape {
	if len(shape) < 1 {
		panic(torch.NewError(op, torch.ErrShape, "shape", tooFew(1, shape)))
	}
	return shape
}

func stickBreakingShape(op string, shape torch.Shape, forward bool) torch.Shape {
	shape = slices.Clone(vectorShape(op, shape, forward))
	if forward {
		shape[len(shape)-1]++
	} else {
		shape[len(shape)-1]--
	}
	return shape
}

// stickOffset returns log(n), log(n-1), ..., log(1) in the dtype of x, for vectors of n elements.
func stickOffset(x *torch.Tensor, n int64) *torch.Tensor {
	return minus(n+1, x.NewOnes(torch.Shape{n}).CumSum(-1)).Log()
}

func stickBreaking(x *torch.Tensor) *torch.Tensor {
	z := clippedSigmoid(x.Sub(stickOffset(x, x.Size(-1))))
	left := minus(1, z).CumProd(-1)
	return aten.ConstantPadNd(z, []int64{0, 1}, 1).Mul(aten.ConstantPadNd(left, []int64{1, 0}, 1))
}

func unbrokenStick(y *torch.Tensor) *torch.Tensor {
	n := y.Size(-1) - 1
	cropped := y.Narrow(-1, 0, n)
	// The sum may exceed 1 by rounding.
	left := minus(1, cropped.CumSum(-1)).ClampMin(torch.Finfo(y.DType()).Tiny)
	return cropped.Log().Sub(left.Log()).Add(stickOffset(y, n))
}

func stickBreakingJacobian(x, y *torch.Tensor) *torch.Tensor {
	n := x.Size(-1)
	x = x.Sub(stickOffset(x, n))
	return x.Neg().Add(x.LogSigmoid()).Add(y.Narrow(-1, 0, y.Size(-1)-1).Log()).Sum(torch.Dim(-1))
}

func diagonal(x *torch.Tensor) *torch.Tensor { return x.Diagonal(torch.Dim1(-2), torch.Dim2(-1)) }

func lowerCholesky(x *torch.Tensor) *torch.Tensor {
	return x.Tril(-1).Add(diagonal(x).Exp().DiagEmbed())
}

func inverseLowerCholesky(y *torch.Tensor) *torch.Tensor {
	return y.Tril(-1).Add(diagonal(y).Log().DiagEmbed())
}

func positiveDefinite(x *torch.Tensor) *torch.Tensor {
	l := lowerCholesky(x)
	return l.MatMul(l.MT())
}

func inversePositiveDefinite(y *torch.Tensor) *torch.Tensor {
	return inverseLowerCholesky(y.Cholesky())
}

// below returns a mask for n x n matrices that is true on and below a diagonal.
func below(like *torch.Tensor, n, diagonal int64) *torch.Tensor {
	return torch.Ones(torch.Shape{n, n}, torch.Bool, like.Device()).Tril(torch.Diagonal(diagonal))
}

// corrSize returns the size of a correlation matrix with n elements below its diagonal.
func corrSize(n int64) int64 { return int64(math.Round(math.Sqrt(0.25+2*float64(n)) + 0.5)) }

func corrCholeskyShape(op string, shape torch.Shape, forward bool) torch.Shape {
	k := len(shape)
	if forward {
		vectorShape(op, shape, true)
		n := shape[k-1]
		d := corrSize(n)
		if d*(d-1)/2 != n {
			panic(torch.NewError(op, torch.ErrShape, "shape", fmt.Sprintf("expected as many numbers as a square "+
				"matrix has below its diagonal, got shape %v", shape)))
		}
		return append(slices.Clone(shape[:k-1]), d, d)
	}
	if k < 2 {
		panic(torch.NewError(op, torch.ErrShape, "shape", tooFew(2, shape)))
	}
	d := shape[k-1]
	if shape[k-2] != d {
		panic(torch.NewError(op, torch.ErrShape, "shape", fmt.Sprintf("expected square matrices, got shape %v", shape)))
	}
	return append(slices.Clone(shape[:k-2]), d*(d-1)/2)
}

// shifted moves the columns of x one to the right, and fills the first column with ones.
func shifted(x *torch.Tensor) *torch.Tensor {
	return aten.ConstantPadNd(x.Narrow(-1, 0, x.Size(-1)-1), []int64{1, 0}, 1)
}

// corrCholesky applies stick breaking to the squares of each row, and keeps the signs.
func corrCholesky(x *torch.Tensor) *torch.Tensor {
	eps := torch.Finfo(x.DType()).Eps
	x = x.Tanh().Clamp(-1+eps, 1-eps)
	shape := x.Shape()
	d := corrSize(shape[len(shape)-1])
	r := x.NewZeros(append(slices.Clone(shape[:len(shape)-1]), d, d))
	r.SetIndex(x, torch.Ellipsis, below(x, d, -1))
	left := minus(1, r.PowScalar(2)).Sqrt().CumProd(-1)
	r = r.Add(torch.Eye(d, x.DType(), x.Device()))
	return r.Mul(shifted(left))
}

func inverseCorrCholesky(y *torch.Tensor) *torch.Tensor {
	mask := below(y, y.Size(-1), -1)
	left := shifted(minus(1, y.Mul(y).CumSum(-1)))
	t := y.Index(torch.Ellipsis, mask).Div(left.Index(torch.Ellipsis, mask).Sqrt())
	return t.Log1p().Sub(t.Neg().Log1p()).DivScalar(2)
}

// corrCholeskyJacobian returns the log determinant of the derivative of y's elements
// below the diagonal with respect to x. It leaves out the other elements, because y has
// more elements than x.
func corrCholeskyJacobian(x, y *torch.Tensor) *torch.Tensor {
	left := minus(1, y.Mul(y).CumSum(-1)).Index(torch.Ellipsis, below(y, y.Size(-1), -2))
	stick := times(0.5, left.Log().Sum(torch.Dim(-1)))
	tanh := times(-2, minus(plus(x, softplus(times(-2, x))), math.Log(2)).Sum(torch.Dim(-1)))
	return stick.Add(tanh)
}
