package nn_test

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torchtest"
)

// Block is the example module of PyTorch's transformer documentation: attention and a
// small network, each with a residual connection.
type Block struct {
	nn.Base
	ln   *nn.LayerNorm
	attn *nn.MultiheadAttention
	mlp  *nn.Sequential
}

func NewBlock(d, h int64, opts ...nn.InitOption) *Block {
	b := new(Block)
	b.Init(b, opts...)
	b.ln = nn.NewLayerNorm(torch.Shape{d}, b.As("ln"))
	b.attn = nn.NewMultiheadAttention(d, h, nn.BatchFirst(true), b.As("attn"))
	b.mlp = nn.NewSequential(nn.NewLinear(d, 4*d), nn.NewGELU(), nn.NewLinear(4*d, d)).In(b, "mlp")
	return b
}

func (b *Block) Forward(x *torch.Tensor) *torch.Tensor {
	return b.Call(x, func(x *torch.Tensor) *torch.Tensor {
		y := b.ln.Forward(x)
		a, _ := b.attn.Forward(y, y, y, nn.NeedWeights(false))
		x = x.Add(a)
		return x.Add(b.mlp.Forward(x))
	})
}

// layers makes the layers of testdata/make_layers.py, by name.
var layers = map[string]func() nn.Layer{
	"Linear":        func() nn.Layer { return nn.NewLinear(5, 3) },
	"Linear/nobias": func() nn.Layer { return nn.NewLinear(5, 3, nn.Bias(false)) },
	"Linear/double": func() nn.Layer { return nn.NewLinear(5, 3, nn.DType(torch.Float64)) },
	"Conv1d":        func() nn.Layer { return nn.NewConv1d(3, 4, 3, nn.Padding(1)) },
	"Conv2d":        func() nn.Layer { return nn.NewConv2d(3, 4, 3) },
	"Conv2d/options": func() nn.Layer {
		return nn.NewConv2d(3, 6, []int64{3, 2}, nn.Strides{2, 1}, nn.Paddings{1, 0}, nn.Dilations{1, 2}, nn.Groups(3),
			nn.Bias(false))
	},
	"Conv2d/reflect": func() nn.Layer {
		return nn.NewConv2d(3, 2, 3, nn.Paddings{1, 2}, nn.PaddingModeReflect)
	},
	"Conv2d/same":        func() nn.Layer { return nn.NewConv2d(3, 2, []int64{3, 4}, nn.PaddingSame) },
	"Conv3d":             func() nn.Layer { return nn.NewConv3d(2, 3, 2) },
	"MaxPool2d":          func() nn.Layer { return nn.NewMaxPool2d(2) },
	"MaxPool2d/options":  func() nn.Layer { return nn.NewMaxPool2d([]int64{3, 2}, nn.Stride(1), nn.Padding(1)) },
	"AvgPool2d":          func() nn.Layer { return nn.NewAvgPool2d(2) },
	"AdaptiveAvgPool2d":  func() nn.Layer { return nn.NewAdaptiveAvgPool2d(2) },
	"ReLU":               func() nn.Layer { return nn.NewReLU() },
	"GELU":               func() nn.Layer { return nn.NewGELU() },
	"GELU/tanh":          func() nn.Layer { return nn.NewGELU(nn.ApproximateTanh) },
	"Sigmoid":            func() nn.Layer { return nn.NewSigmoid() },
	"Tanh":               func() nn.Layer { return nn.NewTanh() },
	"SiLU":               func() nn.Layer { return nn.NewSiLU() },
	"LeakyReLU":          func() nn.Layer { return nn.NewLeakyReLU(0.01) },
	"Softmax":            func() nn.Layer { return nn.NewSoftmax(1) },
	"LogSoftmax":         func() nn.Layer { return nn.NewLogSoftmax(-1) },
	"Identity":           func() nn.Layer { return nn.NewIdentity() },
	"Flatten":            func() nn.Layer { return nn.NewFlatten() },
	"Flatten/dims":       func() nn.Layer { return nn.NewFlatten(nn.StartDim(0), nn.EndDim(1)) },
	"Dropout":            func() nn.Layer { return nn.NewDropout(0.3) },
	"Dropout2d":          func() nn.Layer { return nn.NewDropout2d(0.5) },
	"BatchNorm1d":        func() nn.Layer { return nn.NewBatchNorm1d(5) },
	"BatchNorm2d":        func() nn.Layer { return nn.NewBatchNorm2d(3) },
	"BatchNorm1d/frozen": func() nn.Layer { return nn.NewBatchNorm1d(5, nn.Momentum(0.0)) },
	"BatchNorm2d/plain": func() nn.Layer {
		return nn.NewBatchNorm2d(3, nn.Eps(0.01), nn.Affine(false), nn.TrackRunningStats(false))
	},
	"BatchNorm2d/cumulative": func() nn.Layer {
		return nn.NewBatchNorm2d(3, nn.MomentumNone)
	},
	"LayerNorm":         func() nn.Layer { return nn.NewLayerNorm(torch.Shape{6, 5}) },
	"LayerNorm/nobias":  func() nn.Layer { return nn.NewLayerNorm(torch.Shape{5}, nn.Bias(false)) },
	"LayerNorm/eps":     func() nn.Layer { return nn.NewLayerNorm(torch.Shape{5}, nn.Eps(0.0)) },
	"RMSNorm":           func() nn.Layer { return nn.NewRMSNorm(torch.Shape{5}) },
	"GroupNorm":         func() nn.Layer { return nn.NewGroupNorm(3, 6) },
	"Embedding":         func() nn.Layer { return nn.NewEmbedding(6, 4) },
	"Embedding/padding": func() nn.Layer { return nn.NewEmbedding(6, 4, nn.PaddingIdx(-4)) },
	"CrossMapLRN2d": func() nn.Layer {
		return nn.NewCrossMapLRN2d(3, nn.Alpha(0.5), nn.Beta(0.6), nn.K(2))
	},
	"CrossMapLRN2d/even":  func() nn.Layer { return nn.NewCrossMapLRN2d(4) },
	"RReLU":               func() nn.Layer { return nn.NewRReLU() },
	"Hardsigmoid":         func() nn.Layer { return nn.NewHardsigmoid() },
	"Dropout1d":           func() nn.Layer { return nn.NewDropout1d(0.3) },
	"Dropout3d":           func() nn.Layer { return nn.NewDropout3d(0.3) },
	"AlphaDropout":        func() nn.Layer { return nn.NewAlphaDropout(0.3) },
	"FeatureAlphaDropout": func() nn.Layer { return nn.NewFeatureAlphaDropout(0.3) },
	"MLP": func() nn.Layer {
		return nn.NewSequential(nn.NewLinear(5, 7), nn.NewReLU(), nn.NewLinear(7, 3))
	},
	"CNN": func() nn.Layer {
		return nn.NewSequential(nn.NewConv2d(3, 4, 3), nn.NewBatchNorm2d(4), nn.NewReLU(), nn.NewMaxPool2d(2),
			nn.NewDropout(0.25), nn.NewFlatten(), nn.NewSequential(nn.NewLinear(8, 5), nn.NewTanh()))
	},
	"Block": func() nn.Layer { return NewBlock(8, 2) },
}

