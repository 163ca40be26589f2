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

// Raw is one call into libtorch, for code that calls package cgotorch itself:
// the operators of torch/aten, fused layers and optimizers, custom operators.
// Most programs never need it.
//
//	func Relu(x *torch.Tensor) *torch.Tensor {
//		h := x.Handle()
//		r := torch.BeginRaw("Relu(self)", x)
//		return r.Tensor(aten.Relu(r.Ctx, h))
//	}
//
// Pass BeginRaw every tensor whose handle the call takes. Their memory then
// stays valid until the call ends, even if another goroutine closes them.
// Between BeginRaw and the method that ends the call, the goroutine holds one
// of the few slots for native code. So code there must not panic, block or call
// another operator. Fetch handles and check arguments before BeginRaw. A test
// of this module checks this for all its calls; other code should use
// [Crossing].
type Raw struct {
	Ctx abi.Ctx // the goroutine's state; pass it as the first argument of the call

	op    string
	args  []*Tensor // the tensors that are in use until the crossing ends
	named int       // the number of args that an error describes
	ended bool
	state *goroutineState
}

// BeginRaw waits for a slot in native code and returns the state for the call.
// It first frees garbage if native memory has passed the pacer's threshold. op
// names the operator and its tensor arguments for error messages, as in
// "MatMul(self, other)". args are these tensors in the same order, with nil for
// an absent optional one. They count as in use until the call ends. If op names
// no arguments, as in "SGD.Step", errors do not describe the tensors. It panics
// with ErrClosed if a tensor was closed, and with ErrRuntime inside the
// function of a [Crossing].
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

// Use marks further tensors, such as the elements of a list, as in use until
// the call ends. Errors do not describe them. Call it between BeginRaw and the
// native call. It skips nil elements. It panics with ErrClosed for a closed
// one.
func (r *Raw) Use(ts ...*Tensor) {
	if len(ts) == 0 {
		return
	}
	before := len(r.args)
	r.args = slices.Concat(r.args, ts) // a copy, so that ts stays on the caller's stack
	for i, t := range ts {
		if t != nil && !t.acquire() {
			r.args = r.args[:before+i+1]
			op, _ := splitOp(r.op) // r.op lists only the arguments of BeginRaw
			r.closedMeanwhile(op, i)
		}
	}
}

// closedMeanwhile ends a call whose argument i, the last acquired, was closed
// after its handle was fetched.
//
//go:noinline
func (r *Raw) closedMeanwhile(op string, i int) {
	e := r.args[len(r.args)-1].unusable(strings.Clone(op), i)
	r.leave()
	panic(e)
}

// leave gives back the slot in native code and releases the arguments.
func (r *Raw) leave() {
	entry.Leave()
	r.ended = true
	releaseAll(r.args)
}

// abandon releases the arguments if leave did not run, because the goroutine
// ended in a callback. The callback has given back the slot already.
func (r *Raw) abandon() {
	if !r.ended {
		releaseAll(r.args)
	}
}

// Crossing calls fn, which makes one call of package cgotorch with the state
// cx, and returns fn's result as a tensor, or nil. op names the operator and
// args, its tensors, for error messages; args stay in use until fn returns.
//
//	func Relu(x *torch.Tensor) *torch.Tensor {
//		return torch.Crossing("Relu(self)", func(cx abi.Ctx) abi.Ret {
//			return aten.Relu(cx, x.Handle())
//		}, x)
//	}
//
// fn must return a handle that its native call created, not the handle of an
// argument, because the result owns it. fn may fetch handles. It must not wait
// for another goroutine, which could deadlock, and operators of package torch
// panic in it with ErrRuntime.
//
// It panics with an *Error if the native call failed, with ErrNil for a nil fn,
// with ErrValue for an empty op, and with ErrClosed for a closed tensor. A
// panic of fn passes through.
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
		if st.crossing != "" { // fn panicked or ended its goroutine
			st.crossing = ""
			r.leave()
		}
		r.abandon()
	}()
	ret := fn(r.Ctx)
	st.crossing = ""
	return r.Tensor(ret)
}

