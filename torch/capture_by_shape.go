package torch

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/gotorch/gotorch/internal/native/goroutine"
	"github.com/gotorch/gotorch/internal/native/recording"
)

// A GraphsOption is an option of [CaptureByShape]: [NumWarmupIters],
// [MaxGraphs] or [AuditEvery].
//
//gotorch:options AuditEvery NumWarmupIters MaxGraphs
type GraphsOption interface{ graphsOption() }

// MaxGraphs is the number of graphs that [CaptureByShape] keeps. Beyond it, the
// least recently used graph is freed. The default is 32. A number below 1
// panics with ErrValue.
type MaxGraphs int

// Graphs is a step with one graph for each kind of inputs. [CaptureByShape]
// makes it. Several goroutines may call it; one call runs at a time.
type Graphs struct {
	mu     sync.Mutex
	user   atomic.Uintptr // the goroutine that holds mu
	fn     func(inputs []*Tensor) []*Tensor
	warm   int
	limit  int
	every  int // AuditEvery
	kinds  map[kind]*shapes
	last   []*variant // by use, the latest at the end
	why    []string   // steps are run without a graph
	calls  int        // so far
	vain   int        // graphs that were freed before they were worth recording
	closed bool
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
// Each call makes one step, as a call of fn does. For each combination, the
// first call runs fn to warm up (see [NumWarmupIters]), the next two run and
// record it, and later calls replay the graph. If a step cannot be captured,
// calls keep running fn, and a warning gives the reason, once for each reason.
// See [Capture] for what a graph cannot do. If the program changes what a graph
// depends on, the graph is recorded again.
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
	s := &Graphs{fn: fn, warm: 1, limit: 32, kinds: map[kind]*shapes{}}
	for _, o := range opts {
		switch o := o.(type) {
		case NumWarmupIters:
			if s.warm = int(o); o < 0 {
				panic(argError(op, ErrValue, "opts", fmt.Sprintf("expected 0 or more warm-ups, got %d", int(o))))
			}
		case AuditEvery:
			s.every = checkAuditEvery(op, o)
		case MaxGraphs:
			if s.limit = int(o); o < 1 {
				panic(argError(op, ErrValue, "opts", fmt.Sprintf("expected 1 or more graphs, got %d", int(o))))
			}
		default:
			panic(badOption(op, o))
		}
	}
	return s
}

// Call makes a step and returns its results, which are new tensors without
// history. It panics with ErrNil for a nil input, with ErrClosed for a closed
// input or after Close, and with ErrRuntime inside the step. It passes on
// panics of the step.
func (s *Graphs) Call(inputs ...*Tensor) []*Tensor {
	const op = "Graphs.Call"
	s.lock(op)
	defer s.unlock()
	k := s.kindOf(op, inputs)
	if recording.Current() != nil { // a part of a step that is captured
		return s.run(op, inputs)
	}
	s.calls++
	of := s.kinds[k]
	if of == nil {
		of = new(shapes)
		s.forget()
		s.kinds[k] = of
	}
	if of.eager == "" {
		for _, v := range slices.Clone(of.variants) {
			if v.changed() != "" {
				continue
			}
			if fits := v.fits(op); fits < 0 {
				s.strike(v, "the gradients that it adds to or reads are other tensors at each step; set them to "+
					"zero instead of dropping them, or drop them within the step")
				continue
			} else if fits > 0 {
				continue
			}
			if v.take != nil {
				return s.second(op, v, inputs)
			}
			if v.g.feed(op, inputs) {
				return s.run(op, inputs)
			}
			e := v.g.stands(op)
			if e == nil && v.g.audits.due() {
				if e = v.g.check(op); e == nil {
					if results, ok := s.audit(op, v, inputs); ok {
						return results
					}
				}
			}
			if e == nil {
				e = v.g.replay(op)
			}
			if e == nil {
				if v.runs++; v.runs == settled {
					of.strikes = 0
				}
				s.used(v)
				return clones(op, v.g.results)
			}
			s.strike(v, e.Message)
			break
		}
	}
	if of.eager != "" {
		return s.run(op, inputs)
	}
	// Copies of inputs that share memory do not share it, so this runs on the inputs first.
	if of.calls++; of.calls <= s.warm || of.calls == 1 && sharing(inputs) {
		return s.watched(of, inputs, inputs, func() []*Tensor { return s.run(op, inputs) })
	}
	if k.modes.AutocastCPU && !k.modes.NoCache && k.grad {
		s.eager(of,
			"autocast around the step keeps the casts of weights from one step to the next: put it into the step")
		return s.run(op, inputs)
	}
	if s.full() {
		s.note(s.crowded())
		return s.run(op, inputs)
	}
	return s.first(op, of, inputs)
}

