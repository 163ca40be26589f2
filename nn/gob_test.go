package nn_test

import (
	"bytes"
	"encoding/gob"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torchtest"
)

// A state dict can be encoded with encoding/gob, as GoNB's cache does.
func TestStateDictGob(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	from := nn.NewSequential(nn.NewLinear(3, 4), nn.NewBatchNorm1d(4))
	defer func() { assert.NoError(t, from.Close()) }()
	to := nn.NewSequential(nn.NewLinear(3, 4), nn.NewBatchNorm1d(4))
	defer func() { assert.NoError(t, to.Close()) }()
	torch.Scope(func() {
		var b bytes.Buffer
		require.NoError(t, gob.NewEncoder(&b).Encode(from.StateDict()))
		var state nn.StateDict
		require.NoError(t, gob.NewDecoder(&b).Decode(&state))
		require.NoError(t, to.LoadStateDict(state))
		x := torch.Randn(torch.Shape{5, 3})
		from.Eval()
		to.Eval()
		assert.True(t, from.Forward(x).Equal(to.Forward(x)))
	})
}
