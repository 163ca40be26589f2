package torch

import (
	"fmt"
	"runtime"
	"slices"
	"sync"

	"github.com/gotorch/gotorch/cgotorch"
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/capture"
	"github.com/gotorch/gotorch/internal/native/modes"
	"github.com/gotorch/gotorch/internal/native/recording"
	"github.com/gotorch/gotorch/internal/native/trace"
)

// A CaptureOption is an argument of [Capture]: [Inputs] or [NumWarmupIters].
type CaptureOption interface{ captureOption() }

// NumWarmupIters is how often [Capture] runs the step before it is recorded, so that what a
// first step makes, such as the state of an optimizer, is there. The default is 1; a
// negative number is ErrValue. It is num_warmup_iters of torch.cuda.make_graphed_callables.
type NumWarmupIters int

func (Inputs) captureOption()         {}
func (NumWarmupIters) captureOption() {}

// Graph is a step on the CPU that was captured: the operators below autograd, in order,
// over memory that stays. A replay calls them in one crossing, without dispatching,
// recording gradients and allocating anew. The zero Graph is of no use; [Capture] makes one.
//
// A graph owns its memory and the results; the tensors that the step uses stay with their
// owners and are kept alive by it. Any goroutine may use it, one at a time: others wait.
type Graph struct {
	mu      sync.Mutex
	native  capture.Graph // 0 once closed
	inputs  []*Tensor
	results []*Tensor
	own     []*Tensor // of the results, those that the step made
	before  []func()
	cleanup runtime.Cleanup // frees what was never closed
}

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
//		g.Feed(batch.X, batch.Y)
//		loss := g.Replay()[0]
//	}
//
// fn runs for real, once to warm up (see [NumWarmupIters]) and twice to be recorded: a model
// is trained by three steps then. The second recording has to be like the first, operator
// by operator, in all numbers and in all tensors that fn does not make itself. So nothing
// that changes can be frozen by mistake: neither a number of Go's, nor a branch, nor data.
// Optimizers of package optim are an exception: their step is made anew by each replay, with
// the learning rate of that time. Random numbers are drawn anew as well.
//
// Refused, with an error that names the line, is what a replay could not repeat: reading
// values (Item, Float32s, printing), tensors made of Go's data, results whose shapes depend
// on values, schedulers, devices other than the CPU, and tensors that are not dense. What
// else fn does in Go, hooks included, happens while it is recorded and not in a replay. A
// model's training mode is what it was.
//
// The tensors that fn returns are the results. They and the gradients of parameters are
// the same tensors after each replay, with new values: copy what has to stay. Inputs are
// the tensors that [Graph.Feed] fills.
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
		panic(&Error{Op: op, Kind: ErrRuntime, Message: "a step is being captured: graphs do not nest"})
	}
	for range warmups {
		Scope(func() { fn() })
	}
	g.record(op, fn)
	return g
}

// record makes the two passes. What it leaves if it panics is freed.
func (g *Graph) record(op string, fn func() []*Tensor) {
	native, number, st := capture.New()
	if st != 0 {
		panic(statusError(op, st, nil))
	}
	g.native = native
	g.cleanup = runtime.AddCleanup(g, capture.Graph.Free, native)
	done := false
	r := recording.Start(number)
	trace.Start() // so that errors name lines
	defer func() {
		trace.Stop()
		recording.Stop(number)
		if !done {
			_ = g.Close()
		}
	}()
	m := modes.Current()
	m.Capture = number
	pass := func() []*Tensor {
		r.Begin()
		if st := native.Pass(); st != 0 {
			panic(statusError(op, st, nil))
		}
		var results []*Tensor
		modes.With(op, &m, func() { results = TidyAll(fn) })
		return results
	}
	Scope(func() { pass() })
	Scope(func() {
		g.results = pass()
		for i, t := range g.results {
			if t == nil {
				panic(argError(op, ErrNil, "fn", fmt.Sprintf("its result %d is nil", i)))
			}
			t.handle(op+"(results)", 0)
			if t.scope != nil && t.scope == states.Get().scope {
				g.own = append(g.own, Disown(t))
			}
		}
	})
	inputs := Handles(op, g.inputs, false)
	raw := BeginRaw(op, g.inputs...)
	st = capture.End(raw.Ctx, native, inputs)
	raw.Status(st)
	g.before = r.Before()
	done = true
}

// notCaptured panics while a step is captured by this goroutine, for what a replay could not
// repeat and no crossing refuses.
func notCaptured(op string) {
	if recording.Current() != nil {
		name, _ := splitOp(op)
		panic(&Error{Op: name, Kind: ErrRuntime, Message: "not while a step is captured: a replay would not do it again" + capturedAt(trace.Capture(1))})
	}
}

// capturedAt names the line of the program in a stack.
func capturedAt(stack trace.ID) string {
	if f, ok := trace.Site(trace.Frames(stack)); ok {
		return fmt.Sprintf(" (captured at %s:%d)", f.File, f.Line)
	}
	return ""
}

