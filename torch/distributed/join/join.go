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

// Joinable is an object whose collectives a rank can join after it has run out of inputs:
// parallel.DistributedDataParallel, zero.ZeroRedundancyOptimizer, or a type of your own. Follows
// torch.distributed.algorithms.Joinable.
type Joinable interface {
	// JoinGroup returns the group whose ranks join.
	JoinGroup() *distributed.ProcessGroup
	// BeginJoin is called before the loop. The Joinable must call c.Notify at the start of each of
	// its iterations.
	BeginJoin(c *Context) (Hook, error)
	// EndJoin is called after all ranks have run out of inputs, or after an error.
	EndJoin()
}

// Hook runs on a rank that has no more inputs, instead of its iterations. Follows
// torch.distributed.algorithms.JoinHook.
type Hook interface {
	// Main takes part in the collectives of one iteration.
	Main(ctx context.Context) error
	// Post is called once, when all ranks have run out of inputs. last reports whether this rank
	// was one of the last.
	Post(ctx context.Context, last bool) error
}

// An Option configures [Join]: [Enable], [ThrowOnEarlyTermination] or
// [DivideByInitialWorldSize].
//
//gotorch:options Enable ThrowOnEarlyTermination DivideByInitialWorldSize
type Option interface{ joinOption() }

// Enable controls whether ranks may have different numbers of inputs. If it is false, Join only
// calls its function. It is enable in Python. The default is true.
type Enable bool

// ThrowOnEarlyTermination makes all ranks return [ErrExhausted] as soon as one rank has run out of
// inputs. It is throw_on_early_termination in Python. The default is false.
type ThrowOnEarlyTermination bool

// DivideByInitialWorldSize controls whether gradients are divided by the number of all ranks
// (true), or by the number of ranks that still have inputs (false). It is
// divide_by_initial_world_size in Python. The default is true.
type DivideByInitialWorldSize bool

// Context is the state of a running Join.
type Context struct {
	ctx             context.Context // of the Join, for those in it
	group           *distributed.ProcessGroup
	notifier        Joinable // the Joinable that notifies the other ranks
	active          int      // the number of ranks with an input, according to the last sum
	throwEarly      bool
	divideByInitial bool
}

// checkMade returns an error for a nil Context, and for a Context that Join did not make.
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

// Context returns the context of the Join. Joinables use it when they wait.
func (c *Context) Context() context.Context { return c.mustBeMade("join.Context.Context").ctx }

// DivideByInitialWorldSize returns the value of the option of that name.
func (c *Context) DivideByInitialWorldSize() bool {
	return c.mustBeMade("join.Context.DivideByInitialWorldSize").divideByInitial
}

// ThrowsOnEarlyTermination returns the value of [ThrowOnEarlyTermination].
func (c *Context) ThrowsOnEarlyTermination() bool {
	return c.mustBeMade("join.Context.ThrowsOnEarlyTermination").throwEarly
}

// Notify tells the ranks that have run out of inputs that this rank has another input. It
// returns the number of ranks with an input, or 0 if j is not the first Joinable of the
// Join. It waits for all ranks.
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

// Active returns the number of ranks with an input in the current iteration, or 0 if j is not the
// first Joinable of the Join. An iteration begins when the ranks with inputs call Notify. On a
// rank without inputs, Join takes part in it.
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

// Join calls fn, the training loop of this rank, and then takes part in the iterations of
// the ranks that still have inputs. All ranks call it, with the same joinables in the
// same order. It returns the error of fn or of a failed collective. If fn panics with a
// *torch.Error, Join returns that error.
//
// If fn fails on a rank, Join returns immediately on that rank and does not tell the
// other ranks, because it does not know which iteration they are in. The other ranks
// wait. They get distributed.ErrPeer when the failed rank closes the group or its process
// ends. If the ranks compare their calls, they get distributed.ErrMismatch when the
// failed rank calls a different collective. Otherwise they wait until the context or the
// group's Timeout ends. So close the group after an error if the program continues.
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
				"belongs to a different group than joinables[0]")
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

// call calls fn. If an operator in fn panics, call returns the panic as an error.
func call(fn func() error) (err error) {
	if panicked := torch.Try(func() { err = fn() }); panicked != nil {
		return panicked
	}
	return err
}

// shadow takes part in the iterations of the ranks that still have inputs.
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
