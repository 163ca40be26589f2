package optim_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

// The text equals print(optimizer.param_groups[0]) in PyTorch 2.11.
func TestParamGroupString(t *testing.T) {
	torch.Scope(func() {
		w := torch.FromSlice([]float32{1, 2}).RequiresGrad_()
		sgd := optim.NewSGD([]*torch.Tensor{w}, optim.LR(0.1), optim.Momentum(0.9))
		defer sgd.Close()
		assert.Equal(t,
			"{'params': [tensor([1., 2.], requires_grad=True)], 'lr': 0.1, 'momentum': 0.9, 'dampening': 0, "+
				"'weight_decay': 0, 'nesterov': False, 'maximize': False, 'foreach': None, 'differentiable': False, "+
				"'fused': None}",
			fmt.Sprint(sgd.ParamGroups()[0]))

		// A Go number is printed as a Python float. The step sizes are printed like Python's
		// default.
		sgd.ParamGroups()[0].Set(optim.WeightDecay(2))
		assert.Contains(t, fmt.Sprint(sgd.ParamGroups()[0]), "'weight_decay': 2.0, ")
		rprop := optim.NewRprop([]*torch.Tensor{w}, optim.StepSizes(1, 20))
		defer rprop.Close()
		assert.Contains(t, fmt.Sprint(rprop.ParamGroups()[0]), "'step_sizes': (1, 20), ")
	})
}

// A type that embeds an option is an option too, as far as the compiler knows. At run time it is
// rejected, like nil.
func TestNilAndForeignOptions(t *testing.T) {
	type lookalike struct{ optim.SetToNone }
	torch.Scope(func() {
		w := torch.Ones(torch.Shape{2}).RequiresGrad_()
		o := optim.NewSGD([]*torch.Tensor{w})
		defer o.Close()
		err := torch.Try(func() { o.ZeroGrad(lookalike{}) })
		require.ErrorIs(t, err, torch.ErrValue)
		require.ErrorContains(t, err, "optim_test.lookalike is not an option of this function")
		for name, f := range map[string]func(){
			"ZeroGrad": func() { o.ZeroGrad(nil) },
			"NewSGD":   func() { optim.NewSGD([]*torch.Tensor{w}, nil) },
			"Set":      func() { o.ParamGroups()[0].Set(nil) },
			"Define":   func() { o.ParamGroups()[0].Define(nil) },
		} {
			err := torch.Try(f)
			require.ErrorIs(t, err, torch.ErrNil, name)
			require.ErrorContains(t, err, "opts: a nil option", name)
		}
	})
}
