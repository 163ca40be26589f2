package nn_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
)

func TestBadCriteria(t *testing.T) {
	scoped(t, func() {
		asm := nn.NewAdaptiveLogSoftmaxWithLoss(8, 20, []int64{4, 10})
		defer asm.Close()
		x, classes := torch.Rand(torch.Shape{3, 8}), torch.FromSlice([]int64{0, 5, 20})
		for _, c := range []struct {
			kind error
			text string
			fn   func()
		}{
			{torch.ErrValue, "NewMultiMarginLoss: argument P: expected 1 or 2, got 3", func() {
				nn.NewMultiMarginLoss(nn.P(3))
			}},
			{torch.ErrShape, "Weight: expected one dimension, got size (3, 8)", func() {
				nn.NewMultiMarginLoss(nn.Weight(x))
			}},
			{torch.ErrValue, "Margin: expected a positive number, got 0", func() {
				nn.NewTripletMarginLoss(nn.Margin(0))
			}},
			{torch.ErrValue, "Margin", func() { nn.NewTripletMarginWithDistanceLoss(nn.Margin(-1)) }},
			{torch.ErrValue, `"batchmean" does not apply`, func() { nn.NewCTCLoss(nn.ReductionBatchMean) }},
			{torch.ErrValue, "cutoffs: expected increasing numbers from 1 to 19, got []", func() {
				nn.NewAdaptiveLogSoftmaxWithLoss(8, 20, nil)
			}},
			{torch.ErrValue, "got [4 4]", func() { nn.NewAdaptiveLogSoftmaxWithLoss(8, 20, []int64{4, 4}) }},
			{torch.ErrValue, "got [0 4]", func() { nn.NewAdaptiveLogSoftmaxWithLoss(8, 20, []int64{0, 4}) }},
			{torch.ErrValue, "got [4 20]", func() { nn.NewAdaptiveLogSoftmaxWithLoss(8, 20, []int64{4, 20}) }},
			{torch.ErrValue, "DivValue: expected a positive number, got 0", func() {
				nn.NewAdaptiveLogSoftmaxWithLoss(8, 20, []int64{4}, nn.DivValue(0))
			}},
			{torch.ErrIndex, "expected classes from 0 to 19, got values from 0 to 20", func() {
				asm.Forward(x, classes)
			}},
			{torch.ErrDType, "target: expected int64, got float32", func() { asm.Forward(x, classes.Float()) }},
			{torch.ErrShape, "got size (3, 1) for input (3, 8)", func() { asm.Forward(x, classes.Unsqueeze(1)) }},
			{torch.ErrShape, "expected size (N, features), got (8,)", func() { asm.LogProb(x.Select(0, 0)) }},
			{torch.ErrShape, "Linear", func() { asm.Predict(x.Narrow(1, 0, 7)) }},
			{torch.ErrNil, "input", func() { asm.Predict(nil) }},
		} {
			live := torch.NumLiveTensors()
			err := torch.Try(func() { torch.Scope(c.fn) })
			assert.ErrorIs(t, err, c.kind, c.text)
			assert.ErrorContains(t, err, c.text)
			assert.Equal(t, live, torch.NumLiveTensors(), c.text)
		}
	})
}

