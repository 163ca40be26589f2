package torch

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"

	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/capture"
	"github.com/gotorch/gotorch/internal/native/recording"
)

// Graph is a captured step: the operators below autograd, in order, over fixed memory. A
// replay runs all of them in one native call, without dispatching, recording gradients or
// allocating. [Capture] makes a Graph.
//
// A graph owns its memory and the results. It keeps the other tensors of the
// step alive, but does not own them. Several goroutines may use a graph; one
// call runs at a time.
type Graph struct {
	mu       sync.Mutex
	native   capture.Graph // the native graph; 0 after Close and for a CUDA graph
	device   *recording.DeviceGraph
	inputs   []*Tensor
	results  []*Tensor
	owned    []*Tensor // the results that the step made
	clone    bool
	optimize bool
	compute  DType            // 0 without ComputeDType
	fn       func() []*Tensor // the argument of Capture
	audits   auditSchedule
	madeWith defaults        // the defaults at the start of the step
	before   []func()        // functions to call before each replay
	guards   []func() string // called earlier; each returns what has changed, or ""
	named    []func()        // remove the graph's memory from summaries
	free     func()          // frees native
	cleanup  runtime.Cleanup // frees a graph that was never closed
}

// Feed copies tensors into the inputs for the next replay. They must match the
// inputs in number and shape. Dtypes are converted as far as [CanCast] allows.
// It panics with ErrValue for a wrong number of tensors, with ErrShape for a
// wrong shape, with ErrType for a dtype that cannot be converted, with
// ErrClosed for a closed graph or tensor, and with ErrNil for a nil one.
func (g *Graph) Feed(inputs ...*Tensor) {
	const op = "Graph.Feed"
	g.lock(op)
	defer g.mu.Unlock()
	g.mustFit(op, inputs)
	g.feed(op, inputs)
}

// mustFit panics for inputs that do not match the captured ones.
func (g *Graph) mustFit(op string, inputs []*Tensor) {
	if len(inputs) != len(g.inputs) {
		panic(argError(op, ErrValue, "inputs", fmt.Sprintf("expected %d tensors, got %d", len(g.inputs), len(inputs))))
	}
	for i, t := range inputs {
		if t == nil {
			panic(argError(op, ErrNil, "inputs", fmt.Sprintf("input %d is nil", i)))
		}
		t.handle(op+"(inputs)", 0)
		if got, want := t.Shape(), g.inputs[i].Shape(); !slices.Equal(got, want) {
			e := argError(op, ErrShape, "inputs",
				fmt.Sprintf("input %d has shape %v, but the captured input had %v", i, got, want))
			e.Remedy = "torch.CaptureByShape keeps a graph for each shape"
			panic(e)
		}
		if got, want := t.DType(), g.inputs[i].DType(); !CanCast(got, want) {
			panic(argError(op, ErrType, "inputs",
				fmt.Sprintf("input %d has dtype %v, which cannot be cast to %v, the captured dtype", i, got, want)))
		}
	}
}

// Call is [Graph.Feed] and [Graph.Replay] in one step that other goroutines
// cannot interrupt. The graph owns the results, or the caller with
// [CloneResults]. Goroutines that share a graph need CloneResults, because the
// next replay overwrites the graph's own results. It panics with ErrValue,
// ErrShape, ErrType, ErrNil and ErrClosed as Feed and Replay do.
func (g *Graph) Call(inputs ...*Tensor) []*Tensor {
	const op = "Graph.Call"
	g.lock(op)
	defer g.mu.Unlock()
	g.mustFit(op, inputs)
	g.feed(op, inputs)
	return g.step(op)
}

// feed copies the inputs. In a graph of CaptureByShape, an input may share memory that
// the step writes to through a different tensor. Then feed returns true and does nothing.
func (g *Graph) feed(op string, inputs []*Tensor) (written bool) {
	if g.device != nil {
		NoGrad(func() {
			for i, t := range inputs {
				if t != g.inputs[i] {
					g.inputs[i].Copy_(t)
				}
			}
		})
		return false
	}
	to, from := Handles(op, g.inputs, false), Handles(op, inputs, false)
	r := BeginRaw(op, inputs...)
	r.Use(g.inputs...)
	written, st := capture.Feed(r.Ctx, g.native, to, from)
	r.Status(st)
	return written
}

// Replay does the same as another call of the captured function and returns its results.
// They are the same tensors each time and belong to the graph; with [CloneResults] they
// are copies that belong to the caller.
//
// It panics with ErrClosed for a closed graph, and with ErrValue if the program has
// changed what the graph depends on. That includes memory, shapes, strides, gradients and
// requires-grad flags of the tensors that the step uses. It also includes parameter
// groups and state of optimizers, training modes of layers, the gradient mode, autocast,
// deterministic algorithms, oneDNN, and what an audit finds (see [AuditEvery]).
//
// It also panics with the errors of the captured operators, which name the line that
// called the operator. After such an error part of the step may have been done. Gradients
// then exist only if the step adds to them.
func (g *Graph) Replay() []*Tensor {
	const op = "Graph.Replay"
	g.lock(op)
	defer g.mu.Unlock()
	return g.step(op)
}

