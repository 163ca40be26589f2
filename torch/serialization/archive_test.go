package serialization_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/serialization"
	"github.com/gotorch/gotorch/torchtest"
)

// WriteTo writes the same bytes as SaveTo, even later, on another goroutine, and a second
// time. An archive keeps the memory of its tensors, and does not copy it.
func TestArchive(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	var want, first, second bytes.Buffer
	var a *serialization.Archive
	var err error
	torch.Scope(func() {
		x := torch.Arange(0, 100)
		value := serialization.NewDict("x", x, "part", x.Narrow(0, 3, 5), "n", 7)
		a, err = serialization.NewArchive(value)
		require.NoError(t, err)
		x.Fill_(3)
		require.NoError(t, serialization.SaveTo(&want, value))
	})
	done := make(chan error)
	go func() {
		n, err := a.WriteTo(&first)
		assert.EqualValues(t, first.Len(), n)
		done <- err
	}()
	require.NoError(t, <-done)
	_, err = a.WriteTo(&second)
	require.NoError(t, err)
	assert.Equal(t, want.Bytes(), first.Bytes())
	assert.Equal(t, want.Bytes(), second.Bytes())
	_, err = a.WriteTo(nil)
	require.ErrorIs(t, err, torch.ErrNil)
	_, err = a.WriteTo(failing{bytes.ErrTooLarge})
	require.ErrorIs(t, err, bytes.ErrTooLarge)
	require.NoError(t, a.Close())
	require.NoError(t, a.Close())
	_, err = a.WriteTo(&first)
	require.ErrorIs(t, err, torch.ErrClosed)
	a = nil
	_, err = a.WriteTo(&first)
	require.ErrorIs(t, err, torch.ErrClosed)
	require.NoError(t, a.Close())
	_, err = serialization.NewArchive(func() {})
	require.ErrorIs(t, err, torch.ErrType)
}
