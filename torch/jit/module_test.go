package jit_test

import (
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/amp"
	"github.com/gotorch/gotorch/torch/jit"
	"github.com/gotorch/gotorch/torchtest"
)

func input() *torch.Tensor { return torch.Arange(0, 8, 1).To(torch.Float32).View(2, 4).DivScalar(4) }

// Training the parameters of a script changes the results of the script.
func TestTraining(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	m := load(t, "mlp_training")
	opt := optim.NewSGD(m.Parameters(), optim.LR(0.1))
	var losses []float64
	for range 30 {
		torch.Scope(func() {
			loss := m.Forward(input()).Square().Mean()
			opt.ZeroGrad()
			loss.Backward()
			opt.Step()
			losses = append(losses, loss.Item())
		})
	}
	assert.Less(t, losses[len(losses)-1], losses[0]/2)
	require.NoError(t, opt.Close())
	require.NoError(t, m.Close())
}

// A script can be used like any other layer.
func TestWithinASequential(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		m := load(t, "mlp_scripted")
		net := nn.NewSequential(m, nn.NewReLU())
		assert.Len(t, net.Parameters(), 4)
		y := net.Forward(input())
		torchtest.AllClose(t, m.Forward(input()).ReLU(), y)
		net.Train()
		assert.True(t, m.Training())
		assert.Equal(t, true, m.Attr("training"))
		assert.Equal(t, true, m.Submodule("drop").Attr("training"))
		net.Eval()
		assert.Equal(t, false, m.Submodule("drop").Attr("training"))
		torchtest.AllClose(t, y, net.Forward(input()))
		net.Double()
		assert.Equal(t, torch.Float64, net.Forward(input().To(torch.Float64)).DType())

		hooked := 0
		h := m.RegisterForwardHook(func(_ nn.Module, in, out []*torch.Tensor) []*torch.Tensor {
			hooked++
			return []*torch.Tensor{out[0].MulScalar(0)}
		})
		x := input().To(torch.Float64)
		assert.Zero(t, net.Forward(x).Sum().Item())
		assert.Zero(t, m.Run(x).(*torch.Tensor).Sum().Item())
		assert.Equal(t, 2, hooked)
		h.Remove()
		require.NoError(t, net.Close())
		require.ErrorIs(t, torch.Try(func() { m.Forward(x) }), torch.ErrClosed, "the script's side is closed too")
	})
}

// Hooks get the tensors that Run's arguments and results contain.
func TestHooksOfRun(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		m := load(t, "lstm")
		defer func() { assert.NoError(t, m.Close()) }()
		x, h, c := torch.Ones(torch.Shape{1, 2, 3}), torch.Zeros(torch.Shape{2, 1, 4}),
			torch.Zeros(torch.Shape{2, 1, 4})
		var saw int
		pre := m.RegisterForwardPreHook(func(_ nn.Module, in []*torch.Tensor) []*torch.Tensor {
			saw = len(in)
			return []*torch.Tensor{in[0].MulScalar(0), in[1], in[2]}
		})
		post := m.RegisterForwardHook(func(_ nn.Module, _, out []*torch.Tensor) []*torch.Tensor {
			return []*torch.Tensor{out[0], out[1].MulScalar(0), out[2]}
		})
		got := m.Run(x, jit.Tuple{h, c}).(jit.Tuple)
		assert.Equal(t, 3, saw)
		assert.Zero(t, got[1].(jit.Tuple)[0].(*torch.Tensor).Sum().Item())
		pre.Remove()
		post.Remove()
		want := m.Run(x.MulScalar(0), jit.Tuple{h, c}).(jit.Tuple)
		torchtest.AllClose(t, want[0].(*torch.Tensor).Detach(), got[0].(*torch.Tensor).Detach())
		few := m.RegisterForwardPreHook(func(_ nn.Module, in []*torch.Tensor) []*torch.Tensor { return in[:1] })
		require.ErrorIs(t, torch.Try(func() { m.Run(x, jit.Tuple{h, c}) }), torch.ErrValue)
		few.Remove()
	})
}

func TestStateDict(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		m, other := load(t, "mlp_scripted"), load(t, "mlp_traced")
		defer func() { assert.NoError(t, m.Close()) }()
		defer func() { assert.NoError(t, other.Close()) }()
		require.NoError(t, m.LoadStateDict(other.StateDict()))
		want := other.Forward(input())
		torchtest.AllClose(t, want, m.Forward(input()))

		zeros := other.StateDict().Clone()
		for _, n := range zeros {
			torch.NoGrad(func() { n.Tensor.Zero_() })
		}
		require.NoError(t, m.LoadStateDict(zeros, nn.Assign(true)))
		assert.Zero(t, m.Forward(input()).Sum().Item(), "the script has what was assigned")
		require.NoError(t, m.LoadStateDict(other.StateDict()))
		torchtest.AllClose(t, want, m.Forward(input()))
	})
}

