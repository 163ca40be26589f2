package constraints

import (
	"github.com/gotorch/gotorch/internal/native/recording"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/linalg"
)

func isLowerTriangular(x *torch.Tensor) *torch.Tensor { return allOfLast(x.Tril().Eq(x), 2) }

func isLowerCholesky(x *torch.Tensor) *torch.Tensor {
	diagonal := x.Diagonal(torch.Dim1(-2), torch.Dim2(-1))
	return isLowerTriangular(x).LogicalAnd(diagonal.GtScalar(0).All(torch.Dim(-1)))
}

func isCorrCholesky(x *torch.Tensor) *torch.Tensor {
	// The rounding error of a row's length grows with the number of columns; 10 is a margin.
	tolerance := torch.Finfo(x.DType()).Eps * float64(x.Size(-1)) * 10
	length := linalg.VectorNorm(x.Detach(), 2, linalg.Dim(-1))
	return isLowerCholesky(x).LogicalAnd(length.SubScalar(1).Abs().LeScalar(tolerance).All(torch.Dim(-1)))
}

func isSquare(x *torch.Tensor) *torch.Tensor {
	shape := x.Shape()
	n := len(shape)
	return torch.Full(shape[:n-2], shape[n-2] == shape[n-1], torch.Bool, x.Device())
}

// ifSymmetric returns then(x) if the function then is not nil and all matrices of x are
// symmetric. Otherwise it returns a Bool tensor that reports for each matrix whether it
// is symmetric.
func ifSymmetric(x *torch.Tensor, then func(x *torch.Tensor) *torch.Tensor) *torch.Tensor {
	if shape := x.Shape(); shape[len(shape)-1] != shape[len(shape)-2] {
		return isSquare(x)
	}
	symmetric := x.IsClose(x.MT(), torch.ATol(1e-6)).All(torch.Dims{-2, -1})
	switch {
	case then == nil:
		return symmetric
	case recording.Current() != nil: // a captured step cannot branch on a value
		return torch.Where(symmetric.All(), then(x), symmetric)
	case !symmetric.All().ItemBool():
		return symmetric
	}
	return then(x)
}

func hasNoNegativeEigenvalue(x *torch.Tensor) *torch.Tensor {
	return x.Eigvalsh().GeScalar(0).All(torch.Dim(-1))
}

func hasCholesky(x *torch.Tensor) *torch.Tensor {
	_, info := linalg.CholeskyEx(x)
	return info.EqScalar(0)
}
