package nn

import (
	"fmt"

	"github.com/gotorch/gotorch/internal/native/own"
	"github.com/gotorch/gotorch/torch"
)

// entry is a parameter or buffer of a module. In the layers of this package, slot is
// the address of the layer's own field, so a tensor that a program assigns to the field
// is listed, moved, saved and copied. In other modules slot points to separate memory.
// A nil tensor is not a parameter, like None in Python.
type entry struct {
	name      string
	slot      **torch.Tensor
	field     bool // slot is a field of the struct that the Base is part of
	transient bool // not part of the state dict
	borrowed  bool // the tensor belongs to the caller of FunctionalCall
}

// findEntry returns the entry with that name, or nil.
func findEntry(entries []entry, name string) *entry {
	for i := range entries {
		if entries[i].name == name {
			return &entries[i]
		}
	}
	return nil
}

// param returns the entry of a parameter, or nil.
func (b *Base) param(name string) *entry { return lookUp(b.params, b.paramAt, name) }

// buf returns the entry of a buffer, or nil.
func (b *Base) buf(name string) *entry { return lookUp(b.buffers, b.bufferAt, name) }

func lookUp(entries []entry, at nameIndex, name string) *entry {
	if at == nil {
		return findEntry(entries, name)
	}
	if i := at.indexOf(name); i >= 0 {
		return &entries[i]
	}
	return nil
}

// parameter returns the tensor and makes it a parameter if the program assigned a
// plain tensor to the field.
func (e *entry) parameter(b *Base) *torch.Tensor {
	t := *e.slot
	if e.field && !e.borrowed && t != nil && !t.IsClosed() && !own.IsParameter(t) {
		asParameter(b.TypeName(), e.name, t)
	}
	return t
}

// buffer returns the tensor. If the slot is a field, to which a program can assign,
// buffer first takes the tensor out of every scope.
func (e *entry) buffer() *torch.Tensor {
	if e.field && !e.borrowed {
		return torch.Disown(*e.slot)
	}
	return *e.slot
}

func parametersOf(b *Base, list []NamedTensor) []NamedTensor {
	for i := range b.params {
		if t := b.params[i].parameter(b); t != nil {
			list = append(list, NamedTensor{b.params[i].name, t})
		}
	}
	return list
}

func buffersOf(b *Base, list []NamedTensor) []NamedTensor {
	for i := range b.buffers {
		if t := b.buffers[i].buffer(); t != nil {
			list = append(list, NamedTensor{b.buffers[i].name, t})
		}
	}
	return list
}

// parameter registers t as a parameter of a layer of this package and stores it in
// field, a field of the layer.
func (b *Base) parameter(name string, field **torch.Tensor, t *torch.Tensor) {
	b.params, b.paramAt = append(b.params, entry{name: name, slot: field, field: true}), nil
	b.RegisterParameter(name, t)
}

// buffer registers t as a buffer of a layer of this package and stores it in field, a
// field of the layer.
func (b *Base) buffer(name string, field **torch.Tensor, t *torch.Tensor) {
	b.buffers, b.bufferAt = append(b.buffers, entry{name: name, slot: field, field: true}), nil
	b.RegisterBuffer(name, t)
}

// RegisterParameter makes t a parameter with the given name and returns t. It takes t
// out of every scope and turns on its gradient. A tensor that is already a parameter,
// such as one that [NewParameter] made, keeps its RequiresGrad setting.
//
// If the name is in use, t replaces the old parameter. In a layer of this package it
// replaces the field as well: head.RegisterParameter("weight", t) and head.Weight = t
// do the same. A nil t removes the parameter with that name, as None does in Python;
// if there is none, it registers nothing, as for a missing bias. It panics as
// NewParameter does, and for names as Register does.
// Follows Module.register_parameter.
func (b *Base) RegisterParameter(name string, t *torch.Tensor) *torch.Tensor {
	const op = "RegisterParameter"
	b.mustBeInitialized(op)
	b.mustAcceptName(op, name, kindParameter)
	delete(b.fromFields, name)
	e := b.param(name)
	switch {
	case t != nil:
		asParameter(op, "t", t)
	case e == nil:
		return nil
	default:
		b.mustNotBeScript(op, name, "needs the tensor")
	}
	if e == nil {
		again, ok := b.takeFormer(name, t)
		if !ok {
			again = entry{name: name, slot: b.newSlot(name, t)}
		}
		b.params = append(b.params, again)
		b.paramAt = b.paramAt.withLast(len(b.params), func(i int) string { return b.params[i].name })
	} else {
		*e.slot = t
	}
	b.noteChange()
	return t
}

