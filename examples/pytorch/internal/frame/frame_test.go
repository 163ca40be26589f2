package frame_test

import (
	"context"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/examples/pytorch/internal/frame"
	"github.com/gotorch/gotorch/examples/pytorch/internal/frametest"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torchtest"
)

func TestRun(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	f := frame.Defaults()
	f.Steps, f.Losses = 2, filepath.Join(t.TempDir(), "losses")
	var out strings.Builder
	require.NoError(t, f.Run(t.Context(), &out, func(t *frame.Training) error {
		for i := 1.0; !t.Ended(); i++ {
			t.Add(1 / i)
			torch.Zeros(torch.Shape{64}) // the training's scope frees it
		}
		return nil
	}))
	assert.Equal(t, []float64{1, 0.5}, frametest.Golden(t, f.Losses))
	assert.Contains(t, out.String(), "all closed: 0 bytes and 0 tensors more than at the start")
}

func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var out strings.Builder
	require.NoError(t, frame.Defaults().Run(ctx, &out, func(t *frame.Training) error {
		for !t.Ended() {
			t.Add(1)
			cancel()
		}
		return nil
	}))
	assert.Contains(t, out.String(), "interrupted after 1 steps")
}

func TestErrors(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	f := frame.Defaults()
	run := func(train func(t *frame.Training) error) error { return f.Run(t.Context(), &strings.Builder{}, train) }
	own := errors.New("no data")
	assert.ErrorIs(t, run(func(*frame.Training) error { return own }), own)
	assert.ErrorIs(t, run(func(*frame.Training) error { torch.SetNumThreads(-1); return nil }), torch.ErrValue)
	var kept *torch.Tensor
	assert.ErrorContains(t, run(func(*frame.Training) error {
		kept = torch.Disown(torch.Ones(torch.Shape{9}))
		return nil
	}), "leaked")
	require.NoError(t, kept.Close())
	f.Losses = t.TempDir()
	assert.ErrorContains(t, run(func(*frame.Training) error { return nil }), "is a directory")
	f.Losses, f.Threads = "", 0
	assert.ErrorIs(t, run(func(*frame.Training) error { return nil }), torch.ErrValue)
}

func TestRegister(t *testing.T) {
	old, args := flag.CommandLine, os.Args
	defer func() { flag.CommandLine, os.Args = old, args }()
	flag.CommandLine = flag.NewFlagSet("program", flag.PanicOnError)
	file := filepath.Join(t.TempDir(), "losses")
	os.Args = []string{"program", "-seed", "7", "-steps", "3", "-threads", "1", "-losses", file, "-quiet"}
	f := frame.Defaults()
	f.Register()
	called := false
	f.Main("program", func(t *frame.Training) error {
		called = true
		return t.Err()
	})
	assert.True(t, called)
	assert.Equal(t, frame.Flags{Seed: 7, Steps: 3, Threads: 1, Losses: file, Quiet: true}, f)
}
