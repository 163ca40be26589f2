package torch

import (
	"fmt"
	"slices"

	"github.com/gotorch/gotorch/internal/native/goroutine"
	"github.com/gotorch/gotorch/internal/native/recording"
)

// A GraphsOption is an option of [CaptureByShape]: [NumWarmupIters],
// [MaxGraphs], [AuditEvery], [Optimize] or [ComputeDType].
//
//gotorch:options AuditEvery NumWarmupIters MaxGraphs Optimize ComputeDType
type GraphsOption interface{ graphsOption() }

// MaxGraphs is the number of graphs that [CaptureByShape] keeps. Beyond it, the
// least recently used graph is freed. The default is 32. A number below 1
// panics with ErrValue.
type MaxGraphs int

// Graphs is a step with one graph for each kind of inputs. [CaptureByShape]
// makes it. Several goroutines may call it; one call runs at a time.
type Graphs struct {
	// For each kind of inputs, the first calls run fn (see warm). The next call records
	// it (recordFirst), the one after that records it again and builds the graph
	// (recordSecond), and later calls replay the graph. If the program has changed what a
	// graph depends on, a further variant is recorded. After several failures, the kind
	// runs without graphs (giveUp).
	fn         func(inputs []*Tensor) []*Tensor
	warm       int // the value of NumWarmupIters
	limit      int // the value of MaxGraphs
	auditEvery int // the value of AuditEvery
	optimize   bool
	compute    DType // 0 without ComputeDType

	mu      goroutine.Mutex // held while a method runs; guards the fields below
	kinds   map[kind]*kindState
	byUse   []*variant // the variants in the order of their last use, the latest at the end
	reasons []string   // why steps ran without a graph
	calls   int        // the number of calls of the step so far
	wasted  int        // the number of graphs that were freed after too few replays to be worth the recording
	closed  bool
}

// CaptureByShape returns a step that runs as graphs. There is one graph for
// each combination of the inputs' dtypes, shapes and strides, the goroutine's
// modes (gradients, autocast) and the training mode of the layers that the step
// uses.
//
//	step := torch.CaptureByShape(func(in []*torch.Tensor) []*torch.Tensor {
//		opt.ZeroGrad()
//		loss := F.CrossEntropy(model.Forward(in[0]), in[1])
//		loss.Backward()
//		opt.Step()
//		return []*torch.Tensor{loss}
//	})
//	defer step.Close()
//	for batch := range batches {
//		loss := step.Call(batch.X, batch.Y)[0] // the short last batch has a graph of its own
//	}
//
// Each call runs one step, as a call of fn does. For each combination, the first call
// runs fn to warm up (see [NumWarmupIters]), the next two run and record it, and later
// calls replay the graph. If a step cannot be captured, calls keep running fn, and a
// warning gives the reason, once for each reason. See [Capture] for what a graph cannot
// do. If the program changes what a graph depends on, the graph is recorded again.
//
// fn gets the inputs, or copies of them while it is recorded. It must not use
// any other tensor that changes from call to call. A step that writes to its
// inputs runs without a graph. The results have no history, so the backward
// pass belongs in the step. It panics with ErrNil for a nil fn or option, and
// with ErrValue for an invalid option.
func CaptureByShape(fn func(inputs []*Tensor) []*Tensor, opts ...GraphsOption) *Graphs {
	const op = "CaptureByShape"
	if fn == nil {
		panic(NilFunc(op, "fn"))
	}
	s := &Graphs{fn: fn, warm: 1, limit: 32, kinds: map[kind]*kindState{}}
	for _, o := range opts {
		switch o := o.(type) {
		case NumWarmupIters:
			if s.warm = int(o); o < 0 {
				panic(argError(op, ErrValue, "opts", fmt.Sprintf("expected 0 or more warm-ups, got %d", int(o))))
			}
		case AuditEvery:
			s.auditEvery = checkAuditEvery(op, o)
		case Optimize:
			s.optimize = bool(o)
		case ComputeDType:
			s.compute = checkComputeDType(op, o)
		case MaxGraphs:
			if s.limit = int(o); o < 1 {
				panic(argError(op, ErrValue, "opts", fmt.Sprintf("expected 1 or more graphs, got %d", int(o))))
			}
		default:
			panic(badOption(op, o))
		}
	}
	needOptimize(op, s.compute, s.optimize)
	return s
}

// Call runs a step and returns its results, which are new tensors without history. It
// panics with ErrNil for a nil input, with ErrClosed for a closed input or after Close,
// and with ErrRuntime inside the step. It passes on panics of the step. If there is
// memory for the step but not for copies of its results, it panics with ErrOutOfMemory
// after the step has run.
func (s *Graphs) Call(inputs ...*Tensor) []*Tensor {
	const op = "Graphs.Call"
	s.lock(op)
	defer s.mu.Unlock()
	k := s.kindOf(op, inputs)
	if recording.Current() != nil { // this call is a part of a step that is being captured
		return s.run(op, inputs)
	}
	s.calls++
	st := s.stateOf(k)
	if st.refusal == "" {
		if results, ok := s.useGraph(op, st, inputs); ok {
			return results
		}
	}
	if st.refusal == "" {
		st.eagerCalls++
		// If inputs share memory, copies of them would not share it. So the first call uses
		// the inputs themselves.
		if st.eagerCalls <= s.warm || st.eagerCalls == 1 && shareMemory(inputs) {
			return s.watchInputs(st, inputs, inputs, func() []*Tensor { return s.run(op, inputs) })
		}
		if s.mayRecord(k, st) {
			return s.recordFirst(op, st, inputs)
		}
	}
	return s.run(op, inputs)
}

// run runs a step without a graph.
func (s *Graphs) run(op string, inputs []*Tensor) []*Tensor {
	return TidyAll(func() []*Tensor { return clones(op, TidyAll(func() []*Tensor { return s.fn(inputs) })) })
}

// Len returns the number of graphs, including those being recorded.
func (s *Graphs) Len() int {
	s.lock("Graphs.Len")
	defer s.mu.Unlock()
	return len(s.byUse)
}

// Refused returns the reasons why steps run without a graph, each once.
func (s *Graphs) Refused() []string {
	s.lock("Graphs.Refused")
	defer s.mu.Unlock()
	return slices.Clone(s.reasons)
}

// Close frees all graphs. It waits for a running call. Inside the step it
// returns an error of kind ErrRuntime. Closing twice, or closing nil Graphs,
// does nothing.
func (s *Graphs) Close() error {
	if s == nil {
		return nil
	}
	if !s.mu.Lock() {
		return &Error{Op: "Graphs.Close", Kind: ErrRuntime, Message: "the step closes its own graphs"}
	}
	defer s.mu.Unlock()
	for len(s.byUse) > 0 {
		s.remove(s.byUse[0])
	}
	s.closed, s.kinds = true, nil
	return nil
}
