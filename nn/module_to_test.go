package nn_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

// liesAs reports whether a tensor is contiguous in a memory format.
func liesAs(x *torch.Tensor, f torch.MemoryFormat) bool { return x.Contiguous(f).SharesStorage(x) }

// A memory format applies to convolution weights. Biases, statistics and linear layers are
// unchanged.
func TestToMemoryFormat(t *testing.T) {
	scoped(t, func() {
		m := layers["CNN"]()
		defer m.Close()
		x := torch.Randn(torch.Shape{2, 3, 6, 5})
		m.Eval()
		want := m.Forward(x)
		m.Forward(x).Sum().Backward()
		sd := m.StateDict()
		conv, linear := sd.Get("0.weight"), sd.Get("6.0.weight")
		grad := conv.Grad()
		values := grad.Contiguous().Float32s()

		m.To(torch.ChannelsLast)
		assert.True(t, liesAs(conv, torch.ChannelsLast))
		assert.False(t, conv.IsContiguous())
		assert.True(t, linear.IsContiguous())
		assert.True(t, liesAs(conv.Grad(), torch.ChannelsLast))
		assert.Equal(t, values, conv.Grad().Contiguous().Float32s())
		assert.InDeltaSlice(t, want.Float32s(), m.Forward(x).Float32s(), 1e-5)

		m.To(torch.ContiguousFormat, torch.Float64)
		assert.True(t, conv.IsContiguous())
		assert.Equal(t, torch.Float64, linear.DType())
		assert.Equal(t, torch.Float64, grad.DType(), "a handle on the gradient sees the conversion too")
	})
}

// A conversion that fails keeps the gradients: libtorch refuses ChannelsLast for a
// weight of five dimensions.
func TestToThatFailsKeepsGradients(t *testing.T) {
	scoped(t, func() {
		m := nn.NewConv3d(1, 2, 2)
		defer m.Close()
		m.Forward(torch.Ones(torch.Shape{1, 1, 2, 2, 2})).Sum().Backward()
		assert.Error(t, torch.Try(func() { m.To(torch.ChannelsLast) }))
		for _, p := range m.Parameters() {
			require.NotNil(t, p.Grad())
			assert.Positive(t, p.Grad().Sum().Item())
		}
		m.To(torch.ChannelsLast3d)
		assert.True(t, liesAs(m.Weight, torch.ChannelsLast3d))
	})
}

// In addition to the new memory, a running conversion needs memory only for the old
// values of one parameter and its gradient.
func TestToFreesTheOldMemory(t *testing.T) {
	const n, layers = 128, 8
	scoped(t, func() {
		m := nn.NewSequential()
		defer m.Close()
		for range layers {
			m.Append(nn.NewLinear(n, n, nn.Bias(false)))
		}
		torch.Scope(func() { m.Forward(torch.Ones(torch.Shape{1, n})).Sum().Backward() })
		u := memory.Track("to", func() { m.To(torch.Float64) })
		assert.EqualValues(t, layers*2*n*n*4, u.Net(), "weights and gradients")
		assert.EqualValues(t, 2*n*n*4, u.PeakGrowth()-u.Net())
	})
}

// To checks its options even if there is nothing to convert.
func TestToReadsItsOptions(t *testing.T) {
	scoped(t, func() {
		m := nn.NewReLU()
		d := torch.Float64
		require.ErrorIs(t, torch.Try(func() { m.To(nil) }), torch.ErrNil)
		require.ErrorIs(t, torch.Try(func() { m.To(&d) }), torch.ErrValue)
		require.ErrorIs(t, torch.Try(func() { m.To(torch.Int64) }), torch.ErrDType)
		l := nn.NewLinear(3, 2)
		defer l.Close()
		require.ErrorIs(t, torch.Try(func() { l.To(torch.SparseCOO) }), torch.ErrValue)
		l.To(torch.DType(0), torch.Layout(0)) // the zero DType and the zero Layout change nothing
		assert.Equal(t, torch.Float32, l.Weight.DType())
	})
}

func TestTo(t *testing.T) {
	scoped(t, func() {
		m := layers["CNN"]()
		defer m.Close()
		w := m.Parameters()[0]
		m.Forward(torch.Randn(torch.Shape{2, 3, 6, 5})).Sum().Backward()
		m.To(torch.Float64)
		assert.Equal(t, torch.Float64, w.DType(), "parameters keep their identity")
		assert.Equal(t, torch.Float64, w.Grad().DType())
		assert.Equal(t, torch.Int64, m.StateDict().Get("1.num_batches_tracked").DType())
		assert.Equal(t, torch.Float64, m.StateDict().Get("1.running_mean").DType())
		y := m.Forward(torch.Randn(torch.Shape{2, 3, 6, 5}, torch.Float64))
		y.Sum().Backward()
		require.ErrorIs(t, torch.Try(func() { m.To(torch.Int32) }), torch.ErrDType)
		m.ZeroGrad()
		assert.Nil(t, w.Grad())
		m.ModuleBase().SetRequiresGrad(false)
		assert.False(t, m.Forward(torch.Randn(torch.Shape{2, 3, 6, 5}, torch.Float64)).RequiresGrad())
	})
}
