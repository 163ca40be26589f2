package nn_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

// adapterOnly declares StateDict again: only its adapter is saved.
type adapterOnly struct {
	nn.Base
	layer, adapter *nn.Linear
}

func newAdapterOnly() *adapterOnly {
	a := &adapterOnly{layer: nn.NewLinear(2, 2), adapter: nn.NewLinear(2, 2, nn.Bias(false))}
	a.Init(a)
	return a
}

func (a *adapterOnly) StateDict() nn.StateDict {
	var sd nn.StateDict
	for _, n := range a.Base.StateDict() {
		if n.Name == "adapter.weight" {
			sd = append(sd, n)
		}
	}
	return sd
}

// Like Python's, the state dict of a module has the entries of the StateDict that a module below
// declares.
func TestStateDictDeclaredAgain(t *testing.T) {
	scoped(t, func() {
		m := nn.NewModuleList(nn.NewModuleList(newAdapterOnly()), nn.NewLinear(1, 1))
		defer m.Close()
		assert.Equal(t, []string{"0.0.adapter.weight", "1.weight", "1.bias"}, m.StateDict().Names())
		assert.Same(t, m.At(0).(*nn.ModuleList).At(0).(*adapterOnly).adapter.Weight, m.StateDict()[0].Tensor)
		require.NoError(t, m.LoadStateDict(m.StateDict(), nn.Strict(false)))
	})
}

// doubling declares the Forward of its layer again, as a method of values.
type doubling struct{ *nn.Linear }

func (d doubling) Forward(x *torch.Tensor) *torch.Tensor {
	return d.Call(x, func(x *torch.Tensor) *torch.Tensor { return d.Linear.Forward(x).MulScalar(2) })
}

// The hooks of a module run once, with the results of its own Forward, also if it is a method of
// values.
func TestHooksOfForwardDeclaredAgain(t *testing.T) {
	scoped(t, func() {
		d := &doubling{nn.NewLinear(2, 2)}
		d.Init(d)
		defer d.Close()
		var seen []float32
		calls := 0
		d.RegisterForwardHook(func(_ nn.Module, _, out []*torch.Tensor) []*torch.Tensor {
			seen = out[0].Float32s()
			calls++
			return nil
		})
		y := d.Forward(torch.Ones(torch.Shape{1, 2}))
		assert.Equal(t, 1, calls)
		assert.Equal(t, y.Float32s(), seen)
	})
}
