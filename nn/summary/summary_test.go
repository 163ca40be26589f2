package summary_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/optiontest"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/nn/summary"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torchtest"
)

func row(s summary.Summary, name string) summary.Row {
	for _, r := range s.Rows {
		if r.Name == name {
			return r
		}
	}
	return summary.Row{}
}

func TestSummary(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		shared := nn.NewReLU()
		m := nn.NewSequential(
			nn.NewConv2d(1, 2, 3), shared, nn.NewSequential(nn.NewFlatten(), nn.NewLinear(8, 256), shared),
			nn.NewBatchNorm1d(256),
		)
		defer m.Close()
		m.At(0).ModuleBase().SetRequiresGrad(false)
		x := torch.Ones(torch.Shape{3, 1, 4, 4})
		s := summary.Of(m, func() { m.Forward(x) })
		assert.Len(t, s.Rows, 7)
		conv, fc, relu, inner := row(s, "0"), row(s, "2.1"), row(s, "1"), row(s, "2")
		assert.Equal(t, []torch.Shape{{3, 1, 4, 4}}, conv.Input)
		assert.Equal(t, []torch.Shape{{3, 2, 2, 2}}, conv.Output)
		assert.Equal(t, int64(20), conv.Params)
		assert.False(t, conv.Trainable)
		assert.Equal(t, int64(18*3*4+24), conv.MultAdds)
		assert.Equal(t, int64(2048*3+768), fc.MultAdds)
		assert.Equal(t, int64(3*256*4), fc.Activations)
		assert.GreaterOrEqual(t, fc.Peak, fc.Activations)
		assert.Equal(t, 2, relu.Calls)
		assert.Equal(t, int64(0), inner.Params)
		assert.Equal(t, int64(2304), inner.Total)
		assert.Equal(t, int64(20+2304+512), s.Params)
		assert.Equal(t, int64(2304+512), s.Trainable)
		assert.Equal(t, (20+2304+512+512)*4+int64(8), s.Bytes)
		assert.GreaterOrEqual(t, s.Peak, s.Activations)
		assert.Equal(t, s.Activations, row(s, "").Activations)

		// In a forward pass without gradients, only the result stays allocated.
		free := summary.Of(m, func() { torch.NoGrad(func() { m.Forward(x) }) })
		assert.Equal(t, int64(3*256*4), free.Activations)
		assert.Less(t, free.Activations, s.Activations)

		// A panic leaves no hook and no running measurement.
		assert.Panics(t, func() { summary.Of(m, func() { m.Forward(torch.Ones(torch.Shape{5})) }) })
		live := torch.NumLiveTensors()
		torch.Scope(func() { m.Forward(x) })
		assert.Equal(t, live, torch.NumLiveTensors())
		assert.ErrorIs(t, torch.Try(func() { summary.Of(nil, func() {}) }), torch.ErrNil)
		assert.ErrorIs(t, torch.Try(func() { summary.Of(m, nil) }), torch.ErrNil)
	})
}

// Counts the multiply-adds of layers.
func TestMultAdds(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		for _, c := range []struct {
			m    nn.Layer
			x    *torch.Tensor
			want int64
		}{
			{nn.NewLinear(3, 4), torch.Ones(torch.Shape{2, 5, 3}), 12*10 + 40},
			{nn.NewLinear(3, 4), torch.Ones(torch.Shape{3}), 12 + 4},
			{nn.NewConv2d(2, 4, 3, nn.Groups(2), nn.Bias(false)), torch.Ones(torch.Shape{2, 5, 5}), 36 * 9},
			{nn.NewConvTranspose2d(2, 4, 2, nn.Bias(false)), torch.Ones(torch.Shape{3, 2, 5, 5}), 32 * 75},
			{nn.NewEmbedding(5, 2), torch.FromSlice([]int64{1, 2}), 0},
			{nn.NewReLU(), torch.Ones(torch.Shape{3}), 0},
		} {
			s := summary.Of(c.m, func() { c.m.Forward(c.x) })
			assert.Equal(t, c.want, s.MultAdds, c.m.String())
			assert.NoError(t, c.m.Close())
		}
	})
}

func ExampleOf() {
	torch.Scope(func() {
		m := nn.NewSequential(nn.NewLinear(3, 4), nn.NewSequential(nn.NewReLU(), nn.NewLinear(4, 2)))
		defer m.Close()
		x := torch.Ones(torch.Shape{1, 3})
		fmt.Println(summary.Of(m, func() { torch.NoGrad(func() { m.Forward(x) }) }))
	})
	// Output:
	// ============================================================================
	// Layer (type:depth-idx)  Input   Output  Params  Mult-adds  Activations  Peak
	// ============================================================================
	// Sequential              [1, 3]  [1, 2]      --         --          8 B  40 B
	// ├─Linear: 1-1           [1, 3]  [1, 4]      16         16         16 B  16 B
	// └─Sequential: 1-2       [1, 4]  [1, 2]      --         --          8 B  24 B
	//      ├─ReLU: 2-1        [1, 4]  [1, 4]      --         --         16 B  16 B
	//      └─Linear: 2-2      [1, 4]  [1, 2]      10         10          8 B   8 B
	// ============================================================================
	// Total params: 26
	// Trainable params: 26
	// Non-trainable params: 0
	// Total mult-adds: 26
	// ============================================================================
	// Parameters and buffers: 104 B
	// Activations: 8 B
	// Peak above the memory in use before: 40 B
	// ============================================================================
}

func TestOptions(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		m := nn.NewSequential(nn.NewSequential(nn.NewReLU()))
		x := torch.Ones(torch.Shape{1})
		optiontest.Read(t, ".").Run(t, map[string]optiontest.Row{
			"Of": optiontest.For(func(opts ...summary.Option) optiontest.Outcome {
				return optiontest.Outcome{"does": summary.Of(m, func() { m.Forward(x) }, opts...).String()}
			}, optiontest.Values(summary.Depth(1), summary.Depth(0))),
		})
		require.Contains(t, summary.Of(m, func() {}).String(), "└─Sequential: 1-1")
	})
}

// trying is a module that recovers a panic of its child and continues.
type trying struct {
	nn.Base
	child *nn.Linear
}

func (m *trying) Forward(x *torch.Tensor) *torch.Tensor {
	return m.Call(x, func(x *torch.Tensor) *torch.Tensor {
		if err := torch.Try(func() { m.child.Forward(x.T()) }); err == nil {
			panic("expected an error")
		}
		return m.child.Forward(x)
	})
}

// A failed call does not affect the numbers of other calls.
func TestFailedCalls(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		m := new(trying)
		m.Init(m)
		m.child = nn.NewLinear(3, 5, m.As("child"))
		defer m.Close()
		x := torch.Ones(torch.Shape{2, 3})
		s := summary.Of(m, func() { torch.NoGrad(func() { m.Forward(x) }) })
		assert.Equal(t, []torch.Shape{{2, 5}}, row(s, "child").Output)
		assert.Equal(t, []torch.Shape{{2, 3}}, row(s, "").Input)
		assert.Equal(t, []torch.Shape{{2, 5}}, row(s, "").Output)
		assert.Equal(t, int64(2*20), s.MultAdds)
	})
}
