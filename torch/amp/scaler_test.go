package amp_test

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/nn/nnutil"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/optim/schedule"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/amp"
	"github.com/gotorch/gotorch/torch/serialization"
	"github.com/gotorch/gotorch/torchtest"
)

// training is a training run of make_scaler.py.
type training struct {
	Optimizers []string
	Overflow   map[string][]int
	Clip       bool
	Backward   int
	Steps      []struct {
		State  map[string]float64
		Params [][]float32
	}
}

func (c *training) optimizer(i int, p *torch.Tensor) optim.Optimizer {
	ps := []*torch.Tensor{p}
	switch c.Optimizers[i] {
	case "sgd":
		return optim.NewSGD(ps, optim.LR(0.05), optim.Momentum(0.9))
	case "sparse":
		return optim.NewSGD(ps, optim.LR(0.05))
	case "adamw":
		return optim.NewAdamW(ps, optim.LR(0.05))
	}
	return optim.NewAdamW(ps, optim.LR(0.05), optim.Fused(true))
}

func (c *training) loss(p *torch.Tensor, k, i int) *torch.Tensor {
	var y *torch.Tensor
	if c.Optimizers[0] == "sparse" {
		y = F.Embedding(torch.FromSlice([]int64{int64(k % 2), 1}), p, F.Sparse(true)).Sum(torch.Dim(0))
	} else {
		y = p.MatMul(torch.Arange(3, torch.Float32).AddScalar(k).DivScalar(7))
	}
	if slices.Contains(c.Overflow[strconv.Itoa(k)], i) {
		y = y.MulScalar(math.Inf(1))
	}
	return y.SubScalar(1).Square().Sum()
}

// Training runs with overflows, several optimizers, clipping, accumulation, fused optimizers and
// sparse gradients equal Python's, step by step.
func TestGradScalerLikePython(t *testing.T) {
	text, err := os.ReadFile("testdata/scaler.json")
	require.NoError(t, err)
	var trainings map[string]*training
	require.NoError(t, json.Unmarshal(text, &trainings))
	for name, c := range trainings {
		t.Run(name, func(t *testing.T) {
			defer torchtest.CheckLeaks(t)()
			torch.Scope(func() { c.run(t) })
		})
	}
}

func (c *training) run(t *testing.T) {
	var ps []*torch.Tensor
	var opts []optim.Optimizer
	for i := range c.Optimizers {
		p := torch.Arange(6, torch.Float32).Reshape(2, 3).DivScalar(10).AddScalar(i).RequiresGrad_()
		ps, opts = append(ps, p), append(opts, c.optimizer(i, p))
		defer opts[i].Close()
	}
	s := amp.NewGradScaler(amp.Device(torch.CPU), amp.InitScale(1024), amp.GrowthFactor(4), amp.BackoffFactor(0.25),
		amp.GrowthInterval(3))
	defer s.Close()
	for k, want := range c.Steps {
		torch.Scope(func() {
			for _, o := range opts {
				o.ZeroGrad()
			}
			for range c.Backward {
				var losses []*torch.Tensor
				for i, p := range ps {
					losses = append(losses, c.loss(p, k, i))
				}
				for _, l := range s.ScaleAll(losses) {
					l.Backward()
				}
			}
			for i, o := range opts {
				if c.Clip {
					s.Unscale_(o)
					nnutil.ClipGradNorm_(ps[i:i+1], 0.5)
				}
				s.Step(o)
			}
			s.Update()
		})
		for key, v := range want.State {
			got := s.StateDict()[key]
			if n, ok := got.(int64); ok {
				got = float64(n)
			}
			assert.Equal(t, v, got, "step %d: %s", k, key)
		}
		for i, p := range ps {
			torch.Scope(func() {
				w := torch.FromSlice(want.Params[i]).View(2, 3)
				assert.Empty(t, torchtest.Difference(w, p.Detach(), torchtest.Rounding(100*(k+1), torch.Float32)),
					"step %d: parameter %d", k, i)
			})
		}
	}
}

