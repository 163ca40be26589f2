package nn_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

// A constructor that panics frees its parameters, whichever step fails, and the error
// names the constructor.
func TestRefusedLayersLeaveNothing(t *testing.T) {
	for _, d := range []torch.DType{torch.Int8, torch.Bool, torch.Complex64, torch.Float8E4M3FN, torch.DType(99)} {
		for op, call := range map[string]func() nn.Module{
			"NewLinear":             func() nn.Module { return nn.NewLinear(2, 2, nn.DType(d)) },
			"NewConv1d":             func() nn.Module { return nn.NewConv1d(2, 2, 1, nn.DType(d)) },
			"NewConv2d":             func() nn.Module { return nn.NewConv2d(2, 2, 1, nn.DType(d)) },
			"NewEmbedding":          func() nn.Module { return nn.NewEmbedding(2, 2, nn.DType(d)) },
			"NewMultiheadAttention": func() nn.Module { return nn.NewMultiheadAttention(2, 1, nn.DType(d)) },
			"NewLayerNorm":          func() nn.Module { return nn.NewLayerNorm(torch.Shape{2}, nn.DType(d)) },
			"NewRMSNorm":            func() nn.Module { return nn.NewRMSNorm(torch.Shape{2}, nn.DType(d)) },
			"NewGroupNorm":          func() nn.Module { return nn.NewGroupNorm(1, 2, nn.DType(d)) },
			"NewBatchNorm2d":        func() nn.Module { return nn.NewBatchNorm2d(2, nn.DType(d)) },
		} {
			before := torch.NumLiveTensors()
			err := torch.Try(func() { _ = call().ModuleBase().Close() })
			assert.Equal(t, before, torch.NumLiveTensors(), "%s of %v", op, d)
			if !d.IsFloatingPoint() && !d.IsComplex() {
				assert.ErrorIs(t, err, torch.ErrDType, "%s of %v", op, d)
			}
			if err != nil {
				var e *torch.Error
				require.ErrorAs(t, err, &e)
				assert.Equal(t, op, e.Op, "%v", d)
			}
		}
	}
}

// nilHolder embeds a layer that may be nil.
type nilHolder struct{ *nn.Linear }

func TestErrorsNameTheMethod(t *testing.T) {
	inference := func() (x *torch.Tensor) {
		torch.InferenceMode(func() { x = torch.Ones(torch.Shape{2}) })
		return x
	}()
	defer inference.Close()
	for _, c := range []struct {
		op   string
		kind error
		call func()
	}{
		{"SetRequiresGrad", torch.ErrNil, func() { new(nn.Linear).SetRequiresGrad(true) }},
		{"To", torch.ErrNil, func() { new(nn.Linear).To(torch.Float64) }},
		{"To", torch.ErrDevice, func() { nn.NewReLU().To(torch.Device(255)) }},
		{"NamedParameters", torch.ErrNil, func() { (*nn.Base)(nil).Parameters() }},
		{"RegisterParameter", torch.ErrAutograd, func() { nn.NewReLU().RegisterParameter("w", inference) }},
		{"Hook.Remove", torch.ErrValue, func() { new(nn.Hook).Remove() }},
		{"In", torch.ErrNil, func() { nn.NewModuleList().In(nilHolder{}, "list") }},
		{"NewSequential", torch.ErrNil, func() { nn.NewSequential(nilHolder{}) }},
		{"Compare", torch.ErrNil, func() { nn.StateDict{}.Compare(nilHolder{}) }},
	} {
		err := torch.Try(c.call)
		var e *torch.Error
		if assert.ErrorAs(t, err, &e, c.op) {
			assert.Equal(t, c.op, e.Op)
			assert.ErrorIs(t, err, c.kind, c.op)
		}
	}
}
