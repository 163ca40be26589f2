package nnutil_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/nn/nnutil"
	"github.com/gotorch/gotorch/nn/prune"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torchtest"
)

// A fused layer computes the same as the two layers that it replaces.
func TestFusion(t *testing.T) {
	scoped(t, func() {
		torch.ManualSeed(1)
		for _, c := range []struct {
			layer nn.Layer
			bn    nnutil.BatchNorm
			x     torch.Shape
			opts  []nnutil.FuseConvOption
		}{
			{nn.NewConv1d(2, 3, 2), nn.NewBatchNorm1d(3), torch.Shape{2, 2, 5}, nil},
			{nn.NewConv2d(2, 3, 2, nn.Bias(false)), nn.NewBatchNorm2d(3), torch.Shape{2, 2, 5, 5}, nil},
			{
				nn.NewConv2d(2, 4, 2, nn.DType(torch.Float64)),
				nn.NewBatchNorm2d(4, nn.Affine(false), nn.DType(torch.Float64)),
				torch.Shape{1, 2, 3, 3},
				nil,
			},
			{
				nn.NewConvTranspose2d(2, 3, 2), nn.NewBatchNorm2d(3, nn.Eps(0.1)),
				torch.Shape{2, 2, 5, 5},
				[]nnutil.FuseConvOption{nnutil.Transpose(true)},
			},
			{nn.NewLinear(2, 3), nn.NewBatchNorm1d(3), torch.Shape{4, 2}, nil},
			{nn.NewLinear(2, 3, nn.Bias(false)), nn.NewBatchNorm1d(1), torch.Shape{4, 2}, nil},
		} {
			s := nn.NewSequential(c.layer, c.bn)
			for _, n := range c.bn.StateDict() {
				if n.Tensor.IsFloatingPoint() {
					torch.NoGrad(func() { n.Tensor.Uniform_(0.5, 2) })
				}
			}
			s.Eval()
			var fused nn.Layer
			if l, ok := c.layer.(*nn.Linear); ok {
				fused = nnutil.FuseLinearBNEval(l, c.bn)
			} else {
				fused = nnutil.FuseConvBNEval(c.layer, c.bn, c.opts...)
			}
			assert.IsType(t, c.layer, fused)
			assert.NotNil(t, fused.ModuleBase().GetParameter("bias"))
			x := torch.Rand(c.x, s.Parameters()[0].DType())
			if _, one := c.bn.(*nn.BatchNorm1d); !one || c.bn.ModuleBase().GetBuffer("running_mean").Numel() > 1 {
				want := s.Forward(x)
				assert.Empty(t, torchtest.Difference(want, fused.Forward(x), torchtest.Rounding(64, want.DType())),
					c.layer.String())
			}
			assert.NoError(t, s.Close())
			assert.NoError(t, fused.Close())
		}
	})
}

func TestFusionErrors(t *testing.T) {
	scoped(t, func() {
		l, other, bn, plain := nn.NewLinear(2, 3), nn.NewLinear(2, 4), nn.NewBatchNorm1d(3),
			nn.NewBatchNorm1d(3, nn.TrackRunningStats(false))
		m := nn.NewModuleList(l, other, bn, plain)
		defer m.Close()
		assert.ErrorIs(t, torch.Try(func() { nnutil.FuseLinearBNEval(l, bn) }), torch.ErrValue)
		m.Eval()
		for name, c := range map[string]struct {
			kind error
			fn   func()
		}{
			"nil layer":     {torch.ErrNil, func() { nnutil.FuseConvBNEval(nil, bn) }},
			"nil linear":    {torch.ErrNil, func() { nnutil.FuseLinearBNEval(nil, bn) }},
			"nil norm":      {torch.ErrNil, func() { nnutil.FuseLinearBNEval(l, nil) }},
			"no statistics": {torch.ErrValue, func() { nnutil.FuseLinearBNEval(l, plain) }},
			"features":      {torch.ErrShape, func() { nnutil.FuseLinearBNEval(other, bn) }},
			"nil weight":    {torch.ErrNil, func() { nnutil.FuseConvBNWeights(nil, nil, l.Bias, l.Bias, 0, nil, nil) }},
			"no channels": {torch.ErrShape, func() {
				nnutil.FuseConvBNWeights(torch.Ones(torch.Shape{}), nil, l.Bias, l.Bias, 0, nil, nil)
			}},
			"no channels, transposed": {torch.ErrShape, func() {
				nnutil.FuseConvBNWeights(l.Bias, nil, l.Bias, l.Bias, 0, nil, nil, nnutil.Transpose(true))
			}},
			"nil scale": {torch.ErrNil, func() {
				nnutil.FuseLinearBNWeights(l.Weight, nil, l.Bias, l.Bias, 0, nil, nil)
			}},
		} {
			assert.ErrorIs(t, torch.Try(c.fn), c.kind, name)
		}
	})
}

