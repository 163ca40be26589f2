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

// torchScope is the context in which snippets of option tests are compiled.
var torchScope = compilefail.Scope{
	Imports: []string{"github.com/gotorch/gotorch/torch"},
	Decls:   "var x, y *torch.Tensor; var s torch.Shape; var g *torch.Generator",
}

// An option that a function does not support does not compile.
func TestOptionsThatDoNotApply(t *testing.T) {
	torchScope.Accepts(t,
		"x.Sum(); x.Sum(torch.Dim(1)); x.Sum(torch.Dims{0, -1}, torch.KeepDim(false), torch.Float64)",
		"x.Copy_(y, torch.NonBlocking(true)); x.To(torch.CPU, torch.Copy(true))",
		"torch.Zeros(s, torch.RequiresGrad(true)); torch.Empty(s, torch.ChannelsLast); torch.Rand(s, g)",
		"x.Backward(torch.Gradient(y)); torch.Backward(nil, torch.GradTensors{x})",
		"x.Add(y, torch.Alpha(2)); x.Addmm(y, y, torch.Beta(0), torch.Alpha(2)); x.Div(y, torch.RoundingModeFloor)",
	)
	torchScope.Rejects(t,
		"x.Sum(1)", "x.Mean(1)", "x.Sum(0, true)", "x.Sum(torch.P(1))", "x.Prod(torch.Dims{0, 1})",
		"x.Max(torch.Dim(1))", "x.MaxDim(1, true)", "x.Sort(1)", "x.TopK(2, torch.Stable(true))",
		"x.Copy_(y, torch.RequiresGrad(true))", "x.Copy_(y, torch.Copy(true))", "x.To(torch.RequiresGrad(true))",
		"x.To(torch.PinMemory(true))",
		"torch.Zeros(s, torch.ChannelsLast)", "torch.Zeros(s, torch.KeepDim(true))", "torch.Zeros(s, true)",
		"torch.Ones(s, g)", "torch.Randn(s, torch.NonBlocking(true))", "torch.ZerosLike(x, g)",
		"torch.TrilIndices(2, 2, 0, torch.RequiresGrad(true))", "torch.FromSliceWith([]float32{1}, nil, torch.Strided)",
		"x.Uniform_(0, 1, torch.Float32)", "x.Clone(torch.Float32)",
		"x.Add(y, torch.Beta(2))", "x.Add(y, 2)", "x.Addcmul(y, y, torch.Alpha(2))", `x.Div(y, "floor")`,
		"x.Mul(y, torch.Alpha(2))",
		"x.Round(1)", "x.Softplus(torch.Threshold(3))", "x.AllClose(y, 1e-3)", "x.GELU(torch.RoundingModeFloor)",
		"torch.Backward(nil, torch.Gradient(x))", "x.Backward(torch.GradTensors{x})",
	)
}

// Each option has its effect.
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
	}{
		{torch.Shape{2, 3}, false},
		{torch.Shape{0, 3, 4, 4}, false},
		{torch.Shape{2, 1, 4, 4}, true},
		{torch.Shape{2, 3, 1, 1}, true},
	} {
		w := torch.Zeros(c.shape)
		assert.Equal(t, c.want, w.IsContiguous(torch.ChannelsLast), "%v, as in Python", c.shape)
		require.NoError(t, w.Close())
	}
	z := torch.Rand(shape, g, torch.Float64, torch.RequiresGrad(true))
	defer z.Close()
	assert.Equal(t, torch.Float64, z.DType())
	assert.True(t, z.RequiresGrad())
}

// Closing the last tensor of a shared slice releases it, without any other call.
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
	backward := func() error {
		return torch.Try(func() {
			// The square root of -1 is NaN.
			torch.Scope(func() { torch.FromSliceWith([]float32{-1}, nil, torch.RequiresGrad(true)).Sqrt().Backward() })
		})
	}
	outer := torch.SetDetectAnomaly(true, torch.CheckNaN(false))
	defer outer()
	require.NoError(t, backward(), "NaN is not checked")
	inner := torch.SetDetectAnomaly(true, torch.CheckNaN(false), torch.CheckNaN(true))
	require.ErrorContains(t, backward(), "SqrtBackward0", "the last option counts")
	inner()
	require.NoError(t, backward(), "inner restored the setting")
	torch.SetDetectAnomaly(true)()
	require.NoError(t, backward())
	require.ErrorIs(t, torch.Try(func() { torch.SetDetectAnomaly(true, nil) }), torch.ErrNil)
	require.NoError(t, backward(), "a panic changes nothing")
}

// A zero value given last means the default.
func TestZeroGivenLastIsTheDefault(t *testing.T) {
	torch.Scope(func() {
		one := torch.Shape{1}
		assert.Equal(t, torch.Float32, torch.Zeros(one, torch.Float64, torch.DType(0)).DType())
		assert.Equal(t, torch.CPU, torch.Zeros(one, torch.Meta, torch.Device(0)).Device())
		assert.Equal(t, torch.Strided, torch.Zeros(one, torch.SparseCOO, torch.Layout(0)).Layout())
		x := torch.Ones(one, torch.Float64)
		assert.Equal(t, torch.Float64, x.Sum(torch.Float32, torch.DType(0)).DType())
		assert.Equal(t, torch.Float64, x.To(torch.Float32, torch.DType(0)).DType())
		assert.Equal(t, torch.Float32, torch.HannWindow(4, torch.Float64, torch.DType(0)).DType())
		y := torch.Ones(torch.Shape{1, 2, 2, 2}).Clone(torch.ChannelsLast, torch.MemoryFormat(0))
		assert.True(t, y.IsContiguous())
	})
}

// A type that embeds an option also implements the option's interface. Passing it compiles, and
// panics.
func TestNilAndForeignOptions(t *testing.T) {
	x := torch.Ones(torch.Shape{2})
	defer x.Close()
	type lookalike struct{ torch.Dim }
	for name, f := range map[string]func(torch.ReduceOption){
		"Sum":  func(o torch.ReduceOption) { x.Sum(torch.Dim(0), o) },
		"Mean": func(o torch.ReduceOption) { x.Mean(torch.Dim(0), o) },
	} {
		err := torch.Try(func() { f(nil) })
		require.ErrorIs(t, err, torch.ErrNil, name)
		require.ErrorContains(t, err, "opts: a nil option", name)
		err = torch.Try(func() { f(lookalike{0}) })
		require.ErrorIs(t, err, torch.ErrValue, name)
		require.ErrorContains(t, err, "opts: torch_test.lookalike is not an option of this function", name)
	}
}
