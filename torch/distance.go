package torch

import (
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
)

// Cdist returns the p-norm distances between every row of x1 and every row of
// x2, shapes (..., n, d) and (..., m, d) to (..., n, m). It panics with
// ErrShape if the rows differ in length and with ErrDType for integers. Follows
// torch.cdist.
func Cdist(x1, x2 *Tensor, p float64) *Tensor {
	return binary("Cdist(x1, x2)", func(cx abi.Ctx, a, b abi.Tensor) abi.Ret {
		return aten.Cdist(cx, a, b, p, nil)
	}, x1, x2)
}

// Pdist returns the p-norm distances between every two rows of a matrix, n
// (n-1) / 2 in one dimension. Follows torch.pdist.
func (t *Tensor) Pdist(p float64) *Tensor {
	return call("Pdist(self)", t, func(cx abi.Ctx, h abi.Tensor) abi.Ret { return aten.Pdist(cx, h, p) })
}

// Dist returns the p-norm of t - other, a tensor of no dimensions; the shapes
// broadcast. Follows torch.dist.
func (t *Tensor) Dist(other *Tensor, p any) *Tensor {
	const op = "Dist(self, other)"
	ord := scalarArg(op, "p", p)
	return binary(op, func(cx abi.Ctx, a, b abi.Tensor) abi.Ret { return aten.Dist(cx, a, b, ord) }, t, other)
}
