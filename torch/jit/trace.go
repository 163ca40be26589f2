package jit

import (
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/gotorch/gotorch/cgotorch/abi"
	native "github.com/gotorch/gotorch/cgotorch/jit"
	"github.com/gotorch/gotorch/internal/native/recording"
	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

// A TraceOption is an option of [Trace] and [TraceFunc]: [CheckTrace].
//
//gotorch:options CheckTrace
type TraceOption interface{ traceOption() }

// CheckTrace says whether the new module is called once with the same inputs, and its
// results compared; check_trace in Python. The default is true.
type CheckTrace bool

// Trace calls a layer once with x and returns a TorchScript module that calls the same
// operators. Save it to load it in Python with torch.jit.load, or anywhere else where
// TorchScript runs:
//
//	net.Eval()
//	s := jit.Trace(net, x)
//	defer s.Close()
//	err := s.Save("net.pt")
//
// The module has the parameters and buffers of the layer under the same names, and shares
// their memory. What Go code decides stays as it was in the call: the mode, branches and
// loops, and sizes and numbers that Go code read from tensors. So x.Flatten(1) works for any
// batch size, and x.View(x.Size(0), -1) only for that of x. Operators that other goroutines
// call are not recorded.
//
// It panics with ErrRuntime if the result does not depend on x through operators, as if a
// torch.Function computes it. The same happens if the new module computes something else, as
// with a layer that changes its own state; see [CheckTrace]. It panics with ErrValue within a
// captured step, and as [Module.Forward] does. Follows torch.jit.trace.
func Trace(l nn.Layer, x *torch.Tensor, opts ...TraceOption) *Module {
	const op = "jit.Trace"
	check := opt.Read(op, opts, CheckTrace(true))
	if opt.IsNil(l) {
		panic(torch.NewError(op, torch.ErrNil, "l", "expected a layer, got nil"))
	}
	call := func(in []*torch.Tensor) []*torch.Tensor { return []*torch.Tensor{l.Forward(in[0])} }
	return trace(op, l, call, []*torch.Tensor{x}, bool(check))
}

// TraceFunc is like [Trace] for a function with any number of tensors as inputs and results.
// Forward of the new module returns a [Tuple] unless there is exactly one result. m is the
// module whose parameters and buffers fn uses, or nil. Follows torch.jit.trace.
func TraceFunc(m nn.Module, fn func(in []*torch.Tensor) []*torch.Tensor, inputs []*torch.Tensor,
	opts ...TraceOption,
) *Module {
	const op = "jit.TraceFunc"
	check := opt.Read(op, opts, CheckTrace(true))
	if fn == nil {
		panic(torch.NilFunc(op, "fn"))
	}
	if opt.IsNil(m) {
		m = nil
	}
	return trace(op, m, fn, inputs, bool(check))
}

func trace(op string, m nn.Module, fn func(in []*torch.Tensor) []*torch.Tensor, inputs []*torch.Tensor,
	check bool,
) *Module {
	if recording.Current() != nil {
		panic(torch.NewError(op, torch.ErrValue, "receiver", "a captured step cannot be traced"))
	}
	for i, x := range inputs {
		if x == nil {
			panic(torch.NewError(op, torch.ErrNil, fmt.Sprintf("inputs[%d]", i), "a nil tensor"))
		}
		if slices.Index(inputs, x) < i {
			panic(torch.NewError(op, torch.ErrValue, fmt.Sprintf("inputs[%d]", i), "occurs twice; pass a Clone"))
		}
	}
	e := encoder{op: op, tensors: slices.Clone(inputs)}
	e.describe(m)
	before := torch.RNGState()
	defer func() { _ = before.Close() }()
	root, outs := record(op, &e, fn, inputs)
	traced := newModule(op, root)
	if check {
		if err := torch.Try(func() { traced.compare(op, before, inputs, outs) }); err != nil {
			_ = traced.Close() // never fails
			panic(err)
		}
	}
	return traced
}

// record calls fn and returns a module that calls the same operators, and the results of fn.
func record(op string, e *encoder, fn func(in []*torch.Tensor) []*torch.Tensor, inputs []*torch.Tensor,
) (root native.Module, outs []*torch.Tensor) {
	// libtorch records what the thread calls.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var t native.Trace
	hs := torch.Handles(op+"()", e.tensors, false)
	func() {
		r := torch.BeginRaw(op, e.tensors...)
		var st abi.Status
		t, st = native.TraceBegin(r.Ctx, e.words, hs, len(inputs))
		r.Status(st)
	}()
	ended := false
	defer func() {
		if !ended {
			native.TraceAbort(t)
		}
	}()
	outs = fn(slices.Clone(inputs))
	hs = torch.Handles(op+"(result)", outs, false)
	r := torch.BeginRaw(op, outs...)
	ended = true
	root, st := native.TraceEnd(t, hs)
	r.Status(st)
	return root, outs
}

// compare calls the module with the random numbers that the traced call drew, and compares
// the results.
func (m *Module) compare(op string, before *torch.Tensor, inputs, want []*torch.Tensor) {
	args := make([]any, len(inputs))
	for i, x := range inputs {
		args[i] = x
	}
	again := func() {
		torch.SetRNGState(before)
		var got []*torch.Tensor
		switch v := m.Run(args...).(type) {
		case *torch.Tensor:
			got = []*torch.Tensor{v}
		case Tuple:
			for _, t := range v {
				got = append(got, t.(*torch.Tensor))
			}
		}
		for i, t := range got {
			if !alike(t, want[i].Detach()) {
				panic(torch.NewError(op, torch.ErrRuntime, "result", fmt.Sprintf("result %d of the new module is "+
					"another one; if the function depends on earlier calls, use CheckTrace(false)", i)))
			}
		}
	}
	torch.ForkRNG(func() { torch.NoGrad(func() { torch.Scope(again) }) }, torch.CPU)
}

// alike reports whether two tensors are equal but for rounding.
func alike(a, b *torch.Tensor) bool {
	return a.DType() == b.DType() && a.Shape().Equal(b.Shape()) &&
		a.AllClose(b, torch.RTol(1e-5), torch.ATol(1e-5), torch.EqualNaN(true))
}

// describe writes a module as gt_jit_trace_begin expects it, without its program.
func (e *encoder) describe(m nn.Module) {
	where := func() string { return "m" }
	e.tag(native.Tuple, 4)
	if m == nil {
		class := "Function"
		e.text(class)
		e.value(false, 0, where)
		e.tag(native.List, 0)
		e.tag(native.List, 0)
		return
	}
	b := m.ModuleBase()
	e.text(identifier(b.TypeName()))
	e.value(b.Training(), 0, where)
	params, buffers := b.NamedParameters(nn.Recurse(false)), b.NamedBuffers(nn.Recurse(false))
	e.tag(native.List, len(params)+len(buffers))
	for i, n := range slices.Concat(params, buffers) {
		e.tag(native.Tuple, 3)
		e.text(n.Name)
		e.value(i < len(params), 0, where)
		e.value(n.Tensor, 0, where)
	}
	children := b.Children()
	e.tag(native.List, len(children))
	for _, c := range children {
		e.tag(native.Tuple, 2)
		e.text(c.Name)
		e.describe(c.Module)
	}
}

// identifier returns the name of a class without characters that TorchScript does not allow.
func identifier(name string) string {
	name = strings.Map(func(c rune) rune {
		if c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' {
			return c
		}
		return -1
	}, name)
	if name == "" || name[0] >= '0' && name[0] <= '9' {
		return "Module"
	}
	return name
}
