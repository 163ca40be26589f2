package jit_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/nn/nnutil"
	"github.com/gotorch/gotorch/nn/parametrizations"
	"github.com/gotorch/gotorch/nn/parametrize"
	"github.com/gotorch/gotorch/nn/prune"
	"github.com/gotorch/gotorch/nn/summary"
	"github.com/gotorch/gotorch/optim/swa"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/functorch"
	"github.com/gotorch/gotorch/torch/jit"
	"github.com/gotorch/gotorch/torchtest"
)

// checkCopy checks that twin has leaf tensors of its own, with the values that fill gave to
// m.
func checkCopy(t *testing.T, m, twin *jit.Module) {
	t.Helper()
	shows(t, twin, 1, 2, 3, 4)
	for i, p := range twin.Parameters() {
		assert.True(t, p.RequiresGrad())
		assert.True(t, p.IsLeaf())
		assert.NotSame(t, m.Parameters()[i], p)
	}
	torch.Scope(func() {
		twin.Eval()
		m.Eval()
		torchtest.AllClose(t, m.Forward(input()).Detach(), twin.Forward(input()).Detach())
		torch.NoGrad(func() { twin.GetParameter("fc2.bias").Zero_() })
	})
	shows(t, twin, 1, 2, 3, 0)
	shows(t, m, 1, 2, 3, 4)
}

func TestDeepCopy(t *testing.T) {
	t.Cleanup(torchtest.CheckLeaks(t))
	m := load(t, "mlp_training")
	fill(m)
	for name, modes := range map[string]func(func()){
		"": func(fn func()) { fn() }, "NoGrad": torch.NoGrad,
		"InferenceMode": torch.InferenceMode,
	} {
		t.Run(name, func(t *testing.T) {
			var a, b *jit.Module
			modes(func() { a, b = m.DeepCopy(), nn.DeepCopy(m).(*jit.Module) })
			checkCopy(t, m, a)
			checkCopy(t, m, b)
			require.NoError(t, a.Close())
			require.NoError(t, b.Close())
		})
	}
	m.GetParameter("fc1.bias").SetRequiresGrad(false)
	twin := m.DeepCopy()
	assert.False(t, twin.GetParameter("fc1.bias").RequiresGrad())
	assert.True(t, twin.GetParameter("fc2.bias").RequiresGrad())
	require.NoError(t, twin.Close())
	part := nn.DeepCopy(m.Submodule("fc1")).(*jit.Module)
	require.NoError(t, m.Close())
	torch.Scope(func() { assert.Equal(t, torch.Shape{2, 8}, part.Forward(input()).Shape()) })
	require.NoError(t, part.Close())
	require.ErrorIs(t, torch.Try(func() { nn.DeepCopy(m) }), torch.ErrClosed)
	require.ErrorIs(t, torch.Try(func() { m.DeepCopy() }), torch.ErrClosed)
}

// nn.DeepCopy copies a Go module that contains a script. The copy has the same hooks,
// gradients and shared tensors.
func TestDeepCopyOfATree(t *testing.T) {
	t.Cleanup(torchtest.CheckLeaks(t))
	type net struct {
		*nn.Sequential
		script, part *jit.Module
		wrapped      *wrapper
		weight       *torch.Tensor
	}
	m, other := load(t, "mlp_scripted"), load(t, "mlp_scripted")
	fill(m)
	ran := 0
	m.RegisterForwardHook(func(_ nn.Module, _, _ []*torch.Tensor) []*torch.Tensor { ran++; return nil })
	m.SetTypeName("Net")
	m.Eval()
	w := embedding(other)
	n := &net{
		script: m, part: m.Submodule("fc1"), wrapped: w, weight: m.GetParameter("fc1.weight"),
		Sequential: nn.NewSequential(m.Submodule("fc1"), m, nn.NewReLU(), w),
	}
	n.Init(n)
	old := other.GetParameter("fc1.weight")
	// the Go module and the script share this tensor
	other.Submodule("fc1").RegisterParameter("weight", n.weight)
	require.NoError(t, old.Close())
	torch.Scope(func() { m.Forward(input()).Sum().Backward() })
	twin := nn.DeepCopy(n).(*net)
	assert.NotSame(t, m, twin.script)
	assert.Same(t, twin.script, twin.At(1))
	assert.Same(t, twin.script.Submodule("fc1"), twin.part)
	assert.Same(t, twin.script.Submodule("fc1"), twin.At(0))
	assert.Same(t, twin.wrapped, twin.At(3))
	assert.Same(t, twin.weight, twin.script.GetParameter("fc1.weight"))
	assert.Same(t, twin.weight, twin.wrapped.GetParameter("fc1.weight"), "one tensor in two scripts")
	assert.NotSame(t, n.weight, twin.weight)
	assert.Contains(t, twin.script.String(), "Net(")
	assert.False(t, twin.script.Training())
	assert.Len(t, twin.Parameters(), 7)
	torch.Scope(func() {
		torchtest.AllClose(t, n.weight.Grad(), twin.weight.Grad())
		ran = 0
		torchtest.AllClose(t, m.Forward(input()).Detach(), twin.script.Forward(input()).Detach())
		assert.Equal(t, 2, ran)
		torch.NoGrad(func() { twin.weight.Zero_() })
		assert.Zero(t, again(t, twin.wrapped.Module).GetParameter("fc1.weight").Detach().Abs().Sum().Item())
	})
	require.NoError(t, twin.Close())
	computed := torch.Ones(torch.Shape{2}).RequiresGrad_().MulScalar(2)
	type bad struct {
		*nn.Sequential
		computed *torch.Tensor
	}
	b := &bad{nn.NewSequential(m), computed}
	b.Init(b)
	require.ErrorIs(t, torch.Try(func() { nn.DeepCopy(b) }), torch.ErrAutograd, "and the copy of the script is freed")
	require.NoError(t, computed.Close())
	require.NoError(t, n.Close())
}

