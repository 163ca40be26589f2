package schedule

import (
	"fmt"
	"math"

	native "github.com/gotorch/gotorch/cgotorch/optim"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

// SWALR moves the rates to a constant, for stochastic weight averaging. Package swa averages the
// weights.
type SWALR struct {
	base
	epochs   int64
	strategy string
}

// An SWALROption is an option of [NewSWALR] and [NewSWALRList]: [AnnealEpochs],
// [AnnealStrategy], [LastEpoch].
//
//gotorch:options AnnealEpochs AnnealStrategy LastEpoch
type SWALROption interface{ swalrOption() }

// AnnealEpochs is the number of epochs until the rates are constant, at least 0. The
// default is 10.
type AnnealEpochs int64

// NewSWALR makes an SWALR that moves the rates to swaLR. Its options are [AnnealEpochs],
// [AnnealStrategy] and [LastEpoch]. It panics as [NewStepLR] does, and with ErrValue for a negative
// number of epochs and an unknown strategy. Follows torch.optim.swa_utils.SWALR.
func NewSWALR(opt optim.Optimizer, swaLR float64, opts ...SWALROption) *SWALR {
	mustBeOptimizer("NewSWALR", opt)
	return newSWALR("NewSWALR", opt, repeatPerGroup(opt, swaLR), opts)
}

// NewSWALRList makes an SWALR with a rate for each group. It panics as [NewSWALR]
// does, and unless there are as many rates as groups.
// Follows torch.optim.swa_utils.SWALR with a list.
func NewSWALRList(opt optim.Optimizer, swaLRs []float64, opts ...SWALROption) *SWALR {
	mustBeOptimizer("NewSWALRList", opt)
	return newSWALR("NewSWALRList", opt, perGroup("NewSWALRList", "swa_lr", opt, swaLRs), opts)
}

func newSWALR(op string, opt optim.Optimizer, lrs []float64, opts []SWALROption) *SWALR {
	s := &SWALR{epochs: 10, strategy: string(AnnealStrategyCos)}
	last := LastEpoch(-1)
	for _, o := range opts {
		switch o := o.(type) {
		case AnnealEpochs:
			if o < 0 {
				panic(torch.NewError(op, torch.ErrValue, "anneal_epochs",
					fmt.Sprintf("expected a number of at least 0, got %d", o)))
			}
			s.epochs = int64(o)
		case AnnealStrategy:
			s.strategy = string(o)
		case LastEpoch:
			last = o
		default:
			panic(torch.BadOption(op, o))
		}
	}
	mustBeStrategy(op, s.strategy)
	mustBeRates(op, "swa_lr", lrs)
	mustBeLastEpoch("NewSWALR", opt, last)
	for i, g := range opt.ParamGroups() {
		g.Define(groupSetting{"swa_lr", lrs[i]})
	}
	s.fields = []field{{"anneal_epochs", &s.epochs}, {"_anneal_strategy", &s.strategy}}
	s.validWords = map[string][]string{"_anneal_strategy": strategies}
	s.rate = s.stepRate
	s.mustFit = func() { s.mustHaveSetting("swa_lr") }
	s.start("SWALR", opt, last)
	return s
}

// stepRate returns the current rate of group i. As in PyTorch, it first derives the
// group's initial rate from the rate of the previous step.
func (s *SWALR) stepRate(g *optim.ParamGroup, _ int) float64 {
	step, swa := s.stepCount-1, g.Float("swa_lr")
	if s.epochs == 0 {
		step = max(1, step)
	}
	way := func(step int64) float64 {
		t := max(0, min(1, float64(step)/float64(max(1, s.epochs))))
		if AnnealStrategy(s.strategy) == AnnealStrategyCos {
			return (1 - native.Cos(math.Pi*t)) / 2
		}
		return t
	}
	lr := swa
	if before := way(step - 1); before != 1 {
		lr = (g.LR() - float64(before*swa)) / (1 - before)
	}
	now := way(step)
	return float64(swa*now) + float64(lr*(1-now))
}
