package torch

import (
	"errors"
	"slices"
	"strings"

	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/internal/native/entry"
	"github.com/gotorch/gotorch/internal/native/live"
	"github.com/gotorch/gotorch/internal/native/pacer"
	"github.com/gotorch/gotorch/internal/native/trace"
	"github.com/gotorch/gotorch/internal/oom"
)

// Raw is one crossing into libtorch, for code that calls package cgotorch
// itself: the operators of torch/aten, layers and optimizers that fuse several
// operators, bindings of custom operators. Most programs never need it.
//
//	func Relu(x *torch.Tensor) *torch.Tensor {
//		h := x.Handle()
//		r := torch.BeginRaw("Relu(self)", x)
//		return r.Tensor(aten.Relu(r.Ctx, h))
//	}
//
// BeginRaw gets every tensor whose handle the call takes: from there to the method
// that ends the crossing their memory stays, even if another goroutine closes them.
// Between the two the goroutine holds a
// place among the few that may be in native code, so nothing there may panic,
// block or call another operator: fetch handles and check arguments before. In
// this module a test reads every crossing and holds it to that; code elsewhere is
// better off with [Crossing].
type Raw struct {
	Ctx abi.Ctx // the goroutine's state; the first argument of the call

	op    string
	args  []*Tensor // in use until the crossing ends
	named int       // how many of args an error describes
	ended bool
	state *goroutineState
}

// BeginRaw waits for admission to native code, has garbage freed first if native
// memory has passed the pacer's threshold, and returns the state to call it
// with. op names the operator and its tensor arguments for error messages, as
// in "MatMul(self, other)". args are these tensors, in the same order, nil for one
// that is not given: they count as in use until the crossing ends. Where op names
// none, as in "SGD.Step", errors describe none. It panics with
// ErrClosed if one of them was closed meanwhile; the place is given back then. It panics
// with ErrRuntime, without a place, where the function of a [Crossing] calls it.
func BeginRaw(op string, args ...*Tensor) Raw {
	r := Raw{op: op, named: len(args), state: states.Get()}
	if r.state != nil {
		r.Ctx = r.state.ctx
		if r.state.crossing != "" {
			r.nested()
		}
	}
	if trace.On() {
		r.Ctx |= abi.Ctx(trace.Capture(1)) << abi.CtxStackShift
	}
	collectNow()
	threads := entry.Enter()
	if most := r.Ctx & ctxThreads; most != 0 { // see WithNumThreads
		threads = min(threads, most)
		r.Ctx &^= ctxThreads
	}
	r.Ctx |= threads
	for i, t := range args {
		if t != nil && !t.acquire() {
			r.args = args[:i+1]
			r.closedMeanwhile(r.op, i)
		}
	}
	r.args = args
	return r
}

// Use counts further tensors as in use until the crossing ends, such as the
// elements of a list, which an error does not describe. It is called between
// BeginRaw and the native call. Nil elements do not count. It panics with
// ErrClosed if one was closed meanwhile, as BeginRaw does.
func (r *Raw) Use(ts ...*Tensor) {
	if len(ts) == 0 {
		return
	}
	before := len(r.args)
	r.args = slices.Concat(r.args, ts) // a copy, so that ts stays on the caller's stack
	for i, t := range ts {
		if t != nil && !t.acquire() {
			r.args = r.args[:before+i+1]
			op, _ := splitOp(r.op) // its arguments are others
			r.closedMeanwhile(op, i)
		}
	}
}

// closedMeanwhile ends a crossing whose argument i of op, the last that was acquired,
// was closed after its handle was fetched.
//
//go:noinline
func (r *Raw) closedMeanwhile(op string, i int) {
	e := r.args[len(r.args)-1].unusable(strings.Clone(op), i)
	r.leave()
	panic(e)
}

// leave gives the place in native code back, and the arguments.
func (r *Raw) leave() {
	entry.Leave()
	r.ended = true
	releaseAll(r.args)
}

// abandon gives the arguments back if the crossing has not ended: the goroutine has,
// in a callback, which gave the place back before.
func (r *Raw) abandon() {
	if !r.ended {
		releaseAll(r.args)
	}
}

// Crossing calls fn, which makes one call of package cgotorch with the state that
// it gets, and returns its result, a tensor owned by the innermost scope, else by
// the collector; nil where fn returns no tensor. op names the operator and args, its
// tensors, for error messages; args count as in use until fn is done. It panics with
// an *Error of the kind of the failure if the call failed, with ErrNil for a nil
// fn, with ErrValue for an empty op, with ErrClosed for a closed tensor, and with
// what fn panics with; the place in native code is then given back. The handle that
// fn returns has to be one that it got from its call: the result owns it, so that of an
// argument would be freed twice. fn may fetch handles. An operator of package torch panics in it, with ErrRuntime, and it may
// not wait for another goroutine, which could wait for its place for ever.
//
//	func Relu(x *torch.Tensor) *torch.Tensor {
//		return torch.Crossing("Relu(self)", func(cx abi.Ctx) abi.Ret {
//			return aten.Relu(cx, x.Handle())
//		}, x)
//	}
func Crossing(op string, fn func(cx abi.Ctx) abi.Ret, args ...*Tensor) *Tensor {
	if fn == nil {
		panic(NilFunc("Crossing", "fn"))
	}
	if op == "" {
		panic(NewError("Crossing", ErrValue, "op", "expected the operator's name"))
	}
	st := enterState()
	defer st.leave()
	r := BeginRaw(op, args...)
	st.crossing = op
	defer func() {
		if st.crossing != "" { // fn did not return
			st.crossing = ""
			r.leave()
		}
		r.abandon()
	}()
	ret := fn(r.Ctx)
	st.crossing = ""
	return r.Tensor(ret)
}

