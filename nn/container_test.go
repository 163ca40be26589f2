package nn_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

// After Register replaces a layer of a Sequential, the new layer runs, is trained and
// is listed.
func TestRegisterReplacesALayerOfSequential(t *testing.T) {
	scoped(t, func() {
		old, head := nn.NewLinear(4, 3), nn.NewLinear(4, 5)
		defer old.Close()
		s := nn.NewSequential(nn.NewLinear(2, 4), nn.NewReLU(), old)
		defer s.Close()
		s.Register("2", head)
		assert.Equal(t, 3, s.Len())
		assert.Same(t, head, s.At(2))
		y := s.Forward(torch.Ones(torch.Shape{1, 2}))
		assert.Equal(t, torch.Shape{1, 5}, y.Shape())
		y.Sum().Backward()
		assert.NotNil(t, head.Weight.Grad())
		assert.Nil(t, old.Weight.Grad())

		s.Register("last", nn.NewSoftmax(1))
		assert.Equal(t, 4, s.Len())
		assert.InDelta(t, 1, s.Forward(torch.Ones(torch.Shape{1, 2})).Sum().Item(), 1e-5)
		s.Append(nn.NewIdentity())
		assert.Same(t, s.At(-1), s.Get("4"))
	})
}

func TestSequentialRunsLayersAlone(t *testing.T) {
	scoped(t, func() {
		s := nn.NewSequential(nn.NewReLU())
		s.Register("1", nn.NewModuleList())
		err := torch.Try(func() { s.Forward(torch.Ones(torch.Shape{1})) })
		require.ErrorIs(t, err, torch.ErrType)
		assert.ErrorContains(t, err, `child "1", a ModuleList`)
		assert.ErrorIs(t, torch.Try(func() { s.At(1) }), torch.ErrType)
	})
}

func TestModuleListHoldsItsChildren(t *testing.T) {
	scoped(t, func() {
		a, b, c := nn.NewLinear(1, 1), nn.NewReLU(), nn.NewTanh()
		defer a.Close()
		l := nn.NewModuleList(a, b)
		l.Register("1", c)
		assert.Equal(t, 2, l.Len())
		assert.Same(t, c, l.At(1))
		l.Append(b)
		assert.Same(t, b, l.Get("2"))
		assert.Same(t, b, l.At(2))
		assert.ErrorIs(t, torch.Try(func() { l.At(3) }), torch.ErrIndex)
	})
}