type stored struct {
	Shape torch.Shape
	DType string
	Data  []float64
}

func (s *stored) tensor(opts ...torch.TensorOption) *torch.Tensor {
	dtypes := map[string]torch.DType{"float32": torch.Float32, "float64": torch.Float64, "int64": torch.Int64}
	return torch.FromSliceWith(append(make([]float64, 0, 1), s.Data...), append(torch.Shape{}, s.Shape...),
		append([]torch.TensorOption{dtypes[s.DType]}, opts...)...)
}

// equal checks that got equals PyTorch's tensor up to a number of rounding errors. The
// numbers in the file have seven digits, as many as a float32.
func (s *stored) equal(t *testing.T, got *torch.Tensor, roundings int, what string) {
	t.Helper()
	require.NotNil(t, got, what)
	assert.Equal(t, s.DType, got.DType().String(), what)
	tolerance := torchtest.Rounding(roundings, got.DType(), torch.Float32)
	assert.Empty(t, torchtest.Difference(s.tensor(), got, tolerance), what)
}

type golden struct {
	Name, Text string
	Order      []string
	Parameters []string
	Before     map[string]stored
	After      map[string]stored
	Input      stored
	Output     stored
	Weight     stored
	Evaluated  stored
	InputGrad  *stored `json:"input_grad"`
	Grads      map[string]stored
}

