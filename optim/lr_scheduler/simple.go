package lr_scheduler

import (
	"fmt"
	"math"
	"slices"

	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

// StepLR multiplies the rates by gamma every so many epochs.
type StepLR struct{ base }

// NewStepLR makes a StepLR; a gamma of 0 stands for PyTorch's 0.1. Follows
// torch.optim.lr_scheduler.StepLR.
func NewStepLR(opt optim.Optimizer, stepSize int64, gamma float64) *StepLR {
	const op = "NewStepLR"
	positive(op, "stepSize", stepSize)
	gamma = orDefault(gamma, 0.1)
	s := new(StepLR)
	s.start(op, opt, func(g *optim.ParamGroup, _ int) float64 {
		if s.epoch == 0 || s.epoch%stepSize != 0 {
			return g.LR
		}
		return g.LR * gamma
	})
	return s
}

// MultiStepLR multiplies the rates by gamma at given epochs.
type MultiStepLR struct{ base }

// NewMultiStepLR makes a MultiStepLR; a gamma of 0 stands for PyTorch's 0.1,
// and an epoch that is listed twice counts twice. Follows
// torch.optim.lr_scheduler.MultiStepLR.
func NewMultiStepLR(opt optim.Optimizer, milestones []int64, gamma float64) *MultiStepLR {
	gamma = orDefault(gamma, 0.1)
	times := map[int64]float64{}
	for _, m := range milestones {
		times[m]++
	}
	s := new(MultiStepLR)
	s.start("NewMultiStepLR", opt, func(g *optim.ParamGroup, _ int) float64 {
		if n := times[s.epoch]; n > 0 {
			return g.LR * math.Pow(gamma, n)
		}
		return g.LR
	})
	return s
}

// ExponentialLR multiplies the rates by gamma every epoch.
type ExponentialLR struct{ base }

// NewExponentialLR makes an ExponentialLR. Follows
// torch.optim.lr_scheduler.ExponentialLR.
func NewExponentialLR(opt optim.Optimizer, gamma float64) *ExponentialLR {
	s := new(ExponentialLR)
	s.start("NewExponentialLR", opt, func(g *optim.ParamGroup, _ int) float64 {
		if s.epoch == 0 {
			return g.LR
		}
		return g.LR * gamma
	})
	return s
}

// LambdaLR multiplies the initial rates by a function of the epoch.
type LambdaLR struct{ base }

// NewLambdaLR makes a LambdaLR. fns holds a function for all groups or one for
// each. Follows torch.optim.lr_scheduler.LambdaLR.
func NewLambdaLR(opt optim.Optimizer, fns ...func(epoch int64) float64) *LambdaLR {
	const op = "NewLambdaLR"
	if opt != nil && len(fns) != 1 && len(fns) != len(opt.ParamGroups()) || slices.ContainsFunc(fns, func(f func(int64) float64) bool { return f == nil }) {
		panic(torch.NewError(op, torch.ErrValue, "fns", fmt.Sprintf("expected one function, or one for each group, got %d", len(fns))))
	}
	s := new(LambdaLR)
	s.start(op, opt, func(g *optim.ParamGroup, i int) float64 {
		if len(fns) == 1 {
			i = 0
		}
		return g.InitialLR * fns[i](s.epoch)
	})
	return s
}

// ConstantLR multiplies the rates by a factor for a number of epochs.
type ConstantLR struct{ base }

// NewConstantLR makes a ConstantLR; PyTorch's defaults are 1/3 and 5. Follows
// torch.optim.lr_scheduler.ConstantLR.
func NewConstantLR(opt optim.Optimizer, factor float64, epochs int64) *ConstantLR {
	const op = "NewConstantLR"
	if !(factor > 0 && factor <= 1) {
		panic(torch.NewError(op, torch.ErrValue, "factor", fmt.Sprintf("expected a number above 0 and at most 1, got %v", factor)))
	}
	s := new(ConstantLR)
	s.start(op, opt, func(g *optim.ParamGroup, _ int) float64 {
		switch s.epoch {
		case 0:
			return g.LR * factor
		case epochs:
			return g.LR * (1 / factor)
		}
		return g.LR
	})
	return s
}

// LinearLR moves a factor of the rates in equal steps: a warm-up.
type LinearLR struct{ base }

// NewLinearLR makes a LinearLR from factor start to factor end over a number
// of epochs; PyTorch's defaults are 1/3, 1 and 5. Follows
// torch.optim.lr_scheduler.LinearLR.
func NewLinearLR(opt optim.Optimizer, start, end float64, epochs int64) *LinearLR {
	const op = "NewLinearLR"
	positive(op, "epochs", epochs)
	if !(start > 0 && start <= 1) {
		panic(torch.NewError(op, torch.ErrValue, "start", fmt.Sprintf("expected a number above 0 and at most 1, got %v", start)))
	}
	if !(end >= 0 && end <= 1) {
		panic(torch.NewError(op, torch.ErrValue, "end", fmt.Sprintf("expected a number from 0 to 1, got %v", end)))
	}
	s := new(LinearLR)
	s.start(op, opt, func(g *optim.ParamGroup, _ int) float64 {
		if s.epoch == 0 {
			return g.LR * start
		}
		if s.epoch > epochs {
			return g.LR
		}
		n, e := float64(epochs), float64(s.epoch-1)
		return g.LR * (1 + (end-start)/(n*start+e*(end-start)))
	})
	return s
}
