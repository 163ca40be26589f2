package distributed

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/gotorch/gotorch/cgotorch"
	"github.com/gotorch/gotorch/cgotorch/abi"
	native "github.com/gotorch/gotorch/cgotorch/c10d"
	"github.com/gotorch/gotorch/internal/native/trace"
	"github.com/gotorch/gotorch/torch"
)

// syncName returns the name of a collective without Async, since other ranks may call it
// synchronously.
func syncName(name string) string { return strings.TrimSuffix(name, "Async") }

// newCall makes the call of a collective. check checks this rank's arguments and adds their
// description to the text that is compared between ranks. The returned error is about this rank's
// arguments.
func (g *ProcessGroup) newCall(name string, what native.Op, outs, ins []*torch.Tensor,
	check func(c *call) error,
) (*call, error) {
	c := &call{
		Call: native.Call{Op: what}, op: "distributed.ProcessGroup." + name, outs: outs, ins: ins,
		text: syncName(name),
	}
	if g == nil || g.rank < 0 {
		return c, nil // the call itself will return the error
	}
	var err error
	if panicked := torch.Try(func() { err = check(c) }); panicked != nil {
		return c, panicked // check panics if another goroutine has closed a tensor
	}
	if err == nil {
		err = torch.Try(func() {
			switch what {
			case native.AllGatherInto, native.ReduceScatterTensor:
				c.viewFlat()
			}
			c.viewReal()
		})
	}
	if err == nil {
		err = g.checkGlooCall(c)
	}
	return c, err
}

// add appends to the text that must be equal on all ranks.
func (c *call) add(format string, args ...any) { c.text += " " + fmt.Sprintf(format, args...) }

// viewReal views complex numbers as pairs, since Gloo does not support them.
func (c *call) viewReal() {
	c.view(func(t *torch.Tensor) *torch.Tensor {
		if !t.DType().IsComplex() {
			return nil
		}
		return t.ViewAsReal()
	})
}

// viewFlat replaces the tensors with one-dimensional views, so that their shapes do not
// matter.
func (c *call) viewFlat() {
	c.view(func(t *torch.Tensor) *torch.Tensor { return t.View(-1) })
}

// view replaces each tensor with the view that fn returns, unless fn returns nil.
func (c *call) view(fn func(t *torch.Tensor) *torch.Tensor) {
	c.outs, c.ins = slices.Clone(c.outs), slices.Clone(c.ins)
	for _, list := range [][]*torch.Tensor{c.outs, c.ins} {
		for i, t := range list {
			torch.Scope(func() {
				if v := fn(t.Detach()); v != nil {
					list[i] = torch.Disown(v)
					c.views = append(c.views, list[i])
				}
			})
		}
	}
}

// free closes the tensors that were made for the call.
func (c *call) free() {
	for _, v := range c.views {
		_ = v.Close()
	}
	c.views = nil
}

// keepTensors gives the call separate handles of its tensors, because their owners may
// close them before the call begins.
func (c *call) keepTensors() error {
	return torch.Try(func() {
		c.view(func(t *torch.Tensor) *torch.Tensor { return ownedHandle(c.op, t) })
	})
}

// keepForLater calls keepTensors for a call that begins in the background. If ctx has
// ended, it returns an error.
func (g *ProcessGroup) keepForLater(ctx context.Context, c *call) error {
	_, err := timeLimit(ctx, c.op, -1)
	if err != nil {
		err = g.asGroupError(err, c.op)
	} else {
		err = c.keepTensors()
	}
	if err != nil {
		c.free()
	}
	return err
}

// ownedHandle returns a second handle of t, in no scope.
func ownedHandle(op string, t *torch.Tensor) *torch.Tensor {
	again := borrowedTensor(t.HandleFor(op, 0))
	runtime.KeepAlive(t)
	return again
}

// borrowedTensor returns a tensor for a borrowed handle, in no scope.
func borrowedTensor(h abi.Tensor) *torch.Tensor {
	r := torch.BeginRaw("distributed.ProcessGroup")
	r.End()
	return torch.Disown(r.Wrap(cgotorch.Ref(h)))
}

