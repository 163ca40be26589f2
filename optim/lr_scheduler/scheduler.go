// Package lr_scheduler changes learning rates over time, as
// torch.optim.lr_scheduler.
//
//	sched := lr_scheduler.NewCosineAnnealing(opt, steps)
//	for ... {
//		...
//		opt.Step()
//		sched.Step()
//	}
//
// A scheduler starts from each group's InitialLR, which the first one sets to
// the group's LR, and computes rates with PyTorch's own recurrences, so that
// they agree to the last bits and compose as they do there. Mistakes panic with
// a *torch.Error of kind ErrValue.
package lr_scheduler

import (
	"fmt"

	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

// Scheduler is what training loops need of a scheduler.
type Scheduler interface {
	// Step goes to the next epoch, or step, and sets the learning rates.
	Step()
	// LastLR returns the learning rate of each group.
	LastLR() []float64
	// LastEpoch returns how often Step was called.
	LastEpoch() int64
}

// base is what the schedulers share.
type base struct {
	opt   optim.Optimizer
	epoch int64
	next  func(g *optim.ParamGroup, i int) float64
}

// start makes the scheduler's epoch 0 the current one.
func (b *base) start(op string, opt optim.Optimizer, next func(g *optim.ParamGroup, i int) float64) {
	if opt == nil {
		panic(torch.NewError(op, torch.ErrNil, "opt", "a nil optimizer"))
	}
	b.opt, b.next, b.epoch = opt, next, 0
	b.set()
}

func (b *base) set() {
	for i, g := range b.opt.ParamGroups() {
		setInitial(g)
		g.LR = b.next(g, i)
	}
}

// setInitial sets InitialLR of a group that no scheduler has seen yet.
func setInitial(g *optim.ParamGroup) {
	if g.InitialLR == 0 {
		g.InitialLR = g.LR
	}
}

// Step goes to the next epoch, or step, and sets the learning rates.
func (b *base) Step() {
	b.epoch++
	b.set()
}

// LastLR returns the learning rate of each group.
func (b *base) LastLR() []float64 {
	var lrs []float64
	for _, g := range b.opt.ParamGroups() {
		lrs = append(lrs, g.LR)
	}
	return lrs
}

// LastEpoch returns how often Step was called.
func (b *base) LastEpoch() int64 { return b.epoch }

// SetLastEpoch continues at an epoch, after the optimizer's state was
// restored: the learning rates stay what they are.
func (b *base) SetLastEpoch(epoch int64) {
	if epoch < 0 {
		panic(torch.NewError("SetLastEpoch", torch.ErrValue, "epoch", fmt.Sprintf("expected a number that is not negative, got %d", epoch)))
	}
	b.epoch = epoch
}

func positive(op, arg string, n int64) {
	if n < 1 {
		panic(torch.NewError(op, torch.ErrValue, arg, fmt.Sprintf("expected a positive number, got %d", n)))
	}
}

func orDefault(v, def float64) float64 {
	if v == 0 {
		return def
	}
	return v
}
