package main

import (
	"context"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/examples/pytorch/internal/frame"
	"github.com/gotorch/gotorch/examples/pytorch/internal/frametest"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torchtest"
)

// testdata/losses.txt was written by
//
//	python reference.py --steps 10 --threads 1 --losses testdata/losses.txt
func TestLossesArePythons(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	frametest.Compare(t, func(file string) error {
		return frame.Flags{Seed: 1, Threads: 1, Steps: 10, Losses: file}.Run(t.Context(), io.Discard, train)
	})
}

// The training ends when the learned polynomial almost equals the actual one.
func TestFit(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	var out strings.Builder
	require.NoError(t, frame.Flags{Seed: 1, Threads: 1, Steps: 5000}.Run(t.Context(), &out, train))
	assert.Regexp(t, `^loss 0\.000\d+ after \d+ batches\nlearned: y = [+-]\d`, out.String())
}

func TestMistakes(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	assert.ErrorIs(t, frame.Flags{Threads: 0}.Run(t.Context(), io.Discard, train), torch.ErrValue)
}

func TestInterrupted(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out strings.Builder
	require.NoError(t, frame.Defaults().Run(ctx, &out, train))
	assert.Contains(t, out.String(), "interrupted after 0 steps")
}
