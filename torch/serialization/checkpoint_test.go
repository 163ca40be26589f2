package serialization_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/optim/schedule"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/serialization"
	"github.com/gotorch/gotorch/torchtest"
)

// get returns the value of a key in d. The value must be a T.
func get[T any](t *testing.T, d *serialization.Dict, key any) T {
	t.Helper()
	v, ok := d.Get(key)
	require.True(t, ok, "%v in %v", key, d.Keys())
	out, ok := v.(T)
	require.True(t, ok, "%v is a %T", key, v)
	return out
}

// A training run that began in Python continues in Go, and has the same losses as in
// Python.
func TestTrainingGoesOnFromACheckpointOfPython(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		ckpt, err := serialization.LoadDict(golden("checkpoint.pth"))
		require.NoError(t, err)
		assert.Equal(t, int64(5), get[int64](t, ckpt, "epoch"))
		data := get[serialization.Tuple](t, ckpt, "data")
		x, y := data[0].(*torch.Tensor), data[1].(*torch.Tensor)

		float64s := nn.DType(torch.Float64)
		model := nn.NewSequential(nn.NewLinear(4, 8, float64s), nn.NewTanh(), nn.NewLinear(8, 2, float64s))
		defer func() { require.NoError(t, model.Close()) }()
		opt := optim.NewAdam(model.Parameters(), optim.LR(1), optim.AMSGrad(true))
		defer func() { require.NoError(t, opt.Close()) }()
		sched := schedule.NewStepLR(opt, 1)

		assert.Equal(t, []string{"0.weight", "0.bias", "2.weight", "2.bias"}, ckpt.Dict("model").Names())
		require.NoError(t, model.LoadStateDict(ckpt.Dict("model")))
		require.NoError(t, opt.LoadStateDict(ckpt.Dict("optimizer")))
		require.NoError(t, sched.LoadStateDict(ckpt.Dict("scheduler")))

		want := []float64{
			0.451358806906725, 0.438991927881069, 0.4332915896574976, 0.4277856703149454,
			0.42249048284480095,
		}
		for i, w := range want {
			torch.Scope(func() {
				opt.ZeroGrad()
				loss := F.MSELoss(model.Forward(x), y)
				loss.Backward()
				opt.Step()
				sched.Step()
				// a few hundred additions of float64 numbers are done in a different
				// order than in Python
				assert.InEpsilon(t, w, loss.Item(), 1e-12, "step %d", i)
			})
		}
	})
}

// Saving and loading a model's state dict keeps the names in the same order.
func TestModelsStateDict(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	model := nn.NewSequential(nn.NewLinear(4, 8), nn.NewBatchNorm1d(8))
	defer func() { require.NoError(t, model.Close()) }()
	torch.Scope(func() {
		path := filepath.Join(t.TempDir(), "model.pt")
		sd := model.StateDict()
		require.NoError(t, serialization.Save(sd, path))
		back, err := serialization.LoadStateDict(path)
		require.NoError(t, err)
		assert.Equal(t, sd.Names(), back.Names())
		for _, name := range sd.Names() {
			assert.True(t, sd.Get(name).Equal(back.Get(name)), name)
		}
		require.NoError(t, model.LoadStateDict(nn.NewStateDict(back.Map())))
	})
}

// LoadDict returns an error for a file that holds something other than a dict. The methods
// of Dict report missing entries.
func TestDictsOfAFile(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	path := filepath.Join(t.TempDir(), "x.pt")
	torch.Scope(func() {
		require.NoError(t, serialization.Save([]any{torch.Ones(torch.Shape{2})}, path))
		live := torch.NumLiveTensors()
		_, err := serialization.LoadDict(path)
		assert.Equal(t, live, torch.NumLiveTensors())
		require.ErrorIs(t, err, torch.ErrFormat)
		require.ErrorContains(t, err, "expected a dict, got a list")
		_, err = serialization.LoadDict(golden("checkpoint.pth"), serialization.Key("epoch"))
		require.ErrorContains(t, err, "expected a dict, got an int in 'epoch'")
		_, err = serialization.LoadDict(golden("checkpoint.pth"), serialization.Key("optimiser"))
		require.ErrorIs(t, err, torch.ErrNotFound)
		_, err = serialization.LoadDict(path + ".not")
		require.Error(t, err)

		groups, err := serialization.LoadDict(golden("checkpoint.pth"), serialization.Key("optimizer"))
		require.NoError(t, err)
		assert.Equal(t, []any{"state", "param_groups"}, groups.Keys())

		w := torch.Ones(torch.Shape{2})
		d := serialization.NewDict("w", w, "n", 3, 5, w, "p", &serialization.Parameter{Tensor: w})
		assert.Equal(t, []string{"w", "p"}, d.Names())
		for _, name := range d.Names() {
			got, err := d.Tensor(name)
			require.NoError(t, err)
			assert.Same(t, w, got)
		}
		_, err = d.Tensor("x")
		require.ErrorIs(t, err, torch.ErrValue)
		_, err = d.Tensor("n")
		require.ErrorIs(t, err, torch.ErrType)
		for _, key := range []any{"x", "w", []any{}} {
			assert.Nil(t, d.Dict(key))
		}
		var none *serialization.Dict
		assert.Nil(t, none.Dict("x"))
		assert.Empty(t, none.Names())

		// Arrays are saved as tuples, and types with the method Each as dicts.
		require.NoError(t,
			serialization.Save(serialization.NewDict("pair", [2]float64{1, 2}, "counts", schedule.Counter{3: 1}, "dict",
				schedule.StateDict{"b": nil, "a": [3]any{}}), path))
		v, err := serialization.Load(path)
		require.NoError(t, err)
		assert.Equal(t, "{'pair': (1.0, 2.0), 'counts': Counter({3: 1}), 'dict': {'a': (None, None, None), 'b': None}}",
			serialization.Repr(v))
		for _, bad := range []any{(*optim.StateDict)(nil), badKey{}} {
			require.Error(t, serialization.Save(bad, path))
		}
	})
}

// badKey has the method Each, and yields a key that is not hashable.
type badKey struct{}

func (badKey) Each(fn func(key, value any) bool) { fn([]any{}, 1) }