// scoped runs fn in a scope and checks that no tensor of fn outlives the scope.
func scoped(t *testing.T, fn func()) {
	t.Helper()
	before := torch.NumLiveTensors()
	torch.Scope(fn)
	assert.Equal(t, before, torch.NumLiveTensors(), "tensors left open")
}

func TestLayersAgainstPython(t *testing.T) {
	data, err := os.ReadFile("testdata/layers.json")
	require.NoError(t, err)
	var goldens []golden
	require.NoError(t, json.Unmarshal(data, &goldens))
	require.Len(t, goldens, len(layers))
	for _, g := range goldens {
		require.Contains(t, layers, g.Name)
		t.Run(g.Name, func(t *testing.T) { scoped(t, func() { checkLayer(t, &g) }) })
	}
}

func checkLayer(t *testing.T, g *golden) {
	torch.ManualSeed(3)
	m := layers[g.Name]()
	defer m.Close()

	assert.Equal(t, g.Text, m.String())
	var parameters []string
	for _, p := range m.NamedParameters() {
		parameters = append(parameters, p.Name)
		assert.True(t, p.Tensor.RequiresGrad(), p.Name)
	}
	assert.Equal(t, g.Parameters, append([]string{}, parameters...))
	assert.Equal(t, g.Order, append([]string{}, m.StateDict().Names()...))
	for name, want := range g.Before {
		want.equal(t, m.StateDict().Get(name), 16, "initial "+name)
	}

	x := g.Input.tensor()
	if x.IsFloatingPoint() {
		x.SetRequiresGrad(true)
	}
	// The Python script draws random numbers for the input after it makes the layer.
	// Draw as many here, so that later random numbers are the same.
	if x.IsFloatingPoint() {
		torch.Randn(g.Input.Shape, x.DType())
	}
	live := torch.NumLiveTensors()
	y := m.Forward(x)
	if g.Name != "Identity" {
		assert.Equal(t, live+1, torch.NumLiveTensors(), "temporaries left open")
	}
	g.Output.equal(t, y, 64, "output")
	y.Backward(torch.Gradient(g.Weight.tensor()))
	if g.InputGrad != nil {
		g.InputGrad.equal(t, x.Grad(), 128, "gradient of the input")
	}
	for _, p := range m.NamedParameters() {
		want := g.Grads[p.Name]
		want.equal(t, p.Tensor.Grad(), 128, "gradient of "+p.Name)
	}
	m.Eval()
	for name, want := range g.After {
		want.equal(t, m.StateDict().Get(name), 64, name+" after a step")
	}
	g.Evaluated.equal(t, m.Forward(x), 64, "output in evaluation")
}

func TestEmbeddingPaddingStartsAtZero(t *testing.T) {
	scoped(t, func() {
		e := nn.NewEmbedding(4, 3, nn.PaddingIdx(1))
		defer e.Close()
		assert.Equal(t, []float32{0, 0, 0}, e.Weight.Index(1).Float32s())
		assert.True(t, e.Weight.IsLeaf())
	})
}
