// Package join trains on ranks that have different numbers of inputs, like
// torch.distributed.algorithms.join. A rank that has run out of inputs takes part in the
// others' collectives with zeros, until all have run out.
//
//	err := join.Join(ctx, []join.Joinable{net}, func() error {
//		for x, y := range batches { // of this rank
//			...
//		}
//		return nil
//	})
package join

import (
	"context"
	"errors"
	"fmt"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributed"
)

// ErrExhausted is the error on every rank once one of them has run out of inputs, with
// [ThrowOnEarlyTermination].
var ErrExhausted = errors.New("a rank has no more inputs")

// Joinable is an object that can continue without this rank's inputs:
// parallel.DistributedDataParallel, zero.ZeroRedundancyOptimizer and user-defined ones.
// Follows torch.distributed.algorithms.Joinable.
type Joinable interface {
	// JoinGroup returns the group whose ranks join.
	JoinGroup() *distributed.ProcessGroup
	// BeginJoin is called before the loop. The Joinable must call the context's Notify at
	// the start of each of its iterations.
	BeginJoin(c *Context) (Hook, error)
	// EndJoin is called after all ranks have joined, or one has failed.
	EndJoin()
}

// Hook is what a rank does instead of the iterations for which it has no inputs. Follows
// torch.distributed.algorithms.JoinHook.
type Hook interface {
	// Main takes part in the collectives of one iteration.
	Main(ctx context.Context) error
	// Post is called once, when all ranks have joined; last reports whether this rank was
	// one of the last.
	Post(ctx context.Context, last bool) error
}

// An Option configures [Join]: [Enable], [ThrowOnEarlyTermination] or
// [DivideByInitialWorldSize].
//
//gotorch:options Enable ThrowOnEarlyTermination DivideByInitialWorldSize
type Option interface{ joinOption() }

// Enable controls whether ranks may have different numbers of inputs; with false, Join
// only calls its function. enable in Python. The default is true.
type Enable bool

// ThrowOnEarlyTermination makes all ranks return [ErrExhausted] as soon as one has run
// out of inputs; throw_on_early_termination in Python. The default is false.
type ThrowOnEarlyTermination bool

// DivideByInitialWorldSize controls whether gradients are divided by the number of all
// ranks (true), or of those that still have inputs; divide_by_initial_world_size in
// Python. The default is true.
type DivideByInitialWorldSize bool

// Context is the state of one Join.
type Context struct {
	ctx             context.Context //nolint:containedctx // of the Join, for those in it
	group           *distributed.ProcessGroup
	notifier        Joinable // who notifies the others
	active          int      // the number of ranks with an input, as far as known
	throwEarly      bool
	divideByInitial bool
}

// checkMade returns an error for a nil Context, and for one that was not made by Join.
func (c *Context) checkMade(op string) error {
	switch {
	case c == nil:
		return torch.NewError(op, torch.ErrNil, "receiver", "is nil")
	case c.group == nil:
		return torch.NewError(op, torch.ErrNil, "receiver", "was not made by Join")
	}
	return nil
}

func (c *Context) mustBeMade(op string) *Context {
	if err := c.checkMade(op); err != nil {
		panic(err)
	}
	return c
}

// Context returns the Join's context, for what its Joinables wait for.
func (c *Context) Context() context.Context { return c.mustBeMade("join.Context.Context").ctx }

// DivideByInitialWorldSize returns the value of the option.
func (c *Context) DivideByInitialWorldSize() bool {
	return c.mustBeMade("join.Context.DivideByInitialWorldSize").divideByInitial
}

// ThrowsOnEarlyTermination returns the value of the option.
func (c *Context) ThrowsOnEarlyTermination() bool {
	return c.mustBeMade("join.Context.ThrowsOnEarlyTermination").throwEarly
}

// Notify tells the ranks that have joined that this one has another input. It returns the
// number of ranks with an input, or 0 to a Joinable that is not the first of the Join. It
// waits for all ranks.
func (c *Context) Notify(j Joinable) (active int, err error) {
	if err := c.checkMade("join.Context.Notify"); err != nil {
		return 0, err
	}
	if j != c.notifier {
		return 0, nil
	}
	active, err = c.sum(1)
	if c.active = active; err != nil || !c.throwEarly {
		return active, err
	}
	ended, err := c.sum(0)
	if err == nil && ended > 0 {
		err = ErrExhausted
	}
	return active, err
}

