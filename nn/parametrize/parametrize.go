// Package parametrize computes parameters of modules from other tensors, as
// torch.nn.utils.parametrize does. For example, a weight can stay symmetric, orthogonal or
// normalized during training.
//
//	parametrize.Register(layer, "weight", symmetric)
//
// After this call, each Forward of the layer computes layer.Weight. Between calls the field is nil;
// use [Value] to compute the tensor. The tensor that is trained and saved is
// "parametrizations.weight.original".
package parametrize

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

// Inverter is a parametrization, an [nn.Layer], that can be inverted: RightInverse returns a tensor
// for which Forward returns w. If a parametrization is not an Inverter, the current tensor becomes
// the original.
type Inverter interface {
	nn.Layer
	RightInverse(w *torch.Tensor) *torch.Tensor
}

// Splitter is a parametrization that computes one tensor from several. RightInverse returns the
// tensors for which Forward returns w. They then belong to the parametrized module, and may include
// w itself. A Splitter must be the first parametrization of a tensor.
type Splitter interface {
	nn.Module
	Forward(originals ...*torch.Tensor) *torch.Tensor
	RightInverse(w *torch.Tensor) []*torch.Tensor
}

// A RegisterOption is [Unsafe].
//
//gotorch:options Unsafe
type RegisterOption interface{ registerOption() }

// Unsafe says whether the parametrization may change the shape and dtype of the tensor. If it is
// false, a change causes a panic. The default is false.
type Unsafe bool

// Register parametrizes the parameter or buffer with the given name: from then on, p computes it. p
// is an [nn.Layer] or a [Splitter]. If the tensor is already parametrized, p is applied to the
// current result. The module owns p. The module prints as in Python, with "Parametrized" before its
// type.
//
// If p is not a Splitter, the parameter itself becomes the original, so an optimizer still holds
// it. If p is a Splitter, RightInverse splits the parameter into the originals. The parameter is
// then closed, unless RightInverse returned it as one of them.
//
// It panics with ErrNil for a nil module or option, with ErrValue if m has no tensor with the name
// or p changes its shape or dtype, and with ErrType if p has no suitable Forward. If it panics,
// nothing has changed. Follows torch.nn.utils.parametrize.register_parametrization.
func Register(m nn.Module, name string, p nn.Module, opts ...RegisterOption) {
	const op = "Register"
	unsafe := opt.Read(op, opts, Unsafe(false))
	b := mustHaveBase(op, "m", m)
	mustHaveBase(op, "p", p).SetTraining(b.Training())
	if l := listOf(m, name); l != nil {
		l.addNext(op, p, bool(unsafe))
		return
	}
	registerFirst(op, m, name, p, bool(unsafe))
}

// mustHaveBase returns the Base of a module. It panics if the module is nil.
func mustHaveBase(op, arg string, m nn.Module) *nn.Base {
	if opt.IsNil(m) {
		panic(torch.NewError(op, torch.ErrNil, arg, "a nil module"))
	}
	return m.ModuleBase()
}

// listOf returns the parametrizations of a tensor, or nil.
func listOf(m nn.Module, name string) *ParametrizationList {
	l, _ := m.ModuleBase().Get("parametrizations." + name).(*ParametrizationList)
	return l
}

// registerFirst adds the first parametrization of a tensor.
func registerFirst(op string, m nn.Module, name string, p nn.Module, unsafe bool) {
	b := m.ModuleBase()
	original, parameter := mustFindOriginal(op, b, name)
	switch p.(type) {
	case nn.Layer, Splitter:
	default:
		panic(torch.NewError(op, torch.ErrType, "p",
			fmt.Sprintf("a %s has no Forward that takes tensors and returns one tensor", p.ModuleBase().TypeName())))
	}
	grad := original.RequiresGrad()
	l := &ParametrizationList{ModuleList: nn.NewModuleList(p), unsafe: unsafe}
	l.Init(l)
	d, has := b.Get("parametrizations").(*nn.ModuleDict)
	if !has {
		d = nn.NewModuleDict()
	}
	torch.NoGrad(func() {
		torch.Scope(func() {
			before := original.Detach()
			done := false
			var parts []*torch.Tensor
			defer func() {
				if done {
					return
				}
				for _, t := range parts {
					if t != original {
						_ = t.Close()
					}
				}
				original.SetData(before)
				original.SetRequiresGrad(grad)
			}()
			parts = l.initOriginals(op, original, grad, parameter)
			if !unsafe {
				mustFit(op, before, l.Forward())
			}
			d.Add(name, l)
			if !has {
				b.Register("parametrizations", d)
				b.SetTypeName("Parametrized" + b.TypeName())
			}
			done = true
			kept := l.count == 0
			for _, t := range parts {
				kept = kept || t == original
			}
			b.Derive(name, func(m nn.Module) *torch.Tensor { return computeValue(m, name) })
			if !kept {
				_ = original.Close()
			}
		})
	})
}

