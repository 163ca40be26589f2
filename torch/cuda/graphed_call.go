package cuda

import (
	"fmt"
	"slices"

	"github.com/gotorch/gotorch/torch"
)

// Call copies the arguments to the memory of the recording, unless they are already
// there, replays the forward pass, and returns its results. Gradients flow through them as
// through the results of the callable itself. The results are in the memory of the
// recording: the next Call overwrites them, and each backward pass overwrites the
// gradients of the previous one. Calls and their backward passes must be on the same
// stream, or on streams that wait for each other.
//
// It panics with
//
//   - ErrNil for a nil receiver or argument, and ErrClosed after Close and for a closed
//     argument or parameter;
//   - ErrValue for a wrong number of arguments, for an argument that requires gradients
//     but did not when recorded, and if another goroutine is using the callable;
//   - ErrShape, ErrDType or ErrDevice for an argument that differs from the sample.
//
// A backward pass through results that a later Call has overwritten panics with
// ErrAutograd.
func (g *GraphedCallable) Call(args ...*torch.Tensor) []*torch.Tensor {
	const op = "cuda.GraphedCallable.Call"
	if g == nil {
		panic(&torch.Error{Op: op, Kind: torch.ErrNil, Message: "the callable is nil"})
	}
	torch.Handles(op, args, false)
	if len(args) != len(g.args) {
		panic(torch.NewError(op, torch.ErrValue, "args",
			fmt.Sprintf("expected %d arguments, got %d", len(g.args), len(args))))
	}
	for i, want := range g.args {
		checkArgument(op, fmt.Sprintf("args[%d]", i), want, argumentOf(args[i]))
	}
	return g.function.Apply(slices.Concat(args, g.params)...)
}

func checkArgument(op, arg string, want, got argument) {
	switch {
	case !slices.Equal(want.shape, got.shape):
		panic(torch.NewError(op, torch.ErrShape, arg,
			fmt.Sprintf("expected the recorded shape %v, got %v", want.shape, got.shape)))
	case want.dtype != got.dtype:
		panic(torch.NewError(op, torch.ErrDType, arg,
			fmt.Sprintf("expected the recorded dtype %v, got %v", want.dtype, got.dtype)))
	case want.device != got.device:
		panic(torch.NewError(op, torch.ErrDevice, arg,
			fmt.Sprintf("expected the recorded device %s, got %s", want.device, got.device)))
	case got.requires && !want.requires && torch.IsGradEnabled():
		panic(torch.NewError(op, torch.ErrValue, arg,
			"this argument requires gradients, but the sample argument did not; record again with one that does"))
	}
}

// enter reserves the callable for the goroutine until the returned function is called.
func (g *GraphedCallable) enter(op string) (leave func()) {
	if !g.mu.TryLock() {
		panic(&torch.Error{
			Op: op, Kind: torch.ErrValue,
			Message: "another goroutine is using the callable, which has only one set of memory",
		})
	}
	if g.closed {
		g.mu.Unlock()
		panic(&torch.Error{Op: op, Kind: torch.ErrClosed, Message: "the callable is closed"})
	}
	return g.mu.Unlock
}

func (g *GraphedCallable) replayForward(ctx *torch.Context, inputs ...*torch.Tensor) []*torch.Tensor {
	defer g.enter("cuda.GraphedCallable.Call")()
	for i, t := range g.in {
		if t.DataPtr() != inputs[i].DataPtr() {
			t.Copy_(inputs[i])
		}
	}
	g.forward.Replay()
	g.runs++
	ctx.Value = g.runs
	outs := make([]*torch.Tensor, len(g.out))
	var plain []*torch.Tensor
	for i, t := range g.out {
		outs[i] = t.Detach()
		if g.gradOut[i] == nil {
			plain = append(plain, outs[i])
		}
	}
	ctx.MarkNonDifferentiable(plain...)
	return outs
}

func (g *GraphedCallable) replayBackward(ctx *torch.Context, grads ...*torch.Tensor) []*torch.Tensor {
	const op = "cuda.GraphedCallable.Backward"
	defer g.enter(op)()
	if ctx.Value != g.runs {
		panic(&torch.Error{
			Op: op, Kind: torch.ErrAutograd,
			Message: "a later call has overwritten the activations that this backward pass needs",
		})
	}
	// The gradient of a parameter may still be in the memory that this backward pass
	// overwrites. If so, it was not cleared, so copy it for accumulation.
	for i, p := range g.params {
		grad := p.Grad()
		if given := g.gradIn[len(g.in)+i]; grad != nil && given != nil && grad.DataPtr() == given.DataPtr() {
			p.SetGrad(grad.Clone())
		}
	}
	for i, t := range g.gradOut {
		if t != nil {
			t.Copy_(grads[i])
		}
	}
	g.backward.Replay()
	ins := make([]*torch.Tensor, len(g.gradIn))
	for i, t := range g.gradIn {
		if t != nil {
			ins[i] = t.Detach()
		}
	}
	return ins
}

// Close frees the graphs and their memory. Results of earlier calls stay valid, but backward
// passes through them are no longer possible. If another goroutine is using the callable, it
// returns an error of kind ErrValue. Closing twice, or closing nil, does nothing.
func (g *GraphedCallable) Close() error {
	const op = "cuda.GraphedCallable.Close"
	if g == nil {
		return nil
	}
	if !g.mu.TryLock() {
		return &torch.Error{Op: op, Kind: torch.ErrValue, Message: "another goroutine is using the callable"}
	}
	defer g.mu.Unlock()
	g.closed = true
	for _, graph := range []*CUDAGraph{g.backward, g.forward} {
		if graph != nil {
			if err := graph.Close(); err != nil {
				return err
			}
		}
	}
	for _, t := range slices.Concat(g.in, g.out, g.gradOut, g.gradIn) {
		if t != nil {
			if err := t.Close(); err != nil {
				return err
			}
		}
	}
	g.in, g.out, g.gradOut, g.gradIn = nil, nil, nil, nil
	return nil
}
