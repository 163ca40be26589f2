package optim_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

// Further steps change the tensors of a StateDict, but not those of its clone.
func TestStateDictClone(t *testing.T) {
	scoped(t, func() {
		p := param()
		o := optim.NewSGD([]*torch.Tensor{p}, optim.LR(0.5), optim.Momentum(0.9))
		defer o.Close()
		o.Step()
		var best *optim.StateDict
		torch.Scope(func() { best = o.StateDict().Clone() })
		defer best.Close()
		was := best.String()
		assert.Equal(t, o.StateDict().String(), was)
		o.Step()
		o.ParamGroups()[0].Set(optim.LR(0.1))
		assert.Equal(t, was, best.String())
		assert.NotEqual(t, was, o.StateDict().String())
		require.NoError(t, o.LoadStateDict(best))
		assert.Equal(t, was, o.StateDict().String())

		closed := best.Clone()
		require.NoError(t, closed.Close())
		assert.ErrorIs(t, torch.Try(func() { closed.Clone() }), torch.ErrClosed)
	})
}