// mustFindOriginal returns the tensor with a name, and reports whether it is a parameter.
func mustFindOriginal(op string, b *nn.Base, name string) (original *torch.Tensor, parameter bool) {
	if strings.Contains(name, ".") {
		panic(torch.NewError(op, torch.ErrValue, "name",
			fmt.Sprintf("%q is a path: parametrize the module that has the tensor", name)))
	}
	if t := b.GetParameter(name); t != nil {
		return t, true
	}
	if t := b.GetBuffer(name); t != nil {
		return t, false
	}
	panic(torch.NewError(op, torch.ErrValue, "name",
		fmt.Sprintf("the %s has no parameter or buffer %q", b.TypeName(), name)))
}

// initOriginals applies the inverse of the first parametrization to the tensor, and
// registers the results as the originals. For a Splitter, it returns the originals.
func (l *ParametrizationList) initOriginals(op string, original *torch.Tensor, grad, parameter bool) []*torch.Tensor {
	if _, ok := l.At(0).(Splitter); !ok {
		start := l.invert(op, original, false)[0]
		if start.DType() != original.DType() || start.Device() != original.Device() {
			panic(torch.NewError(op, torch.ErrValue, "p", fmt.Sprintf(
				"RightInverse returned %v on %v, expected %v on %v",
				start.DType(), start.Device(), original.DType(), original.Device())))
		}
		if start != original {
			original.SetData(start)
		}
		l.registerOriginal("original", original, parameter, grad)
		return nil
	}
	parts := l.invert(op, original, false)
	if len(parts) == 0 {
		panic(torch.NewError(op, torch.ErrValue, "p", "RightInverse returned no tensors"))
	}
	for i, t := range parts {
		if d := t.DType(); grad && !d.IsFloatingPoint() && !d.IsComplex() {
			panic(torch.NewError(op, torch.ErrDType, "p",
				fmt.Sprintf("RightInverse returned %v, which has no gradients, for a tensor that requires gradients",
					d)))
		}
		if t != original && (t.SharesStorage(original) || !t.IsLeaf()) {
			parts[i] = t.Detach()
		}
	}
	l.count = len(parts)
	for i, t := range parts {
		l.registerOriginal("original"+strconv.Itoa(i), t, parameter, grad)
	}
	return parts
}

// mustFit panics unless the tensors got and want have the same shape and dtype.
func mustFit(op string, want, got *torch.Tensor) {
	got.HandleFor(op+"(what p returned)", 0)
	if !got.Shape().Equal(want.Shape()) || got.DType() != want.DType() {
		panic(torch.NewError(op, torch.ErrValue, "p",
			fmt.Sprintf("the parametrization returned %v of shape %v, expected %v of shape %v; Unsafe(true) allows "+
				"this", got.DType(), got.Shape(), want.DType(), want.Shape())))
	}
}

// addNext appends a parametrization to the list.
func (l *ParametrizationList) addNext(op string, p nn.Module, unsafe bool) {
	layer, ok := p.(nn.Layer)
	if !ok {
		panic(torch.NewError(op, torch.ErrType, "p",
			fmt.Sprintf("parametrizations after the first need a Forward that takes and returns one tensor; a %s has "+
				"none", p.ModuleBase().TypeName())))
	}
	if !unsafe {
		torch.NoGrad(func() {
			torch.Scope(func() {
				y := l.Forward()
				x := layer.Forward(y)
				mustFit(op, y, x)
				if p, ok := p.(Inverter); ok {
					mustFit(op, y, p.RightInverse(x))
				}
			})
		})
	}
	l.Append(p)
	l.unsafe = l.unsafe || unsafe
}

// IsParametrized reports whether m has parametrized tensors. With names, it reports whether all
// tensors with these names are parametrized. It panics with ErrNil for a nil module. Follows
// torch.nn.utils.parametrize.is_parametrized.
func IsParametrized(m nn.Module, names ...string) bool {
	d, ok := mustHaveBase("IsParametrized", "m", m).Get("parametrizations").(*nn.ModuleDict)
	if !ok {
		return false
	}
	for _, n := range names {
		if !d.Has(n) {
			return false
		}
	}
	return d.Len() > 0
}

