package torch

import (
	"errors"
	"runtime"
	"strings"

	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/internal/live"
	"github.com/gotorch/gotorch/internal/oom"
	"github.com/gotorch/gotorch/internal/pacer"
	"github.com/gotorch/gotorch/internal/trace"
)

// Raw is one crossing into libtorch, for code that calls package cgotorch
// itself: the operators of torch/aten, layers and optimizers that fuse several
// operators, bindings of custom operators. Most programs never need it.
//
//	func Relu(x *torch.Tensor) *torch.Tensor {
//		h := x.Handle()
//		r := torch.BeginRaw("Relu(self)")
//		return r.Tensor(aten.Relu(r.Ctx, h), x)
//	}
//
// Between BeginRaw and the method that ends the crossing the goroutine holds a
// place among the few that may be in native code, so nothing there may panic,
// block or call another operator: fetch handles and check arguments before. In
// this module a test reads every crossing and holds it to that; code elsewhere is
// better off with [Crossing].
type Raw struct {
	Ctx abi.Ctx // the goroutine's state; the first argument of the call

	op    string
	state *goroutineState
	site  trace.ID // the calling stack, if somebody wants to know
}

// BeginRaw waits for admission to native code, has garbage freed first if native
// memory has passed the pacer's threshold, and returns the state to call it
// with. op names the operator and its tensor arguments for error messages, as
// in "MatMul(self, other)".
func BeginRaw(op string) Raw {
	r := Raw{op: op, state: current()}
	if r.state != nil {
		r.Ctx = r.state.ctx
		if r.state.crossing != "" {
			r.nested()
		}
	}
	if trace.On() {
		r.site = trace.Capture(1)
		r.Ctx |= abi.Ctx(r.site) << abi.CtxStackShift
	}
	running := native.Enter()
	for pacer.Pressed() {
		native.Leave()
		pacer.Relieve()
		running = native.Enter()
	}
	r.Ctx |= abi.Ctx(threadsFor(running)) << abi.CtxThreadsShift
	return r
}

// Crossing calls fn, which makes one call of package cgotorch with the state that
// it gets, and returns its result, a tensor owned by the innermost scope, else by
// the collector; nil where fn returns no tensor. op names the operator and args, its
// tensors, for error messages; args stay alive until fn is done. It panics with
// an *Error of the kind of the failure if the call failed, with ErrNil for a nil
// fn, with ErrValue for an empty op, and with what fn panics with, as ErrClosed for the handle of a closed tensor;
// the place in native code is then given back. fn may fetch handles. An operator
// of package torch panics in it, with ErrRuntime, and it may not wait for another
// goroutine, which could wait for its place for ever.
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
	r := BeginRaw(op)
	st.crossing = op
	defer func() {
		if st.crossing != "" { // fn did not return
			st.crossing = ""
			native.Leave()
		}
	}()
	ret := fn(r.Ctx)
	st.crossing = ""
	return r.Tensor(ret, args...)
}

// nested refuses an operator within the function of a Crossing, which would wait for
// the place that the goroutine holds itself, if no other is free.
//
//go:noinline
func (r Raw) nested() {
	op, _ := splitOp(r.op)
	within, _ := splitOp(r.state.crossing)
	panic(&Error{Op: op, Kind: ErrRuntime, Message: "called within the Crossing of " + within + ", which may call package cgotorch alone"})
}

// End ends the crossing of a call that cannot fail.
func (r Raw) End() {
	native.Leave()
	pacer.Succeed()
}

// Tensor ends the crossing and returns its result, a tensor owned by the
// innermost scope, else by the collector. It panics with an *Error that
// describes args if the call failed, of whatever kind the failure is; either
// way args stay alive until then. An undefined result is a nil *Tensor.
func (r Raw) Tensor(ret abi.Ret, args ...*Tensor) *Tensor {
	native.Leave()
	if ret.Err != 0 {
		r.fail(ret.Err, args)
	}
	runtime.KeepAlive(args)
	pacer.Succeed()
	return r.Wrap(ret.T)
}

// Status ends the crossing of a call that returns nothing but its success. It
// panics as [Raw.Tensor] does.
func (r Raw) Status(st abi.Status, args ...*Tensor) {
	native.Leave()
	if st != 0 {
		r.fail(st, args)
	}
	runtime.KeepAlive(args)
	pacer.Succeed()
}

// Wrap takes ownership of a handle that an ended crossing returned: the Tensor
// is owned by the innermost scope, else by the collector. Zero becomes nil. It
// does not panic.
func (r Raw) Wrap(h abi.Tensor) *Tensor {
	if h == 0 {
		return nil
	}
	t := newTensor(h)
	if live.On() {
		t.list(r.site)
	}
	if r.state != nil && r.state.scope != nil {
		r.state.scope.add(t)
	} else {
		t.ownByCollector()
	}
	return t
}

// WrapAll is Wrap for a list of handles, each owned as there.
func (r Raw) WrapAll(hs []abi.Tensor) []*Tensor {
	ts := make([]*Tensor, len(hs))
	for i, h := range hs {
		ts[i] = r.Wrap(h)
	}
	return ts
}

// fail is apart from its callers so that their argument lists stay on the
// stack.
//
//go:noinline
func (r Raw) fail(st abi.Status, args []*Tensor) {
	e := statusError(r.op, st, append([]*Tensor(nil), args...))
	if inner, ok := e.value.(*Error); ok && inner.Memory != nil {
		e.Memory = inner.Memory // the failure inside the callback is the one that counts
	}
	outOfMemory := e.Memory == nil && errors.Is(e, ErrOutOfMemory)
	pacer.Fail(outOfMemory)
	if outOfMemory && !strings.Contains(strings.ToLower(e.Message), oom.SizeOverflows) {
		e.explainMemory()
	}
	panic(e)
}

// Handle returns the tensor's native handle, which stays valid while t is open
// and reachable: pass t on to Raw.Tensor or Raw.Status, or to
// runtime.KeepAlive. The handle is borrowed, not to be freed. It panics with
// an *Error of kind ErrNil or ErrClosed.
func (t *Tensor) Handle() abi.Tensor { return t.handle("Handle(self)", 0) }

// OptionalHandle is Handle with a nil Tensor allowed, which gives zero. It
// panics with an *Error of kind ErrClosed for a closed one.
func (t *Tensor) OptionalHandle() abi.Tensor {
	if t == nil {
		return 0
	}
	return t.Handle()
}

// Handles returns the handles of ts, as Handle does, zero for a nil element. It
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