// Active returns the number of ranks with an input in the current iteration, begun by the
// last Notify or, on a rank without inputs, by the Join. It returns 0 to a Joinable that
// is not the first of the Join.
func (c *Context) Active(j Joinable) int {
	if c.mustBeMade("join.Context.Active"); j != c.notifier {
		return 0
	}
	return c.active
}

// sum returns the sum of n over all ranks.
func (c *Context) sum(n float32) (sum int, err error) {
	panicked := torch.Try(func() {
		torch.Scope(func() {
			x := torch.FromSliceWith([]float32{n}, torch.Shape{1}, torch.CPU)
			if err = c.group.AllReduce(c.ctx, x); err == nil {
				sum = int(x.Float32s()[0])
			}
		})
	})
	return sum, errors.Join(err, panicked)
}

// Join calls fn, the loop of this rank, and then takes part in the iterations of the
// ranks that still have inputs. All ranks call it, with the same joinables in the same
// order. It returns fn's error, or that of a failed collective; a *torch.Error that fn
// panics with is also returned.
//
// A rank whose fn fails returns at once and tells nobody, since it does not know where the
// others are. The others wait for it. They get distributed.ErrPeer when it closes the group
// or its process ends. If the ranks compare their calls, they get distributed.ErrMismatch
// when it calls another collective. Otherwise they wait until the context or the group's
// Timeout ends. So close the group after an error if the program continues.
//
// Follows torch.distributed.algorithms.Join.
func Join(ctx context.Context, joinables []Joinable, fn func() error, opts ...Option) error {
	const op = "join.Join"
	if fn == nil {
		return torch.NilFunc(op, "fn")
	}
	c := &Context{ctx: ctx, divideByInitial: true}
	enable := true
	for _, o := range opts {
		switch o := o.(type) {
		case Enable:
			enable = bool(o)
		case ThrowOnEarlyTermination:
			c.throwEarly = bool(o)
		case DivideByInitialWorldSize:
			c.divideByInitial = bool(o)
		default:
			return torch.BadOption(op, o)
		}
	}
	if len(joinables) == 0 {
		return torch.NewError(op, torch.ErrValue, "joinables", "an empty list")
	}
	for i, j := range joinables {
		if j == nil || j.JoinGroup() == nil {
			return torch.NewError(op, torch.ErrNil, fmt.Sprintf("joinables[%d]", i), "is nil, or has no group")
		}
		if j.JoinGroup() != joinables[0].JoinGroup() {
			return torch.NewError(op, torch.ErrValue, fmt.Sprintf("joinables[%d]", i),
				"is of another group than the first")
		}
	}
	if !enable {
		return call(fn)
	}
	c.notifier, c.group = joinables[0], joinables[0].JoinGroup()
	var hooks []Hook
	for _, j := range joinables {
		hook, err := j.BeginJoin(c)
		if err != nil {
			return err
		}
		defer j.EndJoin()
		hooks = append(hooks, hook)
	}
	if err := call(fn); err != nil {
		return err
	}
	return c.shadow(hooks)
}

// call returns a panic of an operator in fn as an error.
func call(fn func() error) (err error) {
	if panicked := torch.Try(func() { err = fn() }); panicked != nil {
		return panicked
	}
	return err
}

// shadow joins the iterations of the ranks that still have inputs.
func (c *Context) shadow(hooks []Hook) error {
	last := true
	for {
		active, err := c.sum(0)
		if err != nil {
			return err
		}
		if c.active = active; active == 0 {
			break
		}
		if c.throwEarly {
			if _, err := c.sum(1); err != nil {
				return err
			}
			return ErrExhausted
		}
		last = false
		for _, h := range hooks {
			if err := h.Main(c.ctx); err != nil {
				return err
			}
		}
	}
	for _, h := range hooks {
		if err := h.Post(c.ctx, last); err != nil {
			return err
		}
	}
	return nil
}