// Functions that do more than change the values of tensors refuse a script.
func TestFunctionsThatRefuseScripts(t *testing.T) {
	for name, fn := range map[string]func(l *jit.Module){
		"WeightNorm":         func(l *jit.Module) { nnutil.WeightNorm(l) },
		"SpectralNorm":       func(l *jit.Module) { nnutil.SpectralNorm(l) },
		"parametrizations.W": func(l *jit.Module) { parametrizations.WeightNorm(l) },
		"parametrizations.S": func(l *jit.Module) { parametrizations.SpectralNorm(l) },
		"Orthogonal":         func(l *jit.Module) { parametrizations.Orthogonal(l) },
		"parametrize":        func(l *jit.Module) { parametrize.Register(l, "weight", nn.NewReLU()) },
		"Identity":           func(l *jit.Module) { prune.Identity(l, "weight") },
		"L1Unstructured":     func(l *jit.Module) { prune.L1Unstructured(l, "weight", 0.5) },
		"CustomFromMask":     func(l *jit.Module) { prune.CustomFromMask(l, "weight", torch.Ones(torch.Shape{8, 4})) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Cleanup(torchtest.CheckLeaks(t))
			m := load(t, "mlp_scripted")
			fill(m)
			torch.Scope(func() { fixed(t, func() { fn(m.Submodule("fc1")) }) })
			shows(t, m, 1, 2, 3, 4)
			require.NoError(t, m.Close())
		})
	}
	torch.Scope(func() {
		conv := load(t, "conv")
		fixed(t, func() { swa.UpdateBN(slices.Values([]*torch.Tensor{}), conv) })
	})
}

func TestFunctionsThatTakeScripts(t *testing.T) {
	t.Cleanup(torchtest.CheckLeaks(t))
	m := load(t, "mlp_training")
	fill(m)
	avg := swa.NewAveragedModel(m)
	avg.UpdateParameters(m)
	torch.NoGrad(func() { m.GetParameter("fc1.bias").Fill_(4) })
	avg.UpdateParameters(m)
	shows(t, avg.Module.(*jit.Module), 1, 3, 3, 4)
	torch.Scope(func() { assert.Equal(t, torch.Shape{2, 3}, avg.Forward(input()).Shape()) })
	require.NoError(t, avg.Close())

	torch.Scope(func() {
		m.Eval()
		want := m.Forward(input()).Detach()
		zeros := nn.StateDict{{Name: "fc2.weight", Tensor: torch.Zeros(torch.Shape{3, 8}).RequiresGrad_().MulScalar(1)}}
		nn.FunctionalCall(m, zeros, func() {
			assert.Equal(t, []float32{4, 4, 4, 4, 4, 4}, m.Forward(input()).Detach().Float32s())
		})
		torchtest.AllClose(t, want, m.Forward(input()).Detach())
		shows(t, m, 1, 4, 3, 4)
		fn, params := functorch.MakeFunctional(m)
		torchtest.AllClose(t, want, fn.One(append(params, input())...).Detach())
		stacked, _ := functorch.StackModuleState(m, m)
		assert.Equal(t, torch.Shape{2, 3, 8}, stacked.Get("fc2.weight").Shape())
		s := summary.Of(m, func() { m.Forward(input()) })
		assert.Equal(t, int64(67), s.Params)
		nnutil.VectorToParameters(torch.Full(torch.Shape{67}, 2.0), m.Parameters())
		shows(t, m, 2, 2, 2, 2)
	})
	require.NoError(t, m.Close())

	conv := load(t, "conv")
	nnutil.ConvertConv2dWeightMemoryFormat(conv, torch.ChannelsLast)
	assert.True(t, conv.GetParameter("conv.weight").IsContiguous(torch.ChannelsLast))
	require.NoError(t, conv.Close())
}
