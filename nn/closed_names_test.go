package nn_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

// If a tensor of a module is closed, the errors of methods that use all its tensors
// name that tensor.
func TestClosedParametersAreNamed(t *testing.T) {
	scoped(t, func() {
		l := nn.NewLinear(2, 2)
		net := nn.NewSequential(nn.NewReLU(), l)
		defer net.Close()
		require.NoError(t, l.Weight.Close())
		for name, call := range map[string]func(){
			"To":              func() { net.To(torch.Float64) },
			"Double":          func() { net.Double() },
			"Type":            func() { net.Type(torch.Float64) },
			"ZeroGrad":        func() { net.ZeroGrad() },
			"SetRequiresGrad": func() { net.SetRequiresGrad(false) },
		} {
			err := torch.Try(call)
			assert.ErrorIs(t, err, torch.ErrClosed, name)
			assert.EqualError(t, err, "torch: "+name+": argument 1.weight: tensor used after Close")
		}
		w := torch.Ones(torch.Shape{1}, torch.RequiresGrad(true))
		opt := optim.NewSGD([]*torch.Tensor{w}, optim.LR(1), optim.Momentum(0.5))
		defer opt.Close()
		w.Sum().Backward()
		opt.Step()
		sd := opt.StateDict()
		require.NoError(t, sd.Close())
		assert.EqualError(t, torch.Try(func() { sd.Clone() }),
			`torch: StateDict.Clone: argument State[0]["momentum_buffer"]: tensor used after Close`)
	})
}
