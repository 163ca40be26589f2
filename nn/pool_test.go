package nn_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
)

// A transposed convolution can restore every size that the convolution accepts.
func TestOutputSizeOfTransposedConvolutions(t *testing.T) {
	scoped(t, func() {
		down := nn.NewConv2d(2, 2, 3, nn.Stride(2), nn.Padding(1))
		up := nn.NewConvTranspose2d(2, 2, 3, nn.Stride(2), nn.Padding(1))
		defer down.Close()
		defer up.Close()
		for _, shape := range []torch.Shape{{1, 2, 12, 11}, {1, 2, 11, 12}, {2, 12, 12}} {
			h := down.Forward(torch.Rand(shape))
			assert.Equal(t, shape, up.ForwardWithOutputSize(h, shape).Shape())
			y := up.ForwardWithOutputSize(h, shape[len(shape)-2:])
			assert.Equal(t, shape, y.Shape())
			extra := F.OutputPaddings{1 - shape[len(shape)-2]%2, 1 - shape[len(shape)-1]%2}
			want := F.ConvTranspose2d(h, up.Weight, up.Bias, F.Stride(2), F.Padding(1), extra)
			assert.True(t, want.Equal(y))
		}
		h := torch.Rand(torch.Shape{1, 2, 6, 6})
		e := errorOf(t, func() { up.ForwardWithOutputSize(h, torch.Shape{13, 12}) })
		assert.ErrorIs(t, e, torch.ErrValue)
		assert.Contains(t, e.Error(),
			"outputSize: expected a size from 11 to 12 in spatial dimension 0, got sizes (13, 12)")
		assert.ErrorIs(t, errorOf(t, func() { up.ForwardWithOutputSize(h, torch.Shape{1, 2, 12}) }), torch.ErrValue)
		assert.ErrorIs(t, errorOf(t, func() {
			up.ForwardWithOutputSize(torch.Rand(torch.Shape{2}), torch.Shape{12, 12})
		}), torch.ErrShape)
		assert.ErrorIs(t, errorOf(t, func() { up.ForwardWithOutputSize(nil, torch.Shape{12, 12}) }), torch.ErrNil)
	})
}

// ForwardWithIndices returns the same values as Forward and runs the hooks, which see
// both results.
func TestForwardWithIndices(t *testing.T) {
	type pooling interface {
		nn.Layer
		ForwardWithIndices(x *torch.Tensor) (values, indices *torch.Tensor)
	}
	scoped(t, func() {
		for _, l := range []pooling{
			nn.NewMaxPool1d(2), nn.NewMaxPool2d(2), nn.NewMaxPool3d(2), nn.NewAdaptiveMaxPool1d(2),
			nn.NewAdaptiveMaxPool2d(2), nn.NewAdaptiveMaxPool3d(2),
			nn.NewFractionalMaxPool2d(2, nn.OutputSize(2), placed(2)),
			nn.NewFractionalMaxPool3d(2, nn.OutputRatio(0.5), placed(3)),
		} {
			shape := torch.Shape{1, 2, 6, 6, 6}[:2+int(l.String()[len(l.ModuleBase().TypeName())-2]-'0')]
			x := torch.Rand(shape)
			seen := 0
			hook := l.ModuleBase().RegisterForwardHook(func(_ nn.Module, in, out []*torch.Tensor) []*torch.Tensor {
				seen = len(out)
				return nil
			})
			live := torch.NumLiveTensors()
			v, i := l.ForwardWithIndices(x)
			assert.Equal(t, live+2, torch.NumLiveTensors())
			assert.Equal(t, 2, seen)
			assert.True(t, l.Forward(x).Equal(v), l.String())
			assert.True(t, x.Flatten(2).Gather(2, i.Flatten(2)).Reshape(v.Shape()...).Equal(v), l.String())
			hook.Remove()
			assert.ErrorIs(t, errorOf(t, func() { l.ForwardWithIndices(nil) }), torch.ErrNil)
			assert.NoError(t, l.Close())
		}
		unpool := nn.NewMaxUnpool2d(2)
		v, i := nn.NewMaxPool2d(2).ForwardWithIndices(torch.Rand(torch.Shape{1, 2, 4, 4}))
		assert.Equal(t, torch.Shape{1, 2, 4, 4}, unpool.Forward(v, i).Shape())
		// An input of odd size can be restored only if its size is given.
		x := torch.Rand(torch.Shape{1, 2, 5, 5})
		v, i = nn.NewMaxPool2d(2).ForwardWithIndices(x)
		assert.Equal(t, x.Shape(), unpool.ForwardWithOutputSize(v, i, x.Shape()).Shape())
	})
}

