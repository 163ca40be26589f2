package jit

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unsafe"

	native "github.com/gotorch/gotorch/cgotorch/jit"
	"github.com/gotorch/gotorch/torch"
)

// Forward calls the module with one tensor and returns its result, one tensor. Because of
// Forward, the module is an [nn.Layer], and its hooks run. Use [Module.Run] for other
// arguments and results. If the script returns x, the result shares x's memory.
//
// It panics with a *torch.Error. If an operator of the script rejects its arguments, the
// kind is the kind of the operator's error. If the script raises an exception, the kind
// is ErrRuntime, or ErrValue, ErrIndex and ErrType for ValueError, IndexError and
// TypeError. The error's Trace contains the script's stack. The kind is ErrType if
// forward does not take and return one tensor, ErrValue if there is no forward, and
// ErrClosed after Close.
func (m *Module) Forward(x *torch.Tensor) *torch.Tensor {
	if m == nil || m.shared == nil {
		m.enter("jit.Module.Forward", false) // panics
	}
	if m.shared.exclusive && m.shared.calls.Lock() {
		defer m.shared.calls.Unlock()
	}
	return m.Call(x, m.call)
}

// oneTensor encodes the arguments of a call with one tensor.
var oneTensor = [...]uint64{1, 0, native.Tensor}

func (m *Module) runOne(x *torch.Tensor) *torch.Tensor {
	const op = "jit.Module.Forward(input)"
	words := oneTensor
	out := m.execute(op, m.forward, words[:], []*torch.Tensor{x}, nil)
	if out.single == nil {
		panic(torch.NewError(op, torch.ErrType, "receiver",
			fmt.Sprintf("forward returns %s, not a tensor; use Run", out.what())))
	}
	return out.single
}

// Run calls forward with any arguments and returns its result; see the package
// documentation for the types. The last argument may be [Kwargs]. Hooks get the tensors
// in the arguments and in the result, in order. It panics as Forward does, and with
// ErrType or ErrValue for an argument that TorchScript does not support. Follows calling
// a ScriptModule.
func (m *Module) Run(args ...any) any {
	const op = "jit.Module.Run()"
	if m == nil || m.shared == nil {
		m.enter("jit.Module.Run", false) // panics
	}
	e := encoder{op: "jit.Module.Run"}
	e.arguments(args)
	if m.shared.exclusive && m.shared.calls.Lock() {
		defer m.shared.calls.Unlock()
	}
	var out outcome
	var before []*torch.Tensor
	after := m.CallN(e.tensors, func(in []*torch.Tensor) []*torch.Tensor {
		if len(in) != len(e.tensors) {
			panic(torch.NewError(e.op, torch.ErrValue, "args",
				fmt.Sprintf("a hook returned %d tensors, expected %d", len(in), len(e.tensors))))
		}
		out = m.execute(op, m.forward, e.words, in, e.objects)
		before = slices.Clone(out.tensors)
		return out.tensors
	})
	return out.after(before, after)
}

// RunMethod calls the method with the given name, as m.name(...) does in Python. It is
// like [Module.Run], but runs no hooks. It panics as Run does, and with ErrValue if there
// is no such method.
func (m *Module) RunMethod(name string, args ...any) any {
	const op = "jit.Module.RunMethod()"
	e := encoder{op: "jit.Module.RunMethod"}
	f := m.find(e.op, name)
	e.arguments(args)
	if m.shared.exclusive && m.shared.calls.Lock() {
		defer m.shared.calls.Unlock()
	}
	out := m.execute(op, f, e.words, e.tensors, e.objects)
	return out.value
}

// outcome is the result of calling a method.
type outcome struct {
	single  *torch.Tensor // the result, if the result is one tensor
	value   any
	words   []uint64
	tensors []*torch.Tensor // the tensors within value
	objects []*Object
}

func (o *outcome) what() string {
	switch o.value.(type) {
	case nil:
		return "None"
	case Tuple, *NamedTuple:
		return "a tuple"
	case *Dict:
		return "a dict"
	}
	return fmt.Sprintf("a value of type %T", o.value)
}

// after returns the result with replaced tensors: hooks have replaced each tensor in the
// slice before with the tensor at the same index in the slice after.
func (o *outcome) after(before, after []*torch.Tensor) any {
	switch {
	case slices.Equal(before, after):
		return o.value
	case len(before) != len(after):
		panic(torch.NewError("jit.Module.Run", torch.ErrValue, "result",
			fmt.Sprintf("a hook returned %d tensors, expected %d", len(after), len(before))))
	case o.single != nil:
		return after[0]
	}
	// the objects exist already, so the decoder does not make them again
	d := decoder{words: o.words, tensors: after, objects: o.objects}
	return d.value()
}

