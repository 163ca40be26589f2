package lr_scheduler

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

// SequentialLR runs one scheduler after the other, such as a warm-up and then a
// decay.
type SequentialLR struct {
	record
	opt        optim.Optimizer
	parts      []part
	milestones []int64
	lastEpoch  int64
	lastLR     []float64
}

// NewSequentialLR makes a SequentialLR. The first scheduler starts at epoch 0,
// and scheduler i at epoch milestones[i-1]. It panics with ErrValue unless
// there is one milestone fewer than schedulers and the milestones are in
// ascending order. It also panics for a scheduler of another optimizer, a
// ReduceLROnPlateau, another SequentialLR, or a scheduler from outside this
// package. Follows torch.optim.lr_scheduler.SequentialLR.
func NewSequentialLR(opt optim.Optimizer, schedulers []Scheduler, milestones []int64) *SequentialLR {
	const op = "NewSequentialLR"
	checkOptimizer(op, opt)
	if len(schedulers) == 0 || len(milestones) != len(schedulers)-1 || !slices.IsSorted(milestones) {
		panic(torch.NewError(op, torch.ErrValue, "milestones", fmt.Sprintf("expected one fewer than schedulers in rising order, got %v for %d", milestones, len(schedulers))))
	}
	s := &SequentialLR{opt: opt, milestones: slices.Clone(milestones)}
	for i, one := range schedulers {
		p, ok := one.(part)
		v := reflect.ValueOf(one)
		switch {
		case one == nil || v.Kind() == reflect.Pointer && v.IsNil():
			panic(torch.NewError(op, torch.ErrNil, "schedulers", fmt.Sprintf("scheduler %d is nil", i)))
		case !ok:
			panic(torch.NewError(op, torch.ErrValue, "schedulers", fmt.Sprintf("scheduler %d is a %T, which cannot be one of several", i, one)))
		case p.of() != opt:
			panic(torch.NewError(op, torch.ErrValue, "schedulers", fmt.Sprintf("scheduler %d has another optimizer", i)))
		}
		s.parts = append(s.parts, p)
	}
	s.record = record{name: "SequentialLR", fields: []field{{"milestones", &s.milestones}, {"last_epoch", &s.lastEpoch}, {"_last_lr", &s.lastLR}}}
	for _, g := range opt.ParamGroups() {
		if lr, ok := g.InitialLR(); ok {
			g.SetLR(lr)
		}
	}
	for _, p := range s.parts {
		p.undo()
	}
	s.parts[0].begin()
	s.lastLR = s.parts[0].LastLR()
	return s
}

// Step goes to the next epoch, and to the next scheduler at its milestone. It
// panics with ErrValue for a metric.
func (s *SequentialLR) Step(metrics ...float64) {
	made(s.opt)
	if len(metrics) > 0 {
		panic(torch.NewError("SequentialLR.Step", torch.ErrValue, "metrics", fmt.Sprintf("expected none, got %v", metrics)))
	}
	epoch := s.lastEpoch + 1
	i, _ := slices.BinarySearch(s.milestones, epoch+1)
	p := s.parts[i]
	if i > 0 && s.milestones[i-1] == epoch {
		p.restart()
	} else {
		p.Step()
	}
	s.lastEpoch, s.lastLR = epoch, p.LastLR()
}

// LastLR returns the learning rate of each group that the last Step set.
func (s *SequentialLR) LastLR() []float64 { return slices.Clone(s.lastLR) }

// LastEpoch returns how often Step was called.
func (s *SequentialLR) LastEpoch() int64 { return s.lastEpoch }

// StateDict returns a copy of the state, with that of the schedulers under
// "_schedulers".
func (s *SequentialLR) StateDict() StateDict {
	sd := s.record.StateDict()
	var all []StateDict
	for _, p := range s.parts {
		all = append(all, p.StateDict())
	}
	sd["_schedulers"] = all
	return sd
}

// LoadStateDict restores the scheduler and its parts completely, or returns an
// error of kind ErrValue and has changed nothing.
func (s *SequentialLR) LoadStateDict(sd StateDict) error {
	own, err := s.check(sd)
	if err != nil {
		return err
	}
	all, ok := sd["_schedulers"].([]StateDict)
	if !ok || len(all) != len(s.parts) {
		return s.error("\"_schedulers\": expected the state of %d schedulers", len(s.parts))
	}
	sets := []func(){own}
	for i, p := range s.parts {
		set, err := p.check(all[i])
		if err != nil {
			return err
		}
		sets = append(sets, set)
	}
	for _, set := range sets {
		set()
	}
	return nil
}

// String prints the schedulers and their milestones.
func (s *SequentialLR) String() string {
	words := make([]string, len(s.parts))
	for i, p := range s.parts {
		words[i] = p.String()
	}
	return fmt.Sprintf("SequentialLR([%s], milestones=%s, last_epoch=%d)", strings.Join(words, ", "), show(s.milestones), s.lastEpoch)
}
