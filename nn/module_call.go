package nn

import (
	"fmt"

	"github.com/gotorch/gotorch/internal/native/own"
	"github.com/gotorch/gotorch/torch"
)

// Call runs the Forward of a module: Python's __call__. A Forward method passes
// its input to Call, and the function that does the work:
//
//	func (n *Net) Forward(x *torch.Tensor) *torch.Tensor {
//		return n.Call(x, func(x *torch.Tensor) *torch.Tensor {
//			return n.fc.Forward(F.ReLU(x))
//		})
//	}
//
// Call runs the hooks and frees every tensor that fn leaves behind except the
// result. It makes an error name the layer it came from, with the shapes of its
// parameters. The result belongs to the enclosing scope, like any new tensor.
//
// The first call checks the fields of the module and panics with ErrValue for a
// layer or parameter in a map or deeper in the struct that was never registered. So does a call without
// [Base.Init]. A nil fn is ErrNil. Panics of fn pass through. Any number of
// goroutines may use Call at once.
//
// If a struct embeds a module and its Forward calls the module's own Forward,
// hooks run only for the outer one, as with super().forward(x) in Python. Nor
// do they run again if the Forward of such a struct calls itself.
func (b *Base) Call(x *torch.Tensor, fn func(x *torch.Tensor) *torch.Tensor) *torch.Tensor {
	b.exists("Call")
	returned := false
	defer blame(b, &returned, x)
	b.watched(nil)
	var y *torch.Tensor
	if f := b.flags.Load(); f&(flagReady|flagUser|flagHooks|flagSuper) == flagReady|flagUser && fn != nil && everyModule.Load() == nil &&
		b.checked.Load() == replacements.Load() {
		y = torch.Tidy(func() *torch.Tensor {
			own.Mark(own.Call)
			return fn(x)
		})
	} else {
		b.callable("Call", fn == nil)
		if b.inSuper() {
			returned = true // what goes wrong is the other's
			return torch.Tidy(func() *torch.Tensor { return fn(x) })
		}
		y = b.callSlow(x, fn)
	}
	returned = true
	return y
}

// inSuper reports whether the Forward of a struct that embeds this module runs on
// the goroutine, and has called the module's own, as super().forward(x) in Python.
func (b *Base) inSuper() bool { return b.has(flagSuper) && own.InCall(b) }

// callable panics unless there is a function to call, and a module that Init was
// called for. A layer of this package whose Call is used has a struct around it
// that did not say so, and whose other fields nobody would train.
func (b *Base) callable(op string, noFn bool) {
	b.initialized(op)
	if noFn {
		panic(torch.NilFunc(op, "fn"))
	}
	if !b.has(flagUser) {
		panic(torch.NewError(op, torch.ErrValue, "receiver", fmt.Sprintf("the struct that embeds this %s has not called Init: n.Init(n)", goName(b.self))))
	}
}

// callSlow is Call the first time and with hooks.
func (b *Base) callSlow(x *torch.Tensor, fn func(x *torch.Tensor) *torch.Tensor) *torch.Tensor {
	b.prepare("Call")
	return torch.Tidy(func() *torch.Tensor {
		b.begin()
		return b.run([]*torch.Tensor{x}, func(in []*torch.Tensor) []*torch.Tensor { return []*torch.Tensor{fn(in[0])} })[0]
	})
}

// CallN is [Base.Call] for modules with another number of inputs or results.
// Optional tensors may be nil. It panics as Call does.
//
//	func (n *Net) Forward(a, b *torch.Tensor) *torch.Tensor {
//		return n.CallN([]*torch.Tensor{a, b}, func(in []*torch.Tensor) []*torch.Tensor {
//			return []*torch.Tensor{in[0].Mul(in[1])}
//		})[0]
//	}
func (b *Base) CallN(in []*torch.Tensor, fn func(in []*torch.Tensor) []*torch.Tensor) []*torch.Tensor {
	b.exists("CallN")
	returned := false
	defer blame(b, &returned, in...)
	b.callable("CallN", fn == nil)
	b.watched(nil)
	if b.inSuper() {
		returned = true
		return torch.TidyAll(func() []*torch.Tensor { return fn(in) })
	}
	b.prepare("CallN")
	out := b.tidyN(in, fn)
	returned = true
	return out
}

func (b *Base) tidyN(in []*torch.Tensor, fn func(in []*torch.Tensor) []*torch.Tensor) []*torch.Tensor {
	return torch.TidyAll(func() []*torch.Tensor {
		b.begin()
		return b.run(in, fn)
	})
}

// begin says whose call the innermost scope is.
func (b *Base) begin() {
	if b.has(flagSuper) {
		own.BeginCall(b)
	} else {
		own.Mark(own.Call)
	}
}

// leaf is Call for the layers of this package, whose Forward leaves no
// temporaries. A layer that another struct embeds, whose Forward has called
// Call, does its work alone, as super().forward(x) in Python.
func leaf(m Layer, x *torch.Tensor, fn func(x *torch.Tensor) *torch.Tensor) *torch.Tensor {
	returned := false
	defer blameLayer(m, &returned, x)
	b := m.ModuleBase()
	b.watched(m)
	var y *torch.Tensor
	switch f := b.flags.Load(); {
	case f&flagOuter != 0:
		returned = true // what goes wrong is the other's
		return fn(x)
	case f&(flagReady|flagHooks) == flagReady && everyModule.Load() == nil:
		y = fn(x)
	default:
		made("Forward", m)
		y = b.callSlow(x, fn)
	}
	returned = true
	return y
}

// leaf2 is leaf for two tensors to one, as in a loss.
func leaf2(m Module, x, y *torch.Tensor, fn func(x, y *torch.Tensor) *torch.Tensor) *torch.Tensor {
	returned := false
	defer blameLayer(m, &returned, x, y)
	b := m.ModuleBase()
	b.watched(m)
	var z *torch.Tensor
	switch f := b.flags.Load(); {
	case f&flagOuter != 0:
		returned = true
		return fn(x, y)
	case f&(flagReady|flagHooks) == flagReady && everyModule.Load() == nil:
		z = fn(x, y)
	default:
		made("Forward", m)
		b.prepare("Forward")
		z = torch.Tidy(func() *torch.Tensor {
			return b.run([]*torch.Tensor{x, y}, func(in []*torch.Tensor) []*torch.Tensor { return []*torch.Tensor{fn(in[0], in[1])} })[0]
		})
	}
	returned = true
	return z
}

// callN is CallN for a layer of this package.
func callN(m Module, in []*torch.Tensor, fn func(in []*torch.Tensor) []*torch.Tensor) []*torch.Tensor {
	returned := false
	defer blameLayer(m, &returned, in...)
	b := m.ModuleBase()
	b.watched(m)
	if b.has(flagOuter) {
		returned = true
		return torch.TidyAll(func() []*torch.Tensor { return fn(in) })
	}
	made("Forward", m)
	b.prepare("Forward")
	out := b.tidyN(in, fn)
	returned = true
	return out
}
