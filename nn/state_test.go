package nn_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

// A state dict that cannot be loaded whole is not loaded in part.
func TestLoadStateDictIsAllOrNothing(t *testing.T) {
	scoped(t, func() {
		m := nn.NewSequential(nn.NewLinear(2, 2), nn.NewLinear(2, 2))
		defer m.Close()
		closed := torch.Ones(torch.Shape{2})
		closed.Close()
		for name, c := range map[string]struct {
			kind error
			last *torch.Tensor
		}{
			"meta":   {torch.ErrValue, torch.Zeros(torch.Shape{2}, torch.Meta)},
			"shape":  {torch.ErrShape, torch.Zeros(torch.Shape{3})},
			"closed": {torch.ErrClosed, closed},
			"nil":    {torch.ErrClosed, nil},
		} {
			before := m.StateDict().String()
			sd := m.StateDict().Map()
			sd["0.weight"] = torch.Zeros(torch.Shape{2, 2})
			sd["1.bias"] = c.last
			err := m.LoadStateDict(nn.NewStateDict(sd))
			require.ErrorIs(t, err, c.kind, name)
			assert.ErrorContains(t, err, "1.bias", name)
			assert.Equal(t, before, m.StateDict().String(), name)
		}
		assert.ErrorIs(t, torch.Try(func() { _ = m.LoadStateDict(nil, nil) }), torch.ErrNil)
		sd := m.StateDict()
		require.NoError(t, m.LoadStateDict(sd[1:], nn.Strict(true), nn.Strict(false)), "the last one counts")
		require.Error(t, m.LoadStateDict(sd[1:], nn.Strict(false), nn.Strict(true)))
		assert.NoError(t, m.Close())
		assert.ErrorIs(t, m.LoadStateDict(nn.StateDict{{Name: "0.weight", Tensor: torch.Zeros(torch.Shape{2, 2})}}, nn.Strict(false)), torch.ErrClosed)
	})
}

func TestStateDictPrintsAsPythons(t *testing.T) {
	scoped(t, func() {
		m := nn.NewLinear(1, 2)
		defer m.Close()
		torch.NoGrad(func() {
			m.Weight.Fill_(0.5)
			m.Bias.Zero_()
		})
		assert.Equal(t, "OrderedDict([('weight', tensor([[0.5000],\n        [0.5000]])), ('bias', tensor([0., 0.]))])", m.StateDict().String())
		assert.Equal(t, "OrderedDict()", nn.NewReLU().StateDict().String())
	})
}

func TestBuffersThatNoStateDictHolds(t *testing.T) {
	scoped(t, func() {
		m := new(holder)
		m.Init(m)
		defer m.Close()
		a := m.RegisterBuffer("a", torch.Ones(torch.Shape{1}))
		m.RegisterBuffer("b", torch.Ones(torch.Shape{1}), nn.Persistent(false))
		m.RegisterBuffer("c", torch.Ones(torch.Shape{1}), nn.Persistent(false), nn.Persistent(true))
		assert.Nil(t, m.RegisterBuffer("d", nil))
		assert.Equal(t, []string{"a", "c"}, m.StateDict().Names())
		assert.Len(t, m.Buffers(), 3)
		assert.Same(t, a, m.Buffers()[0])
		assert.ErrorIs(t, torch.Try(func() { m.RegisterBuffer("e", a, nil) }), torch.ErrNil)
	})
}
