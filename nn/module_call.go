package nn

import (
	"fmt"

	"github.com/gotorch/gotorch/internal/native/own"
	"github.com/gotorch/gotorch/torch"
)

// Call runs the Forward of a module; it is Python's __call__. A Forward method passes
// Call its input and the function that does the work:
//
//	func (n *Net) Forward(x *torch.Tensor) *torch.Tensor {
//		return n.Call(x, func(x *torch.Tensor) *torch.Tensor {
//			return n.fc.Forward(F.ReLU(x))
//		})
//	}
//
// Call runs the hooks and frees every tensor that fn leaves behind except the result. It
// adds the layer's name and the shapes of its parameters to errors. The result belongs to
// the enclosing scope, like any new tensor.
//
// The first call checks the fields of the module. It panics with ErrValue if a map or a
// nested struct holds a layer or parameter that is not registered. Call also panics with
// ErrValue if [Base.Init] was not called, and with ErrNil for a nil fn. Panics of fn pass
// through. Any number of goroutines may use Call at the same time.
//
// If a struct embeds a module and its Forward calls the module's own Forward, hooks run
// only for the outer module, as with super().forward(x) in Python. They also run only
// once if the Forward of such a struct calls itself.
func (b *Base) Call(x *torch.Tensor, fn func(x *torch.Tensor) *torch.Tensor) *torch.Tensor {
	b.mustExist("Call")
	done := false
	defer addModuleToPanic(b, &done, x)
	b.watch(nil)
	var y *torch.Tensor
	if b.isPlain() && fn != nil {
		y = torch.Tidy(func() *torch.Tensor {
			own.Mark(own.Call)
			return fn(x)
		})
	} else {
		b.mustBeCallable("Call", fn == nil)
		if b.inSuper() {
			done = true
			return torch.Tidy(func() *torch.Tensor { return fn(x) })
		}
		b.mustBeReady("Call")
		y = b.callSlow(x, fn)
	}
	done = true
	return y
}

// isPlain reports whether a call only has to run fn: the module is ready, no hooks run,
// and no struct embeds the module.
func (b *Base) isPlain() bool {
	return b.flags.Load()&(flagReady|flagUser|flagHooks|flagSuper) == flagReady|flagUser &&
		globalHooks.Load() == nil && b.checkedReplacements.Load() == replacementCount.Load()
}

// inSuper reports whether this is a super().forward(x) call: the goroutine runs the
// Forward of a struct that embeds this module, and that Forward has called the module's
// own Forward.
func (b *Base) inSuper() bool { return b.hasFlag(flagSuper) && own.InCall(b) }

// mustBeCallable panics if fn is nil or Init was not called. Call on a layer of this
// package means that a struct embeds it without calling Init, so the struct's other
// fields would not be trained.
func (b *Base) mustBeCallable(op string, noFn bool) {
	b.mustBeInitialized(op)
	if noFn {
		panic(torch.NilFunc(op, "fn"))
	}
	if !b.hasFlag(flagUser) {
		panic(torch.NewError(op, torch.ErrValue, "receiver",
			fmt.Sprintf("the struct that embeds this %s has not called Init: its constructor must call n.Init(n)",
				goName(b.self))))
	}
}

// callSlow runs fn and the hooks of a module that is ready.
func (b *Base) callSlow(x *torch.Tensor, fn func(x *torch.Tensor) *torch.Tensor) *torch.Tensor {
	return torch.Tidy(func() *torch.Tensor {
		b.markCall()
		return b.run([]*torch.Tensor{x},
			func(in []*torch.Tensor) []*torch.Tensor { return []*torch.Tensor{fn(in[0])} })[0]
	})
}

// Call2 is [Base.Call] for modules with two inputs:
//
//	func (n *Net) Forward(a, b *torch.Tensor) *torch.Tensor {
//		return n.Call2(a, b, func(a, b *torch.Tensor) *torch.Tensor { return n.fc.Forward(a.Mul(b)) })
//	}
//
// It panics as Call does.
func (b *Base) Call2(x, y *torch.Tensor, fn func(x, y *torch.Tensor) *torch.Tensor) *torch.Tensor {
	return b.callN("Call2", []*torch.Tensor{x, y}, asListFunc(fn))[0]
}