// A BufferOption is an option of [Base.RegisterBuffer]: [Persistent].
//
//gotorch:options Persistent
type BufferOption interface{ bufferOption() }

// Persistent says whether a buffer is part of the state dict. The default is true.
type Persistent bool

// RegisterBuffer makes t a buffer, a tensor of the module that is not trained, such
// as the running statistics of a BatchNorm, and returns t. It takes t out of every
// scope. If the name is in use, t replaces the old buffer; in a layer of this package
// it replaces the field as well. A nil t removes the buffer with that name, as None
// does in Python; if there is none, it registers nothing. It panics as Register does.
// Follows Module.register_buffer.
func (b *Base) RegisterBuffer(name string, t *torch.Tensor, opts ...BufferOption) *torch.Tensor {
	const op = "RegisterBuffer"
	b.mustBeInitialized(op)
	b.mustAcceptName(op, name, kindBuffer)
	transient := false
	for _, o := range opts {
		p, ok := o.(Persistent)
		if !ok {
			panic(torch.BadOption(op, o))
		}
		transient = !bool(p)
	}
	e := b.buf(name)
	switch {
	case t != nil:
		t.HandleFor(op+"(t)", 0)
		torch.Disown(t)
	case e == nil:
		return nil
	default:
		b.mustNotBeScript(op, name, "needs the tensor")
	}
	if e == nil {
		again, ok := b.takeFormer(name, t)
		if !ok {
			again = entry{name: name, slot: b.newSlot(name, t)}
		}
		again.transient = transient
		b.buffers = append(b.buffers, again)
		b.bufferAt = b.bufferAt.withLast(len(b.buffers), func(i int) string { return b.buffers[i].name })
	} else {
		*e.slot, e.transient = t, transient
	}
	b.noteChange()
	return t
}

// A ParameterOption is an option of [NewParameter]: [RequiresGrad].
//
//gotorch:options RequiresGrad
type ParameterOption interface{ parameterOption() }

// RequiresGrad says whether a parameter is trained. The default is true.
type RequiresGrad bool

// NewParameter takes a leaf tensor out of every scope, turns on its gradient, or
// turns it off with RequiresGrad(false), and returns it. It panics with ErrAutograd
// if t was computed from other tensors, and with ErrNil for a nil tensor or option.
// It panics with ErrDType for a dtype without gradients, such as int64, unless
// RequiresGrad is false. A parameter prints as in Python, starting with "Parameter
// containing:". Follows torch.nn.Parameter.
func NewParameter(t *torch.Tensor, opts ...ParameterOption) *torch.Tensor {
	const op = "NewParameter"
	grad := true
	for _, o := range opts {
		g, ok := o.(RequiresGrad)
		if !ok {
			panic(torch.BadOption(op, o))
		}
		grad = bool(g)
	}
	return toParameter(op, "t", t, grad)
}

// asParameter makes t a parameter that requires gradients. An existing parameter
// stays unchanged.
func asParameter(op, arg string, t *torch.Tensor) *torch.Tensor {
	if t != nil && !t.IsClosed() && own.IsParameter(t) && t.IsLeaf() {
		return torch.Disown(t)
	}
	return toParameter(op, arg, t, true)
}

func toParameter(op, arg string, t *torch.Tensor, grad bool) *torch.Tensor {
	t.HandleFor(fmt.Sprintf("%s(%s)", op, arg), 0)
	if !t.IsLeaf() {
		panic(torch.NewError(op, torch.ErrAutograd, arg,
			"was computed from other tensors, so it cannot be a parameter; use Detach"))
	}
	if d := t.DType(); grad && !d.IsFloatingPoint() && !d.IsComplex() {
		panic(torch.NewError(op, torch.ErrDType, arg,
			fmt.Sprintf("is %v, and only floating-point and complex tensors have gradients: make it with "+
				"NewParameter and RequiresGrad(false), or register a buffer", d)))
	}
	if err := torch.Try(func() { t.SetRequiresGrad(grad) }); err != nil {
		e := err.(*torch.Error) //nolint:errorlint // Try returns no other
		e.Op = op
		panic(e)
	}
	own.Parameter(t)
	return torch.Disown(t)
}
