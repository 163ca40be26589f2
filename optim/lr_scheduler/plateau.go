package lr_scheduler

import (
	"fmt"
	"math"
	"slices"

	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

// PlateauOptions are the settings of [ReduceOnPlateau].
type PlateauOptions struct {
	Max               bool    // the metric should rise, mode="max"
	Factor            float64 // of the rates; 0: 0.1
	Patience          int64   // epochs without progress that are put up with; 0: 10
	NoPatience        bool    // a patience of 0
	Threshold         float64 // what counts as progress; 0: 1e-4
	NoThreshold       bool    // a threshold of 0: whatever is better counts
	AbsoluteThreshold bool    // the threshold is a difference, not a share
	Cooldown          int64   // epochs to wait after a reduction
	MinLR             float64
	Eps               float64 // smaller changes are not made; 0: 1e-8
}

// ReduceOnPlateau lowers the rates when a metric stops getting better.
type ReduceOnPlateau struct {
	opt       optim.Optimizer
	o         PlateauOptions
	best      float64
	bad, cool int64
	epoch     int64
}

// NewReduceOnPlateau makes a ReduceOnPlateau. It panics with ErrValue unless
// the factor is below 1. Follows torch.optim.lr_scheduler.ReduceLROnPlateau.
func NewReduceOnPlateau(opt optim.Optimizer, opts ...PlateauOptions) *ReduceOnPlateau {
	const op = "NewReduceOnPlateau"
	if opt == nil {
		panic(torch.NewError(op, torch.ErrNil, "opt", "a nil optimizer"))
	}
	var o PlateauOptions
	if len(opts) > 0 {
		o = opts[0]
	}
	o.Factor, o.Eps = orDefault(o.Factor, 0.1), orDefault(o.Eps, 1e-8)
	if o.Threshold == 0 && !o.NoThreshold {
		o.Threshold = 1e-4
	}
	if o.Patience == 0 && !o.NoPatience {
		o.Patience = 10
	}
	if !(o.Factor < 1) {
		panic(torch.NewError(op, torch.ErrValue, "Factor", fmt.Sprintf("expected a number below 1, got %v", o.Factor)))
	}
	p := &ReduceOnPlateau{opt: opt, o: o, best: math.Inf(1)}
	if o.Max {
		p.best = math.Inf(-1)
	}
	return p
}

// Step tells the metric of another epoch, and lowers the rates if it has not
// got better for too long.
func (p *ReduceOnPlateau) Step(metric float64) {
	p.epoch++
	if p.better(metric) {
		p.best, p.bad = metric, 0
	} else {
		p.bad++
	}
	if p.cool > 0 {
		p.cool--
		p.bad = 0
	}
	if p.bad <= p.o.Patience {
		return
	}
	for _, g := range p.opt.ParamGroups() {
		if lr := max(g.LR*p.o.Factor, p.o.MinLR); g.LR-lr > p.o.Eps {
			g.LR = lr
		}
	}
	p.cool, p.bad = p.o.Cooldown, 0
}

func (p *ReduceOnPlateau) better(metric float64) bool {
	switch t := p.o.Threshold; {
	case p.o.Max && p.o.AbsoluteThreshold:
		return metric > p.best+t
	case p.o.Max:
		return metric > p.best*(t+1)
	case p.o.AbsoluteThreshold:
		return metric < p.best-t
	default:
		return metric < p.best*(1-t)
	}
}

// LastLR returns the learning rate of each group.
func (p *ReduceOnPlateau) LastLR() []float64 {
	var lrs []float64
	for _, g := range p.opt.ParamGroups() {
		lrs = append(lrs, g.LR)
	}
	return lrs
}

// LastEpoch returns how often Step was called.
func (p *ReduceOnPlateau) LastEpoch() int64 { return p.epoch }

// Sequential runs schedulers one after the other, such as a warm-up and what
// follows it.
type Sequential struct {
	opt        optim.Optimizer
	makers     []func() Scheduler
	current    Scheduler
	at         int // its number
	milestones []int64
	epoch      int64
}

// NewSequential makes a Sequential. Scheduler i begins at epoch
// milestones[i-1], the first at 0. They are given as functions, each called
// when its turn comes with the rates back at InitialLR, since a scheduler acts
// as soon as it is made. Where milestones are equal, those between them are left
// out, and so are those before a milestone of 0, where PyTorch begins with the
// first one nevertheless and goes on from its rates. It panics with ErrValue
// unless there is one milestone fewer than schedulers, in rising order. Follows
// torch.optim.lr_scheduler.SequentialLR.
func NewSequential(opt optim.Optimizer, schedulers []func() Scheduler, milestones []int64) *Sequential {
	const op = "NewSequential"
	if opt == nil {
		panic(torch.NewError(op, torch.ErrNil, "opt", "a nil optimizer"))
	}
	if len(schedulers) == 0 || len(milestones) != len(schedulers)-1 || !slices.IsSorted(milestones) {
		panic(torch.NewError(op, torch.ErrValue, "milestones", fmt.Sprintf("%v for %d schedulers", milestones, len(schedulers))))
	}
	s := &Sequential{opt: opt, makers: schedulers, milestones: milestones}
	s.begin(s.due())
	return s
}

// due is the number of the scheduler for this epoch.
func (s *Sequential) due() int {
	i, _ := slices.BinarySearch(s.milestones, s.epoch+1)
	return i
}

func (s *Sequential) begin(i int) {
	for _, g := range s.opt.ParamGroups() {
		setInitial(g)
		g.LR = g.InitialLR
	}
	s.current, s.at = s.makers[i](), i
}

// Step goes to the next epoch, and to the next scheduler at its milestone.
func (s *Sequential) Step() {
	s.epoch++
	if i := s.due(); i != s.at {
		s.begin(i)
		return
	}
	s.current.Step()
}

// LastLR returns the learning rate of each group.
func (s *Sequential) LastLR() []float64 { return s.current.LastLR() }

// LastEpoch returns how often Step was called.
func (s *Sequential) LastEpoch() int64 { return s.epoch }
