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
	opt       optim.Optimizer
	mode      string
	threshold float64
	relative  string
	factor    float64
	patience  int64
	cooldown  int64
	minLR     maybe // for groups that are added later
	minLRs    []float64
	eps       float64
	best      float64
	bad, cool int64
	lastEpoch int64
	lastLR    []float64
}

// NewReduceLROnPlateau makes a ReduceLROnPlateau. Its options are [Mode],
// [Factor], [Patience], [Threshold], [ThresholdMode], [Cooldown], [MinLR] or
// [MinLRs], and [Eps]. It panics with ErrValue unless the factor is below 1.
// Follows torch.optim.lr_scheduler.ReduceLROnPlateau.
func NewReduceLROnPlateau(opt optim.Optimizer, opts ...PlateauOption) *ReduceLROnPlateau {
	const op = "NewReduceLROnPlateau"
	checkOptimizer(op, opt)
	s := &ReduceLROnPlateau{
		opt: opt, mode: string(ModeMin), threshold: 1e-4, relative: string(ThresholdModeRel),
		factor: 0.1, patience: 10, eps: 1e-8, lastLR: rates(opt), minLR: maybe{0, true},
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
			s.relative = string(o)
		case Cooldown:
			s.cooldown = int64(o)
		case MinLR:
			s.minLR, s.minLRs = maybe{float64(o), true}, nil
		case MinLRs:
			s.minLR, s.minLRs = maybe{}, perGroup(op, "min_lr", opt, o)
		case Eps:
			s.eps = float64(o)
		default:
			panic(torch.BadOption(op, o))
		}
	}
	switch {
	case s.mode != string(ModeMin) && s.mode != string(ModeMax):
		panic(torch.NewError(op, torch.ErrValue, "mode", fmt.Sprintf("expected min or max, got %q", s.mode)))
	case s.relative != string(ThresholdModeRel) && s.relative != string(ThresholdModeAbs):
		panic(torch.NewError(op, torch.ErrValue, "threshold_mode",
			fmt.Sprintf("expected rel or abs, got %q", s.relative)))
	case !(s.factor < 1):
		panic(torch.NewError(op, torch.ErrValue, "factor", fmt.Sprintf("expected a number below 1, got %v", s.factor)))
	}
	if s.minLR.ok {
		s.minLRs = each(opt, s.minLR.v)
	}
	s.best = math.Inf(1)
	if s.mode == string(ModeMax) {
		s.best = math.Inf(-1)
	}
	s.record = record{
		name: "ReduceLROnPlateau", ignored: []string{"mode_worse"}, newer: []string{"default_min_lr"},
		words: map[string][]string{
			"mode":           {string(ModeMin), string(ModeMax)},
			"threshold_mode": {string(ThresholdModeRel), string(ThresholdModeAbs)},
		}, fields: []field{
			{"mode", &s.mode},
			{"factor", &s.factor},
			{"patience", &s.patience},
			{"threshold", &s.threshold},
			{"threshold_mode", &s.relative},
			{"cooldown", &s.cooldown},
			{"default_min_lr", &s.minLR},
			{"min_lrs", &s.minLRs},
			{"eps", &s.eps},
			{"best", &s.best},
			{"num_bad_epochs", &s.bad},
			{"cooldown_counter", &s.cool},
			{"last_epoch", &s.lastEpoch},
			{"_last_lr", &s.lastLR},
		},
	}
	return s
}

// Step takes the metric of one more epoch and lowers the rates if it has not improved
// for too long. It panics with ErrValue unless there is exactly one metric, and for a
// group without a limit in MinLRs.
func (s *ReduceLROnPlateau) Step(metrics ...float64) {
	made("Step", s != nil && s.opt != nil)
	if len(metrics) != 1 {
		panic(torch.NewError("ReduceLROnPlateau.Step", torch.ErrValue, "metrics",
			fmt.Sprintf("expected one, got %d", len(metrics))))
	}
	if n := len(s.opt.ParamGroups()); n != len(s.minLRs) {
		if !s.minLR.ok {
			panic(torch.NewError("ReduceLROnPlateau.Step", torch.ErrValue, "min_lr",
				fmt.Sprintf("%d limits for %d groups, of which some were added later", len(s.minLRs), n)))
		}
		s.minLRs = each(s.opt, s.minLR.v)
	}
	s.lastEpoch++
	if s.better(metrics[0]) {
		s.best, s.bad = metrics[0], 0
	} else {
		s.bad++
	}
	if s.cool > 0 {
		s.cool--
		s.bad = 0
	}
	if s.bad > s.patience {
		for i, g := range s.opt.ParamGroups() {
			if lr := max(g.LR()*s.factor, s.minLRs[i]); g.LR()-lr > s.eps {
				g.SetLR(lr)
			}
		}
		s.cool, s.bad = s.cooldown, 0
	}
	s.lastLR = rates(s.opt)
}

func (s *ReduceLROnPlateau) better(metric float64) bool {
	up, relative := s.mode == string(ModeMax), s.relative == string(ThresholdModeRel)
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
	made("LastLR", s != nil && s.opt != nil)
	return slices.Clone(s.lastLR)
}

// LastEpoch returns the number of calls of Step.
func (s *ReduceLROnPlateau) LastEpoch() int {
	made("LastEpoch", s != nil && s.opt != nil)
	return int(s.lastEpoch)
}