// sharing reports whether two of the inputs share memory.
func sharing(inputs []*Tensor) bool {
	for i, t := range inputs {
		if cannotFeed(t) == "" && slices.ContainsFunc(inputs[:i], func(o *Tensor) bool {
			return cannotFeed(o) == "" && t.SharesStorage(o)
		}) {
			return true
		}
	}
	return false
}

// watched makes a step on given in place of inputs. If the step writes to them
// or gives one a gradient, watched stops using graphs and copies the changes to
// inputs.
func (s *Graphs) watched(of *shapes, inputs, given []*Tensor, step func() []*Tensor) []*Tensor {
	versions := versionsOf(given)
	required := make([]bool, len(given))
	for i, t := range given {
		required[i] = t.RequiresGrad()
	}
	results := step()
	var why []string
	for i, n := range versionsOf(given) {
		if n == versions[i] {
			continue
		}
		if given[i] != inputs[i] {
			NoGrad(func() { inputs[i].Copy_(given[i]) })
		}
		why = append(why, fmt.Sprintf("input %d is written to by the step, which a graph would do to its own copy", i))
	}
	for i, t := range given {
		if !t.RequiresGrad() || required[i] {
			continue
		}
		if t != inputs[i] {
			inputs[i].SetRequiresGrad(true)
			if grad := t.Grad(); grad != nil {
				inputs[i].SetGrad(grad)
				_ = grad.Close()
			}
		}
		why = append(why, fmt.Sprintf("input %d is made to require a gradient by the step, which a graph would give "+
			"its own copy", i))
	}
	for _, w := range why {
		s.eager(of, w)
	}
	return results
}

// run makes a step without a graph.
func (s *Graphs) run(op string, inputs []*Tensor) []*Tensor {
	return TidyAll(func() []*Tensor { return clones(op, TidyAll(func() []*Tensor { return s.fn(inputs) })) })
}

// first makes a step and records it for the first time.
func (s *Graphs) first(op string, of *shapes, inputs []*Tensor) []*Tensor {
	g := &Graph{audits: audits{every: s.every}}
	for i, t := range inputs {
		why := cannotFeed(t)
		if why == "" {
			var c *Tensor
			NoGrad(func() { c = Disown(copyOf(t)) })
			g.inputs, g.own = append(g.inputs, c), append(g.own, c)
			if !slices.Equal(t.Stride(), c.Stride()) {
				why = fmt.Sprintf("has the strides %v, so that elements share memory: pass Contiguous() of it",
					t.Stride())
			}
		}
		if why != "" {
			closeAll(g.own)
			s.eager(of, fmt.Sprintf("input %d %s", i, why))
			return s.run(op, inputs)
		}
	}
	var t *take
	if err := Try(func() { t = newTake(op, g, true) }); err != nil { // too many at once: another call will do
		closeAll(g.own)
		return s.run(op, inputs)
	}
	v := &variant{of: of, g: g, take: t}
	done := false
	defer func() {
		if !done {
			v.take.drop()
		}
	}()
	results := s.watched(of, inputs, g.inputs, func() []*Tensor {
		return TidyAll(func() []*Tensor {
			return clones(op, v.take.pass(op, func() []*Tensor { return s.fn(g.inputs) }, g.inputs, inputs))
		})
	})
	if of.eager != "" {
		return results
	}
	g.guards = v.take.r.Guards()
	v.take.r.Begin() // what the step asked for may hold the graph, and the second pass may never come
	of.variants = append(of.variants, v)
	s.used(v)
	done = true
	return results
}

