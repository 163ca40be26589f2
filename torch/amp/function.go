package amp

import (
	"github.com/gotorch/gotorch/internal/native/modes"
	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/torch"
)

// Pass is the type of the fields Forward and Backward of a [torch.Function].
type Pass = func(ctx *torch.Context, ts ...*torch.Tensor) []*torch.Tensor

// found is the autocast state in which the forward pass of a custom function was called.
type found struct {
	enabled bool
	dtype   torch.DType
}

// CustomFwd returns fwd, the Forward of a [torch.Function], for use under autocast on
// devices of dev's type. The returned Pass records the state of autocast for
// [CustomBwd]. If [CastInputs] is given and the Pass is called under autocast, the Pass
// casts floating-point inputs on such devices, except float64. It then runs fwd without
// autocast, so fwd saves the cast inputs. CustomFwd panics with ErrNil for a nil fwd or
// option, with ErrDevice as [Autocast] does and with ErrDType for a dtype that is not
// floating point. Follows torch.amp.custom_fwd.
func CustomFwd(dev torch.Device, fwd Pass, opts ...FwdOption) Pass {
	const op = "amp.CustomFwd"
	columnsOf(op, dev)
	cast := torch.DType(opt.Read(op, opts, CastInputs(0)))
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

// castAll returns ts, where tensors that autocast would cast are cast to dtype.
func castAll(ts []*torch.Tensor, dev torch.Device, dtype torch.DType) []*torch.Tensor {
	cast := make([]*torch.Tensor, len(ts))
	for i, t := range ts {
		cast[i] = t
		if t != nil && t.DType().IsFloatingPoint() && t.DType() != torch.Float64 &&
			t.Device().IsCUDA() == dev.IsCUDA() {
			cast[i] = t.To(dtype)
		}
	}
	return cast
}

// CustomBwd wraps bwd, the Backward of a [torch.Function] whose Forward comes from
// [CustomFwd]. The returned Pass runs bwd in the autocast state of the forward pass. It
// panics with ErrValue if the Forward does not come from CustomFwd. CustomBwd panics with
// ErrNil for a nil bwd and with ErrDevice as [Autocast] does. Follows
// torch.amp.custom_bwd.
func CustomBwd(dev torch.Device, bwd Pass) Pass {
	const op = "amp.CustomBwd"
	columnsOf(op, dev)
	if bwd == nil {
		panic(torch.NilFunc(op, "bwd"))
	}
	return func(ctx *torch.Context, grads ...*torch.Tensor) (outs []*torch.Tensor) {
		f, ok := (*modes.Note(ctx)).(*found)
		if !ok {
			panic(torch.NewError(op, torch.ErrValue, "bwd", "the Function's Forward does not come from CustomFwd"))
		}
		Autocast(dev, f.dtype, func() { outs = bwd(ctx, grads...) }, Enabled(f.enabled))
		return outs
	}
}