// withOne returns a parameter with gradient g, its optimizer, and a scaler that has scaled the loss.
func withOne(t *testing.T, g float64, opts ...amp.ScalerOption) (*torch.Tensor, optim.Optimizer, *amp.GradScaler) {
	p := torch.Ones(torch.Shape{2}, torch.RequiresGrad(true))
	s := amp.NewGradScaler(append([]amp.ScalerOption{amp.Device(torch.CPU)}, opts...)...)
	o := optim.NewSGD([]*torch.Tensor{p}, optim.LR(1))
	t.Cleanup(func() { _, _, _ = p.Close(), s.Close(), o.Close() })
	torch.Scope(func() { s.Scale(p.MulScalar(g).Sum()).Backward() })
	return p, o, s
}

func TestGradScalerOrder(t *testing.T) {
	fails := func(kind error, text string, fn func()) {
		t.Helper()
		err := torch.Try(fn)
		require.ErrorIs(t, err, kind)
		assert.Contains(t, err.Error(), text)
	}
	fresh := amp.NewGradScaler(amp.Device(torch.CPU))
	defer fresh.Close()
	p, o, s := withOne(t, 1)
	fails(torch.ErrNil, "argument receiver: the GradScaler was not made by NewGradScaler", func() {
		new(amp.GradScaler).GetScale()
	})
	fails(torch.ErrRuntime, "GradScaler.Step: nothing was scaled", func() { fresh.Step(o) })
	fails(torch.ErrRuntime, "GradScaler.Update: nothing was scaled", func() { fresh.Update() })
	fails(torch.ErrRuntime, "GradScaler.Unscale_: nothing was scaled", func() { fresh.Unscale_(o) })
	fails(torch.ErrRuntime, "no step since the last Update", func() { s.Update() })
	s.Unscale_(o)
	assert.Equal(t, []float32{1, 1}, p.Grad().Float32s())
	fails(torch.ErrRuntime, "already", func() { s.Unscale_(o) })
	s.Step(o)
	assert.Equal(t, []float32{0, 0}, p.Detach().Float32s())
	fails(torch.ErrRuntime, "already", func() { s.Step(o) })
	fails(torch.ErrRuntime, "after Step", func() { s.Unscale_(o) })
	s.Update()
	o.ZeroGrad()
	fails(torch.ErrRuntime, "no parameter of the optimizer has a gradient", func() { s.Step(o) })
	fails(torch.ErrNil, "opt", func() { s.Step(nil) })
	fails(torch.ErrNil, "opt", func() { s.Unscale_(nil) })
	fails(torch.ErrNil, "NewGradScaler", func() { new(amp.GradScaler).Scale(p) })
	fails(torch.ErrNil, "GradScaler.Scale", func() { s.Scale(nil) })
	fails(torch.ErrNil, "GradScaler.ScaleAll", func() { s.ScaleAll([]*torch.Tensor{p, nil}) })
	fails(torch.ErrDevice, "amp.NewGradScaler", func() { amp.NewGradScaler(amp.Device(torch.Meta)) })
	fails(torch.ErrValue, "BackoffFactor", func() { amp.NewGradScaler(amp.Device(torch.CPU), amp.BackoffFactor(1)) })
	fails(torch.ErrValue, "GrowthFactor", func() { amp.NewGradScaler(amp.Device(torch.CPU), amp.GrowthFactor(1)) })
}

// float16 gradients are refused, because dividing them would lose precision.
func TestGradScalerRefusesHalf(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		p := torch.Ones(torch.Shape{2}, torch.Float16, torch.RequiresGrad(true))
		o := optim.NewSGD([]*torch.Tensor{p})
		defer o.Close()
		s := amp.NewGradScaler(amp.Device(torch.CPU), amp.InitScale(2))
		defer s.Close()
		s.Scale(p.Sum()).Backward()
		err := torch.Try(func() { s.Step(o) })
		require.ErrorIs(t, err, torch.ErrDType)
		assert.Equal(t, []float32{2, 2}, p.Grad().To(torch.Float32).Float32s(), "nothing was divided")
	})
}

