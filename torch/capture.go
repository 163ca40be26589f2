package torch

import (
	"fmt"
	"slices"

	"github.com/gotorch/gotorch/internal/native/recording"
	"github.com/gotorch/gotorch/internal/native/trace"
)

// A CaptureOption is an argument of [Capture]: [Inputs], [NumWarmupIters], [CloneResults] or [AuditEvery].
//
//gotorch:options Inputs NumWarmupIters CloneResults AuditEvery
type CaptureOption interface{ captureOption() }

// NumWarmupIters is how often [Capture] runs the step before it is recorded, so that what a
// first step makes, such as the state of an optimizer, is there. The default is 1; a
// negative number is ErrValue. It is num_warmup_iters of torch.cuda.make_graphed_callables, which is
// 3 there for the sake of CUDA's libraries.
type NumWarmupIters int

// CloneResults has [Graph.Replay] return copies of the results, which belong to the caller,
// in place of the tensors that each replay writes to. The default is false.
type CloneResults bool

// Capture runs the step fn, records it and returns it as a graph, whose Replay does what
// another call of fn would, several times faster where tensors are small.
//
//	g := torch.Capture(func() []*torch.Tensor {
//		opt.ZeroGrad()
//		loss := criterion.Forward(model.Forward(x), y)
//		loss.Backward()
//		opt.Step()
//		return []*torch.Tensor{loss}
//	}, torch.Inputs{x, y})
//	defer g.Close()
//	for batch := range batches {
//		loss := g.Call(batch.X, batch.Y)[0]
//	}
//
// fn runs for real, once to warm up (see [NumWarmupIters]) and twice to be recorded: a model
// is trained by three steps then, on what the inputs hold. [CaptureByShape] makes no step more
// than it is called for. The second recording has to be like the first, operator
// by operator, in all numbers and in all tensors that fn does not make itself. So what changes
// from call to call is not frozen by mistake: neither a number of Go's, nor a branch, nor data.
// What changes later, such as a branch on the epoch, is found by an audit, which runs fn again (see [AuditEvery]).
// Optimizers of package optim are an exception: their step is made anew by each replay, with
// the learning rate of that time. Random numbers are drawn anew as well.
//
// Where an input is on a CUDA device the graph is a CUDA graph (cuda.Graph in package
// torch/cuda, which the program imports): fn warms up on a stream of its own, is recorded once,
// without being done, and replayed once; what CUDA refuses is an error. The comparison of two
// recordings and the checks before a replay are the CPU's: on CUDA numbers of Go's are frozen,
// learning rates among them, and optimizers that count their steps are refused.
//
// Refused, with an error that names the line, is what a replay could not repeat: reading
// values (Item, Float32s), tensors made of Go's data, results whose shapes depend
// on values, schedulers, devices other than the CPU, and tensors that are not dense. What
// else fn does in Go, hooks included, happens while it is recorded and not in a replay.
//
// The tensors that fn returns are the results. They and the gradients of parameters are
// the same tensors after each replay, with new values: copy what has to stay, or let
// [CloneResults] do it. Inputs are the tensors that [Graph.Feed] fills.
//
// Capture panics with ErrNil for a nil fn, input or option, with ErrClosed for a closed
// input, with ErrValue for inputs that fn does not read and for a negative number of
// warm-ups, with ErrRuntime where a step is being captured already and for what is refused,
// and with what fn panics with.
func Capture(fn func() []*Tensor, opts ...CaptureOption) *Graph {
	const op = "Capture"
	if fn == nil {
		panic(NilFunc(op, "fn"))
	}
	warmups := 1
	g := new(Graph)
	for _, o := range opts {
		switch o := o.(type) {
		case Inputs:
			g.inputs = slices.Clone(o)
		case NumWarmupIters:
			if warmups = int(o); warmups < 0 {
				panic(argError(op, ErrValue, "opts", fmt.Sprintf("expected 0 or more warm-ups, got %d", warmups)))
			}
		case CloneResults:
			g.clone = bool(o)
		case AuditEvery:
			g.audits.every = checkAuditEvery(op, o)
		default:
			panic(badOption(op, o))
		}
	}
	for i, t := range g.inputs {
		if t == nil {
			panic(argError(op, ErrNil, "opts", fmt.Sprintf("input %d is nil", i)))
		}
		t.handle(op+"(inputs)", 0)
	}
	if recording.Current() != nil {
		panic(&Error{Op: op, Kind: ErrRuntime, Message: "a step is being captured: graphs do not nest" + recording.At(trace.Capture(1))})
	}
	if dev, ok := onCUDA(g.inputs); ok {
		g.captureOnCUDA(op, dev, warmups, fn)
		return g
	}
	for range warmups {
		Scope(func() { fn() })
	}
	t := newTake(op, g, false)
	defer t.drop()
	Scope(func() { t.pass(op, fn, nil, nil) })
	Scope(func() { t.end(op, t.pass(op, fn, nil, nil)) })
	g.fn = fn
	return g
}