// asListFunc returns fn as a function that takes and returns a list of tensors, or nil
// if fn is nil.
func asListFunc(fn func(x, y *torch.Tensor) *torch.Tensor) func(in []*torch.Tensor) []*torch.Tensor {
	if fn == nil {
		return nil
	}
	return func(in []*torch.Tensor) []*torch.Tensor { return []*torch.Tensor{fn(in[0], in[1])} }
}

// CallN is [Base.Call] for modules with more inputs or several results.
// Optional tensors may be nil. It panics as Call does.
//
//	func (n *Net) Forward(x *torch.Tensor) (mean, logVar *torch.Tensor) {
//		out := n.CallN([]*torch.Tensor{x}, func(in []*torch.Tensor) []*torch.Tensor {
//			h := n.body.Forward(in[0])
//			return []*torch.Tensor{n.mean.Forward(h), n.logVar.Forward(h)}
//		})
//		return out[0], out[1]
//	}
func (b *Base) CallN(in []*torch.Tensor, fn func(in []*torch.Tensor) []*torch.Tensor) []*torch.Tensor {
	return b.callN("CallN", in, fn)
}

func (b *Base) callN(op string, in []*torch.Tensor,
	fn func(in []*torch.Tensor) []*torch.Tensor,
) []*torch.Tensor {
	b.mustExist(op)
	done := false
	defer addModuleToPanic(b, &done, in...)
	b.watch(nil)
	b.mustBeCallable(op, fn == nil)
	if b.inSuper() {
		done = true
		return torch.TidyAll(func() []*torch.Tensor { return fn(in) })
	}
	b.mustBeReady(op)
	out := b.runTidy(in, fn)
	done = true
	return out
}

func (b *Base) runTidy(in []*torch.Tensor, fn func(in []*torch.Tensor) []*torch.Tensor) []*torch.Tensor {
	return torch.TidyAll(func() []*torch.Tensor {
		b.markCall()
		return b.run(in, fn)
	})
}

// markCall records which module's call the innermost scope belongs to.
func (b *Base) markCall() {
	if b.hasFlag(flagSuper) {
		own.BeginCall(b)
	} else {
		own.Mark(own.Call)
	}
}

// callLayer is Call for the layers of this package, whose Forward leaves no temporaries.
// If a struct that embeds the layer already called Call, callLayer only does the layer's
// work, as super().forward(x) does in Python.
func callLayer(m Layer, x *torch.Tensor, fn func(x *torch.Tensor) *torch.Tensor) *torch.Tensor {
	return runLayer(m, []*torch.Tensor{x}, true, func() *torch.Tensor { return fn(x) },
		func(b *Base) *torch.Tensor { return b.callSlow(x, fn) })
}

// callLayer2 is callLayer for two inputs and one result, as in a loss.
func callLayer2(m Module, x, y *torch.Tensor, fn func(x, y *torch.Tensor) *torch.Tensor) *torch.Tensor {
	return runLayer(m, []*torch.Tensor{x, y}, true, func() *torch.Tensor { return fn(x, y) },
		func(b *Base) *torch.Tensor { return b.runTidy([]*torch.Tensor{x, y}, asListFunc(fn))[0] })
}

// callLayerN is CallN for a layer of this package.
func callLayerN(m Module, in []*torch.Tensor, fn func(in []*torch.Tensor) []*torch.Tensor) []*torch.Tensor {
	return runLayer(m, in, false,
		func() []*torch.Tensor { return torch.TidyAll(func() []*torch.Tensor { return fn(in) }) },
		func(b *Base) []*torch.Tensor { return b.runTidy(in, fn) })
}

// runLayer runs a layer's call. It calls work, which only computes the layer's result, or
// full, which also runs the hooks in a scope. Calling work is enough if there are no
// hooks and tidy is true: work then leaves no temporaries. runLayer allocates nothing.
func runLayer[T any](m Module, in []*torch.Tensor, tidy bool, work func() T, full func(b *Base) T) T {
	done := false
	defer addModuleToPanic(m, &done, in...)
	b := m.ModuleBase()
	b.watch(m)
	var result T
	switch f := b.flags.Load(); {
	case f&flagOuter != 0:
		done = true
		return work()
	case tidy && f&(flagReady|flagHooks) == flagReady && globalHooks.Load() == nil:
		result = work()
	default:
		mustBeMade("Forward", m)
		b.mustBeReady("Forward")
		result = full(b)
	}
	done = true
	return result
}
