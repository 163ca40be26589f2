package main

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/ranks"
	"github.com/gotorch/gotorch/torch/checkpoint"
	"github.com/gotorch/gotorch/torch/distributed"
	"github.com/gotorch/gotorch/torchtest"
)

// The last step of an epoch may have fewer batches than other steps. A training run that
// is interrupted during this step completes the step. After a restart, the run begins
// with the validation.
func TestStoppedAtTheEndOfAnEpoch(t *testing.T) {
	straight := small(t.TempDir())
	straight.accumulate = 100 // more than the 16 batches of an epoch
	want := trained(t, 1, straight)

	c := straight
	c.out = t.TempDir()
	ctx, cancel := context.WithCancel(context.Background())
	cancel() // the training stops after its first step
	ranks.AllWell(t, 1, func(g *distributed.ProcessGroup) error {
		require.ErrorIs(t, train(ctx, g, c), errInterrupted)
		return nil
	})
	alone := start(t, 1, c)[0]
	require.Zero(t, alone.wait(t), alone.out.String())
	assert.Regexp(t, `^step 1: accuracy [\d.]+\nstep 2: loss [\d.]+, accuracy [\d.]+\n$`, alone.out.String())
	require.NoError(t, equal(want, parameters(t, c)))
}

// All processes load the state that rank 0 has found. If a process cannot find it, all
// processes end with an error.
func TestFoldersThatDiffer(t *testing.T) {
	c := small(t.TempDir())
	c.epochs = 1
	require.NoError(t, run(context.Background(), c))
	old := filepath.Join(t.TempDir(), "old")
	require.NoError(t, os.CopyFS(old, os.DirFS(c.out)))
	c.epochs, c.resume = 2, true
	require.NoError(t, run(context.Background(), c))
	c.epochs = 3

	errs := ranks.Run(t, 2, func(g *distributed.ProcessGroup) error {
		own := c
		if g.Rank() == 1 {
			own.out = old
		}
		return train(context.Background(), g, own)
	})
	require.ErrorIs(t, errs[0], distributed.ErrPeer)
	require.ErrorIs(t, errs[1], fs.ErrNotExist)
}

// If the newest state is damaged, the training continues from the state before it.
func TestDamagedState(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	c := small(t.TempDir())
	require.NoError(t, run(context.Background(), c))
	states, err := checkpoint.List(c.out)
	require.NoError(t, err)
	require.Len(t, states, 2)
	require.NoError(t, os.Truncate(states[1].Path, states[1].Size-1000))
	c.resume = true
	require.NoError(t, run(context.Background(), c))
	again, err := checkpoint.List(c.out)
	require.NoError(t, err)
	assert.Equal(t, states[1].Step, again[len(again)-1].Step)
	assert.NoError(t, checkpoint.Verify(again[len(again)-1].Path))
}

// A process that is waiting for the others ends on Ctrl-C.
func TestInterruptedAlone(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	t.Setenv("RANK", "0")
	t.Setenv("WORLD_SIZE", "2")
	t.Setenv("MASTER_ADDR", "127.0.0.1")
	t.Setenv("MASTER_PORT", freePort(t))
	err := run(ctx, small(""))
	require.ErrorIs(t, err, errInterrupted)
	assert.Equal(t, 130, report(err))
}
