package closed_test

import (
	"io"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/examples/internal/closed"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torchtest"
)

func TestAfter(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	require.NoError(t, closed.After(func() error { return torch.Zeros(torch.Shape{1}).Close() }))
	require.ErrorIs(t, closed.After(func() error { return io.EOF }), io.EOF)
	require.ErrorIs(t, closed.After(func() error { torch.SetNumThreads(0); return nil }), torch.ErrValue)
	var left *torch.Tensor
	require.EqualError(t, closed.After(func() error { left = torch.Zeros(torch.Shape{1}); return nil }),
		"1 tensors were left open")
	assert.NoError(t, left.Close())
}
