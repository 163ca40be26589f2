package checkpoint_test

import (
	"context"
	"io"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	allocation "github.com/gotorch/gotorch/internal/failing"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/checkpoint"
)

// remembered makes a model and an optimizer that has taken some steps. It returns them as a
// State, the values to close, and a function that returns their tensors.
func remembered(steps int) (checkpoint.State, []io.Closer, func() []*torch.Tensor) {
	torch.ManualSeed(uint64(steps))
	model := nn.NewSequential(nn.NewLinear(3, 4), nn.NewBatchNorm1d(4), nn.NewLinear(4, 2))
	opt := optim.NewAdam(model.Parameters())
	for range steps {
		opt.ZeroGrad()
		model.Forward(torch.Rand(torch.Shape{5, 3})).Sum().Backward()
		opt.Step()
	}
	return checkpoint.State{"model": model, "optimizer": opt}, []io.Closer{model, opt}, func() (all []*torch.Tensor) {
		for _, n := range model.StateDict() {
			all = append(all, n.Tensor)
		}
		for _, p := range model.Parameters() {
			state := opt.State(p)
			all = append(all, state["step"], state["exp_avg"], state["exp_avg_sq"])
		}
		return all
	}
}

// If a load runs out of memory, it changes nothing. If a save runs out of memory, the
// existing files stay unchanged.
func TestCheckpointsOutOfMemory(t *testing.T) {
	dir := t.TempDir()
	torch.Scope(func() {
		m, err := checkpoint.Open(dir)
		require.NoError(t, err)
		state, open, _ := remembered(3)
		for _, c := range open {
			defer c.Close()
		}
		require.NoError(t, m.Save(context.Background(), 1, state))
		require.NoError(t, m.Close())
	})
	for _, steps := range []int{0, 2} {
		loads := allocation.Sweep(func() allocation.Case {
			state, open, tensors := remembered(steps)
			return allocation.Case{Close: open, State: tensors, Call: func() error {
				_, err := checkpoint.Resume(dir, state)
				return err
			}}
		})
		assert.Positive(t, loads.Failed)
		assert.Equal(t, allocation.Faults{Failed: loads.Failed}, loads, "a load after %d steps", steps)
	}
	saves := allocation.Sweep(func() allocation.Case {
		dir := t.TempDir()
		m, err := checkpoint.Open(dir)
		require.NoError(t, err)
		state, open, tensors := remembered(1)
		require.NoError(t, m.Save(context.Background(), 1, state))
		files := func() (names []string) {
			names, err := filepath.Glob(filepath.Join(dir, "*"))
			require.NoError(t, err)
			return names
		}
		before := files()
		return allocation.Case{Close: open, State: tensors, Call: func() error {
			err := m.Save(context.Background(), 2, state)
			if err != nil {
				assert.Equal(t, before, files())
			}
			return err
		}}
	})
	t.Logf("%d saves failed", saves.Failed)
	assert.Equal(t, allocation.Faults{Failed: saves.Failed}, saves, "a save")
}
