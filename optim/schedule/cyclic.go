package schedule

import (
	"fmt"
	"math"

	native "github.com/gotorch/gotorch/cgotorch/optim"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

// CyclicLR moves the rates up and down between two values, and the momentum in the
// opposite direction.
type CyclicLR struct {
	base
	maxLRs                      []float64
	totalSize, stepRatio        float64
	mode                        string
	gamma                       float64
	scale                       func(x float64) float64
	scaleMode                   string
	cycleMomentum               bool // the scheduler also changes the momentum
	usesBetas                   bool // the optimizer has betas: beta1 is its momentum
	maxMomentums, baseMomentums []float64
	stepUp, stepDown            int64
}

// A CyclicOption is an option of [NewCyclicLR] and [NewCyclicLRList].
//
//gotorch:options LastEpoch StepSizeUp StepSizeDown CyclicMode Gamma ScaleFn ScaleMode CycleMomentum
//gotorch:options BaseMomentum BaseMomentums MaxMomentum MaxMomentums
type CyclicOption interface{ cyclicOption() }

// StepSizeUp is the number of steps from the lowest to the highest rate. The
// default is 2000.
type StepSizeUp int64

// StepSizeDown is the number of steps back to the lowest rate. The default is the value of
// [StepSizeUp].
type StepSizeDown int64

// CyclicMode says how the height of the cycles changes. The default is
// CyclicModeTriangular.
type CyclicMode string

// The values of [CyclicMode]. With CyclicModeTriangular, all cycles have the same height. With
// CyclicModeTriangular2, each cycle is half as high as the previous one. With CyclicModeExpRange,
// the height shrinks by the factor [Gamma], 1 by default, with every step.
const (
	CyclicModeTriangular  CyclicMode = "triangular"
	CyclicModeTriangular2 CyclicMode = "triangular2"
	CyclicModeExpRange    CyclicMode = "exp_range"
)

// ScaleFn is a custom function for the height of the cycles, which replaces [CyclicMode].
// Its argument is the number of the cycle or of the step; see [ScaleMode]. The function
// is not saved.
type ScaleFn func(x float64) float64

// ScaleMode selects the argument of [ScaleFn]. The default is ScaleModeCycle.
type ScaleMode string

// The values of [ScaleMode].
const (
	ScaleModeCycle      ScaleMode = "cycle"
	ScaleModeIterations ScaleMode = "iterations"
)

// NewCyclicLR makes a CyclicLR that moves the rates of every group between baseLR and maxLR, and
// also changes the momentum. Call Step after each batch. Its options are [StepSizeUp],
// [StepSizeDown], [CyclicMode] or [ScaleFn], [Gamma], [ScaleMode], [CycleMomentum], [BaseMomentum]
// or [BaseMomentums], 0.8 by default, [MaxMomentum] or [MaxMomentums], 0.9 by default, and
// [LastEpoch].
//
// It panics as [NewStepLR] does. It also panics with ErrValue for an optimizer without momentum or
// betas unless CycleMomentum is false, and for a list whose length is not the number of groups. It
// panics with ErrValue for an option that would have no effect, which Python ignores: a Gamma
// without CyclicModeExpRange, a ScaleMode without a ScaleFn, and a momentum if CycleMomentum is
// false. Follows torch.optim.lr_scheduler.CyclicLR.
func NewCyclicLR(opt optim.Optimizer, baseLR, maxLR float64, opts ...CyclicOption) *CyclicLR {
	mustBeOptimizer("NewCyclicLR", opt)
	return newCyclicLR("NewCyclicLR", opt, repeatPerGroup(opt, baseLR), repeatPerGroup(opt, maxLR), opts)
}

// NewCyclicLRList makes a CyclicLR with rates for each group. It panics as
// [NewCyclicLR] does. Follows torch.optim.lr_scheduler.CyclicLR with lists.
func NewCyclicLRList(opt optim.Optimizer, baseLRs, maxLRs []float64, opts ...CyclicOption) *CyclicLR {
	const op = "NewCyclicLRList"
	mustBeOptimizer(op, opt)
	return newCyclicLR(op, opt, perGroup(op, "base_lr", opt, baseLRs), perGroup(op, "max_lr", opt, maxLRs), opts)
}

func newCyclicLR(op string, opt optim.Optimizer, lrs, maxLRs []float64, opts []CyclicOption) *CyclicLR {
	s := &CyclicLR{
		maxLRs: maxLRs, mode: string(CyclicModeTriangular), gamma: 1, scaleMode: string(ScaleModeCycle),
		cycleMomentum: true,
		baseMomentums: repeatPerGroup(opt, 0.8), maxMomentums: repeatPerGroup(opt, 0.9), stepUp: 2000, stepDown: -1,
	}
	last := s.readOptions(op, opt, opts)
	s.setOptimizer("CyclicLR", opt)
	if s.cycleMomentum {
		mustHaveMomentum(op, opt)
	}
	mustBeLastEpoch("NewCyclicLR", opt, last)
	s.fields = []field{
		{"max_lrs", &s.maxLRs},
		{"total_size", &s.totalSize},
		{"step_ratio", &s.stepRatio},
		{"mode", &s.mode},
		{"gamma", &s.gamma},
		{"scale_mode", &s.scaleMode},
		{"cycle_momentum", &s.cycleMomentum},
	}
	if last == -1 {
		mustBeRates(op, "base_lr", lrs)
		for i, g := range opt.ParamGroups() {
			g.SetLR(lrs[i])
			if s.cycleMomentum {
				setMomentum(g, s.maxMomentums[i])
				g.Define(groupSetting{"max_momentum", s.maxMomentums[i]},
					groupSetting{"base_momentum", s.baseMomentums[i]})
			}
		}
	}
	if s.cycleMomentum {
		_, s.usesBetas = opt.ParamGroups()[0].Get("betas")
		s.newerEntries = []string{"use_beta1"}
		s.fields = append(s.fields, field{"use_beta1", &s.usesBetas}, field{"base_momentums", &s.baseMomentums},
			field{"max_momentums", &s.maxMomentums})
	}
	s.addEntries = func(sd StateDict) { sd["_scale_fn_custom"] = nil } // the functions themselves are not saved
	s.rate, s.momentum, s.mustFit = s.stepRate, s.stepMomentum, s.mustHaveValues
	s.start("CyclicLR", opt, last)
	s.baseLRs = lrs
	return s
}

func (s *CyclicLR) readOptions(op string, opt optim.Optimizer, opts []CyclicOption) LastEpoch {
	last := LastEpoch(-1)
	var given ignored
	for _, o := range opts {
		switch o := o.(type) {
		case StepSizeUp:
			mustBePositive(op, "step_size_up", int64(o))
			s.stepUp = int64(o)
		case StepSizeDown:
			mustBePositive(op, "step_size_down", int64(o))
			s.stepDown = int64(o)
		case CyclicMode:
			s.mode = string(o)
			given.mode = true
		case Gamma:
			s.gamma = float64(o)
			given.gamma = true
		case ScaleFn:
			if o == nil {
				panic(torch.NilFunc(op, "scale_fn"))
			}
			s.scale = o
		case ScaleMode:
			s.scaleMode = string(o)
			given.scaleMode = true
		case CycleMomentum:
			s.cycleMomentum = bool(o)
		case BaseMomentum:
			s.baseMomentums = repeatPerGroup(opt, float64(o))
			given.momentum = true
		case BaseMomentums:
			s.baseMomentums = perGroup(op, "base_momentum", opt, o)
			given.momentum = true
		case MaxMomentum:
			s.maxMomentums = repeatPerGroup(opt, float64(o))
			given.momentum = true
		case MaxMomentums:
			s.maxMomentums = perGroup(op, "max_momentum", opt, o)
			given.momentum = true
		case LastEpoch:
			last = o
		default:
			panic(torch.BadOption(op, o))
		}
	}
	if s.stepDown < 0 {
		s.stepDown = s.stepUp
	}
	up := float64(s.stepUp)
	s.totalSize = up + float64(s.stepDown)
	s.stepRatio = up / s.totalSize
	if m := ScaleMode(s.scaleMode); m != ScaleModeCycle && m != ScaleModeIterations {
		panic(torch.NewError(op, torch.ErrValue, "scale_mode",
			fmt.Sprintf(`expected "cycle" or "iterations", got %q`, m)))
	}
	switch m := CyclicMode(s.mode); {
	case s.scale != nil:
	case m == CyclicModeTriangular, m == CyclicModeTriangular2:
		s.scaleMode = string(ScaleModeCycle)
	case m == CyclicModeExpRange:
		s.scaleMode = string(ScaleModeIterations)
	default:
		panic(torch.NewError(op, torch.ErrValue, "mode",
			fmt.Sprintf("expected triangular, triangular2 or exp_range, got %q", m)))
	}
	given.mustApply(op, s)
	return last
}

// ignored records which options were given, of those that have an effect only together
// with certain other options.
type ignored struct{ mode, gamma, scaleMode, momentum bool }

// mustApply panics for an option that would have no effect.
func (g ignored) mustApply(op string, s *CyclicLR) {
	switch {
	case g.mode && s.scale != nil:
		panic(torch.NewError(op, torch.ErrValue, "mode", "the ScaleFn replaces it: give one of them"))
	case g.gamma && (s.scale != nil || CyclicMode(s.mode) != CyclicModeExpRange):
		panic(torch.NewError(op, torch.ErrValue, "gamma", "only CyclicModeExpRange uses it"))
	case g.scaleMode && s.scale == nil:
		panic(torch.NewError(op, torch.ErrValue, "scale_mode", "only a ScaleFn uses it"))
	case g.momentum && !s.cycleMomentum:
		panic(torch.NewError(op, torch.ErrValue, "base_momentum, max_momentum", "CycleMomentum is false"))
	}
}

func (s *CyclicLR) scaleAt(cycle float64) float64 {
	x := cycle
	if ScaleMode(s.scaleMode) == ScaleModeIterations {
		x = float64(s.lastEpoch)
	}
	switch {
	case s.scale != nil:
		return s.scale(x)
	case CyclicMode(s.mode) == CyclicModeTriangular2:
		return 1 / native.Pow(2, x-1)
	case CyclicMode(s.mode) == CyclicModeExpRange:
		return native.Pow(s.gamma, x)
	}
	return 1
}

// mustHaveValues panics unless there are rates and momenta for each group.
func (s *CyclicLR) mustHaveValues() {
	s.mustHaveBaseLRs()
	s.mustBePerGroup("max_lrs", len(s.maxLRs))
	if s.cycleMomentum {
		s.mustBePerGroup("base_momentums", len(s.baseMomentums))
		s.mustBePerGroup("max_momentums", len(s.maxMomentums))
	}
}

// between returns the distance of this step's value from one end of the range from low to
// high.
func (s *CyclicLR) between(low, high float64) float64 {
	cycle := math.Floor(1 + float64(s.lastEpoch)/s.totalSize)
	x := 1 + float64(s.lastEpoch)/s.totalSize - cycle
	factor := (x - 1) / (s.stepRatio - 1)
	if x <= s.stepRatio {
		factor = x / s.stepRatio
	}
	return float64(float64((high-low)*factor) * s.scaleAt(cycle))
}

// stepRate returns the current rate of group i.
func (s *CyclicLR) stepRate(_ *optim.ParamGroup, i int) float64 {
	return s.baseLRs[i] + s.between(s.baseLRs[i], s.maxLRs[i])
}

// stepMomentum returns the current momentum of group i.
func (s *CyclicLR) stepMomentum(_ *optim.ParamGroup, i int) (m float64, ok bool) {
	if !s.cycleMomentum {
		return 0, false
	}
	return s.maxMomentums[i] - s.between(s.baseMomentums[i], s.maxMomentums[i]), true
}

// setMomentum sets a group's momentum, or the first of its betas.
func setMomentum(g *optim.ParamGroup, m float64) {
	if _, ok := g.Get("betas"); ok {
		_, second := g.Betas()
		g.Set(optim.Betas(m, second))
	} else {
		g.Set(optim.Momentum(m))
	}
}

// repeatPerGroup returns a list with the value v for every group.
func repeatPerGroup(opt optim.Optimizer, v float64) []float64 {
	all := make([]float64, len(opt.ParamGroups()))
	for i := range all {
		all[i] = v
	}
	return all
}

// perGroup checks that there is one value per group, and returns a copy of the list.
func perGroup(op, arg string, opt optim.Optimizer, all []float64) []float64 {
	if len(all) != len(opt.ParamGroups()) {
		panic(torch.NewError(op, torch.ErrValue, arg,
			fmt.Sprintf("expected a value for each of %d groups, got %d", len(opt.ParamGroups()), len(all))))
	}
	return append([]float64{}, all...)
}
