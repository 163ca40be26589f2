package nn

import (
	"fmt"

	"github.com/gotorch/gotorch/internal/native/own"
	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/torch"
)

// To moves parameters, their gradients and buffers to another device, and
// converts those with floating-point and complex dtypes to another dtype. A
// memory format applies to tensors of four or five dimensions, the weights of
// 2-d and 3-d convolutions. The tensors keep their identity, so an optimizer
// made before still holds them.
//
// To converts one tensor after the other, and frees the old memory of one
// before it converts the next. It panics with ErrDType for other dtypes. If
// libtorch refuses something, such as ChannelsLast for five dimensions, that
// tensor and those after it stay as they were. Follows Module.to.
func (b *Base) To(opts ...torch.ToOption) {
	const op = "To"
	for _, o := range opts {
		switch o := o.(type) {
		case torch.DType:
			if o != 0 && !o.IsFloatingPoint() && !o.IsComplex() {
				panic(torch.NewError(op, torch.ErrDType, "opts", fmt.Sprintf("modules convert to floating-point and complex dtypes only, got %v", o)))
			}
		case torch.Layout:
			if o != 0 && o != torch.Strided {
				panic(torch.NewError(op, torch.ErrValue, "opts", fmt.Sprintf("modules do not change layouts, got %v", o)))
			}
		case torch.Device:
			opt.CheckDevice(op, o)
		case torch.MemoryFormat, torch.NonBlockingFlag, torch.CopyFlag:
		default: // which a module without tensors would pass over
			panic(torch.BadOption(op, o))
		}
	}
	b.checkTree(op)
	b.each(op, listing{}, func(t *torch.Tensor) { convert(t, opts) })
}

// each calls fn for the parameters, their gradients and the buffers.
func (b *Base) each(op string, l listing, fn func(t *torch.Tensor)) {
	torch.NoGrad(func() {
		torch.Scope(func() {
			for _, p := range open(op, b.listed(l, parametersOf)) {
				fn(p)
				// The gradient itself, not its place in p: nothing that fails can
				// lose it.
				if grad := p.Grad(); grad != nil {
					fn(grad)
					_ = grad.Close()
				}
			}
			for _, t := range open(op, b.listed(l, buffersOf)) {
				fn(t)
			}
		})
	})
}

// convert is To for one tensor.
func convert(t *torch.Tensor, opts []torch.ToOption) {
	d, dims := t.DType(), t.Dim()
	fit := make([]torch.ToOption, 0, len(opts))
	for _, o := range opts {
		switch o.(type) {
		case torch.DType:
			if !d.IsFloatingPoint() && !d.IsComplex() {
				continue
			}
		case torch.MemoryFormat:
			if dims != 4 && dims != 5 {
				continue
			}
		}
		fit = append(fit, o)
	}
	data := t.To(fit...)
	t.SetData(data)
	_ = data.Close()
}

// Float converts parameters, gradients and buffers with floating-point dtypes to
// Float32, as [Base.To] converts. Follows Module.float.
func (b *Base) Float() { b.floating("Float", torch.Float32) }

// Double is Float for Float64. Follows Module.double.
func (b *Base) Double() { b.floating("Double", torch.Float64) }

// Half is Float for Float16. Follows Module.half.
func (b *Base) Half() { b.floating("Half", torch.Float16) }

// BFloat16 is Float for BFloat16. Follows Module.bfloat16.
func (b *Base) BFloat16() { b.floating("BFloat16", torch.BFloat16) }

func (b *Base) floating(op string, d torch.DType) {
	b.checkTree(op)
	b.each(op, listing{}, func(t *torch.Tensor) {
		if t.IsFloatingPoint() {
			convert(t, []torch.ToOption{d})
		}
	})
}

// Type converts all parameters, gradients and buffers to a dtype, those of
// integers too. It panics with ErrValue for the zero DType; libtorch refuses
// parameters of a dtype without gradients. Follows Module.type.
func (b *Base) Type(d torch.DType) {
	const op = "Type"
	if d == 0 {
		panic(torch.NewError(op, torch.ErrValue, "d", "expected a dtype, got none"))
	}
	b.checkTree(op)
	b.each(op, listing{}, func(t *torch.Tensor) {
		data := t.To(d)
		t.SetData(data)
		_ = data.Close()
	})
}

// CPU moves parameters, gradients and buffers to the CPU, as [Base.To] does.
// Follows Module.cpu.
func (b *Base) CPU() { b.To(torch.CPU) }

// CUDA moves parameters, gradients and buffers to the CUDA device with that
// index, as [Base.To] does. Follows Module.cuda.
func (b *Base) CUDA(index int) { b.To(torch.CUDA(index)) }

// ToEmpty moves parameters and buffers to another device without their values,
// which are whatever is in the new memory. It is how a module that was made on
// the meta device gets memory, to be filled by LoadStateDict or by layers'
// ResetParameters. Parameters keep their identity unless they come from the meta
// device or go there: they are closed then and have others in their place, so make
// the optimizer afterwards. It panics with ErrDevice for a device that is not
// there, with ErrOutOfMemory, and with ErrNil for a nil option.
// Follows Module.to_empty.
func (b *Base) ToEmpty(device torch.Device, opts ...RecurseOption) {
	const op = "ToEmpty"
	l := readRecurse(op, opts)
	opt.CheckDevice(op, device)
	b.checkTree(op)
	torch.NoGrad(func() {
		torch.Scope(func() {
			twins := map[*torch.Tensor]*torch.Tensor{}
			move := func(b *Base, e *entry, t *torch.Tensor) {
				twin := twins[t]
				if twin == nil {
					twin = torch.EmptyLike(t, device)
					if (t.Device() == torch.Meta) == (device == torch.Meta) {
						t.SetData(twin)
						_ = twin.Close()
						twin = t
					}
					twins[t] = twin
				}
				if twin != t {
					if own.IsParameter(t) {
						own.Parameter(twin)
						twin.SetRequiresGrad(t.RequiresGrad())
					}
					b.put(e, twin)
				}
			}
			b.walkAs(l, func(b *Base, _ *trail) {
				for i := range b.params {
					if t := b.params[i].parameter(b); t != nil {
						move(b, &b.params[i], t)
					}
				}
				for i := range b.buffers {
					if t := b.buffers[i].buffer(); t != nil {
						move(b, &b.buffers[i], t)
					}
				}
			})
			for t, twin := range twins {
				if t != twin {
					_ = t.Close()
				}
			}
		})
	})
}

// put makes another tensor the entry, in the fields that hold the old one as
// well. It does not close the old one.
func (b *Base) put(e *entry, t *torch.Tensor) { b.swap(e, torch.Disown(t)) }

// swap is put for a tensor that stays where it is.
func (b *Base) swap(e *entry, t *torch.Tensor) {
	old := *e.slot
	if list := b.held.Load(); list != nil {
		for _, h := range list.tensors {
			if h.slot == e.slot && *h.field == old {
				*h.field = t
			}
		}
	}
	*e.slot = t
}
