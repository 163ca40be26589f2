package torchtest

import "github.com/gotorch/gotorch/torch"

// Rounding is how far apart two right answers may be: the same formula, worked
// out by other vector instructions, another library of mathematics or in another
// order of adding. No processor's answer is the better one, so that a golden file
// made on one holds on every other.
//
// dtypes are those that the value passed through on its way: its own and, for a
// gradient, that of the result it was taken of. The least precise of them counts,
// since a float64 that was once a float32 has no more than float32's digits.
//
// n is how many roundings lie on the longest way from the input: a function like
// exp or pow counts 4 (no kernel is off by more units in the last place), a sum
// its terms. Each is off by at most one unit in the last place, eps times the
// value, so n of them by n*eps times the largest value on the way; it stands for
// this that the allowed difference is n*eps*(1 + m), with m the largest |want| of
// the tensor. The largest and not each element's, since terms as large as it may
// have cancelled where an element is small.
//
// Kernels for float16 and bfloat16 work in float32 and round what they store:
// these two, whatever n, are allowed two units in the last place, and n*eps of
// float32. Integers and bools are exact.
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
