package nn_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

// The fields of a convolution have the values that it was created with. After
// assignments to the fields, it prints and computes like a layer created with the new
// values.
func TestFieldsOfConvolutions(t *testing.T) {
	scoped(t, func() {
		l := nn.NewConv2d(2, 4, []int{3, 1}, nn.Strides{2, 1}, nn.Padding(1), nn.Groups(2))
		defer l.Close()
		assert.Equal(t, []int64{2, 4, 2}, []int64{l.InChannels, l.OutChannels, l.Groups})
		assert.Equal(t, []torch.Shape{{3, 1}, {2, 1}, {1, 1}, {1, 1}, {0, 0}},
			[]torch.Shape{l.KernelSize, l.Stride, l.Padding, l.Dilation, l.OutputPadding})
		assert.Equal(t, nn.PaddingModeZeros, l.PaddingMode)
		x, wide := torch.Rand(torch.Shape{1, 2, 6, 6}), torch.Rand(torch.Shape{1, 2, 5, 5})
		for name, c := range map[string]struct {
			assign func(l *nn.Conv2d)
			opts   []nn.ConvOption
		}{
			"stride": {
				func(l *nn.Conv2d) { l.Stride = torch.Shape{1, 2} },
				[]nn.ConvOption{nn.Strides{1, 2}, nn.Padding(1)},
			},
			"padding": {func(l *nn.Conv2d) { l.Padding = torch.Shape{2, 0} }, []nn.ConvOption{nn.Paddings{2, 0}}},
			"word":    {func(l *nn.Conv2d) { l.PaddingWord = nn.PaddingSame }, []nn.ConvOption{nn.PaddingSame}},
			"dilation": {
				func(l *nn.Conv2d) { l.Dilation = torch.Shape{2, 2} },
				[]nn.ConvOption{nn.Dilation(2), nn.Padding(1)},
			},
			"mode": {
				func(l *nn.Conv2d) { l.PaddingMode = nn.PaddingModeReflect },
				[]nn.ConvOption{nn.PaddingModeReflect, nn.Padding(1)},
			},
		} {
			a, b := nn.NewConv2d(2, 4, 3, nn.Padding(1)), nn.NewConv2d(2, 4, 3, c.opts...)
			require.NoError(t, b.LoadStateDict(a.StateDict()))
			c.assign(a)
			assert.Equal(t, b.String(), a.String(), name)
			assert.Equal(t, b.Forward(x).Float32s(), a.Forward(x).Float32s(), name)
			twin := nn.DeepCopy(a).(*nn.Conv2d)
			assert.Equal(t, b.String(), twin.String(), name)
			require.NoError(t, twin.Close())
			require.NoError(t, a.Close())
			require.NoError(t, b.Close())
		}
		a, b := nn.NewConvTranspose2d(2, 4, 3, nn.Stride(2)),
			nn.NewConvTranspose2d(2, 4, 3, nn.Stride(2), nn.OutputPadding(1))
		defer a.Close()
		defer b.Close()
		require.NoError(t, b.LoadStateDict(a.StateDict()))
		a.OutputPadding = torch.Shape{1, 1}
		assert.Equal(t, b.String(), a.String())
		assert.Equal(t, b.Forward(wide).Float32s(), a.Forward(wide).Float32s())

		// Invalid settings are an error, not a crash.
		a.Stride = torch.Shape{1}
		assert.ErrorIs(t, torch.Try(func() { a.Forward(wide) }), torch.ErrValue)
		assert.ErrorIs(t, torch.Try(func() { a.ForwardWithOutputSize(wide, torch.Shape{12, 12}) }), torch.ErrValue)
		l.PaddingMode, l.Padding = nn.PaddingModeCircular, nil
		assert.ErrorIs(t, torch.Try(func() { l.Forward(x) }), torch.ErrValue)
		assert.NotEmpty(t, l.String())
	})
}

