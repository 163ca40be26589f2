package amp

import (
	"github.com/gotorch/gotorch/internal/native/modes"
	"github.com/gotorch/gotorch/torch"
)

// Pass is the Forward or the Backward of a [torch.Function].
type Pass = func(ctx *torch.Context, ts ...*torch.Tensor) []*torch.Tensor

// found is what a custom function's forward was called with.
type found struct {
	enabled bool
	dtype   torch.DType
}

// CustomFwd returns fwd, the Forward of a [torch.Function], for use under autocast on
// devices of dev's type: it notes the state of autocast for [CustomBwd]. With
// [CastInputs] it casts inputs, those that are floating-point, not float64 and on such a
// device, and runs fwd without autocast; outside of autocast that changes nothing. What fwd
// saves are the inputs as they were cast. It panics with ErrNil for a nil fwd or option,
// with ErrDevice as [Autocast] does and with ErrDType for a dtype that is not
// floating-point. Follows torch.amp.custom_fwd.
func CustomFwd(dev torch.Device, fwd Pass, opts ...FwdOption) Pass {
	const op = "amp.CustomFwd"
	columnsOf(op, dev)
	var cast torch.DType
	for _, o := range opts {
		switch o := o.(type) {
		case CastInputs:
			cast = torch.DType(o)
		default:
			panic(torch.BadOption(op, o))
		}
	}
	if cast != 0 && !cast.IsFloatingPoint() {
		panic(torch.NewError(op, torch.ErrDType, "CastInputs", "expected a floating-point dtype, got "+cast.String()))
	}
	if fwd == nil {
		panic(torch.NilFunc(op, "fwd"))
	}
	return func(ctx *torch.Context, inputs ...*torch.Tensor) (outs []*torch.Tensor) {
		f := &found{enabled: IsAutocastEnabled(dev), dtype: AutocastDType(dev)}
		*modes.Note(ctx) = f
		if cast == 0 {
			return fwd(ctx, inputs...)
		}
		under := f.enabled
		f.enabled = false
		if !under {
			return fwd(ctx, inputs...)
		}
		Autocast(dev, 0, func() { outs = fwd(ctx, castAll(inputs, dev, cast)...) }, Enabled(false))
		return outs
	}
}

// castAll returns ts with those cast that autocast would.
func castAll(ts []*torch.Tensor, dev torch.Device, dtype torch.DType) []*torch.Tensor {
	cast := make([]*torch.Tensor, len(ts))
	for i, t := range ts {
		cast[i] = t
		if t != nil && t.DType().IsFloatingPoint() && t.DType() != torch.Float64 && t.Device().IsCUDA() == dev.IsCUDA() {
			cast[i] = t.To(dtype)
		}
	}
	return cast
}

// CustomBwd returns bwd, the Backward of a [torch.Function] whose Forward is of
// [CustomFwd], such that it runs with autocast as the forward did. The result panics
// with ErrValue where the forward is not of CustomFwd. CustomBwd panics with ErrNil
// for a nil bwd and with ErrDevice as [Autocast] does. Follows torch.amp.custom_bwd.
func CustomBwd(dev torch.Device, bwd Pass) Pass {
	const op = "amp.CustomBwd"
	columnsOf(op, dev)
	if bwd == nil {
		panic(torch.NilFunc(op, "bwd"))
	}
	return func(ctx *torch.Context, grads ...*torch.Tensor) (outs []*torch.Tensor) {
		f, ok := (*modes.Note(ctx)).(*found)
		if !ok {
			panic(torch.NewError(op, torch.ErrValue, "bwd", "the Forward of its Function is not of CustomFwd"))
		}
		Autocast(dev, f.dtype, func() { outs = bwd(ctx, grads...) }, Enabled(f.enabled))
		return outs
	}
}
