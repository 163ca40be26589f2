package serialization_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/optim"
	lrs "github.com/gotorch/gotorch/optim/lr_scheduler"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/serialization"
	"github.com/gotorch/gotorch/torchtest"
)

// get returns an entry of a dict, of the type that is wanted.
func get[T any](t *testing.T, d *serialization.Dict, key any) T {
	t.Helper()
	v, ok := d.Get(key)
	require.True(t, ok, "%v in %v", key, d.Keys())
	out, ok := v.(T)
	require.True(t, ok, "%v is a %T", key, v)
	return out
}

// setting is a setting of Python's as package optim has it.
func setting(v any) any {
	if pair, ok := v.(serialization.Tuple); ok && len(pair) == 2 {
		a, first := pair[0].(float64)
		b, second := pair[1].(float64)
		if first && second {
			return [2]float64{a, b}
		}
	}
	return v
}

// optimState is the state dict of one of Python's optimizers.
func optimState(t *testing.T, d *serialization.Dict) *optim.StateDict {
	t.Helper()
	sd := &optim.StateDict{State: map[int]map[string]*torch.Tensor{}}
	for number, state := range get[*serialization.Dict](t, d, "state").All() {
		m := map[string]*torch.Tensor{}
		for name, v := range state.(*serialization.Dict).All() {
			m[name.(string)] = v.(*torch.Tensor)
		}
		sd.State[int(number.(int64))] = m
	}
	for _, g := range get[[]any](t, d, "param_groups") {
		group := optim.GroupState{Settings: map[string]any{}}
		for name, v := range g.(*serialization.Dict).All() {
			if name == "params" {
				for _, n := range v.([]any) {
					group.Params = append(group.Params, int(n.(int64)))
				}
				continue
			}
			group.Settings[name.(string)] = setting(v)
		}
		sd.ParamGroups = append(sd.ParamGroups, group)
	}
	return sd
}

// schedState is the state dict of one of Python's schedulers.
func schedState(d *serialization.Dict) lrs.StateDict {
	sd := lrs.StateDict{}
	for name, v := range d.All() {
		if list, ok := v.([]any); ok {
			numbers := make([]float64, len(list))
			for i, n := range list {
				numbers[i], _ = n.(float64)
			}
			v = numbers
		}
		sd[name.(string)] = v
	}
	return sd
}

// A run that Python began goes on here, with the losses that it has there.
func TestTrainingGoesOnFromACheckpointOfPython(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		v, err := serialization.Load(golden("checkpoint.pth"))
		require.NoError(t, err)
		ckpt := v.(*serialization.Dict)
		assert.Equal(t, int64(5), get[int64](t, ckpt, "epoch"))
		data := get[serialization.Tuple](t, ckpt, "data")
		x, y := data[0].(*torch.Tensor), data[1].(*torch.Tensor)

		float64s := nn.DType(torch.Float64)
		model := nn.NewSequential(nn.NewLinear(4, 8, float64s), nn.NewTanh(), nn.NewLinear(8, 2, float64s))
		defer func() { require.NoError(t, model.Close()) }()
		opt := optim.NewAdam(model.Parameters(), optim.LR(1), optim.Amsgrad(true))
		defer func() { require.NoError(t, opt.Close()) }()
		sched := lrs.NewStepLR(opt, 1)

		sd, err := serialization.LoadStateDict(golden("checkpoint.pth"), serialization.Key("model"))
		require.NoError(t, err)
		assert.Equal(t, []string{"0.weight", "0.bias", "2.weight", "2.bias"}, sd.Names())
		require.NoError(t, model.LoadStateDict(nn.NewStateDict(sd.Map())))
		require.NoError(t, opt.LoadStateDict(optimState(t, get[*serialization.Dict](t, ckpt, "optimizer"))))
		require.NoError(t, sched.LoadStateDict(schedState(get[*serialization.Dict](t, ckpt, "scheduler"))))

		want := []float64{0.451358806906725, 0.438991927881069, 0.4332915896574976, 0.4277856703149454, 0.42249048284480095}
		for i, w := range want {
			torch.Scope(func() {
				opt.ZeroGrad()
				loss := F.MSELoss(model.Forward(x), y)
				loss.Backward()
				opt.Step()
				sched.Step()
				// Other sums of the same float64 numbers, a few hundred in five steps.
				assert.InEpsilon(t, w, loss.Item(), 1e-12, "step %d", i)
			})
		}
	})
}

// A model's state dict is saved as it is, and read again with its names in order.
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
