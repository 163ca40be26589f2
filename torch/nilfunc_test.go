package torch_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/optim/schedule"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/cuda"
	"github.com/gotorch/gotorch/torch/data"
	"github.com/gotorch/gotorch/torchtest"
)

// Functions that take a function reject nil before they change anything.
func TestNilFunctions(t *testing.T) {
	x := torch.Ones(torch.Shape{2}, torch.RequiresGrad(true))
	defer x.Close()
	layer := nn.NewIdentity()
	opt := optim.NewSGD([]*torch.Tensor{x}, optim.LR(1))
	defer opt.Close()
	loader := data.NewLoader(data.NewTensorDataset(x.Detach()))
	for _, c := range []struct {
		op, arg string
		call    func()
	}{
		{"Scope", "fn", func() { torch.Scope(nil) }},
		{"Tidy", "fn", func() { torch.Tidy(nil) }},
		{"TidyAll", "fn", func() { torch.TidyAll(nil) }},
		{"NoGrad", "fn", func() { torch.NoGrad(nil) }},
		{"EnableGrad", "fn", func() { torch.EnableGrad(nil) }},
		{"SetGradEnabled", "fn", func() { torch.SetGradEnabled(false, nil) }},
		{"SetGradEnabled", "fn", func() { torch.SetGradEnabled(true, nil) }},
		{"InferenceMode", "fn", func() { torch.InferenceMode(nil) }},
		{"WithDevice", "fn", func() { torch.WithDevice(torch.Meta, nil) }},
		{"WithDType", "fn", func() { torch.WithDType(torch.Float64, nil) }},
		{"Crossing", "fn", func() { torch.Crossing("Mine()", nil) }},
		{"RegisterHook", "fn", func() { x.RegisterHook(nil) }},
		{"GoFunction", "Function", func() { new(torch.Function).Apply(x) }},
		{"cuda.WithDevice", "fn", func() { cuda.WithDevice(torch.CUDA.At(0), nil) }},
		{"data.Loader.Each", "fn", func() { loader.Each(nil) }},
		{"data.Loader.All", "fn", func() { loader.All()(nil) }},
		{"data.Loader.AllContext", "fn", func() { loader.AllContext(context.Background())(nil) }},
		{"memory.Managed", "fn", func() { memory.Managed(nil) }},
		{"memory.Track", "fn", func() { memory.Track("", nil) }},
		{"memory.Annotate", "fn", func() { memory.Annotate("", nil) }},
		{"memory.AssertNoGrowth", "fn", func() { memory.AssertNoGrowth(t, 2, nil) }},
		{"memory.GroupTensors", "by", func() { memory.GroupTensors(nil, nil) }},
		{"memory.DiffBy", "by", func() { memory.DiffBy(nil, nil, nil) }},
		{"torchtest.GradCheck", "fn", func() { torchtest.GradCheck(t, nil, nil) }},
		{"torchtest.GradCheckAll", "fn", func() { torchtest.GradCheckAll(t, nil, nil) }},
		{"torchtest.GradGradCheck", "fn", func() { torchtest.GradGradCheck(t, nil, nil) }},
		{"Apply", "fn", func() { nn.Apply(layer, nil) }},
		{"Call", "fn", func() { layer.Call(x, nil) }},
		{"CallN", "fn", func() { layer.CallN(nil, nil) }},
		{"RegisterForwardPreHook", "fn", func() { layer.RegisterForwardPreHook(nil) }},
		{"RegisterForwardHook", "fn", func() { layer.RegisterForwardHook(nil) }},
		{"NewLambdaLR", "lr_lambda", func() { schedule.NewLambdaLR(opt, nil) }},
		{"NewLambdaLRList", "lr_lambda[0]", func() { schedule.NewLambdaLRList(opt, []func(int) float64{nil}) }},
	} {
		live := torch.NumLiveTensors()
		err := torch.Try(c.call)
		var e *torch.Error
		require.ErrorAs(t, err, &e, c.op)
		assert.ErrorIs(t, err, torch.ErrNil, c.op)
		assert.Equal(t, c.op, e.Op)
		assert.Contains(t, e.Message, "argument "+c.arg+": ", c.op)
		assert.Equal(t, live, torch.NumLiveTensors(), c.op)
		assert.False(t, torch.InScope(), c.op)
		assert.False(t, torch.IsInferenceMode(), c.op)
		assert.True(t, torch.IsGradEnabled(), c.op)
		assert.Equal(t, torch.CPU, torch.DefaultDevice(), c.op)
		assert.Equal(t, torch.Float32, torch.DefaultDType(), c.op)
	}
	assert.ErrorIs(t, torch.Try(nil), torch.ErrNil)
}
