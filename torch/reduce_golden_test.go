package torch_test

import (
	"testing"

	"github.com/gotorch/gotorch/torch"
)

var reduceOps = goldOps{
	"SumAll":       {"Sum"},
	"SumAllAs":     {"Sum", from[torch.DType]},
	"SumDim":       {"Sum", from[torch.Dims], from[torch.KeepDim]},
	"NaNSum":       {from[torch.Dims], from[torch.KeepDim]},
	"MeanAs":       {"Mean", from[torch.DType]},
	"MeanDim":      {"Mean", from[torch.Dims], from[torch.KeepDim]},
	"MeanDimAs":    {"Mean", from[torch.Dims], from[torch.KeepDim], from[torch.DType]},
	"NaNMean":      {from[torch.Dims], from[torch.KeepDim]},
	"ProdAs":       {"Prod", from[torch.DType]},
	"ProdDim":      {"Prod", from[torch.Dim], from[torch.KeepDim]},
	"LogSumExp":    {from[torch.Dims], from[torch.KeepDim]},
	"NormDim":      {"Norm", from[torch.P], from[torch.Dims], from[torch.KeepDim]},
	"AllDim":       {"All", from[torch.Dims], from[torch.KeepDim]},
	"AnyDim":       {"Any", from[torch.Dims], from[torch.KeepDim]},
	"CountNonzero": {from[torch.Dims]},

	"MaxDim":       {from[torch.KeepDim]},
	"MinDim":       {from[torch.KeepDim]},
	"Amax":         {from[torch.Dims], from[torch.KeepDim]},
	"Amin":         {from[torch.Dims], from[torch.KeepDim]},
	"AminmaxDim":   {"Aminmax", from[torch.Dim], from[torch.KeepDim]},
	"ArgMaxDim":    {"ArgMax", from[torch.Dim], from[torch.KeepDim]},
	"ArgMinDim":    {"ArgMin", from[torch.Dim], from[torch.KeepDim]},
	"MedianDim":    {from[torch.KeepDim]},
	"NaNMedianDim": {from[torch.KeepDim]},
	"Mode":         {from[torch.KeepDim]},
	"KthValue":     {from[torch.Dim], from[torch.KeepDim]},

	"CumSumAs":            {"CumSum", from[torch.DType]},
	"CumProdAs":           {"CumProd", from[torch.DType]},
	"Diff":                {from[torch.N], from[torch.Dim]},
	"Trapezoid":           {from[torch.Dx], from[torch.Dim]},
	"TrapezoidAt":         {from[torch.Dim]},
	"CumulativeTrapezoid": {from[torch.Dx], from[torch.Dim]},

	"VarDim":      {"Var", from[torch.Dims], from[torch.Correction], from[torch.KeepDim]},
	"StdDim":      {"Std", from[torch.Dims], from[torch.Correction], from[torch.KeepDim]},
	"VarMean":     {from[torch.Dims], from[torch.Correction], from[torch.KeepDim]},
	"StdMean":     {from[torch.Dims], from[torch.Correction], from[torch.KeepDim]},
	"Cov":         {from[torch.Correction]},
	"QuantileDim": {"Quantile", from[torch.Dim], from[torch.KeepDim]},
	"QuantileWith": {func(a *goldArgs) []*torch.Tensor {
		opts := []torch.QuantileOption{torch.KeepDim(a.bool(3))}
		if i := a.str(4); i != "" {
			opts = append(opts, torch.Interpolation(i))
		}
		if dim := a.optInt(2); dim != nil {
			opts = append(opts, torch.Dim(*dim))
		}
		if a.bool(5) {
			return goldOut(a.x(0).NaNQuantileTensor(a.x(1), opts...))
		}
		return goldOut(a.x(0).QuantileTensor(a.x(1), opts...))
	}},
	"Histc":     {from[torch.Bins], from[torch.Min], from[torch.Max]},
	"Histogram": {from[torch.Density]},
	"BinCount":  {torch.Weights, from[torch.MinLength]},
	"UniqueDim": {"UniqueCounts", from[torch.Dim]},
}

func TestReductionsLikePython(t *testing.T) { runGolden(t, "reduce.json", reduceOps, 64) }

func TestEveryReductionHasGoldens(t *testing.T) {
	checkGoldCover(t, "reduce.json", "reduce_basic.go", "linalg_norm.go", "reduce_extrema.go", "op_scan.go",
		"op_diff.go", "reduce_stats.go", "reduce_quantile.go", "reduce_histogram.go", "index_unique.go")
}