func TestConvertWeights(t *testing.T) {
	scoped(t, func() {
		m := nn.NewSequential(nn.NewConv2d(2, 3, 2), nn.NewSequential(nn.NewConvTranspose2d(3, 2, 2)),
			nn.NewConv3d(2, 2, 2))
		defer m.Close()
		weight := m.GetParameter("1.0.weight")
		nnutil.ConvertConv2dWeightMemoryFormat(m, torch.ChannelsLast)
		assert.Same(t, weight, m.GetParameter("1.0.weight"))
		assert.True(t, weight.IsContiguous(torch.ChannelsLast))
		assert.True(t, m.GetParameter("0.weight").IsContiguous(torch.ChannelsLast))
		assert.False(t, m.GetParameter("2.weight").IsContiguous(torch.ChannelsLast3d))
		nnutil.ConvertConv3dWeightMemoryFormat(m, torch.ChannelsLast3d)
		assert.True(t, m.GetParameter("2.weight").IsContiguous(torch.ChannelsLast3d))
		require.ErrorIs(t, torch.Try(func() {
			nnutil.ConvertConv2dWeightMemoryFormat(nil, torch.ChannelsLast)
		}), torch.ErrNil)
	})
}

// ownConv embeds a convolution.
type ownConv struct{ *nn.Conv2d }

func newOwnConv() *ownConv {
	c := &ownConv{nn.NewConv2d(2, 3, 2)}
	c.Init(c)
	return c
}

// The weights of layers that embed a convolution are converted too. Computed weights are an error,
// because a conversion of them would not last, and no weight changes.
func TestConvertOtherWeights(t *testing.T) {
	scoped(t, func() {
		m := nn.NewSequential(newOwnConv(), nn.NewConv2d(2, 3, 2))
		defer m.Close()
		prune.Identity(m.At(1), "weight")
		own := m.GetParameter("0.weight")
		err := torch.Try(func() { nnutil.ConvertConv2dWeightMemoryFormat(m, torch.ChannelsLast) })
		require.ErrorIs(t, err, torch.ErrValue)
		assert.ErrorContains(t, err, "the weight of a Conv2d is computed from other tensors")
		assert.False(t, own.IsContiguous(torch.ChannelsLast))
		prune.Remove(m.At(1), "weight")
		nnutil.ConvertConv2dWeightMemoryFormat(m, torch.ChannelsLast)
		assert.True(t, own.IsContiguous(torch.ChannelsLast))
	})
}

