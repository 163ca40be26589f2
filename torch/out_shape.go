package torch

import (
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
)

// Reductions, products and index reads that write to a tensor made before. All
// return dst, which is resized if it has another shape. They panic as the
// operator without Out does, with ErrDType if dst's dtype does not fit the
// result, and with ErrAutograd if an argument requires gradients while they are
// recorded.

// SumDimOut is SumDim written to dst, whose dtype, whatever it is, is that of
// the sums. Follows torch.sum with out.
func SumDimOut(dst, t *Tensor, dims []int64, keepdim bool) *Tensor {
	return unaryOut("SumDimOut(dst, self)", func(cx abi.Ctx, h, out abi.Tensor) abi.Status {
		return aten.SumIntListOut(cx, h, dims, keepdim, -1, out)
	}, dst, t)
}

// MeanDimOut is MeanDim written to dst. Follows torch.mean with out.
func MeanDimOut(dst, t *Tensor, dims []int64, keepdim bool) *Tensor {
	return unaryOut("MeanDimOut(dst, self)", func(cx abi.Ctx, h, out abi.Tensor) abi.Status {
		return aten.MeanOut(cx, h, dims, keepdim, -1, out)
	}, dst, t)
}

// AmaxOut is Amax written to dst. Follows torch.amax with out.
func AmaxOut(dst, t *Tensor, dims []int64, keepdim bool) *Tensor {
	return unaryOut("AmaxOut(dst, self)", func(cx abi.Ctx, h, out abi.Tensor) abi.Status {
		return aten.AmaxOut(cx, h, dims, keepdim, out)
	}, dst, t)
}

// ArgmaxDimOut is ArgmaxDim written to dst, which is int64. Follows
// torch.argmax with out.
func ArgmaxDimOut(dst, t *Tensor, dim int64, keepdim bool) *Tensor {
	return unaryOut("ArgmaxDimOut(dst, self)", func(cx abi.Ctx, h, out abi.Tensor) abi.Status {
		return aten.ArgmaxOut(cx, h, &dim, keepdim, out)
	}, dst, t)
}

// CumsumOut is Cumsum written to dst. Follows torch.cumsum with out.
func CumsumOut(dst, t *Tensor, dim int64) *Tensor {
	return unaryOut("CumsumOut(dst, self)", func(cx abi.Ctx, h, out abi.Tensor) abi.Status {
		return aten.CumsumOut(cx, h, dim, -1, out)
	}, dst, t)
}

// MmOut is Mm written to dst. Follows torch.mm with out.
func MmOut(dst, a, b *Tensor) *Tensor { return binaryOut("MmOut(dst, a, b)", aten.MmOut, dst, a, b) }

// BmmOut is Bmm written to dst. Follows torch.bmm with out.
func BmmOut(dst, a, b *Tensor) *Tensor {
	return binaryOut("BmmOut(dst, a, b)", aten.BmmOut, dst, a, b)
}

// AddmmOut is Addmm of t written to dst, which may be t itself. Follows
// torch.addmm with out.
func AddmmOut(dst, t, mat1, mat2 *Tensor) *Tensor {
	const op = "AddmmOut(dst, self, mat1, mat2)"
	out, h, a, b := dst.handle(op, 0), t.handle(op, 1), mat1.handle(op, 2), mat2.handle(op, 3)
	r := BeginRaw(op)
	r.Status(aten.AddmmOut(r.Ctx, h, a, b, one, one, out), dst, t, mat1, mat2)
	return dst
}

// GatherOut is Gather written to dst, which must not overlap t or index in
// memory. Follows torch.gather with out.
func GatherOut(dst, t *Tensor, dim int64, index *Tensor) *Tensor {
	return binaryOut("GatherOut(dst, self, index)", func(cx abi.Ctx, h, i, out abi.Tensor) abi.Status {
		return aten.GatherOut(cx, h, dim, i, false, out)
	}, dst, t, index)
}

// IndexSelectOut is IndexSelect written to dst, which must not overlap t or
// index in memory. Follows torch.index_select with out.
func IndexSelectOut(dst, t *Tensor, dim int64, index *Tensor) *Tensor {
	return binaryOut("IndexSelectOut(dst, self, index)", func(cx abi.Ctx, h, i, out abi.Tensor) abi.Status {
		return aten.IndexSelectOut(cx, h, dim, i, out)
	}, dst, t, index)
}
