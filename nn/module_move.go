package nn

import (
	"errors"
	"fmt"
	"slices"

	"github.com/gotorch/gotorch/internal/native/own"
	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/torch"
)

// To moves parameters, their gradients and buffers to a different device, and converts
// the floating-point and complex ones to a different dtype. A memory format applies to
// tensors of four or five dimensions, the weights of 2-d and 3-d convolutions. The
// tensors keep their identity, so an optimizer made earlier still holds them.
//
// To converts the parameters one at a time, each with its gradient, then the buffers, and
// frees the old memory of each before converting the next. It panics with ErrDType for a
// dtype that is not floating-point or complex. If libtorch refuses a conversion, such as
// ChannelsLast for five dimensions, or runs out of memory, that parameter and the later
// ones stay unchanged. The error then says how many were converted; another call converts
// the rest. Follows Module.to.
func (b *Base) To(opts ...torch.ToOption) {
	const op = "To"
	for _, o := range opts {
		switch o := o.(type) {
		case torch.DType:
			if o != 0 && !o.IsFloatingPoint() && !o.IsComplex() {
				panic(torch.NewError(op, torch.ErrDType, "opts",
					fmt.Sprintf("expected a floating-point or complex dtype, got %v", o)))
			}
		case torch.Layout:
			if o != 0 && o != torch.Strided {
				panic(torch.NewError(op, torch.ErrValue, "opts",
					fmt.Sprintf("modules cannot be converted to another layout, got %v", o)))
			}
		case torch.Device:
			opt.CheckDevice(op, o)
		case torch.MemoryFormat, torch.NonBlocking, torch.Copy:
		// Check this here, because convertTensor does not run for a module without
		// tensors.
		default:
			panic(torch.BadOption(op, o))
		}
	}
	b.mustAllBeReady(op)
	b.convert(op, func(t *torch.Tensor) *torch.Tensor { return convertTensor(t, opts) })
}

// convert replaces each parameter, its gradient and each buffer with the result of fn.
// A parameter and its gradient change together.
func (b *Base) convert(op string, fn func(t *torch.Tensor) *torch.Tensor) {
	torch.NoGrad(func() {
		params := openTensors(op, b.list(listing{}, parametersOf))
		buffers := openTensors(op, b.list(listing{}, buffersOf))
		for i, t := range slices.Concat(params, buffers) {
			err := torch.Try(func() {
				torch.Scope(func() {
					var grad, gradData *torch.Tensor
					data := fn(t)
					if i < len(params) {
						// Change the data of the gradient tensor instead of the
						// gradient that t refers to, so that a failure cannot lose it.
						if grad = t.Grad(); grad != nil {
							gradData = fn(grad)
						}
					}
					t.SetData(data)
					if grad != nil {
						grad.SetData(gradData)
					}
				})
			})
			if err != nil {
				panic(conversionError(err, op, i, len(params)+len(buffers)))
			}
		}
	})
}

// conversionError adds to err how many tensors were converted, and how many there are.
func conversionError(err error, op string, done, all int) error {
	var e *torch.Error
	if done == 0 || !errors.As(err, &e) {
		return err
	}
	told := *e
	told.Message = fmt.Sprintf("%s; %d of %d parameters and buffers are already converted: call %s again for the "+
		"others", e.Message, done, all, op)
	return &told
}

// convertTensor converts t as [Base.To] does. It leaves out options that do not apply
// to the dtype or dimensions of t.
func convertTensor(t *torch.Tensor, opts []torch.ToOption) *torch.Tensor {
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
	return t.To(fit...)
}

// Float converts parameters, gradients and buffers with floating-point dtypes to
// Float32, as [Base.To] converts. Follows Module.float.
func (b *Base) Float() { b.convertFloating("Float", torch.Float32) }

// Double is Float for Float64. Follows Module.double.
func (b *Base) Double() { b.convertFloating("Double", torch.Float64) }

// Half is Float for Float16. Follows Module.half.
func (b *Base) Half() { b.convertFloating("Half", torch.Float16) }

// BFloat16 is Float for BFloat16. Follows Module.bfloat16.
func (b *Base) BFloat16() { b.convertFloating("BFloat16", torch.BFloat16) }

