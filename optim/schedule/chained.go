package schedule

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	options "github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/internal/pyvalue"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

// composite is the common part of SequentialLR and ChainedScheduler: several schedulers of one
// optimizer, which are saved and restored together.
type composite struct {
	record
	opt    optim.Optimizer
	parts  []part
	lastLR []float64
}

func (s *composite) setParts(op string, opt optim.Optimizer, schedulers []Scheduler) {
	s.opt = opt
	for i, one := range schedulers {
		p, ok := one.(part)
		switch {
		case options.IsNil(one):
			panic(torch.NewError(op, torch.ErrNil, "schedulers", fmt.Sprintf("scheduler %d is nil", i)))
		case !ok:
			panic(torch.NewError(op, torch.ErrValue, "schedulers",
				fmt.Sprintf("scheduler %d is a %T, which cannot be chained with others", i, one)))
		case p.optimizer() != opt:
			panic(torch.NewError(op, torch.ErrValue, "schedulers",
				fmt.Sprintf("scheduler %d has a different optimizer from scheduler 0", i)))
		}
		s.parts = append(s.parts, p)
	}
}

func (s *composite) optimizer() optim.Optimizer { return s.opt }

// mustFitStep panics if a step of a part would panic because the part does not fit the
// optimizer.
func (s *composite) mustFitStep() {
	for _, p := range s.parts {
		p.mustFitStep()
	}
}

// allowAnyOrder turns off the parts' warnings about the order of steps.
func (s *composite) allowAnyOrder(on bool) {
	for _, p := range s.parts {
		p.allowAnyOrder(on)
	}
}

// undoFirstStep reverts the step that each part's constructor took.
func (s *composite) undoFirstStep() {
	for _, p := range s.parts {
		p.undoFirstStep()
	}
}

// mustHaveNoMetrics panics for metrics, which only ReduceLROnPlateau takes.
func mustHaveNoMetrics(name string, metrics []float64) {
	if len(metrics) > 0 {
		panic(torch.NewError(name+".Step", torch.ErrValue, "metrics", fmt.Sprintf("expected no metrics, got %v",
			metrics)))
	}
}

// LastLR returns the learning rate of each group that the last Step set.
func (s *composite) LastLR() []float64 {
	mustBeMade("LastLR", s.opt != nil)
	return slices.Clone(s.lastLR)
}

// StateDict returns a copy of the state, with the schedulers' states under
// "_schedulers".
func (s *composite) StateDict() StateDict {
	sd := s.record.StateDict()
	var all []StateDict
	for _, p := range s.parts {
		all = append(all, p.StateDict())
	}
	sd["_schedulers"] = all
	return sd
}

// LoadStateDict restores the scheduler and its parts from a [StateDict] or a dict
// that Python's scheduler saved. On an error it changes nothing; the error is of kind
// ErrValue, or ErrNil for a nil dict.
func (s *composite) LoadStateDict(src optim.StateSource) error { return s.load(src, s.check) }

// check checks a state and returns a function that restores it, or an error.
func (s *composite) check(sd StateDict) (func(), error) {
	own, err := s.record.check(sd)
	if err != nil {
		return nil, err
	}
	all, ok := pyvalue.Items(sd["_schedulers"])
	if !ok || len(all) != len(s.parts) {
		return nil, s.error("\"_schedulers\": expected the state of %d schedulers, got %s", len(s.parts),
			kindOf(sd["_schedulers"]))
	}
	sets := []func(){own}
	for i, p := range s.parts {
		src, ok := all[i].(optim.StateSource)
		if !ok {
			return nil, s.error("\"_schedulers\"[%d]: expected a dict, got %s", i, kindOf(all[i]))
		}
		one, err := s.read(src)
		if err != nil {
			return nil, err
		}
		set, err := p.check(one)
		if err != nil {
			return nil, err
		}
		sets = append(sets, set)
	}
	return func() {
		for _, set := range sets {
			set()
		}
	}, nil
}

func (s *composite) list() string {
	words := make([]string, len(s.parts))
	for i, p := range s.parts {
		words[i] = p.String()
	}
	return "[" + strings.Join(words, ", ") + "]"
}

// ChainedScheduler runs several schedulers together. Each scheduler changes the rates
// that the previous one has set.
type ChainedScheduler struct{ composite }

// NewChainedScheduler makes a ChainedScheduler from schedulers of one optimizer. It panics with
// ErrValue for an empty list, for schedulers of different optimizers, for a ReduceLROnPlateau and
// for a scheduler from another package, and with ErrNil for a nil scheduler. Follows
// torch.optim.lr_scheduler.ChainedScheduler.
func NewChainedScheduler(schedulers []Scheduler) *ChainedScheduler {
	const op = "NewChainedScheduler"
	if len(schedulers) == 0 {
		panic(torch.NewError(op, torch.ErrValue, "schedulers", "an empty list"))
	}
	s := new(ChainedScheduler)
	first, ok := schedulers[0].(part)
	if v := reflect.ValueOf(schedulers[0]); ok && !v.IsNil() {
		s.opt = first.optimizer()
	}
	s.setParts(op, s.opt, schedulers)
	s.record = record{name: "ChainedScheduler", fields: []field{{"_last_lr", &s.lastLR}}}
	s.lastLR = rates(s.opt)
	return s
}

// Step steps every scheduler. It panics with ErrValue for a metric. It also panics if the
// Step of a scheduler would panic because the scheduler does not fit the optimizer's
// groups or has ended.
func (s *ChainedScheduler) Step(metrics ...float64) {
	mustBeMade("Step", s != nil && s.opt != nil)
	mustHaveNoMetrics("ChainedScheduler", metrics)
	s.mustFitStep() // before the first scheduler steps
	for _, p := range s.parts {
		p.Step()
	}
	s.lastLR = rates(s.opt)
}

// LastEpoch returns the number of Step calls, as counted by the first scheduler.
func (s *ChainedScheduler) LastEpoch() int {
	mustBeMade("LastEpoch", s != nil && s.opt != nil)
	return s.parts[0].LastEpoch()
}

// firstStep and restart call Step, as in PyTorch, because the chain itself has no rates.
func (s *ChainedScheduler) firstStep() {
	s.allowAnyOrder(true)
	defer s.allowAnyOrder(false)
	s.Step()
}

func (s *ChainedScheduler) restart() { s.Step() }

// String prints the schedulers.
func (s *ChainedScheduler) String() string {
	if s == nil {
		return "<nil>"
	}
	return "ChainedScheduler(" + s.list() + ")"
}
