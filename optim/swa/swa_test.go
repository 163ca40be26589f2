package swa_test

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/optiontest"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/optim/swa"
	"github.com/gotorch/gotorch/torch"
)

// sines computes the same as sines in make_swa.py.
func sines(shape torch.Shape, start float64) *torch.Tensor {
	n := float64(shape.Numel())
	return torch.Arange(start, start+n, 1, torch.Float64).MulScalar(0.7).Sin().Float().Reshape(shape...)
}

// model returns the model of make_swa.py. fill sets its values.
func model() *nn.Sequential { return nn.NewSequential(nn.NewLinear(3, 4), nn.NewBatchNorm1d(4)) }

func fill(m *nn.Sequential, k float64) {
	torch.NoGrad(func() {
		for i, p := range m.Parameters() {
			p.Copy_(sines(p.Shape(), 100*k+10*float64(i)))
		}
		norm := m.At(1).(*nn.BatchNorm1d)
		norm.RunningMean.Copy_(sines(torch.Shape{4}, k))
		norm.NumBatchesTracked.Fill_(3 * k)
	})
}

func scoped(t *testing.T, fn func()) {
	t.Helper()
	before := torch.NumLiveTensors()
	torch.Scope(fn)
	assert.Equal(t, before, torch.NumLiveTensors(), "tensors left open")
}