// nameLine adds the line to an error of a crossing while a step is captured.
func (r *Raw) nameLine(e *Error) {
	if r.Ctx&abi.CtxModes != 0 && cgotorch.ModesOf(r.Ctx).Capture != 0 {
		e.Message += capturedAt(trace.ID(r.Ctx>>abi.CtxStackShift) & trace.MaxID)
	}
}

// nameStack adds to an error of a replay the line that the call at fault was captured at.
func nameStack(stack *uint32) {
	if *stack == 0 {
		return
	}
	if p := recover(); p != nil {
		if e, ok := p.(*Error); ok {
			e.Message += capturedAt(trace.ID(*stack))
		}
		panic(p)
	}
}

// Feed copies tensors into the inputs, for the next replay. There have to be as many as
// [Capture] was given, of the same shapes; it converts dtypes as Copy_ does. It panics with
// ErrValue for another number of tensors, with ErrShape for another shape, with ErrClosed
// for a closed graph or tensor and with ErrNil for a nil one.
func (g *Graph) Feed(inputs ...*Tensor) {
	const op = "Graph.Feed"
	g.lock(op)
	defer g.mu.Unlock()
	if len(inputs) != len(g.inputs) {
		panic(argError(op, ErrValue, "inputs", fmt.Sprintf("expected %d, got %d", len(g.inputs), len(inputs))))
	}
	for i, t := range inputs {
		if t == nil {
			panic(argError(op, ErrNil, "inputs", fmt.Sprintf("input %d is nil", i)))
		}
		if got, want := t.Shape(), g.inputs[i].Shape(); !slices.Equal(got, want) {
			panic(argError(op, ErrShape, "inputs", fmt.Sprintf("input %d has the shape %v, the captured one %v", i, got, want)))
		}
	}
	NoGrad(func() {
		for i, t := range inputs {
			if t != g.inputs[i] {
				g.inputs[i].Copy_(t)
			}
		}
	})
}

// Replay does what another call of the captured function would and returns its results,
// owned by the graph: the same tensors each time. It panics with ErrClosed for a closed graph; with
// ErrValue where the program has changed what the graph was captured with: memory or
// gradients of the tensors that it uses, whether gradients are recorded, autocast; and as the
// operators do, with the line that called one when it was captured. After such an error
// a step may have been done in part, as without a graph.
func (g *Graph) Replay() []*Tensor {
	const op = "Graph.Replay"
	g.lock(op)
	defer g.mu.Unlock()
	for _, fn := range g.before {
		fn()
	}
	var at uint32
	defer nameStack(&at)
	var st abi.Status
	r := BeginRaw(op)
	at, st = capture.Replay(r.Ctx, g.native)
	r.Status(st)
	return g.results
}

// Results returns the results, owned by the graph: the same tensors each time, with the
// values of the last replay, or of the recording. It panics with ErrNil for a nil graph and
// with ErrClosed for a closed one.
func (g *Graph) Results() []*Tensor {
	g.lock("Graph.Results")
	defer g.mu.Unlock()
	return slices.Clone(g.results)
}

// GraphStats says what a graph consists of.
type GraphStats struct {
	Operators  int   // that were captured
	Replayed   int   // of these, that a replay calls: views and constants stay
	ArenaBytes int64 // of one block for results within the step, which lie over each other
	OwnBytes   int64 // of results that others hold too: those of the step, gradients
	EagerBytes int64 // of all results, each in memory of its own
}

// Stats says what the graph consists of. It panics with ErrClosed for a closed graph.
func (g *Graph) Stats() GraphStats {
	g.lock("Graph.Stats")
	defer g.mu.Unlock()
	s := g.native.Stats()
	return GraphStats{Operators: s.Calls, Replayed: s.Replayed, ArenaBytes: s.Arena, OwnBytes: s.Own, EagerBytes: s.Eager}
}

// lock waits until no other goroutine uses the graph. It panics for one that is of no use.
func (g *Graph) lock(op string) {
	if g == nil {
		panic(&Error{Op: op, Kind: ErrNil, Message: "a nil graph"})
	}
	g.mu.Lock()
	if g.native == 0 {
		g.mu.Unlock()
		panic(&Error{Op: op, Kind: ErrClosed, Message: "the graph is closed"})
	}
}

// Close frees the graph, its memory and its results. Gradients stay with their parameters.
// It waits for a replay. Closing twice, and a nil graph, is no error.
func (g *Graph) Close() error {
	if g == nil {
		return nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.native == 0 {
		return nil
	}
	g.cleanup.Stop()
	g.native.Free()
	g.native = 0
	for _, t := range g.own {
		_ = t.Close()
	}
	g.inputs, g.results, g.own, g.before = nil, nil, nil, nil
	return nil
}
