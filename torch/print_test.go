package torch_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
)

func TestPrintNothing(t *testing.T) {
	var none *torch.Tensor
	require.Equal(t, "tensor(<nil>)", none.String())
	require.Equal(t, "tensor(<nil>)", fmt.Sprint(none))
	closed := torch.Zeros(torch.Shape{2})
	require.NoError(t, closed.Close())
	require.Equal(t, "tensor(<closed>)", fmt.Sprint(closed))
	require.Equal(t, "tensor(<closed>)", new(torch.Tensor).String())
}

func TestFormatVerbs(t *testing.T) {
	leakFree(t, func() {
		x := torch.FromSlice([]float64{1.25, 1e-3})
		require.Equal(t, "tensor([1.2500e+00, 1.0000e-03], dtype=torch.float64)", fmt.Sprintf("%v", x))
		require.Equal(t, "tensor([1.2500e+00, 1.0000e-03], dtype=torch.float64)", fmt.Sprintf("%s", x))
		require.Equal(t, "tensor([1.25, 0.00], dtype=torch.float64)", fmt.Sprintf("%.2f", x))
		require.Equal(t, "tensor([1.2e+00, 1.0e-03], dtype=torch.float64)", fmt.Sprintf("%.1v", x))
		require.Equal(t, "tensor([1e+00, 1e-03], dtype=torch.float64)", fmt.Sprintf("%.0e", x))
		require.Equal(t, "%!d(*torch.Tensor=tensor([1.2500e+00, 1.0000e-03], dtype=torch.float64))", fmt.Sprintf("%d", x))
	})
}

func TestSetPrintOptionsReturnsPrevious(t *testing.T) {
	first := torch.SetPrintOptions(torch.PrintOptions{Precision: 2})
	defer torch.SetPrintOptions(first)
	require.Equal(t, torch.PrintOptions{}, first)
	require.Equal(t, torch.PrintOptions{Precision: 2}, torch.SetPrintOptions(first))
}

// A tensor printed outside any scope leaves nothing for the collector, and one
// printed where gradients are recorded is not part of a graph afterwards.
func TestPrintLeavesNothing(t *testing.T) {
	x := torch.Randn(torch.Shape{50, 50}, torch.RequiresGrad)
	defer func() { _ = x.Close() }()
	before, version := torch.LiveTensors(), x.TensorVersion()
	require.Contains(t, x.String(), "requires_grad=True")
	require.Equal(t, before, torch.LiveTensors())
	require.Nil(t, x.Grad())
	torch.NoGrad(func() { require.Contains(t, x.String(), "requires_grad=True") })
	torch.InferenceMode(func() { require.Contains(t, x.String(), "requires_grad=True") })
	require.Equal(t, version, x.TensorVersion())
}
