package lr_scheduler

import (
	"fmt"
	"math"

	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

// CosineAnnealing lowers the rates along half a cosine.
type CosineAnnealing struct{ base }

// NewCosineAnnealing makes a CosineAnnealing that reaches etaMin, 0 if none is
// given, after tMax epochs, and returns along the cosine after that. Follows
// torch.optim.lr_scheduler.CosineAnnealingLR.
func NewCosineAnnealing(opt optim.Optimizer, tMax int64, etaMin ...float64) *CosineAnnealing {
	const op = "NewCosineAnnealing"
	positive(op, "tMax", tMax)
	low := 0.0
	if len(etaMin) > 0 {
		low = etaMin[0]
	}
	s := new(CosineAnnealing)
	t := float64(tMax)
	s.start(op, opt, func(g *optim.ParamGroup, _ int) float64 {
		e := float64(s.epoch)
		switch {
		case s.epoch == 0:
			return g.LR
		case (s.epoch-1-tMax)%(2*tMax) == 0:
			return g.LR + (g.InitialLR-low)*(1-math.Cos(math.Pi/t))/2
		}
		return (1+math.Cos(math.Pi*e/t))/(1+math.Cos(math.Pi*(e-1)/t))*(g.LR-low) + low
	})
	return s
}

// CosineWarmRestarts lowers the rates along half a cosine again and again.
type CosineWarmRestarts struct{ base }

// NewCosineWarmRestarts makes a CosineWarmRestarts whose first period is t0
// epochs and each later one tMult times as long as the one before. Follows
// torch.optim.lr_scheduler.CosineAnnealingWarmRestarts.
func NewCosineWarmRestarts(opt optim.Optimizer, t0, tMult int64, etaMin float64) *CosineWarmRestarts {
	const op = "NewCosineWarmRestarts"
	positive(op, "t0", t0)
	positive(op, "tMult", tMult)
	s := new(CosineWarmRestarts)
	s.start(op, opt, func(g *optim.ParamGroup, _ int) float64 {
		at, period := s.epoch, t0
		for at >= period {
			at -= period
			period *= tMult
		}
		return etaMin + (g.InitialLR-etaMin)*(1+math.Cos(math.Pi*float64(at)/float64(period)))/2
	})
	return s
}

// OneCycleOptions are the rarer arguments of [NewOneCycle].
type OneCycleOptions struct {
	PctStart        float64 // the share of steps in which the rate rises, at most 1; 0: 0.3
	Linear          bool    // straight lines instead of cosines
	NoMomentumCycle bool    // leave Momentum, or Betas[0], alone
	BaseMomentum    float64 // 0: 0.85
	MaxMomentum     float64 // 0: 0.95
	DivFactor       float64 // the first rate is maxLR / DivFactor; 0: 25
	FinalDivFactor  float64 // the last rate is the first / FinalDivFactor; 0: 1e4
}

// OneCycle raises the rates to a maximum and lowers them far below the start,
// while the momentum goes the other way.
type OneCycle struct{ base }

// NewOneCycle makes a OneCycle over a number of steps; Step is called after
// each batch. It sets InitialLR of every group. Steps beyond the last one keep
// the last rate. It panics with ErrValue for a PctStart that is not between 0 and
// 1, or makes just one step the rising part, which has no slope then: PyTorch
// divides by zero. Follows torch.optim.lr_scheduler.OneCycleLR.
func NewOneCycle(opt optim.Optimizer, maxLR float64, steps int64, opts ...OneCycleOptions) *OneCycle {
	const op = "NewOneCycle"
	positive(op, "steps", steps)
	var o OneCycleOptions
	if len(opts) > 0 {
		o = opts[0]
	}
	first := maxLR / orDefault(o.DivFactor, 25)
	last := first / orDefault(o.FinalDivFactor, 1e4)
	slow, fast := orDefault(o.MaxMomentum, 0.95), orDefault(o.BaseMomentum, 0.85)
	rising := orDefault(o.PctStart, 0.3)
	if !(rising >= 0 && rising <= 1) {
		panic(torch.NewError(op, torch.ErrValue, "PctStart", fmt.Sprintf("expected a number from 0 to 1, got %v", rising)))
	}
	peak := rising*float64(steps) - 1
	if peak == 0 {
		panic(torch.NewError(op, torch.ErrValue, "PctStart", fmt.Sprintf("%v of %d steps is a single one; the rate needs more, or less, to rise", rising, steps)))
	}
	end := float64(steps - 1)
	anneal := func(from, to, pct float64) float64 {
		if o.Linear {
			return (to-from)*pct + from
		}
		return to + (from-to)/2*(1+math.Cos(math.Pi*pct))
	}
	s := new(OneCycle)
	s.start(op, opt, func(g *optim.ParamGroup, _ int) float64 {
		if s.epoch == 0 {
			g.InitialLR = first
		}
		lr, momentum := last, slow
		switch e := float64(min(s.epoch, steps-1)); {
		case e <= peak:
			lr, momentum = anneal(first, maxLR, e/peak), anneal(slow, fast, e/peak)
		case end > peak:
			pct := (e - peak) / (end - peak)
			lr, momentum = anneal(maxLR, last, pct), anneal(fast, slow, pct)
		}
		if !o.NoMomentumCycle {
			if g.Betas != [2]float64{} {
				g.Betas[0] = momentum
			} else {
				g.Momentum = momentum
			}
		}
		return lr
	})
	return s
}
