package torchtest

import "github.com/gotorch/gotorch/torch"

// Rounding returns the allowed difference between two correct results of the same formula.
// They may be computed with different vector instructions, a different math library or a
// different order of summation. No processor's result is better, so golden files made on
// one processor are valid on all others.
//
// dtypes are the dtypes that the value passed through: its own dtype and, for a gradient,
// the dtype of the differentiated result. The least precise dtype counts, because a
// float64 that was once a float32 has only float32's digits.
//
// n is the number of roundings on the longest path from the input. A function such as exp
// or pow counts as 4 roundings, because all kernels are correct to 4 units in the last
// place. A sum counts as one rounding per term. Each rounding is off by at most
// one unit in the last place, eps times the value. The allowed difference is n*eps*(1 +
// m), where m is the largest |want| of the tensor. It depends on the largest element
// instead of each element, because large terms may have canceled in a small element.
//
// Kernels for float16 and bfloat16 compute in float32 and round their results. For these
// two dtypes the allowed difference is two units in the last place plus n*eps of float32,
// for any n. Integers and bools must be equal.
func Rounding(n int, dtypes ...torch.DType) Tolerance {
	var tol float64
	for _, d := range dtypes {
		switch d {
		case torch.Float16, torch.Complex32:
			tol = max(tol, 2*0x1p-10+float64(n)*0x1p-23)
		case torch.BFloat16:
			tol = max(tol, 2*0x1p-7+float64(n)*0x1p-23)
		case torch.Float32, torch.Complex64:
			tol = max(tol, float64(n)*0x1p-23)
		case torch.Float64, torch.Complex128:
			tol = max(tol, float64(n)*0x1p-52)
		}
	}
	return Tolerance{RTol: tol, ATol: tol, OfLargest: true, EqualNaN: true}
}