// TotalNorm and ClipGradsWithNorm_ together do the same as ClipGradNorm_.
func TestTotalNorm(t *testing.T) {
	scoped(t, func() {
		make := func() []*torch.Tensor {
			ps := []*torch.Tensor{
				torch.Zeros(torch.Shape{2}, torch.RequiresGrad(true)),
				torch.Zeros(torch.Shape{3}, torch.RequiresGrad(true)),
				torch.Zeros(torch.Shape{1}, torch.RequiresGrad(true)),
			}
			ps[0].SetGrad(torch.FromSlice([]float32{3, -4}))
			ps[1].SetGrad(torch.FromSlice([]float32{1, 2, 0.5}))
			return ps
		}
		a, b := make(), make()
		want := nnutil.ClipGradNorm_(a, 1)
		grads := []*torch.Tensor{b[0].Grad(), b[1].Grad()}
		for _, foreach := range []bool{true, false} {
			assert.Equal(t, want.Item(), nnutil.TotalNorm(grads, nnutil.Foreach(foreach)).Item())
		}
		nnutil.ClipGradsWithNorm_(b, 1, nnutil.TotalNorm(grads))
		for i := range 2 {
			assert.Equal(t, a[i].Grad().Float32s(), b[i].Grad().Float32s())
		}
		assert.Equal(t, 0.0, nnutil.TotalNorm(nil).Item())
		assert.ErrorIs(t, torch.Try(func() { nnutil.TotalNorm([]*torch.Tensor{nil}) }), torch.ErrNil)
		assert.ErrorIs(t, torch.Try(func() { nnutil.ClipGradsWithNorm_(a, -1, want) }), torch.ErrValue)
		assert.ErrorIs(t, torch.Try(func() { nnutil.ClipGradsWithNorm_(a, 1, nil) }), torch.ErrNil)
	})
}

// WeightNorm and SpectralNorm reject unsupported arguments.
func TestOlderNorms(t *testing.T) {
	scoped(t, func() {
		l := nn.NewLinear(2, 2)
		defer l.Close()
		for name, c := range map[string]struct {
			kind error
			fn   func()
		}{
			"nil of WeightNorm":       {torch.ErrNil, func() { nnutil.WeightNorm(nil) }},
			"nil of SpectralNorm":     {torch.ErrNil, func() { nnutil.SpectralNorm(nil) }},
			"dimension of WeightNorm": {torch.ErrIndex, func() { nnutil.WeightNorm(l, nnutil.Dim(2)) }},
			"name of WeightNorm":      {torch.ErrValue, func() { nnutil.WeightNorm(l, nnutil.Name("w")) }},
			"name of SpectralNorm":    {torch.ErrValue, func() { nnutil.SpectralNorm(l, nnutil.Name("w")) }},
			"dimension":               {torch.ErrShape, func() { nnutil.SpectralNorm(l, nnutil.Dim(2)) }},
			"steps": {torch.ErrValue, func() {
				nnutil.SpectralNorm(l, nnutil.NPowerIterations(0))
			}},
			"no RemoveWeightNorm":       {torch.ErrValue, func() { nnutil.RemoveWeightNorm(l, "weight") }},
			"no RemoveSpectralNorm":     {torch.ErrValue, func() { nnutil.RemoveSpectralNorm(l, "weight") }},
			"nil of RemoveWeightNorm":   {torch.ErrNil, func() { nnutil.RemoveWeightNorm(nil, "weight") }},
			"nil of RemoveSpectralNorm": {torch.ErrNil, func() { nnutil.RemoveSpectralNorm(nil, "weight") }},
		} {
			assert.ErrorIs(t, torch.Try(c.fn), c.kind, name)
		}
		assert.NotNil(t, l.Weight)
		assert.Equal(t, []string{"weight", "bias"}, l.StateDict().Names(), "what fails changes nothing")

		// libtorch cannot draw random numbers of this dtype, but the singular vectors start from
		// random numbers.
		d := nn.NewParameterDict().Add("weight", torch.Zeros(torch.Shape{2, 2}).To(torch.Float8E4M3FN))
		defer d.Close()
		assert.Error(t, torch.Try(func() { nnutil.SpectralNorm(d) }))
		assert.False(t, d.IsDerived("weight"))
		assert.Equal(t, []string{"weight"}, d.StateDict().Names(), "what fails changes nothing")
	})
}
