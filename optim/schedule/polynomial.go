package schedule

import (
	native "github.com/gotorch/gotorch/cgotorch/optim"
	options "github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/optim"
)

// A PolynomialOption is an option of [NewPolynomialLR]: [TotalIters], [Power],
// [LastEpoch].
//
//gotorch:options TotalIters Power LastEpoch
type PolynomialOption interface{ polynomialOption() }

// Power is the exponent of the polynomial. The default is 1.
type Power float64

// PolynomialLR lowers the rates to 0 as a power of the remaining epochs.
type PolynomialLR struct{ base }

// NewPolynomialLR makes a PolynomialLR. Its options are [TotalIters], [Power] and
// [LastEpoch]. It panics as [NewStepLR] does, and with ErrValue for a TotalIters
// below 1. Follows torch.optim.lr_scheduler.PolynomialLR.
func NewPolynomialLR(opt optim.Optimizer, opts ...PolynomialOption) *PolynomialLR {
	const op = "NewPolynomialLR"
	n, p, last := options.Read3(op, opts, TotalIters(5), Power(1), LastEpoch(-1))
	total, power := int64(n), float64(p)
	mustBePositive(op, "total_iters", total)
	s := new(PolynomialLR)
	s.fields = []field{{"total_iters", &total}, {"power", &power}}
	s.record.positive = []string{"total_iters"}
	s.rate = func(g *optim.ParamGroup, _ int) float64 {
		if s.initial || s.lastEpoch > total {
			return g.LR()
		}
		left := func(epoch int64) float64 { return 1 - float64(epoch)/float64(total) }
		return g.LR() * native.Pow(left(s.lastEpoch)/left(s.lastEpoch-1), power)
	}
	s.closedForm = func(_ *optim.ParamGroup, i int) float64 {
		return s.baseLRs[i] * native.Pow(1-float64(min(total, s.lastEpoch))/float64(total), power)
	}
	s.start("PolynomialLR", opt, last)
	return s
}
