package checkpoint_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/checkpoint"
	"github.com/gotorch/gotorch/torchtest"
)

// With Async, training continues while a file is written. The file has the state at the
// time of Save. The second save reuses the memory of the first save's copies.
func TestAsync(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	dir := t.TempDir()
	x := torch.Zeros(torch.Shape{1000})
	defer func() { _ = x.Close() }()
	ints := torch.Zeros(torch.Shape{3}, torch.Int64)
	defer func() { _ = ints.Close() }()
	tied := nn.StateDict{{Name: "a", Tensor: x}, {Name: "b", Tensor: x}, {Name: "none"}}
	n := 1
	state := checkpoint.State{"x": x, "ints": ints, "tied": tied, "n": &n}
	m := open(t, dir, checkpoint.Async(true))
	held, reached := make(chan struct{}), make(chan struct{})
	m.Writing(func() {
		reached <- struct{}{}
		<-held
	})
	before := torch.NumLiveTensors()
	require.NoError(t, m.Save(t.Context(), 1, state))
	<-reached
	// The file is not yet being written, and training continues.
	x.Fill_(2)
	n = 2
	assert.Empty(t, steps(t, dir))
	during := torch.NumLiveTensors()

	// A second save waits for the first one until its own context is done.
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, m.Save(ctx, 2, state), context.Canceled)
	require.ErrorIs(t, m.Wait(ctx), context.Canceled)
	held <- struct{}{}
	require.NoError(t, m.Wait(t.Context()))
	assert.Equal(t, []int{1}, steps(t, dir))
	kept := torch.NumLiveTensors()
	assert.EqualValues(t, m.HostTensors(), kept-before, "the copies, and nothing else")
	assert.Equal(t, 3, m.HostTensors(), "x once, ints, and the generator's state")

	for i := range 3 {
		x.Fill_(3 + i)
		require.NoError(t, m.Save(ctx, 2+i, state), "a done context does not matter if no write is in progress")
		<-reached
		assert.Equal(t, during, torch.NumLiveTensors(), "no second copy")
		held <- struct{}{}
		require.NoError(t, m.Wait(t.Context()))
		assert.Equal(t, kept, torch.NumLiveTensors())
	}
	delete(state, "ints") // frees the copy of "ints" at the next save
	require.NoError(t, m.Save(t.Context(), 9, state))
	<-reached
	held <- struct{}{}
	require.NoError(t, m.Close())
	require.NoError(t, m.Close())
	assert.Equal(t, before, torch.NumLiveTensors())
	infos, err := checkpoint.List(dir)
	require.NoError(t, err)
	for i, want := range []float64{0, 3, 4, 5, 5} {
		delete(state, "ints")
		_, err := checkpoint.Load(infos[i].Path, state)
		require.NoError(t, err)
		assert.Equal(t, want, x.Index(999).Item(), i)
	}

	require.ErrorIs(t, m.Save(t.Context(), 1, state), torch.ErrClosed)
	require.NoError(t, m.Wait(t.Context()))
}

// If a background write fails, the next call reports it, but not the calls after that.
func TestFailuresInTheBackground(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "folder")
	m := open(t, dir, checkpoint.Async(true))
	n := 0
	state := checkpoint.State{"n": &n}
	require.NoError(t, os.RemoveAll(dir))
	failed := func(err error) {
		t.Helper()
		var fe *torch.FileError
		require.ErrorAs(t, err, &fe)
		require.ErrorIs(t, err, os.ErrNotExist)
	}
	require.NoError(t, m.Save(t.Context(), 1, state))
	failed(m.Save(t.Context(), 2, state))
	failed(m.Wait(t.Context()))
	require.NoError(t, m.Wait(t.Context()))
	require.NoError(t, m.Save(t.Context(), 3, state))
	failed(m.Wait(t.Context()))
	require.NoError(t, os.Mkdir(dir, 0o700))
	require.NoError(t, m.Save(t.Context(), 4, state))
	require.NoError(t, m.Wait(t.Context()))
	assert.Equal(t, []int{4}, steps(t, dir))
	require.NoError(t, os.RemoveAll(dir))
	require.NoError(t, m.Save(t.Context(), 5, state))
	failed(m.Close())
}
