package nn_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

// The settings of convolutions say what they were made with, and a layer that is
// assigned others prints and computes as one that was made with them.
func TestFieldsOfConvolutions(t *testing.T) {
	scoped(t, func() {
		l := nn.NewConv2d(2, 4, []int{3, 1}, nn.Strides{2, 1}, nn.Padding(1), nn.Groups(2))
		defer l.Close()
		assert.Equal(t, []int64{2, 4, 2}, []int64{l.InChannels, l.OutChannels, l.Groups})
		assert.Equal(t, []torch.Shape{{3, 1}, {2, 1}, {1, 1}, {1, 1}, {0, 0}}, []torch.Shape{l.KernelSize, l.Stride, l.Padding, l.Dilation, l.OutputPadding})
		assert.Equal(t, nn.PaddingModeZeros, l.PaddingMode)
		x, wide := torch.Rand(torch.Shape{1, 2, 6, 6}), torch.Rand(torch.Shape{1, 2, 5, 5})
		for name, c := range map[string]struct {
			assign func(l *nn.Conv2d)
			opts   []nn.ConvOption
		}{
			"stride":   {func(l *nn.Conv2d) { l.Stride = torch.Shape{1, 2} }, []nn.ConvOption{nn.Strides{1, 2}, nn.Padding(1)}},
			"padding":  {func(l *nn.Conv2d) { l.Padding = torch.Shape{2, 0} }, []nn.ConvOption{nn.Paddings{2, 0}}},
			"word":     {func(l *nn.Conv2d) { l.PaddingWord = nn.PaddingSame }, []nn.ConvOption{nn.PaddingSame}},
			"dilation": {func(l *nn.Conv2d) { l.Dilation = torch.Shape{2, 2} }, []nn.ConvOption{nn.Dilation(2), nn.Padding(1)}},
			"mode":     {func(l *nn.Conv2d) { l.PaddingMode = nn.PaddingModeReflect }, []nn.ConvOption{nn.PaddingModeReflect, nn.Padding(1)}},
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
		a, b := nn.NewConvTranspose2d(2, 4, 3, nn.Stride(2)), nn.NewConvTranspose2d(2, 4, 3, nn.Stride(2), nn.OutputPadding(1))
		defer a.Close()
		defer b.Close()
		require.NoError(t, b.LoadStateDict(a.StateDict()))
		a.OutputPadding = torch.Shape{1, 1}
		assert.Equal(t, b.String(), a.String())
		assert.Equal(t, b.Forward(wide).Float32s(), a.Forward(wide).Float32s())

		// What does not fit is an error, not a crash.
		a.Stride = torch.Shape{1}
		assert.ErrorIs(t, torch.Try(func() { a.Forward(wide) }), torch.ErrValue)
		assert.ErrorIs(t, torch.Try(func() { a.ForwardWithOutputSize(wide, torch.Shape{12, 12}) }), torch.ErrValue)
		l.PaddingMode, l.Padding = nn.PaddingModeCircular, nil
		assert.ErrorIs(t, torch.Try(func() { l.Forward(x) }), torch.ErrValue)
		assert.NotEmpty(t, l.String())
	})
}