func (m *Module) execute(op string, f native.Function, words []uint64, tensors []*torch.Tensor,
	objects []*Object,
) outcome {
	name := strings.TrimSuffix(strings.TrimSuffix(op, "(input)"), "()")
	alone := m.shared.exclusive
	m.watch()
	m.enter(name, alone)
	defer m.leave(alone)
	if f == 0 {
		panic(torch.NewError(name, torch.ErrValue, "receiver", "the module has no forward; use RunMethod"))
	}
	if len(objects) > 0 {
		defer hold(name, objects, alone)()
	}
	hs := torch.Handles(op, tensors, true)
	r := torch.BeginRaw(op, tensors...)
	res, st := native.Run(r.Ctx, m.h, f, words, hs)
	r.Status(st)
	var out outcome
	if res.Words == nil {
		out.single = r.Wrap(res.Single)
		if out.single != nil {
			out.tensors, out.value = []*torch.Tensor{out.single}, out.single
		}
	} else {
		d := decoder{words: res.Words, tensors: r.WrapAll(res.Tensors), shared: m.shared}
		out = outcome{value: d.value(), words: res.Words, tensors: d.tensors, objects: d.objects}
	}
	if alone {
		m.shared.refresh(name)
	}
	return out
}

// hold locks objects so that they stay open until release is called. If alone is true, no
// other call can use them. hold locks them in the order of their addresses to avoid
// deadlocks.
func hold(op string, objects []*Object, alone bool) (release func()) {
	objects = slices.Clone(objects)
	slices.SortFunc(objects, func(a, b *Object) int {
		return cmp.Compare(uintptr(unsafe.Pointer(a)), uintptr(unsafe.Pointer(b)))
	})
	held := 0
	release = func() {
		for _, o := range objects[:held] {
			if alone {
				o.mu.Unlock()
			} else {
				o.mu.RUnlock()
			}
		}
	}
	for _, o := range objects {
		if alone {
			o.mu.Lock()
		} else {
			o.mu.RLock()
		}
		held++
		if o.h == 0 {
			release()
			o.open(op) // panics
		}
	}
	return release
}

func (m *Module) find(op, name string) native.Function {
	m.enter(op, false)
	defer m.leave(false)
	r := torch.BeginRaw(op)
	f, st := native.Find(m.h, name)
	r.Status(st)
	if f == 0 {
		panic(torch.NewError(op, torch.ErrValue, "name",
			fmt.Sprintf("there is no method %q; the methods are %s", name, strings.Join(m.methods(op), ", "))))
	}
	return f
}

// Methods returns the names of the module's methods, including forward.
func (m *Module) Methods() []string {
	const op = "jit.Module.Methods"
	m.enter(op, false)
	defer m.leave(false)
	return m.methods(op)
}

// HasMethod reports whether the module has a method with that name.
func (m *Module) HasMethod(name string) bool { return slices.Contains(m.Methods(), name) }

func (m *Module) methods(op string) []string {
	r := torch.BeginRaw(op)
	out, st := native.Text(m.h, 0, native.Schema)
	r.Status(st)
	d := decoder{words: out.Words}
	names := make([]string, d.word())
	for i := range names {
		names[i] = d.text()
	}
	return names
}

// Schema returns the signature of a method, such as "forward(__torch__.Net self, Tensor
// x) -> Tensor". It panics as RunMethod does.
func (m *Module) Schema(method string) string {
	return m.text("jit.Module.Schema", method, native.Schema)
}

// Code returns the source of a method, as TorchScript prints it. It panics as RunMethod
// does. Follows ScriptModule.code.
func (m *Module) Code(method string) string { return m.text("jit.Module.Code", method, native.Code) }

// Graph returns the graph of a method before optimization. It panics as RunMethod does.
// Follows ScriptModule.graph.
func (m *Module) Graph(method string) string { return m.text("jit.Module.Graph", method, native.Graph) }

func (m *Module) text(op, method string, what int) string {
	f := m.find(op, method)
	m.enter(op, false)
	defer m.leave(false)
	r := torch.BeginRaw(op)
	out, st := native.Text(m.h, f, what)
	r.Status(st)
	d := decoder{words: out.Words}
	return d.text()
}
