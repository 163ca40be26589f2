package ops_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torchtest"
	"github.com/gotorch/gotorch/vision/ops"
)

func silu(inplace bool) nn.Layer { return nn.NewSiLU(nn.Inplace(inplace)) }

// layers contains the same layers as testdata/make_ops.py.
var layers = map[string]func() nn.Layer{
	"conv": func() nn.Layer { return ops.NewConv2dNormActivation(4, 6) },
	"conv options": func() nn.Layer {
		return ops.NewConv2dNormActivation(4, 6, ops.KernelSizes{3, 1}, ops.Strides{2, 1}, ops.Groups(2),
			ops.Dilations{2, 1}, ops.Bias(true),
			ops.ActivationLayer(silu), ops.Inplace(false), ops.NormLayer(func(n int64) nn.Layer {
				return nn.NewGroupNorm(2, n)
			}))
	},
	"conv alone": func() nn.Layer {
		return ops.NewConv2dNormActivation(4, 6, ops.KernelSize(1), ops.Paddings{1, 0}, ops.NormLayer(nil),
			ops.ActivationLayer(nil))
	},
	"squeeze": func() nn.Layer { return ops.NewSqueezeExcitation(4, 3) },
	"squeeze options": func() nn.Layer {
		return ops.NewSqueezeExcitation(4, 3, ops.Activation(func() nn.Layer { return silu(true) }),
			ops.ScaleActivation(func() nn.Layer { return nn.NewHardsigmoid() }))
	},
	"row":    func() nn.Layer { return ops.NewStochasticDepth(0.4, ops.ModeRow) },
	"batch":  func() nn.Layer { return ops.NewStochasticDepth(0.25, ops.ModeBatch) },
	"never":  func() nn.Layer { return ops.NewStochasticDepth(0, ops.ModeRow) },
	"always": func() nn.Layer { return ops.NewStochasticDepth(1, ops.ModeRow) },
	"mlp":    func() nn.Layer { return ops.NewMLP(5, []int64{7, 4}) },
	"mlp options": func() nn.Layer {
		return ops.NewMLP(5, []int64{7, 4}, ops.NormLayer(func(n int64) nn.Layer {
			return nn.NewLayerNorm(torch.Shape{n})
		}),
			ops.ActivationLayer(silu), ops.Inplace(true), ops.Bias(false), ops.Dropout(0.3))
	},
	"permute": func() nn.Layer { return ops.NewPermute([]int64{0, 2, 3, 1}) },
}

// The layers have the same text, initial values, results and gradients as torchvision's.
func TestLayers(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	var cases map[string]struct {
		Printed            string
		Names              []string
		Values, Grads      []torchtest.Value
		Train, GradX, Eval torchtest.Value
	}
	g := torchtest.LoadGoldens(t, "testdata/ops.json")
	g.Decode("cases", &cases)
	require.Len(t, cases, len(layers))
	// A normalization adds up 60 numbers, and a convolution adds up 36.
	tolerance := torchtest.Rounding(3*(60+2*36), torch.Float32)
	tensor := func(v torchtest.Value) *torch.Tensor {
		x, err := v.Tensor()
		require.NoError(t, err)
		return x
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			torch.ManualSeed(0)
			l := layers[name]()
			defer l.Close()
			torch.Scope(func() {
				assert.Equal(t, c.Printed, l.String())
				var names []string
				for _, n := range l.StateDict() {
					names = append(names, n.Name)
				}
				assert.True(t, slices.Equal(c.Names, names), names)
				for i, p := range l.Parameters() {
					torchtest.AllClose(t, tensor(c.Values[i]), p.Detach(), tolerance)
				}
				x, weight := g.Tensor("x"), g.Tensor("weight")
				torch.ManualSeed(1)
				in := x.Clone().RequiresGrad_()
				y := l.Forward(in)
				torchtest.AllClose(t, tensor(c.Train), y.Detach(), tolerance)
				weight = weight.Narrow(0, 0, y.Numel()).Reshape(y.Shape()...)
				y.Mul(weight).Sum().Backward()
				torchtest.AllClose(t, tensor(c.GradX), in.Grad(), tolerance)
				for i, p := range l.Parameters() {
					torchtest.AllClose(t, tensor(c.Grads[i]), p.Grad(), tolerance)
				}
				l.Eval()
				torchtest.AllClose(t, tensor(c.Eval), l.Forward(x).Detach(), tolerance)
			})
		})
	}
}

// In evaluation, and if P is 0, Forward returns its argument itself.
func TestStochasticDepthPassesOn(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		x := torch.Ones(torch.Shape{2, 3})
		assert.Same(t, x, ops.NewStochasticDepth(0, ops.ModeRow).Forward(x))
		l := ops.NewStochasticDepth(0.5, ops.ModeBatch)
		l.Eval()
		assert.Same(t, x, l.Forward(x))
	})
}

// Invalid arguments cause errors of the right kind, and no tensors stay open.
func TestMistakes(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for name, fn := range map[string]func(){
		"p":          func() { ops.NewStochasticDepth(1.1, ops.ModeRow) },
		"mode":       func() { ops.NewStochasticDepth(0.5, "column") },
		"assigned":   func() { l := ops.NewStochasticDepth(0.5, ops.ModeRow); l.P = -1; l.Forward(nil) },
		"no hidden":  func() { ops.NewMLP(4, nil) },
		"hidden":     func() { ops.NewMLP(4, []int64{-1}) },
		"in":         func() { ops.NewMLP(-1, []int64{1}) },
		"dropout":    func() { ops.NewMLP(4, []int64{1}, ops.Dropout(2)) },
		"kernel":     func() { ops.NewConv2dNormActivation(4, 4, ops.KernelSizes{3}) },
		"groups":     func() { ops.NewConv2dNormActivation(4, 4, ops.Groups(3)) },
		"squeezed":   func() { ops.NewSqueezeExcitation(4, -1) },
		"no parents": func() { ops.NewMLP(4, []int64{1}, ops.Dropout(-1)).In(nil, "mlp") },
	} {
		require.ErrorIs(t, torch.Try(fn), torch.ErrValue, name)
	}
	require.ErrorIs(t, torch.Try(func() { ops.NewStochasticDepth(0.5, ops.ModeRow).Forward(nil) }), torch.ErrNil)
}

// In registers a layer as a submodule.
func TestIn(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	parent := nn.NewSequential()
	defer parent.Close()
	conv := ops.NewConv2dNormActivation(3, 4).In(parent, "conv")
	squeeze := ops.NewSqueezeExcitation(4, 2).In(parent, "squeeze")
	mlp := ops.NewMLP(4, []int64{2}).In(parent, "mlp")
	assert.Equal(t, []nn.Layer{conv, squeeze, mlp}, parent.Values())
}