// If a script assigns a tensor to a buffer, the tensor becomes the module's buffer. Calls
// of a script that does so run one at a time.
func TestStatefulModule(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		m := load(t, "stateful")
		defer func() { assert.NoError(t, m.Close()) }()
		total := m.GetBuffer("total")
		x := torch.FromSlice([]float32{1, 2})
		assert.Equal(t, []float32{3, 6}, m.Forward(x).Float32s())
		assert.Equal(t, []float32{2, 4}, m.GetBuffer("last").Float32s())
		assert.Same(t, total, m.GetBuffer("total"))
		assert.Equal(t, []float32{1, 2}, total.Float32s())
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				torch.Scope(func() {
					for range 20 {
						m.Forward(x)
					}
				})
			})
		}
		wg.Wait()
		assert.Equal(t, int64(161), m.Attr("count"))
		assert.Len(t, m.Attr("seen"), 161)
		assert.Equal(t, []float32{161, 322}, total.Float32s())
		m.SetAttr("seen", []int64{7})
		m.SetAttr("count", 1)
		last := torch.Zeros(torch.Shape{3})
		m.SetAttr("last", last)
		assert.Equal(t, []float32{0, 0, 0}, m.GetBuffer("last").Float32s())
		m.Forward(x)
		assert.Equal(t, []int64{7, 2}, m.Attr("seen"))
		assert.NotSame(t, last, m.GetBuffer("last"), "the script has put another in its place")
		require.NoError(t, last.Close())
		copied := m.DeepCopy()
		defer func() { assert.NoError(t, copied.Close()) }()
		copied.Forward(x)
		assert.Equal(t, int64(2), m.Attr("count"))
		assert.Equal(t, int64(3), copied.Attr("count"))
		assert.Equal(t, "original_name=Stateful", "original_name="+copied.OriginalName())
	})
}

func TestManyGoroutines(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		for _, name := range []string{"mlp_scripted", "conv", "lstm"} {
			m := load(t, name)
			x := map[string]torch.Shape{"mlp_scripted": {2, 4}, "conv": {2, 1, 5, 5}, "lstm": {2, 5, 3}}[name]
			run := func() (sum float64) {
				torch.NoGrad(func() {
					torch.Scope(func() {
						switch y := m.Run(torch.Ones(x)).(type) {
						case *torch.Tensor:
							sum = y.Sum().Item()
						case jit.Tuple:
							sum = y[0].(*torch.Tensor).Sum().Item()
						}
					})
				})
				return sum
			}
			want := run()
			got := make([]float64, 16)
			var wg sync.WaitGroup
			for i := range got {
				wg.Go(func() {
					for range 25 {
						got[i] = run()
					}
				})
			}
			wg.Wait()
			for _, v := range got {
				assert.InDelta(t, want, v, 1e-5, name)
			}
			require.NoError(t, m.Close())
		}
	})
}

// A call during Close on another goroutine returns a result or ErrClosed.
func TestCloseBesideCalls(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		x := input()
		for range 10 {
			m := load(t, "mlp_scripted")
			var wg sync.WaitGroup
			started := make(chan bool, 4)
			for range 4 {
				wg.Go(func() {
					torch.Scope(func() {
						for {
							err := torch.Try(func() { assert.Equal(t, torch.Shape{2, 3}, m.Forward(x).Shape()) })
							select {
							case started <- true:
							default:
							}
							if err != nil {
								assert.ErrorIs(t, err, torch.ErrClosed)
								return
							}
						}
					})
				})
			}
			<-started
			require.NoError(t, m.Close())
			wg.Wait()
		}
	})
}

// A script runs in the modes of the goroutine that calls it.
func TestModes(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		m := load(t, "mlp_scripted")
		defer func() { assert.NoError(t, m.Close()) }()
		x := input()
		assert.True(t, m.Forward(x).RequiresGrad())
		torch.NoGrad(func() { assert.False(t, m.Forward(x).RequiresGrad()) })
		torch.InferenceMode(func() { assert.True(t, m.Forward(x).IsInference()) })
		amp.Autocast(torch.CPU, torch.BFloat16, func() { assert.Equal(t, torch.BFloat16, m.Forward(x).DType()) })
		assert.Equal(t, torch.Float32, m.Forward(x).DType())
		torch.InferenceMode(func() {
			inner, err := jit.Load(goldenPath("mlp_scripted"))
			require.NoError(t, err)
			assert.False(t, inner.GetParameter("fc1.weight").IsInference(), "modules are made as outside")
			require.NoError(t, inner.Close())
		})
	})
}