// Pooling, fold, shuffle and padding layers with assigned fields print and compute like
// layers created with the new values.
func TestFieldsOfWindows(t *testing.T) {
	scoped(t, func() {
		x := torch.Rand(torch.Shape{1, 4, 6, 6})
		line, columns := torch.Rand(torch.Shape{1, 4, 7}), torch.Rand(torch.Shape{1, 12, 9})
		check := func(name string, in *torch.Tensor, assigned, made nn.Layer) {
			assert.Equal(t, made.String(), assigned.String(), name)
			assert.Equal(t, made.Forward(in).Float32s(), assigned.Forward(in).Float32s(), name)
		}
		two := torch.Shape{2, 2}

		m := nn.NewMaxPool2d(2)
		assert.Equal(t, []torch.Shape{two, two, {0, 0}, {1, 1}},
			[]torch.Shape{m.KernelSize, m.Stride, m.Padding, m.Dilation})
		m.KernelSize, m.Stride, m.Padding, m.Dilation, m.CeilMode = torch.Shape{3, 3}, torch.Shape{2, 1},
			torch.Shape{1, 1}, two, true
		made := nn.NewMaxPool2d(3, nn.Strides{2, 1}, nn.Padding(1), nn.Dilation(2), nn.CeilMode(true))
		check("max", x, m, made)
		values, indices := m.ForwardWithIndices(x)
		wantValues, wantIndices := made.ForwardWithIndices(x)
		assert.Equal(t, wantValues.Float32s(), values.Float32s())
		assert.Equal(t, wantIndices.Int64s(), indices.Int64s())

		a := nn.NewAvgPool2d(2)
		assert.True(t, a.CountIncludePad)
		assert.Nil(t, a.DivisorOverride)
		a.Stride, a.Padding, a.CountIncludePad, a.CeilMode = torch.Shape{3, 3}, torch.Shape{1, 1}, false, true
		check("avg", x, a,
			nn.NewAvgPool2d(2, nn.Stride(3), nn.Padding(1), nn.CountIncludePad(false), nn.CeilMode(true)))
		a.DivisorOverride = new(int64(3))
		check("divisor", x, a,
			nn.NewAvgPool2d(2, nn.Stride(3), nn.Padding(1), nn.CountIncludePad(false), nn.CeilMode(true),
				nn.DivisorOverride(3)))

		one := nn.NewAvgPool1d(3)
		one.CountIncludePad, one.Padding, one.CeilMode = false, torch.Shape{1}, true
		check("avg1d", line, one, nn.NewAvgPool1d(3, nn.Padding(1), nn.CountIncludePad(false), nn.CeilMode(true)))

		l := nn.NewLPPool2d(2, 3)
		assert.Nil(t, l.Stride)
		l.NormType, l.KernelSize = 3, two
		check("norm", x, l, nn.NewLPPool2d(3, 2))
		l.Stride, l.CeilMode = torch.Shape{3, 3}, true
		check("stride", x, l, nn.NewLPPool2d(3, 2, nn.Stride(3), nn.CeilMode(true)))

		u := nn.NewMaxUnpool2d(3)
		u.KernelSize, u.Stride, u.Padding = two, two, torch.Shape{0, 0}
		values, indices = nn.NewMaxPool2d(2).ForwardWithIndices(x)
		assert.Equal(t, nn.NewMaxUnpool2d(2).String(), u.String())
		assert.Equal(t, nn.NewMaxUnpool2d(2).Forward(values, indices).Float32s(), u.Forward(values, indices).Float32s())

		d := nn.NewAdaptiveAvgPool2d(1)
		d.OutputSize = torch.Shape{2, nn.SizeNone}
		check("adaptive", x, d, nn.NewAdaptiveAvgPool2d([]int64{2, nn.SizeNone}))

		fr := nn.NewFractionalMaxPool2d(3, nn.OutputSize(4), nn.RandomSamples(torch.Full(torch.Shape{1, 4, 2}, 0.5)))
		defer fr.Close()
		assert.Equal(t, torch.Shape{4, 4}, fr.OutputSize)
		fr.KernelSize, fr.OutputSize, fr.OutputRatio = two, nil, []float64{0.5, 0.5}
		check("fractional", x, fr, nn.NewFractionalMaxPool2d(2, nn.OutputSize(3), nn.RandomSamples(fr.RandomSamples)))

		un, fold := nn.NewUnfold(2), nn.NewFold(3, 2)
		un.KernelSize, un.Dilation, un.Padding, un.Stride = torch.Shape{3, 3}, two, torch.Shape{1, 1}, two
		check("unfold", x, un, nn.NewUnfold(3, nn.Dilation(2), nn.Padding(1), nn.Stride(2)))
		fold.OutputSize = torch.Shape{4, 4}
		check("fold", columns, fold, nn.NewFold(4, 2))

		up, down, shuffled, split := nn.NewPixelShuffle(1), nn.NewPixelUnshuffle(2), nn.NewChannelShuffle(1),
			nn.NewUnflatten(1, torch.Shape{4, 1})
		up.UpscaleFactor, down.DownscaleFactor, shuffled.Groups, split.Dim, split.UnflattenedSize = 2, 3, 2, 2,
			torch.Shape{3, 2}
		check("up", x, up, nn.NewPixelShuffle(2))
		check("down", x, down, nn.NewPixelUnshuffle(3))
		check("shuffled", x, shuffled, nn.NewChannelShuffle(2))
		check("split", x, split, nn.NewUnflatten(2, torch.Shape{3, 2}))

		zero, constant, circular := nn.NewZeroPad2d(1), nn.NewConstantPad2d(1, 2), nn.NewCircularPad2d(1)
		assert.Equal(t, torch.Shape{1, 1, 1, 1}, zero.Padding)
		zero.Padding, constant.Padding, circular.Padding = torch.Shape{1, 2, 0, 1}, torch.Shape{1, 2, 0, 1},
			torch.Shape{1, 2, 0, 1}
		constant.Value = 3.5
		check("zero", x, zero, nn.NewZeroPad2d([]int{1, 2, 0, 1}))
		check("constant", x, constant, nn.NewConstantPad2d([]int{1, 2, 0, 1}, 3.5))
		check("circular", x, circular, nn.NewCircularPad2d([]int{1, 2, 0, 1}))

		// Invalid settings are an error, not a crash.
		m.Stride, a.KernelSize, d.OutputSize, circular.Padding = nil, torch.Shape{2, 2, 2}, nil, torch.Shape{1}
		for _, l := range []nn.Layer{m, a, d, circular} {
			assert.Error(t, torch.Try(func() { l.Forward(x) }), l.String())
		}
	})
}

// A cell has fields for its sizes. It rejects inputs that do not match its parameters,
// even after a program has assigned to the fields.
func TestFieldsOfCells(t *testing.T) {
	scoped(t, func() {
		c := nn.NewGRUCell(3, 4)
		defer c.Close()
		assert.Equal(t, []int64{3, 4}, []int64{c.InputSize, c.HiddenSize})
		x, wide, h := torch.Rand(torch.Shape{2, 3}), torch.Rand(torch.Shape{2, 5}), torch.Rand(torch.Shape{2, 6})
		c.InputSize = 5
		assert.Equal(t, "GRUCell(5, 4)", c.String())
		assert.Error(t, torch.Try(func() { c.Forward(wide, nil) }))
		c.InputSize, c.HiddenSize = 3, 6
		assert.Error(t, torch.Try(func() { c.Forward(x, nil) }))
		assert.Error(t, torch.Try(func() { c.Forward(x, h) }))
		require.NoError(t, c.BiasIH.Close())
		c.HiddenSize, c.BiasIH = 4, nil
		assert.Equal(t, "GRUCell(3, 4, bias=False)", c.String())
	})
}
