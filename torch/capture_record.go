package torch

import (
	"errors"
	"fmt"
	"runtime"

	"github.com/gotorch/gotorch/cgotorch"
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/capture"
	"github.com/gotorch/gotorch/internal/native/modes"
	"github.com/gotorch/gotorch/internal/native/named"
	"github.com/gotorch/gotorch/internal/native/recording"
	"github.com/gotorch/gotorch/internal/native/trace"
)

// recorder is a recording in progress, of two passes over a step.
type recorder struct {
	g         *Graph
	native    capture.Graph
	lenient   bool
	unnamed   bool   // its errors name the lines of an earlier recording
	number    uint32 // the number of the libtorch mode that records
	r         *recording.Recording
	abandoned runtime.Cleanup // ends a recording that was neither finished nor dropped
	recorded  bool
	at        trace.ID // the line that began the recording
}

// newRecorder begins a recording for g. The caller must call finish or drop.
func newRecorder(op string, g *Graph, lenient bool) *recorder {
	native, number, st := capture.New(lenient)
	if st != 0 {
		panic(statusError(op, st, nil))
	}
	g.native, g.madeWith = native, defaultsNow()
	object := named.Made(named.CapturedGraphs)
	g.free = func() {
		native.Free()
		object.Gone()
	}
	g.cleanup = runtime.AddCleanup(g, func(free func()) { free() }, g.free)
	t := &recorder{g: g, native: native, lenient: lenient, number: number, r: recording.Start(number, lenient)}
	t.r.Optimize = g.optimize
	t.abandoned = runtime.AddCleanup(g, func(r *recording.Recording) { r.Stop(number) }, t.r)
	trace.Start()
	t.at = trace.Capture(1)
	trace.Stop()
	return t
}

// recordPass runs the step once, passing it copies of sources, and returns its
// results.
func (t *recorder) recordPass(op string, fn func() []*Tensor, copies, sources []*Tensor) (results []*Tensor) {
	if !t.unnamed {
		trace.Start() // record the lines of calls, so that errors name them
		defer trace.Stop()
	}
	t.r.Clear()
	to, from := Handles(op, copies, false), Handles(op, sources, false)
	raw := BeginRaw(op, copies...)
	raw.Use(sources...)
	raw.Status(capture.Pass(raw.Ctx, t.native, to, from))
	m := modes.Current()
	m.Capture = t.number
	modes.With(op, &m, func() { results = TidyAll(fn) })
	for i, r := range results {
		if r == nil {
			panic(argError(op, ErrNil, "fn", fmt.Sprintf("result %d is nil", i)))
		}
		r.handle(op+"(results)", 0)
	}
	given := Handles(op, results, false)
	raw = BeginRaw(op, results...)
	raw.Status(capture.Returned(raw.Ctx, t.native, given))
	return results
}

// finish compares the passes and lays out the memory. results are the results of the
// second pass, made in the current innermost scope.
func (t *recorder) finish(op string, results []*Tensor) {
	g := t.g
	// The caller gets copies of the results. A result may be a gradient, so the graph owns
	// another tensor over the same memory.
	if t.lenient {
		results = detached(results)
	}
	g.ownResults(op, results)
	if why := t.r.Failure(); why != "" {
		panic(&Error{Op: op, Kind: ErrRuntime, Message: why})
	}
	if t.r.HasRetried() {
		panic(retriedError(op))
	}
	var at uint32
	defer nameStack(&at)
	var st abi.Status
	read := g.inputs
	if t.lenient { // CaptureByShape: the step need not read its inputs
		read = nil
	}
	inputs, made := Handles(op, read, false), Handles(op, g.results, false)
	var changing []*Tensor // the inputs of an optimized graph
	if g.optimize {
		changing = g.inputs
	}
	varying := Handles(op, changing, false)
	raw := BeginRaw(op, read...)
	raw.Use(g.results...)
	raw.Use(changing...)
	if g.optimize {
		capture.Optimize(g.native, varying, g.compute == BFloat16)
	}
	at, st = capture.End(raw.Ctx, g.native, inputs, made)
	raw.Status(st)
	g.before, g.guards = t.r.Before(), t.r.Guards()
	t.stop()
	arena := g.native.Stats().Arena
	for _, b := range append(g.native.Packed(), arena[:]...) {
		if b.Bytes > 0 {
			remove := named.Add("graph"+recording.At(t.at), "Graphs", b.At, b.Bytes)
			g.named = append(g.named, remove)
			runtime.AddCleanup(g, func(remove func()) { remove() }, remove)
		}
	}
	t.recorded = true
}

// retriedReason says why a recording or an audit cannot be used if an operator was called
// again during it.
const retriedReason = "memory ran out while the step was recorded, and an operator was called again"

func retriedError(op string) *Error {
	return &Error{Op: op, Kind: ErrOutOfMemory, Message: retriedReason}
}

// explainRetry replaces the error about different passes if an operator was called again.
func (t *recorder) explainRetry(op string) {
	if !t.r.HasRetried() {
		return
	}
	p := recover()
	if e, ok := p.(*Error); ok && errors.Is(e, ErrRuntime) {
		p = retriedError(op)
	}
	if p != nil {
		panic(p)
	}
}

// detached returns tensors of the innermost scope that share memory with ts but have no
// history.
func detached(ts []*Tensor) []*Tensor {
	out := make([]*Tensor, len(ts))
	NoGrad(func() {
		for i, t := range ts {
			out[i] = t.Detach()
		}
	})
	return out
}

// ownResults makes the graph the owner of the tensors that the step made in the
// innermost scope.
func (g *Graph) ownResults(op string, results []*Tensor) {
	g.results = results
	for i, r := range results {
		if r.IsNested() || r.Layout() != Strided || r.DType().IsQuantized() {
			panic(&Error{
				Op: op, Kind: ErrRuntime,
				Message: fmt.Sprintf("result %d of the step is not dense and cannot be captured", i),
			})
		}
		if r.scope != nil && r.scope == states.Get().scope {
			g.owned = append(g.owned, Disown(r))
		}
	}
}

func (t *recorder) drop() {
	if !t.recorded {
		t.stop()
		_ = t.g.Close()
	}
}

// stop ends the recording in native code.
func (t *recorder) stop() {
	t.abandoned.Stop()
	t.r.Stop(t.number)
	t.r.Clear()
}

// notCaptured panics if this goroutine is capturing a step. It is called by functions
// that a replay cannot repeat and that do not call native code.
func notCaptured(op string) {
	r := recording.Current()
	if r == nil {
		return
	}
	name, _ := splitOp(op)
	why := "cannot be called while a step is being captured: a replay would not repeat it" +
		recording.At(trace.Capture(1))
	if !r.GiveUp(name + ": " + why) {
		panic(&Error{Op: name, Kind: ErrRuntime, Message: why})
	}
}

// nameLine adds the program's line to an error during a capture.
func (r *Raw) nameLine(e *Error) {
	if r.Ctx&abi.CtxModes != 0 && cgotorch.ModesOf(r.Ctx).Capture != 0 {
		e.Message += recording.At(trace.ID(r.Ctx>>abi.CtxStackShift) & trace.MaxID)
	}
}

// nameStack adds to a replay's error the line where the failing call was
// captured.
func nameStack(stack *uint32) {
	if *stack == 0 {
		return
	}
	if p := recover(); p != nil {
		if e, ok := p.(*Error); ok {
			e.Message += recording.At(trace.ID(*stack))
		}
		panic(p)
	}
}