func TestFreeze(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		m := load(t, "conv")
		defer func() { assert.NoError(t, m.Close()) }()
		x := torch.Ones(torch.Shape{2, 1, 5, 5})
		want := m.Forward(x).Detach()
		frozen := m.Freeze()
		defer func() { assert.NoError(t, frozen.Close()) }()
		assert.Empty(t, frozen.Parameters())
		assert.False(t, frozen.Training())
		fast := frozen.OptimizeForInference()
		defer func() { assert.NoError(t, fast.Close()) }()
		direct := m.OptimizeForInference()
		defer func() { assert.NoError(t, direct.Close()) }()
		exact := m.Freeze(jit.OptimizeNumerics(false))
		defer func() { assert.NoError(t, exact.Close()) }()
		for _, f := range []*jit.Module{frozen, fast, direct, exact} {
			for range 3 {
				torch.NoGrad(func() {
					torchtest.AllClose(t, want, f.Forward(x), torchtest.RTol(1e-4), torchtest.ATol(1e-5))
				})
			}
		}
		assert.NotContains(t, frozen.Graph("forward"), "batch_norm", "it is folded into the convolution")
		assert.Contains(t, exact.Graph("forward"), "batch_norm")
		kept := m.Freeze(jit.PreservedAttrs{"fc"})
		defer func() { assert.NoError(t, kept.Close()) }()
		assert.NotEmpty(t, kept.Submodule("fc").Parameters())

		v := load(t, "values")
		v.Eval()
		methods := v.Freeze(jit.PreservedAttrs{"same_int", "scale"})
		defer func() { assert.NoError(t, methods.Close()) }()
		assert.ElementsMatch(t, []string{"forward", "same_int"}, methods.Methods())
		assert.Equal(t, 2.5, methods.Attr("scale"))
		other := methods.OptimizeForInference(jit.OtherMethods{"same_int"})
		assert.Equal(t, int64(4), other.RunMethod("same_int", 4))
		require.NoError(t, other.Close())
		require.NoError(t, v.Close())
	})
}

func TestFacts(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	m := load(t, "values")
	assert.Equal(t, "Values", m.OriginalName())
	assert.True(t, m.HasMethod("fail"))
	assert.False(t, m.HasMethod("fly"))
	assert.Contains(t, m.Methods(), "forward")
	assert.Equal(t, "forward(__torch__.Values self, Tensor x, int times=1, Tensor? bias=None) -> Tensor",
		m.Schema("forward"))
	assert.Contains(t, m.Code("forward"), "def forward(self,")
	assert.Contains(t, m.Graph("forward"), "aten::mul")
	assert.True(t, slices.Contains(m.Attributes(), "scale"))
	assert.Equal(t, 2.5, m.Attr("scale"))
	assert.Equal(t, []string{"a", "b"}, m.Attr("names"))
	assert.Equal(t, jit.NewDict("one", int64(1), "two", int64(2)), m.Attr("table"))
	assert.Nil(t, m.Attr("nothing"))
	assert.Same(t, m.GetParameter("w"), m.Attr("w"))
	m.SetAttr("scale", 2)
	assert.Equal(t, 2.0, m.Attr("scale"))
	require.ErrorIs(t, torch.Try(func() { m.SetAttr("nothing", 5) }), torch.ErrType,
		"TorchScript has found it to be None always")
	m.SetAttr("names", []string{"c"})
	assert.Equal(t, []string{"c"}, m.Attr("names"))
	w := m.GetParameter("w")
	m.SetAttr("w", torch.Full(torch.Shape{2}, 3))
	require.NoError(t, w.Close())
	torch.Scope(func() {
		assert.Equal(t, []float32{7, 7}, m.Forward(torch.Ones(torch.Shape{2})).Detach().Float32s())
	})
	assert.False(t, m.GetParameter("w").RequiresGrad(), "it is as it was given")
	assert.Same(t, m, m.Submodule(""))
	assert.Nil(t, m.Submodule("none"))
	require.NoError(t, m.Close())

	lstm := load(t, "lstm")
	assert.Same(t, lstm.Attr("out"), lstm.Submodule("out"))
	require.NoError(t, lstm.Close())

	tied := load(t, "tied")
	assert.Len(t, tied.Parameters(), 1)
	assert.Same(t, tied.GetParameter("a.weight"), tied.GetParameter("b.weight"))
	require.NoError(t, tied.Close())
}