// Value computes a parametrized or pruned tensor, as reading m.weight does in Python. The result
// belongs to the innermost scope, unless it already has an owner. Gradients flow through it. It
// panics with ErrValue for any other tensor.
func Value(m nn.Module, name string) *torch.Tensor {
	const op = "Value"
	b := mustHaveBase(op, "m", m)
	if !b.IsDerived(name) {
		panic(torch.NewError(op, torch.ErrValue, "name", fmt.Sprintf("%q is not parametrized", name)))
	}
	return b.Derived(name)
}

// Set changes the originals so that the parametrized tensor becomes w, as m.weight = w
// does in Python. The caller keeps ownership of w. It panics with ErrValue for a tensor
// that is not parametrized, with ErrNotImplemented if a parametrization has no
// RightInverse, and with ErrShape if RightInverse returns tensors whose shapes differ
// from the originals' shapes.
func Set(m nn.Module, name string, w *torch.Tensor) {
	const op = "Set"
	mustHaveBase(op, "m", m)
	l := listOf(m, name)
	if l == nil {
		panic(torch.NewError(op, torch.ErrValue, "name", fmt.Sprintf("%q is not parametrized", name)))
	}
	w.HandleFor(op+"(w)", 0)
	torch.NoGrad(func() {
		torch.Scope(func() {
			originals := l.Originals()
			parts := l.invert(op, w, true)
			if len(parts) != len(originals) {
				panic(torch.NewError(op, torch.ErrValue, "m",
					fmt.Sprintf("RightInverse returned %d tensors, expected %d, one for each original", len(parts),
						len(originals))))
			}
			for i, t := range parts {
				if !t.Shape().Equal(originals[i].Shape()) || t.DType() != originals[i].DType() {
					panic(torch.NewError(op, torch.ErrShape, "w", fmt.Sprintf(
						"original %d is %v of shape %v, but its new value is %v of shape %v",
						i, originals[i].DType(), originals[i].Shape(), t.DType(), t.Shape())))
				}
			}
			for i, t := range parts {
				originals[i].Copy_(t)
			}
		})
	})
}

// A RemoveOption is [LeaveParametrized].
//
//gotorch:options LeaveParametrized
type RemoveOption interface{ removeOption() }

// LeaveParametrized says whether the tensor keeps its computed value. If false, it gets the value
// of the original instead. The default is true.
type LeaveParametrized bool

// Remove makes a parametrized tensor a plain parameter or buffer again. In the module's list of
// parameters or buffers it comes last. If there is a single original, that tensor becomes the
// parameter or buffer. Several originals are closed and replaced by a new tensor, so make the
// optimizer after Remove. The parametrizations are not closed. It panics with ErrValue for a tensor
// that is not parametrized, and for LeaveParametrized(false) with several originals. Follows
// torch.nn.utils.parametrize.remove_parametrizations.
func Remove(m nn.Module, name string, opts ...RemoveOption) {
	const op = "Remove"
	leave := opt.Read(op, opts, LeaveParametrized(true))
	b := mustHaveBase(op, "m", m)
	l := listOf(m, name)
	if l == nil {
		panic(torch.NewError(op, torch.ErrValue, "name", fmt.Sprintf("%q is not parametrized", name)))
	}
	if !leave && l.count > 0 {
		panic(torch.NewError(op, torch.ErrValue, "LeaveParametrized",
			"a tensor with several originals has no value without its parametrization"))
	}
	originals := l.Originals()
	t := originals[0]
	parameter, grad := len(l.Parameters(nn.Recurse(false))) > 0, false
	for _, o := range originals {
		grad = grad || o.RequiresGrad()
	}
	if leave {
		torch.NoGrad(func() {
			torch.Scope(func() {
				v := b.Derived(name)
				if l.count == 0 {
					if v != t {
						t.SetData(v)
					}
					return
				}
				t = torch.Disown(v.Clone())
				for _, o := range originals {
					_ = o.Close()
				}
			})
		})
	}
	b.Derive(name, nil)
	d := b.Get("parametrizations").(*nn.ModuleDict)
	d.Pop(name)
	if d.Len() == 0 {
		b.Unregister("parametrizations")
		b.SetTypeName(strings.TrimPrefix(b.TypeName(), "Parametrized"))
	}
	if parameter {
		b.RegisterParameter(name, t)
		t.SetRequiresGrad(grad)
	} else {
		b.RegisterBuffer(name, t)
	}
}
