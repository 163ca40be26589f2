package torch

import (
	"fmt"
	"slices"

	"github.com/gotorch/gotorch/internal/native/recording"
	"github.com/gotorch/gotorch/internal/native/trace"
)

// A CaptureOption is an option of [Capture]: [Inputs], [NumWarmupIters],
// [CloneResults], [AuditEvery], [Optimize] or [ComputeDType].
//
//gotorch:options Inputs NumWarmupIters CloneResults AuditEvery Optimize ComputeDType
type CaptureOption interface{ captureOption() }

// NumWarmupIters is the number of times [Capture] runs the step before recording it, so
// that state that the first step creates, such as optimizer state, already exists. The
// default is 1. A negative number panics with ErrValue. Follows num_warmup_iters of
// torch.cuda.make_graphed_callables, whose default is 3.
type NumWarmupIters int

// CloneResults says whether [Graph.Replay] returns copies that belong to the caller,
// instead of tensors that the next replay overwrites. The default is false.
type CloneResults bool

// Capture runs the step fn, records it and returns it as a graph. A replay of the graph
// does the same as another call of fn, several times faster if the tensors are small.
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
// Capture really runs fn: once to warm up (see [NumWarmupIters]) and twice to record it.
// So it trains a model for three steps on the current values of the inputs.
// [CaptureByShape] takes no extra steps.
//
// Both recordings must be equal: the same operators with the same scalar arguments and
// the same tensors from outside of fn. This finds Go numbers, branches and data that
// change from call to call, which a graph would freeze. An audit runs fn again later. It
// finds later changes, such as a branch on the epoch (see [AuditEvery]). Optimizers of
// package optim are an exception: each replay uses their current learning rate. Replays
// also draw new random numbers.
//
// If an input is on a CUDA device, the graph is a CUDA graph (cuda.Graph in package
// torch/cuda, which the program must import). fn warms up on a stream of its own, is
// recorded once without running, and is replayed once. Capture panics if fn does something
// that CUDA cannot capture. Recordings are not compared, and nothing is checked before a
// replay. So Go numbers, including learning rates, stay as recorded. Optimizers that count
// their steps are refused, and so is [AuditEvery].
//
// Capture refuses what a replay could not repeat, with an error that names the line. That
// includes reading values (Item, Float32s), tensors made from Go data, results whose shapes
// depend on values, schedulers, devices other than the CPU, and tensors that are not dense.
// Other Go code in fn, including hooks, runs only while fn is recorded, not during a
// replay.
//
// The results are the tensors that fn returns. The results and the gradients of
// parameters are the same tensors after each replay, with new values. Copy the ones that
// you keep, or use [CloneResults]. Inputs are the tensors that [Graph.Feed] fills.
//
// Capture panics with ErrNil for a nil fn, input or option, with ErrClosed for
// a closed input, with ErrValue for inputs that fn does not read or a negative
// number of warm-ups, and with ErrRuntime for a refused step or during another
// capture. It passes on panics of fn, and panics with ErrOutOfMemory if memory
// ran out during a recording.
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
		case Optimize:
			g.optimize = bool(o)
		case ComputeDType:
			g.compute = checkComputeDType(op, o)
		default:
			panic(badOption(op, o))
		}
	}
	needOptimize(op, g.compute, g.optimize)
	for i, t := range g.inputs {
		if t == nil {
			panic(argError(op, ErrNil, "opts", fmt.Sprintf("input %d is nil", i)))
		}
		t.handle(op+"(inputs)", 0)
	}
	if recording.Current() != nil {
		panic(&Error{
			Op: op, Kind: ErrRuntime,
			Message: "a step is being captured: graphs do not nest" + recording.At(trace.Capture(1)),
		})
	}
	if dev, ok := onCUDA(g.inputs); ok {
		if g.audits.every > 0 {
			panic(argError(op, ErrValue, "opts", "AuditEvery: graphs on CUDA cannot be audited"))
		}
		if g.optimize {
			panic(argError(op, ErrValue, "opts", "Optimize: graphs on CUDA cannot be optimized"))
		}
		g.captureOnCUDA(op, dev, warmups, fn)
		return g
	}
	for range warmups {
		Scope(func() { fn() })
	}
	t := newRecorder(op, g, false)
	defer t.drop()
	defer t.explainRetry(op)
	Scope(func() { t.recordPass(op, fn, nil, nil) })
	Scope(func() { t.finish(op, t.recordPass(op, fn, nil, nil)) })
	g.fn = fn
	return g
}