// step replays the graph, or audits it, and returns the results.
func (g *Graph) step(op string) []*Tensor {
	e := g.prepareReplay(op)
	if e == nil {
		if done := g.auditable() && g.audits.due() && g.auditStep(op); !done {
			e = g.replay(op)
		}
	}
	if e != nil {
		panic(e)
	}
	if g.clone {
		return clones(op, g.results)
	}
	return slices.Clone(g.results)
}

// auditable reports whether this call may be an audit. CUDA graphs cannot be
// compared, and during a capture a replay is an error.
func (g *Graph) auditable() bool { return g.device == nil && recording.Current() == nil }

// prepareReplay returns an error if the program or its layers have changed what the
// graph depends on. It also feeds the numbers that change from step to step.
func (g *Graph) prepareReplay(op string) *Error {
	if g.device != nil {
		return nil
	}
	if why := g.changed(); why != "" {
		return &Error{Op: op, Kind: ErrValue, Message: why}
	}
	if err := Try(func() {
		for _, fn := range g.before {
			fn()
		}
	}); err != nil {
		return typed(err)
	}
	return nil
}

// replay runs a graph that was checked with prepareReplay. If native code finds a
// change, replay returns an error and does nothing. It panics as the operators
// do.
func (g *Graph) replay(op string) *Error {
	if g.device != nil {
		g.device.Replay()
		return nil
	}
	var at uint32
	defer nameStack(&at)
	var stale bool
	var st abi.Status
	err := Try(func() {
		r := BeginRaw(op)
		at, stale, st = capture.Replay(r.Ctx, g.native)
		r.Status(st)
	})
	switch {
	case err == nil:
		return nil
	case stale:
		return typed(err)
	}
	panic(err)
}

// typed returns an error of Try as an *Error.
func typed(err error) (e *Error) {
	errors.As(err, &e)
	return e
}

// changed returns the change that a layer or optimizer of the step reports, or
// "".
func (g *Graph) changed() string {
	if now := defaultsNow(); now != g.madeWith {
		return fmt.Sprintf("new tensors are %s on %s by default, but were %s on %s when the step was captured",
			now.dtype, now.device, g.madeWith.dtype, g.madeWith.device)
	}
	for _, guard := range g.guards {
		if why := guard(); why != "" {
			return why
		}
	}
	return ""
}

// defaults holds the default dtype and device of new tensors.
type defaults struct {
	dtype  DType
	device Device
}

func defaultsNow() defaults { return defaults{DefaultDType(), DefaultDevice()} }

// clones copies results for the caller, without history.
func clones(op string, results []*Tensor) []*Tensor {
	out := make([]*Tensor, len(results))
	NoGrad(func() {
		for i, t := range results {
			if t == nil {
				panic(argError(op, ErrNil, "fn", fmt.Sprintf("result %d is nil", i)))
			}
			out[i] = t.Clone()
		}
	})
	return out
}

// Results returns the results with the values of the last replay or of the
// recording. They are the same tensors each time and belong to the graph. It
// panics with ErrNil for a nil graph and with ErrClosed for a closed one.
func (g *Graph) Results() []*Tensor {
	g.lock("Graph.Results")
	defer g.mu.Unlock()
	return slices.Clone(g.results)
}

// GraphStats holds statistics of a graph.
type GraphStats struct {
	Operators int // the number of captured operators
	Replayed  int // the number of operators that a replay calls, which are all but views and constants
	// ArenaBytes is the size of the memory that results share. It includes small results
	// that also count in OwnBytes.
	ArenaBytes int64
	// OwnBytes is the size of results that are used outside of the graph: results that
	// the step returns, and gradients.
	OwnBytes int64
	// EagerBytes is the memory that all results would need if they did not share any.
	EagerBytes int64
}

// Stats returns statistics of the graph, which are all zero for a CUDA graph. It panics
// with ErrClosed for a closed graph.
func (g *Graph) Stats() GraphStats {
	g.lock("Graph.Stats")
	defer g.mu.Unlock()
	if g.device != nil {
		return GraphStats{}
	}
	s := g.native.Stats()
	return GraphStats{
		Operators: s.Calls, Replayed: s.Replayed, ArenaBytes: s.Arena[0].Bytes + s.Arena[1].Bytes,
		OwnBytes: s.Own, EagerBytes: s.Eager,
	}
}

// lock waits until no other goroutine uses the graph. It panics if the graph is
// nil, zero or closed.
func (g *Graph) lock(op string) {
	if g == nil {
		panic(&Error{Op: op, Kind: ErrNil, Message: "a nil graph"})
	}
	g.mu.Lock()
	if g.native == 0 && g.device == nil {
		g.mu.Unlock()
		panic(&Error{Op: op, Kind: ErrClosed, Message: "the graph is closed"})
	}
}

func closeAll(ts []*Tensor) {
	for _, t := range ts {
		_ = t.Close()
	}
}

// Close frees the graph, its memory and its results. Gradients stay with their
// parameters. It waits for a running replay. Closing twice, or closing a nil
// graph, does nothing.
func (g *Graph) Close() error {
	if g == nil {
		return nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case g.device != nil:
		g.device.Close()
		g.device = nil
	case g.native != 0:
		g.cleanup.Stop()
		for _, remove := range g.named {
			remove()
		}
		g.free()
		g.native = 0
	}
	closeAll(g.owned)
	g.inputs, g.results, g.owned, g.before, g.guards, g.fn = nil, nil, nil, nil, nil, nil
	return nil
}
