package schedule

import (
	"fmt"
	"slices"

	native "github.com/gotorch/gotorch/cgotorch/optim"
	options "github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

// StepLR multiplies the rates by gamma once every stepSize epochs.
type StepLR struct{ base }

// NewStepLR makes a StepLR with periods of stepSize epochs. Its options are [Gamma]
// and [LastEpoch]. Like the other constructors of this package, it panics with ErrNil
// for a nil optimizer or option. It panics with ErrValue for a stepSize below 1, an
// optimizer without a learning rate, and a LastEpoch if a group has no InitialLR.
// Follows torch.optim.lr_scheduler.StepLR.
func NewStepLR(opt optim.Optimizer, stepSize int, opts ...StepLROption) *StepLR {
	size := int64(stepSize)
	mustBePositive("NewStepLR", "step_size", size)
	gamma, last := stepLROptions("NewStepLR", opts)
	s := new(StepLR)
	s.fields = []field{{"step_size", &size}, {"gamma", &gamma}}
	s.record.positive = []string{"step_size"}
	s.rate = func(g *optim.ParamGroup, _ int) float64 {
		if s.lastEpoch == 0 || s.lastEpoch%size != 0 {
			return g.LR()
		}
		return g.LR() * gamma
	}
	s.closedForm = func(_ *optim.ParamGroup, i int) float64 {
		return s.baseLRs[i] * native.Pow(gamma, float64(s.lastEpoch/size))
	}
	s.start("StepLR", opt, last)
	return s
}

func stepLROptions(op string, opts []StepLROption) (float64, LastEpoch) {
	g, last := options.Read2(op, opts, Gamma(0.1), LastEpoch(-1))
	return float64(g), last
}

// epochs converts milestones to the type that the state dict uses.
func epochs(milestones []int) []int64 {
	es := make([]int64, len(milestones))
	for i, m := range milestones {
		es[i] = int64(m)
	}
	return es
}

// MultiStepLR multiplies the rates by gamma at given epochs.
type MultiStepLR struct{ base }

// NewMultiStepLR makes a MultiStepLR. An epoch that is listed twice counts twice. Its
// options are [Gamma] and [LastEpoch]. It panics as [NewStepLR] does.
// Follows torch.optim.lr_scheduler.MultiStepLR.
func NewMultiStepLR(opt optim.Optimizer, milestones []int, opts ...StepLROption) *MultiStepLR {
	gamma, last := stepLROptions("NewMultiStepLR", opts)
	at := milestoneList(slices.Sorted(slices.Values(epochs(milestones))))
	s := new(MultiStepLR)
	s.fields = []field{{"milestones", &at}, {"gamma", &gamma}}
	before := func(epoch int64) int {
		n, _ := slices.BinarySearch(at, epoch)
		return n
	}
	s.rate = func(g *optim.ParamGroup, _ int) float64 {
		if n := before(s.lastEpoch+1) - before(s.lastEpoch); n > 0 {
			return g.LR() * native.Pow(gamma, float64(n))
		}
		return g.LR()
	}
	s.closedForm = func(_ *optim.ParamGroup, i int) float64 {
		return s.baseLRs[i] * native.Pow(gamma, float64(before(s.lastEpoch+1)))
	}
	s.start("MultiStepLR", opt, last)
	return s
}

// ExponentialLR multiplies the rates by gamma every epoch.
type ExponentialLR struct{ base }

// NewExponentialLR makes an ExponentialLR. Its option is [LastEpoch]. It panics as
// [NewStepLR] does. Follows torch.optim.lr_scheduler.ExponentialLR.
func NewExponentialLR(opt optim.Optimizer, gamma float64, opts ...EpochOption) *ExponentialLR {
	s := new(ExponentialLR)
	s.fields = []field{{"gamma", &gamma}}
	s.rate = func(g *optim.ParamGroup, _ int) float64 {
		if s.initial {
			return g.LR()
		}
		return g.LR() * gamma
	}
	s.closedForm = func(_ *optim.ParamGroup, i int) float64 {
		return s.baseLRs[i] * native.Pow(gamma, float64(s.lastEpoch))
	}
	s.start("ExponentialLR", opt, epochOptions("NewExponentialLR", opts))
	return s
}

func epochOptions(op string, opts []EpochOption) LastEpoch {
	return options.Read(op, opts, LastEpoch(-1))
}

// ConstantLR multiplies the rates by a factor for a number of epochs.
type ConstantLR struct{ base }

// NewConstantLR makes a ConstantLR. Its options are [Factor], [TotalIters] and
// [LastEpoch]. It panics as [NewStepLR] does, and with ErrValue for a Factor outside
// 0 to 1. Follows torch.optim.lr_scheduler.ConstantLR.
func NewConstantLR(opt optim.Optimizer, opts ...ConstantLROption) *ConstantLR {
	const op = "NewConstantLR"
	f, n, last := options.Read3(op, opts, Factor(1.0/3), TotalIters(5), LastEpoch(-1))
	factor, total := float64(f), int64(n)
	mustBeWithin(op, "factor", factor, 0, 1)
	s := new(ConstantLR)
	s.fields = []field{{"factor", &factor}, {"total_iters", &total}}
	s.mustFit = func() {
		if factor == 0 { // the rates return to the initial ones
			s.mustHaveBaseLRs()
		}
	}
	s.rate = func(g *optim.ParamGroup, i int) float64 {
		switch {
		case s.lastEpoch == 0:
			return g.LR() * factor
		case s.lastEpoch != total:
			return g.LR()
		case factor == 0: // 1 / factor does not exist; Python fails with a division by zero
			return s.baseLRs[i]
		}
		return g.LR() * (1 / factor)
	}
	s.closedForm = func(_ *optim.ParamGroup, i int) float64 {
		if s.lastEpoch >= total {
			return s.baseLRs[i] * (factor + (1 - factor))
		}
		return s.baseLRs[i] * factor
	}
	s.start("ConstantLR", opt, last)
	return s
}

// LinearLR multiplies the initial rates by a factor that changes linearly, as in a
// warm-up.
type LinearLR struct{ base }

// NewLinearLR makes a LinearLR. Its options are [StartFactor], [EndFactor], [TotalIters] and
// [LastEpoch]. It panics as [NewStepLR] does, and with ErrValue for factors out of range and for a
// TotalIters below 1. With an EndFactor of 0 the last rate is exactly 0. In PyTorch it may be
// slightly negative because of rounding. Follows torch.optim.lr_scheduler.LinearLR.
func NewLinearLR(opt optim.Optimizer, opts ...LinearLROption) *LinearLR {
	const op = "NewLinearLR"
	f, t, n, last := options.Read4(op, opts, StartFactor(1.0/3), EndFactor(1), TotalIters(5), LastEpoch(-1))
	from, to, total := float64(f), float64(t), int64(n)
	mustBePositive(op, "total_iters", total)
	mustBeWithin(op, "end_factor", to, 0, 1)
	if !(from > 0 && from <= 1) {
		panic(torch.NewError(op, torch.ErrValue, "start_factor",
			fmt.Sprintf("expected a number above 0 and at most 1, got %v", from)))
	}
	s := new(LinearLR)
	s.fields = []field{{"start_factor", &from}, {"end_factor", &to}, {"total_iters", &total}}
	s.record.positive = []string{"total_iters"}
	s.rate = func(g *optim.ParamGroup, _ int) float64 {
		switch {
		case s.lastEpoch == 0:
			return g.LR() * from
		case s.initial || s.lastEpoch > total:
			return g.LR()
		}
		return max(0, g.LR()*(1+(to-from)/(float64(float64(total)*from)+float64(float64(s.lastEpoch-1)*(to-from)))))
	}
	s.closedForm = func(_ *optim.ParamGroup, i int) float64 {
		return max(0, s.baseLRs[i]*(from+(to-from)*float64(min(total, s.lastEpoch))/float64(total)))
	}
	s.start("LinearLR", opt, last)
	return s
}