func golden(t *testing.T) (cases map[string]map[string][]float64) {
	data, err := os.ReadFile("testdata/swa.json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(data, &cases))
	return cases
}

func compare(t *testing.T, want map[string][]float64, sd nn.StateDict) {
	require.Len(t, sd, len(want))
	for _, e := range sd {
		require.Contains(t, want, e.Name)
		assert.InDeltaSlice(t, want[e.Name], e.Tensor.Double().Reshape(-1).Float64s(), 0x1p-22, e.Name)
	}
}

func TestAgainstPython(t *testing.T) {
	cases := golden(t)
	for name, opts := range map[string][]swa.AveragedOption{
		"default":           nil,
		"buffers":           {swa.UseBuffers(true)},
		"ema":               {swa.EMAAvgFn(0.9)},
		"multi ema":         {swa.EMAMultiAvgFn(0.9)},
		"multi ema buffers": {swa.EMAMultiAvgFn(0.9), swa.UseBuffers(true)},
		"multi swa":         {swa.SWAMultiAvgFn()},
		"own": {swa.AvgFn(func(a, c, _ *torch.Tensor) *torch.Tensor {
			return a.MulScalar(0.25).Add(c.MulScalar(0.75))
		})},
	} {
		t.Run(name, func(t *testing.T) {
			scoped(t, func() {
				m := model()
				defer m.Close()
				fill(m, 0)
				a := swa.NewAveragedModel(m, opts...)
				defer a.Close()
				for k := range 4 {
					fill(m, float64(k+1))
					a.UpdateParameters(m)
				}
				compare(t, cases[name], a.StateDict())
			})
		})
	}
}

func TestUpdateBN(t *testing.T) {
	scoped(t, func() {
		m := model()
		defer m.Close()
		fill(m, 1)
		m.Eval()
		swa.UpdateBN(slices.Values([]*torch.Tensor{sines(torch.Shape{5, 3}, 0), sines(torch.Shape{7, 3}, 50)}), m)
		assert.False(t, m.Training())
		compare(t, golden(t)["update_bn"], m.StateDict())
		// The momentum is restored.
		m.Train()
		m.Forward(sines(torch.Shape{5, 3}, 1))
		norm := m.At(1).(*nn.BatchNorm1d)
		assert.Equal(t, 3.0, norm.NumBatchesTracked.Item())
		require.ErrorIs(t, torch.Try(func() { swa.UpdateBN(nil, m) }), torch.ErrNil)
		require.ErrorIs(t, torch.Try(func() {
			swa.UpdateBN(slices.Values([]*torch.Tensor{}), (*nn.Linear)(nil))
		}), torch.ErrNil)
		require.ErrorIs(t, torch.Try(func() { swa.UpdateBN(slices.Values([]*torch.Tensor{nil}), m) }), torch.ErrNil)
		m.Eval()
		bad := slices.Values([]*torch.Tensor{torch.Ones(torch.Shape{2, 7})})
		require.Error(t, torch.Try(func() { swa.UpdateBN(bad, m) }))
		assert.False(t, m.Training())
		none := nn.NewLinear(1, 1)
		defer none.Close()
		swa.UpdateBN(bad, none)
	})
}

// ownNorm embeds a batch normalization.
type ownNorm struct{ *nn.BatchNorm1d }

// UpdateBN also updates the statistics of layers that embed a batch normalization.
func TestUpdateBNOfOwnLayers(t *testing.T) {
	scoped(t, func() {
		own, inputs := &ownNorm{nn.NewBatchNorm1d(3)}, []*torch.Tensor{sines(torch.Shape{5, 3}, 0)}
		own.Init(own)
		defer own.Close()
		plain := nn.NewBatchNorm1d(3)
		defer plain.Close()
		for _, l := range []nn.Layer{own, plain} {
			l.Forward(sines(torch.Shape{4, 3}, 9))
			swa.UpdateBN(slices.Values(inputs), l)
		}
		assert.Equal(t, plain.RunningMean.Float32s(), own.RunningMean.Float32s())
		assert.InDelta(t, 0.1, *own.Momentum, 0)
	})
}

// ownModes declares methods of modules again. Its layer stays in evaluation mode.
type ownModes struct {
	nn.Base
	norm  *nn.BatchNorm1d
	modes []bool // of norm, in each Forward
	moved int
}

func newOwnModes() *ownModes {
	m := &ownModes{norm: nn.NewBatchNorm1d(3)}
	m.Init(m)
	return m
}

func (m *ownModes) Train() {
	m.Base.Train()
	m.norm.Eval()
}

func (m *ownModes) To(opts ...torch.ToOption) {
	m.moved++
	m.Base.To(opts...)
}

func (m *ownModes) Forward(x *torch.Tensor) *torch.Tensor {
	return m.Call(x, func(x *torch.Tensor) *torch.Tensor {
		m.modes = append(m.modes, m.norm.Training())
		return m.norm.Forward(x)
	})
}

// UpdateBN calls the Train of the model, and NewAveragedModel calls the To of its copy.
func TestMethodsDeclaredAgain(t *testing.T) {
	scoped(t, func() {
		m := newOwnModes()
		defer m.Close()
		swa.UpdateBN(slices.Values([]*torch.Tensor{sines(torch.Shape{5, 3}, 0)}), m)
		assert.Equal(t, []bool{false}, m.modes)
		a := swa.NewAveragedModel(m, swa.Device(torch.CPU))
		defer a.Close()
		assert.Equal(t, 1, a.Module.(*ownModes).moved)
	})
}

func TestAveragedModel(t *testing.T) {
	scoped(t, func() {
		m := model()
		defer m.Close()
		a := swa.NewAveragedModel(m)
		defer a.Close()
		assert.Equal(t,
			"AveragedModel(\n  (module): Sequential(\n    (0): Linear(in_features=3, out_features=4, bias=True)\n"+
				"    (1): BatchNorm1d(4, eps=1e-05, momentum=0.1, affine=True, track_running_stats=True)\n  )\n)",
			a.String())
		x := torch.Ones(torch.Shape{2, 3})
		a.Eval()
		m.Eval()
		assert.True(t, a.Forward(x).Equal(m.Forward(x)))
		assert.Len(t, a.Parameters(), 4)
		assert.Equal(t, "n_averaged", a.StateDict()[0].Name)

		other := nn.NewLinear(3, 4)
		defer other.Close()
		before := fmt.Sprint(a.StateDict())
		require.ErrorIs(t, torch.Try(func() { a.UpdateParameters(other) }), torch.ErrValue)
		require.ErrorIs(t, torch.Try(func() { a.UpdateParameters(nil) }), torch.ErrNil)
		require.ErrorIs(t, torch.Try(func() { a.UpdateParameters((*nn.Linear)(nil)) }), torch.ErrNil)
		wide := nn.NewSequential(nn.NewLinear(2, 4), nn.NewBatchNorm1d(4))
		defer wide.Close()
		require.ErrorIs(t, torch.Try(func() { a.UpdateParameters(wide) }), torch.ErrValue)
		assert.Equal(t, before, fmt.Sprint(a.StateDict()))

		none := swa.NewAveragedModel(m, swa.AvgFn(func(_, _, _ *torch.Tensor) *torch.Tensor { return nil }))
		defer none.Close()
		none.UpdateParameters(m)
		require.ErrorIs(t, torch.Try(func() { none.UpdateParameters(m) }), torch.ErrNil)
		for name, c := range map[string]struct {
			kind error
			fn   func()
		}{
			"nil model":   {torch.ErrNil, func() { swa.NewAveragedModel(nil) }},
			"two":         {torch.ErrValue, func() { swa.NewAveragedModel(m, swa.SWAAvgFn(), swa.SWAMultiAvgFn()) }},
			"nil avg":     {torch.ErrNil, func() { swa.NewAveragedModel(m, swa.AvgFn(nil)) }},
			"nil multi":   {torch.ErrNil, func() { swa.NewAveragedModel(m, swa.MultiAvgFn(nil)) }},
			"decay":       {torch.ErrValue, func() { swa.EMAAvgFn(-1) }},
			"multi decay": {torch.ErrValue, func() { swa.EMAMultiAvgFn(math.NaN()) }},
		} {
			assert.ErrorIs(t, torch.Try(c.fn), c.kind, name)
		}
		assert.ErrorContains(t, torch.Try(func() { swa.NewAveragedModel(nil) }), "NewAveragedModel: argument model")
	})
}

// Tests each option: alone, after the same option with a different value, and together
// with a nil option.
func TestOptions(t *testing.T) {
	constant := func(v float64) swa.AvgFn {
		return func(a, _, _ *torch.Tensor) *torch.Tensor { return torch.FullLike(a, v) }
	}
	multi := func(v float64) swa.MultiAvgFn {
		return func(all, _ []*torch.Tensor, _ *torch.Tensor) {
			for _, a := range all {
				a.Fill_(v)
			}
		}
	}
	scoped(t, func() {
		optiontest.Read(t, ".").Run(t, map[string]optiontest.Row{
			"NewAveragedModel": optiontest.For(func(opts ...swa.AveragedOption) optiontest.Outcome {
				var out string
				var where torch.Device
				torch.Scope(func() {
					m := model()
					defer m.Close()
					fill(m, 0)
					a := swa.NewAveragedModel(m, opts...)
					defer a.Close()
					where = a.NAveraged.Device()
					for k := range 2 {
						fill(m, float64(k+1))
						a.UpdateParameters(m)
					}
					out = fmt.Sprint(a.StateDict())
				})
				return optiontest.Outcome{"average": out, "device": where.String()}
			},
				optiontest.Values(swa.Device(torch.CPU), swa.Device(torch.CPU)).Hides("device",
					"there is one").Hides("average", "there is one"),
				optiontest.Values(constant(1), constant(2)).Hides("device", "it is the model's"),
				optiontest.Values(multi(1), multi(2)).Hides("device", "it is the model's"),
				optiontest.Values(swa.UseBuffers(true), swa.UseBuffers(false)).Hides("device", "it is the model's"),
			),
			"NewSWALR": optiontest.For(func(opts ...swa.SWALROption) optiontest.Outcome {
				p := torch.Zeros(torch.Shape{1}, torch.RequiresGrad(true))
				defer p.Close()
				o := optim.NewSGD([]*torch.Tensor{p}, optim.LR(1))
				defer o.Close()
				return optiontest.Outcome{"rate": fmt.Sprint(swa.NewSWALR(o, 0.5, opts...).LastLR())}
			}), // NewSWALR takes the options of package schedule
		})
	})
}

func TestSWALR(t *testing.T) {
	scoped(t, func() {
		o := optim.NewSGD([]*torch.Tensor{torch.Zeros(torch.Shape{1}, torch.RequiresGrad(true))}, optim.LR(1))
		defer o.Close()
		s := swa.NewSWALR(o, 0.5)
		for range 12 {
			s.Step()
		}
		assert.Equal(t, []float64{0.5}, s.LastLR())
	})
}

func ExampleAveragedModel() {
	m := nn.NewLinear(1, 1, nn.Bias(false))
	defer m.Close()
	ema := swa.NewAveragedModel(m, swa.EMAMultiAvgFn(0.5))
	defer ema.Close()
	for _, w := range []float64{1, 2, 3} {
		torch.NoGrad(func() { m.Weight.Fill_(w) }) // stands for training
		ema.UpdateParameters(m)
	}
	torch.Scope(func() { fmt.Println(ema.Parameters()[0].Item()) })
	// Output: 2.25
}