// runCall begins a collective and waits for it. refused is the error about this rank's
// arguments.
func (g *ProcessGroup) runCall(ctx context.Context, c *call, refused error) error {
	f, err := g.beginInTurn(ctx, c, refused)
	if err != nil {
		return err
	}
	return f.wait(ctx)
}

// beginInTurn waits for the call's turn and begins the collective. refused is the error about this
// rank's arguments, which is also reported to the other ranks.
func (g *ProcessGroup) beginInTurn(ctx context.Context, c *call, refused error) (*flight, error) {
	defer c.free()
	if err := g.checkReady(c.op); err != nil {
		return nil, err
	}
	p, err := g.waitTurn(ctx, c.op, &g.order)
	if err != nil {
		return nil, err
	}
	defer p.leave()
	return g.beginCompared(ctx, c, refused)
}

// beginCompared begins a collective. If the group compares calls, the ranks compare this
// one first. The caller must have its turn; see queue.
func (g *ProcessGroup) beginCompared(ctx context.Context, c *call, refused error) (*flight, error) {
	if g.checksCalls {
		if c.compareMore != nil {
			err := c.compareMore(ctx, refused)
			if err != nil && g.checkOpen(c.op) != nil {
				return nil, err
			}
			refused = firstError(refused, err)
		}
		if err := g.checkAgreement(ctx, c, refused); err != nil {
			return nil, err
		}
	}
	if refused != nil {
		return nil, refused
	}
	return g.begin(ctx, c)
}

// startCall is like runCall, but waits neither for the comparison of calls nor for the
// end of the collective. Later collectives still begin after this one.
func (g *ProcessGroup) startCall(ctx context.Context, c *call, refused error) (*Work, error) {
	b, err := g.newBackgroundCall(ctx, c, refused)
	if err != nil {
		return nil, err
	}
	return newWork(b.wait, b.isDone), nil
}

// backgroundCall is a collective that begins in the background when its turn comes. Its place in
// the order is fixed when it is made.
type backgroundCall struct {
	g    *ProcessGroup
	call *call
	// The context of the background work, which may outlast the method call.
	ctx     context.Context // of the call, which has returned
	giveUp  context.CancelCauseFunc
	started chan struct{}
	flight  *flight
	err     error
}

// newBackgroundCall starts a collective in the background. If refused is not nil, it reports the
// error to the other ranks instead and returns it.
func (g *ProcessGroup) newBackgroundCall(ctx context.Context, c *call, refused error) (*backgroundCall, error) {
	if refused != nil {
		_, err := g.beginInTurn(ctx, c, refused)
		return nil, err
	}
	if err := g.checkReady(c.op); err != nil {
		c.free()
		return nil, err
	}
	if err := g.keepForLater(ctx, c); err != nil {
		return nil, err
	}
	b := &backgroundCall{g: g, call: c, started: make(chan struct{})}
	b.ctx, b.giveUp = outlastingContext(ctx)
	p := g.order.take()
	begin := func(onStreams func(fn func())) {
		defer close(b.started)
		defer g.recoverTo(&b.err)
		defer c.free()
		defer p.leave()
		if b.err = g.waitTurnOf(b.ctx, c, p); b.err == nil {
			onStreams(func() { b.flight, b.err = g.beginCompared(b.ctx, c, nil) })
		}
	}
	if !g.checksCalls {
		begin(func(fn func()) { fn() }) // this waits only until earlier collectives have begun
		return b, b.err
	}
	onStreams := onCallersStreams(c.op)
	trace.Go(func() { begin(onStreams) })
	return b, nil
}

// wait waits until the collective has ended. If ctx ends first, the collective is given up, even if
// it has not begun.
func (b *backgroundCall) wait(ctx context.Context) error {
	defer b.giveUp(nil)
	stop := context.AfterFunc(ctx, func() { b.giveUp(ctx.Err()) })
	defer stop()
	<-b.started
	if b.err != nil {
		return b.err
	}
	return b.flight.wait(b.ctx)
}

func (b *backgroundCall) isDone() bool {
	select {
	case <-b.started:
		return b.err != nil || b.flight.isDone()
	default:
		return false
	}
}