func (b *Base) convertFloating(op string, d torch.DType) {
	b.mustAllBeReady(op)
	b.convert(op, func(t *torch.Tensor) *torch.Tensor {
		if t.IsFloatingPoint() {
			return t.To(d)
		}
		return t
	})
}

// Type converts all parameters, gradients and buffers to a dtype, including integer
// ones. It panics with ErrValue for the zero DType; libtorch refuses parameters of a
// dtype without gradients. Follows Module.type.
func (b *Base) Type(d torch.DType) {
	const op = "Type"
	if d == 0 {
		panic(torch.NewError(op, torch.ErrValue, "d", "expected a dtype, got none"))
	}
	b.mustAllBeReady(op)
	b.convert(op, func(t *torch.Tensor) *torch.Tensor { return t.To(d) })
}

// CPU moves parameters, gradients and buffers to the CPU, as [Base.To] does.
// Follows Module.cpu.
func (b *Base) CPU() { b.To(torch.CPU) }

// CUDA moves parameters, gradients and buffers to the current CUDA device, as [Base.To]
// does; To(torch.CUDA.At(1)) moves them to device 1. Follows Module.cuda.
func (b *Base) CUDA() { b.To(torch.CUDA) }

// ToEmpty moves parameters and buffers to a different device without their values; the
// new memory is uninitialized. Use it to give memory to a module made on the meta device,
// and then fill it with LoadStateDict or the layers' ResetParameters. Parameters keep
// their identity. Only a move to or from the meta device closes and replaces them, so
// make the optimizer afterwards. It panics with ErrDevice for a device that does not
// exist, with ErrNil for a nil option, and with ErrOutOfMemory if memory runs out;
// another call then completes the move. Follows Module.to_empty.
func (b *Base) ToEmpty(device torch.Device, opts ...RecurseOption) {
	const op = "ToEmpty"
	l := readRecurse(op, opts)
	opt.CheckDevice(op, device)
	b.mustAllBeReady(op)
	torch.NoGrad(func() {
		torch.Scope(func() {
			twins := map[*torch.Tensor]*torch.Tensor{}
			twin := func(_ *Base, _ *entry, t *torch.Tensor) {
				if twins[t] != nil {
					return
				}
				twin := torch.EmptyLike(t, device)
				if (t.Device() == torch.Meta) == (device == torch.Meta) {
					t.SetData(twin)
					_ = twin.Close()
					twin = t
				} else if own.IsParameter(t) {
					own.Parameter(twin)
					twin.SetRequiresGrad(t.RequiresGrad())
				}
				twins[t] = twin
			}
			put := func(b *Base, e *entry, t *torch.Tensor) {
				if twin := twins[t]; twin != nil && twin != t {
					b.setEntry(e, twin)
				}
			}
			// Allocate everything first: after a partial replacement, a tensor with
			// two names would become two tensors.
			for _, do := range []func(*Base, *entry, *torch.Tensor){twin, put} {
				b.walkAs(l, func(b *Base, _ *trail) {
					for i := range b.params {
						if t := b.params[i].parameter(b); t != nil {
							do(b, &b.params[i], t)
						}
					}
					for i := range b.buffers {
						if t := b.buffers[i].buffer(); t != nil {
							do(b, &b.buffers[i], t)
						}
					}
				})
			}
			for t, twin := range twins {
				if t != twin {
					_ = t.Close()
				}
			}
		})
	})
}

// setEntry makes t the tensor of the entry, and assigns it to the fields that hold the
// old tensor. It does not close the old tensor.
func (b *Base) setEntry(e *entry, t *torch.Tensor) { b.swapEntry(e, torch.Disown(t)) }

// swapEntry is setEntry for a tensor that stays in its scope.
func (b *Base) swapEntry(e *entry, t *torch.Tensor) {
	old := *e.slot
	if list := b.fieldRecord.Load(); list != nil {
		for _, h := range list.tensors {
			if h.slot == e.slot && *h.field == old {
				*h.field = t
			}
		}
	}
	*e.slot = t
}
