package torch_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
)

func TestPrintNothing(t *testing.T) {
	var none *torch.Tensor
	require.Equal(t, "None", none.String())
	require.Equal(t, "None", fmt.Sprint(none))
	require.Equal(t, "None", fmt.Sprintf("%.4f", none))
	x := torch.Zeros(torch.Shape{2}, torch.RequiresGrad(true))
	defer func() { _ = x.Close() }()
	require.Equal(t, "None", fmt.Sprint(x.Grad()), "no gradient")
	closed := torch.Zeros(torch.Shape{2})
	require.NoError(t, closed.Close())
	require.Equal(t, "tensor(<closed>)", fmt.Sprint(closed))
	require.Equal(t, "tensor(<closed>)", fmt.Sprintf("%d", closed))
	require.Equal(t, "tensor(<closed>)", new(torch.Tensor).String())
}

func TestFormatVerbs(t *testing.T) {
	leakFree(t, func() {
		x := torch.FromSlice([]float64{1.25, 1e-3})
		n := torch.FromSlice([]int64{7, -300, 12, 0}, 2, 2)
		for _, c := range []struct {
			verb string
			x    *torch.Tensor
			want string
		}{
			{"%v", x, "tensor([1.2500e+00, 1.0000e-03], dtype=torch.float64)"},
			{"%+v", x, "tensor([1.2500e+00, 1.0000e-03], dtype=torch.float64)"},
			{"%s", x, "tensor([1.2500e+00, 1.0000e-03], dtype=torch.float64)"},
			{"%.1v", x, "tensor([1.2e+00, 1.0e-03], dtype=torch.float64)"},
			{"%q", x, `"tensor([1.2500e+00, 1.0000e-03], dtype=torch.float64)"`},
			{"%.2f", x, "tensor([1.25, 0.00], dtype=torch.float64)"},
			{"%g", x, "tensor([ 1.25, 0.001], dtype=torch.float64)"},
			{"%.0e", x, "tensor([1e+00, 1e-03], dtype=torch.float64)"},
			{"%d", x, "%!d(*torch.Tensor=tensor([1.2500e+00, 1.0000e-03], dtype=torch.float64))"},
			{"%t", x, "%!t(*torch.Tensor=tensor([1.2500e+00, 1.0000e-03], dtype=torch.float64))"},
			{"%y", n, "%!y(*torch.Tensor=tensor([[   7, -300],\n        [  12,    0]]))"},
			{"%d", n, "tensor([[   7, -300],\n        [  12,    0]])"},
			{"%05d", n, "tensor([[00007, -0300],\n        [00012, 00000]])"},
			{"%x", n, "tensor([[   7, -12c],\n        [   c,    0]])"},
			{"%.1f", n, "tensor([[   7.0, -300.0],\n        [  12.0,    0.0]])"},
			{"%t", n.GtScalar(0), "tensor([[ true, false],\n        [ true, false]])"},
			{"%d", n.GtScalar(0), "tensor([[1, 0],\n        [1, 0]])"},
			{"%.1f", torch.FromSlice([]complex64{1 - 2i}), "tensor([1.0-2.0j])"},
			{"%.1f", torch.Empty(torch.Shape{2}, torch.Meta), "tensor(..., device='meta', size=(2,))"},
			{"%.1f", torch.Zeros(torch.Shape{2, 0}), "tensor([], size=(2, 0))"},
		} {
			require.Equal(t, c.want, fmt.Sprintf(c.verb, c.x), c.verb)
		}
	})
}

// A tensor without dimensions is formatted like Python's format(t, spec).
func TestFormatScalarsLikePython(t *testing.T) {
	for _, g := range readPrintGoldens(t).Formats {
		leakFree(t, func() {
			x := torch.Full(torch.Shape{}, g.Value, torch.Float64).To(goldDType(g.DType))
			require.Equal(t, g.Want, fmt.Sprintf("%"+g.Spec, x), "%s of a %s", g.Spec, g.DType)
			require.Equal(t, g.Want, fmt.Sprintf("%"+g.Spec, x.To(torch.Copy(true))), g.Spec)
		})
	}
}

func TestPrintOptionMistakes(t *testing.T) {
	x := torch.Zeros(torch.Shape{2})
	defer func() { _ = x.Close() }()
	for want, o := range map[string]torch.PrintOption{
		"Precision: expected a number that is not negative, got -1":   torch.Precision(-1),
		"PrintProfile: expected default, short or full, got \"shrt\"": torch.PrintProfile("shrt"),
	} {
		require.ErrorIs(t, torch.Try(func() { torch.SetPrintOptions(o) }), torch.ErrValue)
		require.ErrorContains(t, torch.Try(func() { _ = x.StringWith(o) }), want)
	}
	require.ErrorIs(t, torch.Try(func() { torch.SetPrintOptions(nil) }), torch.ErrNil)
}

// A profile applies first, wherever it stands. Of two options of the same type, the last one
// counts. Options that are not given are unchanged, except SciMode.
func TestSetPrintOptions(t *testing.T) {
	x := torch.FromSlice([]float32{0.5, 0.25})
	defer func() { _ = x.Close() }()
	defer torch.SetPrintOptions(torch.PrintProfileDefault)
	require.Equal(t, "tensor([0.500, 0.250])",
		x.StringWith(torch.Precision(1), torch.Precision(3), torch.PrintProfileShort))
	torch.SetPrintOptions(torch.Precision(1), torch.SciMode(true))
	require.Equal(t, "tensor([5.0e-01, 2.5e-01])", x.String())
	require.Equal(t, "tensor([5e-01, 2e-01])", x.StringWith(torch.Precision(0)))
	torch.SetPrintOptions(torch.EdgeItems(1))
	require.Equal(t, "tensor([0.5, 0.2])", x.String())
	torch.SetPrintOptions(torch.PrintProfileDefault)
	require.Equal(t, "tensor([0.5000, 0.2500])", x.String())
}

// Printing outside of scopes leaves nothing for the collector, and printing with gradients does not
// add to a graph.
func TestPrintLeavesNothing(t *testing.T) {
	x := torch.Randn(torch.Shape{50, 50}, torch.RequiresGrad(true))
	defer func() { _ = x.Close() }()
	before, version := torch.NumLiveTensors(), x.TensorVersion()
	require.Contains(t, x.String(), "requires_grad=True")
	require.Equal(t, before, torch.NumLiveTensors())
	require.Nil(t, x.Grad())
	torch.NoGrad(func() { require.Contains(t, x.String(), "requires_grad=True") })
	torch.InferenceMode(func() { require.Contains(t, x.String(), "requires_grad=True") })
	require.Equal(t, version, x.TensorVersion())
}
