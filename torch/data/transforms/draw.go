package transforms

import (
	"fmt"
	"math"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data/transforms/internal/opt"
)

// item returns the only element of t and frees t.
func item(t *torch.Tensor) float64 {
	defer func() { _ = t.Close() }()
	return t.Item()
}

// uniform draws a number as Python does with torch.empty(1).uniform_(lo, hi).item().
func uniform(lo, hi float64) float64 { return item(torch.Empty(torch.Shape{1}).Uniform_(lo, hi)) }

// integer draws an integer from lo to hi-1.
func integer(lo, hi int64) int64 { return int64(item(torch.RandInt(lo, hi, torch.Shape{1}))) }

// chance draws a number from 0 to 1, uniformly.
func chance() float64 { return item(torch.Rand(torch.Shape{1})) }

// rounded returns v rounded to the default dtype, because PyTorch compares random numbers
// with probabilities in this dtype.
func rounded(v float64) float64 {
	if torch.DefaultDType() == torch.Float64 {
		return v
	}
	return float64(float32(v))
}

// happens returns true with probability p.
func happens(p float64) bool { return chance() < rounded(p) }

// order returns a random permutation of 0 to n-1.
func order(n int) []int64 {
	t := torch.RandPerm(int64(n))
	defer func() { _ = t.Close() }()
	return t.Int64s()
}

// same returns a view of x.
func same(x *torch.Tensor) *torch.Tensor { return x.ViewAs(x) }

func checkP(op string, p float64) float64 {
	if !(p >= 0 && p <= 1) {
		panic(torch.NewError(op, torch.ErrValue, "P", fmt.Sprintf("expected a probability from 0 to 1, got %v", p)))
	}
	return p
}

// checkRange panics with ErrValue unless lo <= hi, and both are finite and between
// smallest and largest.
func checkRange(op, arg string, lo, hi, smallest, largest float64) {
	if !(smallest <= lo && lo <= hi && hi <= largest) || math.IsInf(hi, 1) || math.IsInf(lo, -1) {
		limits := ""
		switch {
		case !math.IsInf(largest, 1):
			limits = fmt.Sprintf(" from %v to %v", smallest, largest)
		case !math.IsInf(smallest, -1):
			limits = fmt.Sprintf(" of at least %v", smallest)
		}
		panic(torch.NewError(op, torch.ErrValue, arg,
			fmt.Sprintf("expected (smallest, largest)%s, got (%v, %v)", limits, lo, hi)))
	}
}

var infinity = math.Inf(1)

// angles reads a range of angles in degrees. A single number v means the range from -v to v.
func angles(op, arg string, v any) [2]float64 {
	list := opt.Floats(op, arg, v, 2)
	if len(list) == 1 {
		if !(list[0] >= 0) {
			panic(torch.NewError(op, torch.ErrValue, arg,
				fmt.Sprintf("a single number must not be negative, got %v", list[0])))
		}
		list = []float64{0 - list[0], list[0]} // not -0
	}
	checkRange(op, arg, list[0], list[1], -infinity, infinity)
	return [2]float64{list[0], list[1]}
}

// logarithms returns the logarithms of lo and hi, a range of ratios. It computes them with
// torch.log, as Python does.
func logarithms(lo, hi float64) [2]float64 {
	var out [2]float64
	torch.Scope(func() {
		t := torch.FromSliceWith([]float64{lo, hi}, nil, torch.DefaultDType(), torch.CPU).Log()
		copy(out[:], t.To(torch.Float64).Float64s())
	})
	return out
}

// aspect draws a ratio as Python does with torch.exp(torch.empty(1).uniform_(lo,
// hi)).item(). logs holds lo and hi.
func aspect(logs [2]float64) float64 {
	return item(torch.Empty(torch.Shape{1}).Uniform_(logs[0], logs[1]).Exp_())
}

// round rounds v to the nearest integer, half to even, as Python's round does.
func round(v float64) int64 { return int64(math.RoundToEven(v)) }