// nested refuses an operator within the function of a Crossing, which would wait for
// the place that the goroutine holds itself, if no other is free.
//
//go:noinline
func (r *Raw) nested() {
	op, _ := splitOp(strings.Clone(r.op))
	within, _ := splitOp(r.state.crossing)
	panic(&Error{Op: op, Kind: ErrRuntime, Message: "called within the Crossing of " + within + ", which may call package cgotorch alone"})
}

// End ends the crossing of a call that cannot fail.
func (r *Raw) End() {
	r.leave()
	pacer.Succeed()
}

// Tensor ends the crossing and returns its result, a tensor owned by the
// innermost scope, else by the collector. It panics with an *Error that
// describes the arguments of BeginRaw if the call failed, of whatever kind the
// failure is. An undefined result is a nil *Tensor.
func (r *Raw) Tensor(ret abi.Ret) *Tensor {
	r.leave()
	if ret.Err != 0 {
		r.fail(ret.Err)
	}
	pacer.Succeed()
	return r.Wrap(ret.T)
}

// tensorInto is Tensor for a Tensor that was made before and holds nothing yet.
func (r *Raw) tensorInto(t *Tensor, ret abi.Ret) {
	r.leave()
	if ret.Err != 0 {
		r.fail(ret.Err)
	}
	pacer.Succeed()
	t.take(ret.T)
	r.own(t)
}

// Status ends the crossing of a call that returns nothing but its success. It
// panics as [Raw.Tensor] does.
func (r *Raw) Status(st abi.Status) {
	r.leave()
	if st != 0 {
		r.fail(st)
	}
	pacer.Succeed()
}

// Wrap takes ownership of a handle that an ended crossing returned: the Tensor
// is owned by the innermost scope, else by the collector. Zero becomes nil. It
// does not panic.
func (r *Raw) Wrap(h abi.Tensor) *Tensor {
	if h == 0 {
		return nil
	}
	t := newTensor(h)
	r.own(t)
	return t
}

// own gives a tensor that was just made to the innermost scope, else to the collector.
func (r *Raw) own(t *Tensor) {
	if live.On() {
		t.list(trace.ID(r.Ctx>>abi.CtxStackShift) & trace.MaxID)
	}
	if r.state != nil && r.state.scope != nil {
		r.state.scope.add(t)
	} else {
		t.ownByCollector()
	}
}

// WrapAll is Wrap for a list of handles, each owned as there.
func (r *Raw) WrapAll(hs []abi.Tensor) []*Tensor {
	ts := make([]*Tensor, len(hs))
	for i, h := range hs {
		ts[i] = r.Wrap(h)
	}
	return ts
}

// fail copies what the error refers to, so that r and the argument lists of all
// operators stay on the stack.
//
//go:noinline
func (r *Raw) fail(st abi.Status) {
	args := slices.Clone(r.args[:r.named])
	if !strings.Contains(r.op, "(") {
		args = nil
	}
	e := statusError(strings.Clone(r.op), st, args)
	if inner, ok := e.value.(*Error); ok && inner.Memory != nil {
		e.Memory = inner.Memory // the failure inside the callback is the one that counts
	}
	r.nameLine(e)
	outOfMemory := e.Memory == nil && errors.Is(e, ErrOutOfMemory)
	pacer.Fail(outOfMemory)
	if outOfMemory && !strings.Contains(strings.ToLower(e.Message), oom.SizeOverflows) {
		e.explainMemory()
	}
	panic(e)
}

// Handle returns the tensor's native handle, which is valid while t is open and
// reachable, or in use by a crossing: pass t on to [BeginRaw] or [Crossing]. The
// handle is borrowed, not to be freed. It panics with an *Error of kind ErrNil or
// ErrClosed.
func (t *Tensor) Handle() abi.Tensor { return t.handle("Handle(self)", 0) }

// OptionalHandle is Handle with a nil Tensor allowed, which gives zero. It
// panics with an *Error of kind ErrClosed for a closed one.
func (t *Tensor) OptionalHandle() abi.Tensor {
	if t == nil {
		return 0
	}
	return t.Handle()
}

// Handles returns the handles of ts, as Handle does, zero for a nil element; pass ts
// on to [BeginRaw] or to [Raw.Use]. It
// panics with an *Error of kind ErrClosed for a closed element, and of kind
// ErrNil for a nil one unless optional is set.
func Handles(op string, ts []*Tensor, optional bool) []abi.Tensor {
	hs := make([]abi.Tensor, len(ts))
	for i, t := range ts {
		if t == nil && optional {
			continue
		}
		hs[i] = t.handle(op, i)
	}
	return hs
}