// nested panics if an operator is called inside the function of a Crossing, because the
// operator could wait for a slot forever.
//
//go:noinline
func (r *Raw) nested() {
	op, _ := splitOp(strings.Clone(r.op))
	within, _ := splitOp(r.state.crossing)
	panic(&Error{
		Op: op, Kind: ErrRuntime,
		Message: "called inside the Crossing of " + within + ", where a function may call only package cgotorch",
	})
}

// End ends a call that cannot fail.
func (r *Raw) End() {
	r.leave()
	pacer.Succeed()
}

// Tensor ends the call and returns its result. An undefined result is a nil
// *Tensor. If the call failed, it panics with an *Error that describes the
// arguments of BeginRaw.
func (r *Raw) Tensor(ret abi.Ret) *Tensor {
	r.leave()
	if ret.Err != 0 {
		r.fail(ret.Err)
	}
	pacer.Succeed()
	return r.Wrap(ret.T)
}

// tensorInto is [Raw.Tensor], but stores the result in t, which must be empty.
func (r *Raw) tensorInto(t *Tensor, ret abi.Ret) {
	r.leave()
	if ret.Err != 0 {
		r.fail(ret.Err)
	}
	pacer.Succeed()
	t.take(ret.T)
	r.own(t)
}

// Status ends a call without a result. It panics as [Raw.Tensor] does.
func (r *Raw) Status(st abi.Status) {
	r.leave()
	if st != 0 {
		r.fail(st)
	}
	pacer.Succeed()
}

// Wrap takes ownership of a handle that a finished call returned, and returns
// it as a Tensor. Zero becomes nil. It does not panic.
func (r *Raw) Wrap(h abi.Tensor) *Tensor {
	if h == 0 {
		return nil
	}
	t := newTensor(h)
	r.own(t)
	return t
}

// own gives a new tensor to the innermost scope or to the garbage collector.
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

// WrapAll is [Raw.Wrap] for a list of handles.
func (r *Raw) WrapAll(hs []abi.Tensor) []*Tensor {
	ts := make([]*Tensor, len(hs))
	for i, h := range hs {
		ts[i] = r.Wrap(h)
	}
	return ts
}

// fail panics with the error of a failed call. It copies what the error refers
// to, so that r and the argument lists of operators stay on the stack.
//
//go:noinline
func (r *Raw) fail(st abi.Status) {
	args := slices.Clone(r.args[:r.named])
	if !strings.Contains(r.op, "(") {
		args = nil
	}
	e := statusError(strings.Clone(r.op), st, args)
	if inner, ok := e.value.(*Error); ok && inner.Memory != nil {
		e.Memory = inner.Memory // the operator in the callback ran out of memory
	}
	r.nameLine(e)
	outOfMemory := e.Memory == nil && errors.Is(e, ErrOutOfMemory)
	pacer.Fail(outOfMemory)
	if outOfMemory && !strings.Contains(strings.ToLower(e.Message), oom.SizeOverflows) {
		e.explainMemory()
	}
	panic(e)
}

// Handle returns the tensor's native handle. It is valid while t is open and
// reachable, or in use by a call: pass t to [BeginRaw] or [Crossing]. The
// caller must not free it. It panics with an *Error of kind ErrNil or
// ErrClosed.
func (t *Tensor) Handle() abi.Tensor { return t.handle("Handle(self)", 0) }

// OptionalHandle is [Tensor.Handle], but returns zero for a nil Tensor. It
// panics with an *Error of kind ErrClosed for a closed one.
func (t *Tensor) OptionalHandle() abi.Tensor {
	if t == nil {
		return 0
	}
	return t.Handle()
}

// Handles returns the handles of ts. Pass ts to [BeginRaw] or [Raw.Use]. If
// optional is set, a nil element gives zero. It panics with an *Error of kind
// ErrClosed for a closed element, and of kind ErrNil for a nil one unless
// optional is set.
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