func TestGradScalerDisabled(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	defer torch.SetWarnings(torch.SetWarnings(torch.WarnNever))
	scalers := []*amp.GradScaler{amp.NewGradScaler(amp.Device(torch.CPU), amp.Enabled(false))}
	if !torch.CUDA.At(0).IsCUDA() || torch.CUDA.At(0).Check() != nil {
		scalers = append(scalers, amp.NewGradScaler(amp.Device(0)), amp.NewGradScaler())
	}
	for _, s := range scalers {
		torch.Scope(func() {
			assert.False(t, s.IsEnabled())
			assert.Equal(t, "GradScaler(enabled=False)", s.String())
			p := torch.Ones(torch.Shape{2}, torch.RequiresGrad(true))
			o := optim.NewSGD([]*torch.Tensor{p}, optim.LR(1))
			defer o.Close()
			loss := p.Sum()
			assert.Same(t, loss, s.Scale(loss))
			all := []*torch.Tensor{loss}
			assert.Same(t, loss, s.ScaleAll(all)[0])
			loss.Backward()
			s.Unscale_(o)
			s.Step(o)
			s.Step(o)
			s.Update()
			assert.Equal(t, []float32{-1, -1}, p.Detach().Float32s())
			assert.Equal(t, 1.0, s.GetScale())
			assert.Empty(t, s.StateDict())
			assert.NoError(t, s.LoadStateDict(nil))
		})
	}
}

func TestGradScalerSettings(t *testing.T) {
	_, o, s := withOne(t, 1)
	assert.Equal(t, []any{65536.0, 2.0, 0.5, 2000},
		[]any{s.GetScale(), s.GrowthFactor(), s.BackoffFactor(), s.GrowthInterval()})
	s.SetGrowthFactor(8)
	s.SetBackoffFactor(0.125)
	s.SetGrowthInterval(1)
	assert.Equal(t, []any{8.0, 0.125, 1}, []any{s.GrowthFactor(), s.BackoffFactor(), s.GrowthInterval()})
	s.Step(o)
	s.Update()
	assert.Equal(t, 524288.0, s.GetScale())
	s.Update(amp.NewScale(16))
	assert.Equal(t, 16.0, s.GetScale())
	assert.Equal(t, "GradScaler(scale=16, growth_factor=8, backoff_factor=0.125, growth_interval=1)", s.String())
	torch.Scope(func() { s.Update(amp.NewScaleTensor(torch.Full(torch.Shape{1}, 4.0))) })
	assert.Equal(t, 4.0, s.GetScale())
	torch.Scope(func() {
		for _, bad := range []*torch.Tensor{
			torch.Ones(torch.Shape{2}),
			torch.Ones(torch.Shape{1}, torch.RequiresGrad(true)),
		} {
			assert.ErrorIs(t, torch.Try(func() { s.Update(amp.NewScaleTensor(bad)) }), torch.ErrValue)
		}
	})
	assert.Equal(t, 4.0, s.GetScale())
}

// A new scale resets the results of steps. A closed scaler starts again with its initial scale.
func TestGradScalerClose(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	s := amp.NewGradScaler(amp.Device(torch.CPU), amp.InitScale(8))
	for range 2 {
		torch.Scope(func() {
			one := torch.Ones(torch.Shape{})
			assert.Equal(t, 8.0, s.Scale(one).Item())
			s.Update(amp.NewScale(2))
			assert.Equal(t, 2.0, s.Scale(one).Item())
		})
		require.NoError(t, s.Close())
		require.NoError(t, s.Close())
	}
}

func TestGradScalerState(t *testing.T) {
	_, o, s := withOne(t, 1, amp.InitScale(4))
	s.Step(o)
	s.Update()
	state := s.StateDict()
	assert.Equal(t,
		amp.StateDict{
			"scale": 4.0, "growth_factor": 2.0, "backoff_factor": 0.5, "growth_interval": int64(2000),
			"_growth_tracker": int64(1),
		}, state)
	with := func(key string, v any) amp.StateDict {
		m := amp.StateDict{}
		for k, old := range state {
			m[k] = old
		}
		if m[key] = v; v == nil {
			delete(m, key)
		}
		return m
	}
	for _, c := range []struct {
		kind  error
		state optim.StateSource
	}{
		{torch.ErrNil, nil},
		{torch.ErrNil, (*optim.StateDict)(nil)},
		{torch.ErrType, schedule.Counter{1: 2}},
		{torch.ErrType, with("_growth_tracker", math.NaN())},
		{torch.ErrType, with("scale", torch.Zeros(torch.Shape{2}, torch.Meta))},
		{torch.ErrValue, amp.StateDict(nil)},
		{torch.ErrValue, with("scale", nil)},
		{torch.ErrType, with("scale", "4")},
		{torch.ErrType, with("growth_interval", 1.5)},
		{torch.ErrValue, with("more", 1.0)},
		{torch.ErrValue, with("_growth_tracker", 1<<40)},
		{torch.ErrValue, with("_growth_tracker", -float64(1<<40))},
	} {
		assert.ErrorIs(t, s.LoadStateDict(c.state), c.kind)
		assert.Equal(t, state, s.StateDict(), "nothing has changed")
	}
	require.NoError(t, s.LoadStateDict(with("scale", 32)))
	assert.Equal(t, with("scale", 32.0), s.StateDict())
	fresh := amp.NewGradScaler(amp.Device(torch.CPU))
	require.NoError(t, fresh.LoadStateDict(state))
	assert.Equal(t, state, fresh.StateDict(), "before anything is scaled")
	torch.Scope(func() { assert.Equal(t, 4.0, fresh.Scale(torch.Ones(torch.Shape{})).Item()) })
	assert.Equal(t, state, fresh.StateDict())
	_ = fresh.Close()
}