// audit makes a step without the graph and compares it with the graph. If they
// differ, this kind of inputs runs without graphs from now on. If the graph
// cannot be audited now, audit does nothing and returns false.
func (s *Graphs) audit(op string, v *variant, inputs []*Tensor) (results []*Tensor, ok bool) {
	var why string
	results = s.watched(v.of, inputs, v.g.inputs, func() []*Tensor {
		return TidyAll(func() []*Tensor {
			var made []*Tensor
			if made, why, ok = v.g.audit(op, func() []*Tensor { return s.fn(v.g.inputs) }, v.g.inputs, inputs); ok &&
				why == "" {
				v.g.adopt(op, nil) // results are copies
			}
			return clones(op, made)
		})
	})
	switch {
	case why != "":
		s.eager(v.of, why)
	case ok && v.of.eager == "":
		v.runs++
		s.used(v)
	}
	return results, ok
}

func versionsOf(ts []*Tensor) []int64 {
	versions := make([]int64, len(ts))
	for i, t := range ts {
		if !t.IsInference() { // which has none
			versions[i] = t.TensorVersion()
		}
	}
	return versions
}

// second makes a step, records it for the second time and builds the graph.
func (s *Graphs) second(op string, v *variant, inputs []*Tensor) []*Tensor {
	t := v.take
	done := false
	defer func() {
		if !done {
			s.remove(v)
		}
	}()
	v.g.feed(op, inputs)
	results := TidyAll(func() []*Tensor {
		var made []*Tensor
		results := s.watched(v.of, inputs, v.g.inputs, func() []*Tensor {
			made = t.pass(op, func() []*Tensor { return s.fn(v.g.inputs) }, v.g.inputs, inputs)
			return clones(op, made)
		})
		if v.of.eager != "" {
			return results
		}
		if err := Try(func() { t.end(op, made) }); err != nil {
			s.strike(v, typed(err).Message)
			return results
		}
		v.take = nil
		s.used(v)
		return results
	})
	done = true
	return results
}

// Len returns the number of graphs, including those being recorded.
func (s *Graphs) Len() int {
	s.lock("Graphs.Len")
	defer s.unlock()
	return len(s.last)
}

// Refused returns the reasons why steps run without a graph, each once.
func (s *Graphs) Refused() []string {
	s.lock("Graphs.Refused")
	defer s.unlock()
	return slices.Clone(s.why)
}

// lock waits until no other goroutine uses the graphs. It panics if they are
// nil, zero or closed.
func (s *Graphs) lock(op string) {
	if s == nil || s.fn == nil {
		panic(&Error{Op: op, Kind: ErrNil, Message: "nil graphs, or some that CaptureByShape did not make"})
	}
	if !s.enter() {
		panic(&Error{Op: op, Kind: ErrRuntime, Message: "the step calls itself"})
	}
	if s.closed {
		s.unlock()
		panic(&Error{Op: op, Kind: ErrClosed, Message: "the graphs are closed"})
	}
}

// enter waits until no other goroutine is in a step, and returns true; the
// caller must then unlock. Inside the step itself it returns false.
func (s *Graphs) enter() bool {
	me := goroutine.ID()
	if !s.mu.TryLock() {
		if s.user.Load() == me {
			return false
		}
		s.mu.Lock()
	}
	s.user.Store(me)
	return true
}

func (s *Graphs) unlock() {
	s.user.Store(0)
	s.mu.Unlock()
}

// Close frees all graphs. It waits for a running call. Inside the step it
// returns an error of kind ErrRuntime. Closing twice, or closing nil Graphs,
// does nothing.
func (s *Graphs) Close() error {
	if s == nil {
		return nil
	}
	if !s.enter() {
		return &Error{Op: "Graphs.Close", Kind: ErrRuntime, Message: "the step closes the graphs that it is called by"}
	}
	defer s.unlock()
	for len(s.last) > 0 {
		s.remove(s.last[0])
	}
	s.closed, s.kinds = true, nil
	return nil
}
