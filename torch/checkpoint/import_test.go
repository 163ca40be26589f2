package checkpoint_test

import (
	"io/fs"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/optim/schedule"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/checkpoint"
	"github.com/gotorch/gotorch/torch/serialization"
	"github.com/gotorch/gotorch/torchtest"
)

// Import loads a file written by Python into all parts of a state, or into none of them.
func TestImport(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	const path = "../serialization/testdata/golden/checkpoint.pth"
	torch.Scope(func() {
		float64s := nn.DType(torch.Float64)
		model := nn.NewSequential(nn.NewLinear(4, 8, float64s), nn.NewTanh(), nn.NewLinear(8, 2, float64s))
		opt := optim.NewAdam(model.Parameters(), optim.LR(1), optim.AMSGrad(true))
		sched := schedule.NewStepLR(opt, 1)
		defer func() {
			require.NoError(t, opt.Close())
			require.NoError(t, model.Close())
		}()
		epoch, losses := 0, []float64(nil)
		state := checkpoint.State{
			"model": model, "optimizer": opt, "scheduler": sched, "epoch": &epoch,
			"losses": &losses,
		}
		now := func() string {
			return model.StateDict().String() + opt.StateDict().String() + sched.String()
		}
		before := now()

		// If one part of the state cannot be loaded, no part changes.
		other := nn.NewLinear(2, 2)
		defer func() { require.NoError(t, other.Close()) }()
		for name, c := range map[string]struct {
			with checkpoint.State
			kind error
		}{
			"a model":   {checkpoint.State{"model": other}, nil},
			"a missing": {checkpoint.State{"scaler": &epoch}, torch.ErrNotFound},
			"a form":    {checkpoint.State{"data": opt}, torch.ErrMismatch},
			"no name":   {checkpoint.State{"": &epoch}, torch.ErrValue},
		} {
			with := checkpoint.State{}
			for k, v := range state {
				with[k] = v
			}
			for k, v := range c.with {
				with[k] = v
			}
			live := torch.NumLiveTensors()
			_, err := checkpoint.Import(path, with)
			assert.Equal(t, live, torch.NumLiveTensors(), name)
			require.Error(t, err, name)
			if c.kind != nil {
				require.ErrorIs(t, err, c.kind, name)
			}
			assert.ErrorContains(t, err, "checkpoint", name)
			assert.Equal(t, before, now(), name)
			assert.Zero(t, epoch, name)
		}

		unused, err := checkpoint.Import(path, state)
		require.NoError(t, err)
		assert.Equal(t, []string{"rng", "data"}, unused)
		assert.Equal(t, 5, epoch)
		assert.NotEmpty(t, losses)
		assert.Equal(t, 5, sched.LastEpoch())
		want, err := serialization.LoadDict(path)
		require.NoError(t, err)
		for _, n := range model.StateDict() {
			w, err := want.Dict("model").Tensor(n.Name)
			require.NoError(t, err)
			assert.True(t, w.Equal(n.Tensor), n.Name)
		}

		// A part may have a name that is reserved in a Manager's files.
		file, step := filepath.Join(t.TempDir(), "x.pt"), 0
		require.NoError(t, serialization.Save(serialization.NewDict("step", 7, "rng_state", nil), file))
		unused, err = checkpoint.Import(file, checkpoint.State{"step": &step})
		require.NoError(t, err)
		assert.Equal(t, []string{"rng_state"}, unused)
		assert.Equal(t, 7, step)
		require.NoError(t, serialization.Save([]any{1}, file))
		_, err = checkpoint.Import(file, checkpoint.State{})
		require.ErrorIs(t, err, torch.ErrFormat)
		_, err = checkpoint.Import(file+"s", checkpoint.State{})
		require.ErrorIs(t, err, fs.ErrNotExist)
	})
}

// As in files of PyTorch, the state dicts in a checkpoint contain Python's tuples and
// Counters.
func TestStateDictsInACheckpoint(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		opt := optim.NewAdam([]*torch.Tensor{torch.Ones(torch.Shape{2}, torch.RequiresGrad(true))})
		defer func() { require.NoError(t, opt.Close()) }()
		path := saved(t, checkpoint.State{"o": opt, "s": schedule.NewMultiStepLR(opt, []int{3, 5, 3})})
		d, err := serialization.LoadDict(path)
		require.NoError(t, err)
		groups, _ := d.Dict("o").Get("param_groups")
		betas, _ := groups.([]any)[0].(*serialization.Dict).Get("betas")
		assert.Equal(t, serialization.Tuple{0.9, 0.999}, betas)
		assert.Equal(t, "Counter({3: 2, 5: 1})", serialization.Repr(d.Dict("s").Dict("milestones")))
	})
}

// Loading visits each nested dict with integer keys once, however deep the nesting.
func TestNestedDictsOfNumbers(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	value := any(serialization.NewDict(serialization.Tuple{1}, 2))
	for range 60 {
		value = serialization.NewDict(int64(1), value, int64(2), "x")
	}
	path := filepath.Join(t.TempDir(), "x.pt")
	require.NoError(t, serialization.Save(serialization.NewDict("n", value), path))
	var n any
	_, err := checkpoint.Import(path, checkpoint.State{"n": &n})
	require.NoError(t, err)
	for range 60 {
		m := n.(map[int64]any)
		assert.Equal(t, "x", m[2])
		n = m[1]
	}
	assert.IsType(t, &serialization.Dict{}, n, "a dict with other keys stays a Dict")
}