// A nil pointer to an optimizer gives an error.
// Errors quote only the beginning of a long name of a file.
func TestScalerErrorsOfLongNames(t *testing.T) {
	s := amp.NewGradScaler(amp.Device(torch.CPU))
	defer s.Close()
	long := strings.Repeat("x", 5000)
	for _, key := range []any{[]byte(long), long} {
		state := serialization.NewDict(key, 1)
		for name, v := range s.StateDict() {
			state.Set(name, v)
		}
		err := s.LoadStateDict(state)
		require.Error(t, err)
		assert.Less(t, len(err.Error()), 500)
	}
}

func TestScalerWithoutAnOptimizer(t *testing.T) {
	var none *optim.SGD
	for _, enabled := range []amp.Enabled{false, true} {
		s := amp.NewGradScaler(amp.Device(torch.CPU), enabled)
		defer s.Close()
		torch.Scope(func() { s.Scale(torch.Ones(nil)) })
		for _, opt := range []optim.Optimizer{nil, none} {
			require.ErrorIs(t, torch.Try(func() { s.Step(opt) }), torch.ErrNil)
			require.ErrorIs(t, torch.Try(func() { s.Unscale_(opt) }), torch.ErrNil)
		}
	}
}

// A step with a scaler can be captured. Replays skip a step if its gradients are not finite.
func TestGradScalerInGraphs(t *testing.T) {
	for name, fused := range map[string]bool{"fused": true, "not fused": false} {
		t.Run(name, func(t *testing.T) {
			defer torchtest.CheckLeaks(t)()
			train := func(graphed bool) (losses, weights []float32, scale float64, refused []string) {
				torch.ManualSeed(3)
				w := torch.Disown(torch.Randn(torch.Shape{4, 2})).RequiresGrad_()
				defer w.Close()
				opt := optim.NewAdamW([]*torch.Tensor{w}, optim.LR(0.1), optim.Fused(fused))
				defer opt.Close()
				scaler := amp.NewGradScaler(amp.Device(torch.CPU), amp.InitScale(1024), amp.GrowthInterval(3))
				defer scaler.Close()
				step := func(in []*torch.Tensor) []*torch.Tensor {
					opt.ZeroGrad()
					l := in[0].MatMul(w).Square().Mean()
					scaler.Scale(l).Backward()
					if !fused {
						scaler.Unscale_(opt)
						_ = nnutil.ClipGradNorm_([]*torch.Tensor{w}, 1).Close()
					}
					scaler.Step(opt)
					scaler.Update()
					return []*torch.Tensor{l}
				}
				graphs := torch.CaptureByShape(step)
				defer graphs.Close()
				for i := range 24 {
					torch.Scope(func() {
						x := torch.Randn(torch.Shape{3, 4})
						if i%7 == 5 {
							x.Fill_(math.Inf(1))
						}
						call := graphs.Call
						if !graphed {
							call = func(in ...*torch.Tensor) []*torch.Tensor { return step(in) }
						}
						losses = append(losses, call(x)[0].Float32s()...)
						weights = append(weights, w.Float32s()...)
					})
				}
				return losses, weights, scaler.GetScale(), graphs.Refused()
			}
			losses, weights, scale, _ := train(false)
			gotLosses, gotWeights, gotScale, refused := train(true)
			assert.Empty(t, refused)
			assert.Equal(t, fmt.Sprint(losses), fmt.Sprint(gotLosses)) // some are infinite
			assert.Equal(t, weights, gotWeights)
			assert.Equal(t, scale, gotScale)
			assert.NotEqual(t, 1024.0, scale)
		})
	}
}
