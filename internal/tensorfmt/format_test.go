package tensorfmt_test

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/tensorfmt"
)

func TestPlanCutsOnlyLongDimensions(t *testing.T) {
	p := tensorfmt.NewPlan([]int64{1000, 6, 1 << 40}, tensorfmt.Options{})
	assert.Equal(t, []int64{6, 6, 6}, p.Shape)
	assert.Equal(t, []tensorfmt.Cut{{Dim: 0, Size: 1000, Keep: 3}, {Dim: 2, Size: 1 << 40, Keep: 3}}, p.Cuts)
	assert.Equal(t, int64(216), p.Numel())
}

func TestPlanWithoutCuts(t *testing.T) {
	for name, p := range map[string]tensorfmt.Plan{
		"at the threshold": tensorfmt.NewPlan([]int64{1000}, tensorfmt.Options{}),
		"full":             tensorfmt.NewPlan([]int64{100, 100}, tensorfmt.Options{Profile: tensorfmt.ProfileFull}),
		"scalar":           tensorfmt.NewPlan(nil, tensorfmt.Options{Threshold: -1}),
		"empty":            tensorfmt.NewPlan([]int64{5000, 0}, tensorfmt.Options{}),
	} {
		assert.Empty(t, p.Cuts, name)
	}
}

func TestPlanOfAnExpandedTensorDoesNotOverflow(t *testing.T) {
	p := tensorfmt.NewPlan([]int64{math.MaxInt64, math.MaxInt64, 3}, tensorfmt.Options{})
	assert.Equal(t, []int64{6, 6, 3}, p.Shape)
	assert.Equal(t, int64(108), p.Numel())
}

func TestPlanDoesNotKeepTheCallersShape(t *testing.T) {
	shape := []int64{2000}
	p := tensorfmt.NewPlan(shape, tensorfmt.Options{})
	assert.Equal(t, []int64{2000}, shape)
	assert.Equal(t, []int64{6}, p.Shape)
}

func TestPlanNeedsNothingWithoutEdgeItems(t *testing.T) {
	o := tensorfmt.Options{Threshold: 5, EdgeItems: -1}
	assert.Zero(t, tensorfmt.NewPlan([]int64{10, 10}, o).Numel())
	got, err := tensorfmt.Format(tensorfmt.Tensor{Shape: []int64{10, 10}, DType: "float32"}, o)
	require.NoError(t, err)
	assert.Equal(t, "tensor([...], size=(10, 10))", got)
}

func TestFormatRefusesDataThatDoesNotFit(t *testing.T) {
	for name, tensor := range map[string]tensorfmt.Tensor{
		"too few":       {Shape: []int64{3}, DType: "float32", Values: tensorfmt.Floats([]float64{1})},
		"too many":      {Shape: []int64{1}, DType: "int64", Values: tensorfmt.Ints([]int64{1, 2})},
		"none":          {Shape: nil, DType: "bool"},
		"negative size": {Shape: []int64{2, -1}, DType: "float32"},
		"sparse part": {
			Shape: []int64{3}, DType: "float32",
			Parts: []tensorfmt.Part{{Name: "values", Shape: []int64{2}}},
		},
	} {
		got, err := tensorfmt.Format(tensor, tensorfmt.Options{})
		require.Error(t, err, name)
		assert.Empty(t, got, name)
	}
}

func TestDefaultDTypeIsNotShown(t *testing.T) {
	double := tensorfmt.Tensor{
		Shape: []int64{1}, DType: "float64", DefaultDType: "float64",
		Values: tensorfmt.Floats([]float64{1}),
	}
	single := double
	single.DType = "float32"
	wide := tensorfmt.Tensor{
		Shape: []int64{1}, DType: "complex128", DefaultDType: "float64",
		Values: tensorfmt.Complexes([]complex128{1}),
	}
	for want, tensor := range map[string]tensorfmt.Tensor{
		"tensor([1.])":                      double,
		"tensor([1.], dtype=torch.float32)": single,
		"tensor([1.+0.j])":                  wide,
	} {
		got, err := tensorfmt.Format(tensor, tensorfmt.Options{})
		require.NoError(t, err)
		assert.Equal(t, want, got)
	}
}

func TestDeviceAndGradSuffixes(t *testing.T) {
	got, err := tensorfmt.Format(tensorfmt.Tensor{
		Shape: []int64{2}, DType: "float32", Device: "cuda:0", GradFn: "torch::autograd::CopySlices",
		RequiresGrad: true, Values: tensorfmt.Floats([]float64{1, 2}),
	}, tensorfmt.Options{})
	require.NoError(t, err)
	assert.Equal(t, "tensor([1., 2.], device='cuda:0', grad_fn=<CopySlices>)", got)
}

func TestExtremeOptions(t *testing.T) {
	tensor := tensorfmt.Tensor{Shape: []int64{2}, DType: "float32", Values: tensorfmt.Floats([]float64{0.5, 1})}
	got, err := tensorfmt.Format(tensor, tensorfmt.Options{
		Precision: math.MaxInt, Threshold: math.MaxInt, EdgeItems: math.MaxInt, LineWidth: math.MaxInt,
	})
	require.NoError(t, err)
	assert.Less(t, len(got), 3000, "the precision is bounded by what a float64 can hold")
	assert.True(t, strings.HasPrefix(got, "tensor([0.5000"))

	got, err = tensorfmt.Format(tensor, tensorfmt.Options{
		Precision: math.MinInt, Threshold: math.MinInt, EdgeItems: math.MinInt, LineWidth: math.MinInt, Profile: 99,
	})
	require.NoError(t, err)
	assert.Equal(t, "tensor([...],\n       size=(2,))", got)
}

func TestPyFloat(t *testing.T) {
	for want, x := range map[string]float64{
		"0.0": 0, "-0.0": math.Copysign(0, -1), "1.0": 1, "0.1": 0.1, "0.0001": 1e-4, "1e-05": 1e-5,
		"1e+16": 1e16, "1234567890123456.0": 1234567890123456, "-2.5": -2.5, "1e+300": 1e300,
		"nan": math.NaN(), "inf": math.Inf(1), "-inf": math.Inf(-1), "5e-324": 5e-324,
	} {
		assert.Equal(t, want, tensorfmt.PyFloat(x))
	}
}
