package torch_test

import (
	"runtime"
	"testing"
	"weak"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/compilefail"
	"github.com/gotorch/gotorch/torch"
)

// torchScope is what snippets of tests of options are compiled in.
var torchScope = compilefail.Scope{
	Imports: []string{"github.com/gotorch/gotorch/torch"},
	Decls:   "var x, y *torch.Tensor; var s torch.Shape; var g *torch.Generator",
}

// An option that a function cannot honour does not compile.
func TestOptionsThatDoNotApply(t *testing.T) {
	torchScope.Accepts(t,
		"x.Sum(); x.Sum(torch.Dim(1)); x.Sum(torch.Dims{0, -1}, !torch.KeepDim, torch.Float64)",
		"x.Copy_(y, torch.NonBlocking); x.To(torch.CPU, torch.Copy)",
		"torch.Zeros(s, torch.RequiresGrad); torch.Empty(s, torch.ChannelsLast); torch.Rand(s, g)",
		"x.Backward(torch.Gradient(y)); torch.Backward(nil, torch.GradTensors{x})",
		"x.Add(y, torch.Alpha(2)); x.Addmm(y, y, torch.Beta(0), torch.Alpha(2)); x.Div(y, torch.RoundingModeFloor)",
	)
	torchScope.Rejects(t,
		"x.Sum(1)", "x.Mean(1)", "x.Sum(0, true)", "x.Sum(torch.P(1))", "x.Prod(torch.Dims{0, 1})",
		"x.Max(torch.Dim(1))", "x.MaxDim(1, true)", "x.Sort(1)", "x.Topk(2, torch.Stable(true))",
		"x.Copy_(y, torch.RequiresGrad)", "x.Copy_(y, torch.Copy)", "x.To(torch.RequiresGrad)", "x.To(torch.PinMemory)",
		"torch.Zeros(s, torch.ChannelsLast)", "torch.Zeros(s, torch.KeepDim)", "torch.Zeros(s, true)",
		"torch.Ones(s, g)", "torch.Randn(s, torch.NonBlocking)", "torch.ZerosLike(x, g)",
		"torch.TrilIndices(2, 2, 0, torch.RequiresGrad)", "torch.FromSliceWith([]float32{1}, nil, torch.Strided)",
		"x.Uniform_(0, 1, torch.Float32)", "x.Clone(torch.Float32)",
		"x.Add(y, torch.Beta(2))", "x.Add(y, 2)", "x.Addcmul(y, y, torch.Alpha(2))", `x.Div(y, "floor")`, "x.Mul(y, torch.Alpha(2))",
		"x.Round(1)", "x.Softplus(torch.Threshold(3))", "x.AllClose(y, 1e-3)", "x.GELU(torch.RoundingModeFloor)",
		"torch.Backward(nil, torch.Gradient(x))", "x.Backward(torch.GradTensors{x})",
	)
}

// What an option says is done.
func TestCreationOptions(t *testing.T) {
	shape := torch.Shape{1, 2, 3, 4}
	x := torch.Zeros(shape)
	defer x.Close()
	g := torch.NewGenerator(torch.CPU)
	y := torch.EmptyLike(x, torch.ChannelsLast)
	defer y.Close()
	assert.True(t, y.IsContiguous(torch.ChannelsLast))
	assert.False(t, y.IsContiguous())
	for _, c := range []struct {
		shape torch.Shape
		want  bool
	}{{torch.Shape{2, 3}, false}, {torch.Shape{0, 3, 4, 4}, false}, {torch.Shape{2, 1, 4, 4}, true}, {torch.Shape{2, 3, 1, 1}, true}} {
		w := torch.Zeros(c.shape)
		assert.Equal(t, c.want, w.IsContiguous(torch.ChannelsLast), "%v, as in Python", c.shape)
		require.NoError(t, w.Close())
	}
	z := torch.Rand(shape, g, torch.Float64, torch.RequiresGrad)
	defer z.Close()
	assert.Equal(t, torch.Float64, z.DType())
	assert.True(t, z.RequiresGrad())
}

// Closing the last tensor over a shared slice lets go of it, without any other
// call that would.
func TestSharedMemoryIsReleasedByClose(t *testing.T) {
	for name, free := range map[string]func(data []float32){
		"Close": func(data []float32) {
			x := torch.FromSliceShared(data)
			require.NoError(t, x.Close())
		},
		"scope": func(data []float32) {
			torch.Scope(func() { torch.FromSliceShared(data) })
		},
	} {
		t.Run(name, func(t *testing.T) {
			data := make([]float32, 1<<16)
			first := weak.Make(&data[0])
			free(data)
			runtime.GC()
			assert.Nil(t, first.Value(), "the slice is still held")
		})
	}
}

func TestDetectAnomalyNests(t *testing.T) {
	defer torch.SetDetectAnomaly(true, false)()
	torch.SetDetectAnomaly(true, true)()
	x := torch.FromSliceWith([]float32{-1}, nil, torch.RequiresGrad)
	defer x.Close()
	torch.Scope(func() { x.Sqrt().Backward() }) // its gradient is NaN, which nobody looks for
}
