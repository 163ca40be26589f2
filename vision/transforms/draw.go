package transforms

import (
	"math"

	"github.com/gotorch/gotorch/torch"
)

// item returns the only element of t and frees t.
func item(t *torch.Tensor) float64 {
	defer func() { _ = t.Close() }()
	return t.Item()
}

// integer draws an integer from lo to hi-1.
func integer(lo, hi int64) int64 { return int64(item(torch.RandInt(lo, hi, torch.Shape{1}))) }

// uniform draws a number as Python does with torch.empty(1).uniform_(lo, hi).item().
func uniform(lo, hi float64) float64 { return item(torch.Empty(torch.Shape{1}).Uniform_(lo, hi)) }

// happens returns true with probability p. As in PyTorch, p is rounded to the default dtype.
func happens(p float64) bool {
	if torch.DefaultDType() != torch.Float64 {
		p = float64(float32(p))
	}
	return item(torch.Rand(torch.Shape{1})) < p
}

// between draws n numbers from lo to hi, in the arithmetic of the default dtype, as Python does
// with lo + torch.rand(n) * (hi - lo).
func between(lo, hi float64, n int64) *torch.Tensor {
	return torch.Rand(torch.Shape{n}).MulScalar_(hi - lo).AddScalar_(lo)
}

// times returns Python's int(n * r[i]), for a tensor r.
func times(n int64, r *torch.Tensor, i int64) int64 {
	return int64(r.Select(0, i).MulScalar(n).Item())
}

// logarithms returns the logarithms of lo and hi as torch.log computes them.
func logarithms(lo, hi float64) (out [2]float64) {
	torch.Scope(func() {
		t := torch.FromSliceWith([]float64{lo, hi}, nil, torch.DefaultDType(), torch.CPU).Log()
		copy(out[:], t.To(torch.Float64).Float64s())
	})
	return out
}

// aspect draws a ratio as Python does with torch.exp(torch.empty(1).uniform_(lo, hi)).item().
func aspect(logs [2]float64) float64 {
	return item(torch.Empty(torch.Shape{1}).Uniform_(logs[0], logs[1]).Exp_())
}

// round rounds half to even, as Python's round does.
func round(v float64) int64 { return int64(math.RoundToEven(v)) }