// Forward, LogProb and Predict of an adaptive softmax agree, for one vector and for
// several, whether the most probable classes are in clusters or not.
func TestAdaptiveLogSoftmax(t *testing.T) {
	scoped(t, func() {
		torch.ManualSeed(1)
		asm := nn.NewAdaptiveLogSoftmaxWithLoss(8, 12, []int64{4, 8}, nn.DivValue(2), nn.HeadBias(true))
		defer asm.Close()
		// The bias makes the clusters improbable, neutral or probable.
		for _, bias := range []float64{-9, 0, 9} {
			torch.NoGrad(func() { asm.Head.(*nn.Linear).Bias.Narrow(0, 4, 2).Fill_(bias) })
			x := torch.Randn(torch.Shape{6, 8})
			y := torch.FromSlice([]int64{0, 3, 4, 7, 8, 11})
			all := asm.LogProb(x)
			assert.Equal(t, torch.Shape{6, 12}, all.Shape())
			assert.InDeltaSlice(t, torch.Ones(torch.Shape{6}).Float64s(),
				all.Exp().Sum(torch.Dim(1)).Detach().Float64s(), 1e-5)
			out := asm.Forward(x, y)
			want := all.Gather(1, y.Unsqueeze(1)).Squeeze(1)
			assert.InDeltaSlice(t, want.Detach().Float64s(), out.Output.Detach().Float64s(), 1e-5)
			assert.InDelta(t, F.NLLLoss(all, y).Item(), out.Loss.Item(), 1e-5)
			assert.Equal(t, all.ArgMax(torch.Dim(1)).Int64s(), asm.Predict(x).Int64s())
			one := asm.Forward(x.Select(0, 2), y.Select(0, 2))
			assert.Empty(t, one.Output.Shape())
			assert.InDelta(t, want.Detach().Float64s()[2], one.Output.Item(), 1e-5)
			out.Loss.Backward()
			for _, p := range asm.NamedParameters() {
				assert.NotNil(t, p.Tensor.Grad(), p.Name)
			}
			asm.ZeroGrad()
		}
		before := asm.Head.(*nn.Linear).Weight.Clone()
		torch.ManualSeed(1)
		asm.ResetParameters()
		torch.ManualSeed(1)
		twin := nn.NewAdaptiveLogSoftmaxWithLoss(8, 12, []int64{4, 8}, nn.DivValue(2), nn.HeadBias(true))
		defer twin.Close()
		assert.True(t, before.Equal(asm.Head.(*nn.Linear).Weight))
		for i, p := range asm.NamedParameters() {
			assert.True(t, p.Tensor.Equal(twin.NamedParameters()[i].Tensor), p.Name)
		}
	})
}

// CTCLoss accepts lengths as tensors, which hooks receive. GaussianNLLLoss accepts a
// number as the variance.
func TestCriteriaOfTensorsAndNumbers(t *testing.T) {
	scoped(t, func() {
		in := spoken()
		ctc := nn.NewCTCLoss()
		var seen []*torch.Tensor
		ctc.RegisterForwardPreHook(func(m nn.Module, in []*torch.Tensor) []*torch.Tensor {
			seen = in
			return nil
		})
		ins, outs := torch.FromSlice([]int64{5, 4}), torch.FromSlice([]int64{2, 1})
		a := ctc.Forward(in[0], in[1], ins, outs)
		assert.Equal(t, []*torch.Tensor{in[0], in[1], ins, outs}, seen)
		b := ctc.Forward(in[0], in[1], []int{5, 4}, outs)
		assert.Nil(t, seen[2])
		assert.InDelta(t, a.Item(), b.Item(), 1e-6)

		g, x := nn.NewGaussianNLLLoss(nn.Full(true)), pair()
		assert.InDelta(t, g.Forward(x[0], x[1], torch.FullLike(x[0], 0.5)).Item(),
			g.ForwardScalar(x[0], x[1], 0.5).Item(), 0)
	})
}

// PyTorch's module database has no samples of these losses. The expected numbers were
// computed in Python.
func TestCriteriaAgainstPython(t *testing.T) {
	scoped(t, func() {
		torch.ManualSeed(3)
		asm := nn.NewAdaptiveLogSoftmaxWithLoss(8, 20, []int64{4, 10}, nn.DivValue(1.7), nn.HeadBias(true))
		defer asm.Close()
		x := torch.Linspace(-2, 2, 24).Reshape(3, 8)
		out := asm.Forward(x, torch.FromSlice([]int64{1, 7, 15}))
		out.Loss.Backward()
		assert.InDeltaSlice(t, []float64{-3.151712417602539, -3.615860939025879, -4.9078168869018555},
			out.Output.Detach().Float64s(), 1e-5)
		assert.InDelta(t, 3.891796827316284, out.Loss.Item(), 1e-5)
		assert.Equal(t, []int64{0, 0, 2}, asm.Predict(x).Int64s())
		for i, want := range []float64{12.101496, 1.060373, 0.524386, 0.421556, 3.026039, 1.134987} {
			assert.InEpsilon(t, want, asm.Parameters()[i].Grad().Abs().Sum().Item(), 1e-5)
		}
		a, b := x.Flip(1), x.Mul(x)
		assert.InDelta(t, 1.6086397171020508,
			nn.NewTripletMarginLoss(nn.Margin(2), nn.P(1.5), nn.Swap(true)).Forward(x, a, b).Item(), 1e-5)
		each := nn.NewTripletMarginWithDistanceLoss(nn.Swap(true), nn.ReductionNone).Forward(x, a, b)
		assert.InDeltaSlice(t, []float64{0, 1.9791330099105835, 0.39997291564941406}, each.Float64s(), 1e-5)
	})
}
