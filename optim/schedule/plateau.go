package schedule

import (
	"fmt"
	"math"
	"slices"

	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

// ReduceLROnPlateau lowers the rates when a metric stops improving.
type ReduceLROnPlateau struct {
	record
	opt                     optim.Optimizer
	mode                    string
	threshold               float64
	thresholdMode           string
	factor                  float64
	patience                int64
	cooldown                int64
	minLR                   optionalFloat // the lower limit for groups that are added later
	minLRs                  []float64
	eps                     float64
	best                    float64
	badEpochs, cooldownLeft int64
	lastEpoch               int64
	lastLR                  []float64
}

// NewReduceLROnPlateau makes a ReduceLROnPlateau. Its options are [Mode], [Factor], [Patience],
// [Threshold], [ThresholdMode], [Cooldown], [MinLR] or [MinLRs], and [Eps]. It panics with ErrValue
// if the factor is 1 or more. Follows torch.optim.lr_scheduler.ReduceLROnPlateau.
func NewReduceLROnPlateau(opt optim.Optimizer, opts ...PlateauOption) *ReduceLROnPlateau {
	const op = "NewReduceLROnPlateau"
	mustBeOptimizer(op, opt)
	s := &ReduceLROnPlateau{
		opt: opt, mode: string(ModeMin), threshold: 1e-4, thresholdMode: string(ThresholdModeRel),
		factor: 0.1, patience: 10, eps: 1e-8, lastLR: rates(opt), minLR: optionalFloat{0, true},
	}
	for _, o := range opts {
		switch o := o.(type) {
		case Mode:
			s.mode = string(o)
		case Factor:
			s.factor = float64(o)
		case Patience:
			s.patience = int64(o)
		case Threshold:
			s.threshold = float64(o)
		case ThresholdMode:
			s.thresholdMode = string(o)
		case Cooldown:
			s.cooldown = int64(o)
		case MinLR:
			s.minLR, s.minLRs = optionalFloat{float64(o), true}, nil
		case MinLRs:
			s.minLR, s.minLRs = optionalFloat{}, perGroup(op, "min_lr", opt, o)
		case Eps:
			s.eps = float64(o)
		default:
			panic(torch.BadOption(op, o))
		}
	}
	switch {
	case s.mode != string(ModeMin) && s.mode != string(ModeMax):
		panic(torch.NewError(op, torch.ErrValue, "mode", fmt.Sprintf("expected min or max, got %q", s.mode)))
	case s.thresholdMode != string(ThresholdModeRel) && s.thresholdMode != string(ThresholdModeAbs):
		panic(torch.NewError(op, torch.ErrValue, "threshold_mode",
			fmt.Sprintf("expected rel or abs, got %q", s.thresholdMode)))
	case !(s.factor < 1):
		panic(torch.NewError(op, torch.ErrValue, "factor", fmt.Sprintf("expected a number below 1, got %v", s.factor)))
	}
	if s.minLR.ok {
		s.minLRs = repeatPerGroup(opt, s.minLR.v)
	}
	s.best = math.Inf(1)
	if s.mode == string(ModeMax) {
		s.best = math.Inf(-1)
	}
	s.record = s.newRecord()
	return s
}

func (s *ReduceLROnPlateau) newRecord() record {
	return record{
		name: "ReduceLROnPlateau", ignoredEntries: []string{"mode_worse"}, newerEntries: []string{"default_min_lr"},
		validWords: map[string][]string{
			"mode":           {string(ModeMin), string(ModeMax)},
			"threshold_mode": {string(ThresholdModeRel), string(ThresholdModeAbs)},
		}, fields: []field{
			{"mode", &s.mode},
			{"factor", &s.factor},
			{"patience", &s.patience},
			{"threshold", &s.threshold},
			{"threshold_mode", &s.thresholdMode},
			{"cooldown", &s.cooldown},
			{"default_min_lr", &s.minLR},
			{"min_lrs", &s.minLRs},
			{"eps", &s.eps},
			{"best", &s.best},
			{"num_bad_epochs", &s.badEpochs},
			{"cooldown_counter", &s.cooldownLeft},
			{"last_epoch", &s.lastEpoch},
			{"_last_lr", &s.lastLR},
		},
	}
}

// Step takes the metric of one more epoch, and lowers the rates if the metric has not improved for
// too long. It panics with ErrValue unless there is exactly one metric, and if a group has no limit
// in MinLRs.
func (s *ReduceLROnPlateau) Step(metrics ...float64) {
	mustBeMade("Step", s != nil && s.opt != nil)
	if len(metrics) != 1 {
		panic(torch.NewError("ReduceLROnPlateau.Step", torch.ErrValue, "metrics",
			fmt.Sprintf("expected one metric, got %d", len(metrics))))
	}
	if n := len(s.opt.ParamGroups()); n != len(s.minLRs) {
		if !s.minLR.ok {
			panic(torch.NewError("ReduceLROnPlateau.Step", torch.ErrValue, "min_lr",
				fmt.Sprintf("there are %d limits for %d groups; some groups were added after the scheduler was made",
					len(s.minLRs), n)))
		}
		s.minLRs = repeatPerGroup(s.opt, s.minLR.v)
	}
	s.lastEpoch++
	if s.isBetter(metrics[0]) {
		s.best, s.badEpochs = metrics[0], 0
	} else {
		s.badEpochs++
	}
	if s.cooldownLeft > 0 {
		s.cooldownLeft--
		s.badEpochs = 0
	}
	if s.badEpochs > s.patience {
		for i, g := range s.opt.ParamGroups() {
			if lr := max(g.LR()*s.factor, s.minLRs[i]); g.LR()-lr > s.eps {
				g.SetLR(lr)
			}
		}
		s.cooldownLeft, s.badEpochs = s.cooldown, 0
	}
	s.lastLR = rates(s.opt)
}

func (s *ReduceLROnPlateau) isBetter(metric float64) bool {
	up, relative := s.mode == string(ModeMax), s.thresholdMode == string(ThresholdModeRel)
	switch {
	case up && relative:
		return metric > s.best*(s.threshold+1)
	case up:
		return metric > s.best+s.threshold
	case relative:
		return metric < s.best*(1-s.threshold)
	}
	return metric < s.best-s.threshold
}

func rates(opt optim.Optimizer) []float64 {
	var lrs []float64
	for _, g := range opt.ParamGroups() {
		lrs = append(lrs, g.LR())
	}
	return lrs
}

// LastLR returns the learning rate of each group after the last Step.
func (s *ReduceLROnPlateau) LastLR() []float64 {
	mustBeMade("LastLR", s != nil && s.opt != nil)
	return slices.Clone(s.lastLR)
}

// LastEpoch returns the number of Step calls.
func (s *ReduceLROnPlateau) LastEpoch() int {
	mustBeMade("LastEpoch", s != nil && s.opt != nil)
	return int(s.lastEpoch)
}
