// Package schedule changes learning rates over time, as torch.optim.lr_scheduler does
// in Python.
//
//	sched := schedule.NewCosineAnnealingLR(opt, steps)
//	for ... {
//		...
//		opt.Step()
//		sched.Step()
//	}
//
// A scheduler works with every [optim.Optimizer]. It starts from each group's InitialLR, which the
// first scheduler sets to the group's LR. As in Python, a scheduler warns if its first Step comes
// before the optimizer's; see torch.SetWarnings. Rates are computed as PyTorch does, with the same
// mathematical functions. Mistakes panic with a *torch.Error: of kind ErrNil for nil arguments and
// ErrValue for others.
package schedule

import (
	"fmt"
	"math"
	"slices"

	"github.com/gotorch/gotorch/cgotorch"
	options "github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

// Scheduler is the interface that training loops use.
type Scheduler interface {
	// Step counts one more epoch and sets the learning rates. Programs that call it after each
	// batch count batches instead. ReduceLROnPlateau takes one metric. CosineAnnealingWarmRestarts
	// takes an epoch, which is optional. The other schedulers take no argument.
	Step(metrics ...float64)
	// LastLR returns the learning rate of each group that the last Step set.
	LastLR() []float64
	// LastEpoch returns the number of Step calls, counted from the LastEpoch option. If
	// CosineAnnealingWarmRestarts was given an epoch, LastEpoch returns the whole part of
	// that epoch.
	LastEpoch() int
	// StateDict and LoadStateDict save and restore the scheduler. The learning rates
	// themselves are part of the optimizer's state dict.
	StateDict() StateDict
	LoadStateDict(src optim.StateSource) error
	// String prints the settings.
	String() string
}

// base is the common part of most schedulers.
//
// In formulas, a product that is added to something is converted to float64. Without the conversion
// Go may use a fused multiply-add, which rounds differently from Python.
type base struct {
	record
	opt       optim.Optimizer
	lastEpoch int64
	stepCount int64
	baseLRs   []float64
	lastLR    []float64
	initial   bool // the constructor's step is running
	anyOrder  bool // Step does not warn if it comes before the optimizer's first step

	// rate returns the learning rate of group i in this epoch. closedForm computes the rate from
	// the initial rates alone. If PyTorch has such a form, a SequentialLR uses it to start the
	// scheduler.
	rate, closedForm func(g *optim.ParamGroup, i int) float64
	// momentum, if set, returns the momentum of group i in this epoch, or false if the scheduler
	// leaves the momentum alone.
	momentum func(g *optim.ParamGroup, i int) (m float64, ok bool)
	// mustFit, if set, panics with ErrValue if rate or momentum lacks values for a group, or if
	// there is no further epoch. It runs before a step changes anything.
	mustFit func()
	// advance, if set, runs before rate, for schedulers whose step does more than count
	// epochs. It returns a function that reverts its changes.
	advance func() (revert func())
}

// start takes the scheduler's first step, following the epoch given by last.
func (b *base) start(name string, opt optim.Optimizer, last LastEpoch) {
	b.setOptimizer(name, opt)
	mustBeLastEpoch("New"+name, opt, last)
	b.lastEpoch = int64(last)
	b.setBaseLRs()
	b.fields = append(b.fields,
		field{"base_lrs", &b.baseLRs}, field{"last_epoch", &b.lastEpoch},
		field{"_step_count", &b.stepCount}, field{"_last_lr", &b.lastLR})
	b.firstStep()
}

// mustBeLastEpoch panics if a scheduler cannot continue from the epoch given by last.
// Constructors that change groups before they call start call mustBeLastEpoch first.
func mustBeLastEpoch(op string, opt optim.Optimizer, last LastEpoch) {
	if last < -1 || last == math.MaxInt64 { // no epoch follows it
		panic(torch.NewError(op, torch.ErrValue, "last_epoch", fmt.Sprintf("expected -1 or an epoch, got %d", last)))
	}
	for i, g := range opt.ParamGroups() {
		if _, ok := g.InitialLR(); !ok && last != -1 {
			panic(torch.NewError(op, torch.ErrValue, "last_epoch",
				fmt.Sprintf("group %d has no InitialLR to resume from", i)))
		}
	}
}

// mustBeRates panics for a rate that is negative, infinite or NaN.
func mustBeRates(op, arg string, lrs []float64) {
	for _, lr := range lrs {
		if !(lr >= 0) || math.IsInf(lr, 1) {
			panic(torch.NewError(op, torch.ErrValue, arg,
				fmt.Sprintf("expected a number that is not negative, got %v", lr)))
		}
	}
}

func (b *base) setOptimizer(name string, opt optim.Optimizer) {
	mustBeOptimizer("New"+name, opt)
	b.name, b.opt = name, opt
}

// mustBeMade panics for a scheduler that is nil or was not made by a constructor.
func mustBeMade(method string, is bool) {
	if !is {
		panic(torch.NewError(method, torch.ErrNil, "scheduler", "is nil, or was not made by a constructor"))
	}
}

// mustBeOptimizer panics if the optimizer is nil or holds a nil pointer.
func mustBeOptimizer(op string, opt optim.Optimizer) {
	if options.IsNil(opt) {
		panic(torch.NewError(op, torch.ErrNil, "opt", "a nil optimizer"))
	}
}

// setBaseLRs records the initial rates of the groups.
func (b *base) setBaseLRs() {
	for _, g := range b.opt.ParamGroups() {
		lr, ok := g.InitialLR()
		if !ok {
			lr = g.LR()
			g.Set(optim.InitialLR(lr))
		}
		b.baseLRs = append(b.baseLRs, lr)
	}
}

// firstStep takes the first step, for the constructor.
func (b *base) firstStep() {
	b.stepCount, b.initial = 0, true
	defer func() { b.initial = false }()
	b.Step()
}

// Step counts one more epoch and sets the learning rates. It panics with ErrValue for a
// metric and for a rate that is negative or NaN. It also panics with ErrValue if the
// scheduler has values for each group and the optimizer has different groups. That
// happens if a group was added later, or if the loaded state comes from another
// optimizer's scheduler.
func (b *base) Step(metrics ...float64) {
	mustBeMade("Step", b.opt != nil)
	mustHaveNoMetrics(b.name, metrics)
	b.mustFitStep()
	if b.stepCount == 1 && !b.initial && !b.anyOrder {
		warnStepOrder(b.name, b.opt)
	}
	b.stepCount++
	b.lastEpoch++
	revert := func() {}
	done := false
	defer func() {
		if !done {
			b.stepCount--
			b.lastEpoch--
			revert()
		}
	}()
	if b.advance != nil {
		revert = b.advance()
	}
	b.setRates(b.rate)
	done = true
}

// warnStepOrder warns, as Python does, if the optimizer has not stepped before the scheduler's
// first step. It can detect that only for optimizers of package optim.
func warnStepOrder(name string, opt optim.Optimizer) {
	if o, ok := opt.(interface{ Stepped() bool }); ok && !o.Stepped() {
		cgotorch.Warn("schedule." + name + ".Step was called before the optimizer's Step. Call them in the opposite " +
			"order, " +
			"opt.Step() and then sched.Step(): otherwise the first learning rate of the schedule is never used.")
	}
}

// mustHaveSetting panics if a group lacks a setting that the scheduler's constructor adds
// to each group. Such a group was added later.
func (b *base) mustHaveSetting(setting string) {
	for i, g := range b.opt.ParamGroups() {
		if _, ok := g.Get(setting); !ok {
			panic(torch.NewError(b.name+".Step", torch.ErrValue, setting,
				fmt.Sprintf("none for group %d, which was added later: call AddParamGroup before the scheduler is "+
					"made", i)))
		}
	}
}

// mustBePerGroup panics unless a list has a value for each group.
func (b *base) mustBePerGroup(arg string, have int) {
	if want := len(b.opt.ParamGroups()); have != want {
		panic(torch.NewError(b.name+".Step", torch.ErrValue, arg,
			fmt.Sprintf("the scheduler has values for %d groups, the optimizer has %d: call AddParamGroup before the "+
				"scheduler is made, and load the state of a scheduler for the same groups", have, want)))
	}
}

// mustHaveBaseLRs is mustBePerGroup for the initial rates.
func (b *base) mustHaveBaseLRs() { b.mustBePerGroup("base_lrs", len(b.baseLRs)) }

func (b *base) setRates(rate func(g *optim.ParamGroup, i int) float64) {
	groups := b.opt.ParamGroups()
	lrs, momenta := make([]float64, len(groups)), make([]float64, len(groups))
	cycles := false
	for i, g := range groups {
		lrs[i] = rate(g, i)
		if !(lrs[i] >= 0) {
			panic(torch.NewError(b.name+".Step", torch.ErrValue, "lr",
				fmt.Sprintf("expected rates of at least 0, but group %d would get %v in epoch %d", i, lrs[i],
					b.lastEpoch)))
		}
		if b.momentum != nil {
			momenta[i], cycles = b.momentum(g, i)
		}
	}
	for i, g := range groups {
		if cycles {
			setMomentum(g, momenta[i])
		}
		g.SetLR(lrs[i])
	}
	b.lastLR = lrs
}

// part is a scheduler that a SequentialLR or a ChainedScheduler can run.
type part interface {
	Scheduler
	optimizer() optim.Optimizer
	undoFirstStep()
	firstStep()
	allowAnyOrder(on bool)
	restart()
	mustFitStep()
	check(sd StateDict) (func(), error)
}

func (b *base) optimizer() optim.Optimizer { return b.opt }

// allowAnyOrder turns off Step's warning about the order of steps.
func (b *base) allowAnyOrder(on bool) { b.anyOrder = on }

// undoFirstStep reverts the step that the constructor took.
func (b *base) undoFirstStep() { b.lastEpoch-- }

// mustFitStep panics if Step would panic because the scheduler does not fit the
// optimizer.
func (b *base) mustFitStep() {
	if b.mustFit != nil {
		b.mustFit()
	}
}

// restart sets the scheduler to epoch 0, when its turn in a SequentialLR comes.
func (b *base) restart() {
	b.mustFitStep()
	rate := b.rate
	if b.closedForm != nil {
		b.mustHaveBaseLRs()
		rate = b.closedForm
	}
	before, done := b.lastEpoch, false
	defer func() {
		if !done {
			b.lastEpoch = before
		}
	}()
	b.lastEpoch = 0
	b.setRates(rate)
	done = true
}

// LastLR returns the learning rate of each group that the last Step set.
func (b *base) LastLR() []float64 {
	mustBeMade("LastLR", b.opt != nil)
	return slices.Clone(b.lastLR)
}

// LastEpoch returns the number of Step calls; see [Scheduler].
func (b *base) LastEpoch() int {
	mustBeMade("LastEpoch", b.opt != nil)
	return int(b.lastEpoch)
}

func mustBePositive(op, arg string, n int64) {
	if n < 1 {
		panic(torch.NewError(op, torch.ErrValue, arg, fmt.Sprintf("expected a positive number, got %d", n)))
	}
}

func mustBeWithin(op, arg string, v, low, high float64) {
	if !(v >= low && v <= high) {
		panic(torch.NewError(op, torch.ErrValue, arg,
			fmt.Sprintf("expected a number from %v to %v, got %v", low, high, v)))
	}
}