func TestBadSizesOfWindows(t *testing.T) {
	live := torch.NumLiveTensors()
	for name, c := range map[string]struct {
		kind error
		text string
		make func()
	}{
		"kernel": {torch.ErrType, "kernelSize: expected an int or a slice of 3", func() {
			nn.NewMaxPool3d("2")
		}},
		"kernels": {torch.ErrValue, "kernelSize: expected one number or 2", func() {
			nn.NewConvTranspose2d(1, 2, []int{1, 2, 3})
		}},
		"groups":   {torch.ErrValue, "Groups", func() { nn.NewConvTranspose1d(3, 2, 3, nn.Groups(2)) }},
		"groups 0": {torch.ErrValue, "Groups", func() { nn.NewConvTranspose1d(2, 2, 3, nn.Groups(0)) }},
		"channels": {torch.ErrValue, "argument in:", func() { nn.NewConvTranspose3d(-1, 2, 3) }},
		"no size":  {torch.ErrValue, "OutputSize", func() { nn.NewFractionalMaxPool2d(2) }},
		"both sizes": {torch.ErrValue, "OutputRatio: only one", func() {
			nn.NewFractionalMaxPool3d(2, nn.OutputSize(2), nn.OutputRatio(0.5))
		}},
		"ratio": {torch.ErrValue, "OutputRatio: expected a number between 0 and 1, got 1", func() {
			nn.NewFractionalMaxPool2d(2, nn.OutputRatio(1))
		}},
		"ratios": {torch.ErrValue, "OutputRatios", func() {
			nn.NewFractionalMaxPool2d(2, nn.OutputRatios{0.5, 0.5, 0.5})
		}},
		"kernel 0": {torch.ErrValue, "kernelSize: expected a positive number, got 0", func() {
			nn.NewFractionalMaxPool3d([]int{2, 0, 2}, nn.OutputSize(2))
		}},
		"padding": {torch.ErrValue, "padding: expected one number or 4, got [1 2]", func() {
			nn.NewZeroPad2d([]int{1, 2})
		}},
		"padding type": {torch.ErrType, "padding", func() { nn.NewReflectionPad1d(1.5) }},
		"divisor":      {torch.ErrValue, "DivisorOverride", func() { nn.NewAvgPool3d(2, nn.DivisorOverride(0)) }},
		"adaptive size": {torch.ErrValue, "outputSize: expected one number or 3", func() {
			nn.NewAdaptiveMaxPool3d([]int{1, 2})
		}},
	} {
		e := errorOf(t, c.make)
		assert.ErrorIs(t, e, c.kind, name)
		assert.Contains(t, e.Error(), c.text, name)
	}
	assert.Equal(t, live, torch.NumLiveTensors())
	scoped(t, func() {
		x := torch.Rand(torch.Shape{1, 1, 1, 4})
		pad := nn.NewCircularPad1d(1)
		assert.ErrorIs(t, errorOf(t, func() { pad.Forward(x) }), torch.ErrShape)
		up := nn.NewUpsample(nn.Size(3), nn.ScaleFactor(2))
		assert.ErrorIs(t, errorOf(t, func() { up.Forward(x) }), torch.ErrValue)
	})
}
