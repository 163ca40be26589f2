package schedule

import (
	"fmt"
	"math"
	"slices"

	options "github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/internal/pyvalue"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

// SequentialLR runs several schedulers one after the other, such as a warm-up and then a decay.
type SequentialLR struct {
	composite
	milestones []int64
	lastEpoch  int64
}

// NewSequentialLR makes a SequentialLR. The first scheduler starts at epoch 0, and scheduler i at
// epoch milestones[i-1]. Its option is [LastEpoch], -1 by default. The epoch count, which is
// compared with the milestones, continues from LastEpoch.
//
// It panics with ErrValue unless there are len(schedulers)-1 milestones, in ascending order. It
// also panics with ErrValue for a scheduler of another optimizer, a ReduceLROnPlateau, a scheduler
// from another package, and a ChainedScheduler or SequentialLR that is not the first. Follows
// torch.optim.lr_scheduler.SequentialLR.
func NewSequentialLR(opt optim.Optimizer, schedulers []Scheduler, milestones []int,
	opts ...SequentialLROption,
) *SequentialLR {
	const op = "NewSequentialLR"
	mustBeOptimizer(op, opt)
	if len(schedulers) == 0 || len(milestones) != len(schedulers)-1 || !slices.IsSorted(milestones) {
		panic(torch.NewError(op, torch.ErrValue, "milestones",
			fmt.Sprintf("expected ascending milestones, one fewer than schedulers, got %v for %d schedulers",
				milestones, len(schedulers))))
	}
	last := options.Read(op, opts, LastEpoch(-1))
	if last < -1 || last == math.MaxInt64 {
		panic(torch.NewError(op, torch.ErrValue, "last_epoch", fmt.Sprintf("expected -1 or an epoch, got %d", last)))
	}
	s := &SequentialLR{milestones: epochs(milestones), lastEpoch: int64(last) + 1}
	s.setParts(op, opt, schedulers)
	for i, p := range s.parts {
		switch p.(type) {
		case *SequentialLR, *ChainedScheduler:
			if i > 0 { // such a scheduler cannot restart, and PyTorch fails at its milestone
				panic(torch.NewError(op, torch.ErrValue, "schedulers",
					fmt.Sprintf("scheduler %d is a %T, which can only be the first", i, p)))
			}
		}
	}
	s.record = record{
		name:   "SequentialLR",
		fields: []field{{"_milestones", &s.milestones}, {"last_epoch", &s.lastEpoch}, {"_last_lr", &s.lastLR}},
	}
	for _, g := range opt.ParamGroups() {
		if lr, ok := g.InitialLR(); ok {
			g.SetLR(lr)
		}
	}
	s.undoFirstStep()
	s.parts[0].firstStep()
	s.lastLR = s.parts[0].LastLR()
	return s
}

// Step goes to the next epoch, and at a milestone to the next scheduler. It panics with ErrValue
// for a metric.
func (s *SequentialLR) Step(metrics ...float64) {
	mustBeMade("Step", s != nil && s.opt != nil)
	mustHaveNoMetrics("SequentialLR", metrics)
	i, starts := s.next()
	p := s.parts[i]
	if starts {
		p.restart()
	} else {
		p.Step()
	}
	s.lastEpoch, s.lastLR = s.lastEpoch+1, p.LastLR()
}

// next returns the index of the next epoch's scheduler, and whether that scheduler starts
// then.
func (s *SequentialLR) next() (i int, starts bool) {
	epoch := s.lastEpoch + 1
	i, _ = slices.BinarySearch(s.milestones, epoch+1)
	return i, i > 0 && s.milestones[i-1] == epoch
}

// mustFitStep panics if the step of the next epoch's scheduler would panic because the
// scheduler does not fit the optimizer.
func (s *SequentialLR) mustFitStep() {
	i, _ := s.next()
	s.parts[i].mustFitStep()
}

// firstStep calls Step, as in PyTorch.
func (s *SequentialLR) firstStep() {
	s.allowAnyOrder(true)
	defer s.allowAnyOrder(false)
	s.Step()
}

// check is like composite.check, but also rejects milestones that do not match the
// schedulers.
func (s *SequentialLR) check(sd StateDict) (func(), error) {
	set, err := s.composite.check(sd)
	if at, _ := pyvalue.Ints(sd["_milestones"]); err == nil && (len(at) != len(s.milestones) || !slices.IsSorted(at)) {
		return nil, s.error("\"_milestones\": expected %d epochs in ascending order, got %v", len(s.milestones), at)
	}
	return set, err
}

// LoadStateDict restores the state of a SequentialLR and of its schedulers from a [StateDict] or a
// dict that Python saved. The state must have the same number of schedulers. On an error it changes
// nothing; the error is of kind ErrValue, or ErrNil for a nil dict. Follows
// SequentialLR.load_state_dict.
func (s *SequentialLR) LoadStateDict(src optim.StateSource) error {
	mustBeMade("LoadStateDict", s != nil && s.opt != nil)
	return s.load(src, s.check)
}

// restart is never called: only the first part of a sequence may be a sequence.
func (s *SequentialLR) restart() { s.Step() }

// LastEpoch returns the number of Step calls, counted from the [LastEpoch] option.
// Follows SequentialLR.last_epoch.
func (s *SequentialLR) LastEpoch() int {
	mustBeMade("LastEpoch", s != nil && s.opt != nil)
	return int(s.lastEpoch)
}

// String prints the schedulers and their milestones.
func (s *SequentialLR) String() string {
	if s == nil {
		return "<nil>"
	}
	return fmt.Sprintf("SequentialLR(%s, milestones=%s, last_epoch=%d)", s.list(), pyRepr(s.milestones), s.lastEpoch)
}
