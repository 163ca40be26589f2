package torch_test

import (
	"testing"

	"github.com/gotorch/gotorch/torch"
)

var reduceOps = goldOps{
	"SumAll":   func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).Sum()) },
	"SumAllAs": func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).Sum(a.dtype(1))) },
	"Sum":      func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).Sum()) },
	"SumDim": func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).Sum(torch.Dims(a.ints(1)), torch.KeepDim(a.bool(2))))
	},
	"SumToSize": func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).SumToSize(a.ints(1)...)) },
	"NaNSum": func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).NaNSum(torch.Dims(a.ints(1)), torch.KeepDim(a.bool(2))))
	},
	"Mean":   func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).Mean()) },
	"MeanAs": func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).Mean(a.dtype(1))) },
	"MeanDim": func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).Mean(torch.Dims(a.ints(1)), torch.KeepDim(a.bool(2))))
	},
	"MeanDimAs": func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).Mean(torch.Dims(a.ints(1)), torch.KeepDim(a.bool(2)), a.dtype(3)))
	},
	"NaNMean": func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).NaNMean(torch.Dims(a.ints(1)), torch.KeepDim(a.bool(2))))
	},
	"Prod":   func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).Prod()) },
	"ProdAs": func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).Prod(a.dtype(1))) },
	"ProdDim": func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).Prod(torch.Dim(a.int(1)), torch.KeepDim(a.bool(2))))
	},
	"LogSumExp": func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).LogSumExp(torch.Dims(a.ints(1)), torch.KeepDim(a.bool(2))))
	},
	"Norm": func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).Norm()) },
	"NormDim": func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).Norm(torch.P(a.float(1)), torch.Dims(a.ints(2)), torch.KeepDim(a.bool(3))))
	},
	"Renorm": func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).Renorm(a.any(1), a.int(2), a.any(3))) },
	"Renorm_": func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).Clone().Renorm_(a.any(1), a.int(2), a.any(3)))
	},
	"All": func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).All()) },
	"AllDim": func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).All(torch.Dims(a.ints(1)), torch.KeepDim(a.bool(2))))
	},
	"Any": func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).Any()) },
	"AnyDim": func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).Any(torch.Dims(a.ints(1)), torch.KeepDim(a.bool(2))))
	},
	"CountNonzero": func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).CountNonzero(torch.Dims(a.ints(1)))) },

	"Max": func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).Max()) },
	"Min": func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).Min()) },
	"MaxDim": func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).MaxDim(a.int(1), torch.KeepDim(a.bool(2))))
	},
	"MinDim": func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).MinDim(a.int(1), torch.KeepDim(a.bool(2))))
	},
	"Amax": func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).Amax(torch.Dims(a.ints(1)), torch.KeepDim(a.bool(2))))
	},
	"Amin": func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).Amin(torch.Dims(a.ints(1)), torch.KeepDim(a.bool(2))))
	},
	"Aminmax": func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).Aminmax()) },
	"AminmaxDim": func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).Aminmax(torch.Dim(a.int(1)), torch.KeepDim(a.bool(2))))
	},
	"ArgMax": func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).ArgMax()) },
	"ArgMaxDim": func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).ArgMax(torch.Dim(a.int(1)), torch.KeepDim(a.bool(2))))
	},
	"ArgMin": func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).ArgMin()) },
	"ArgMinDim": func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).ArgMin(torch.Dim(a.int(1)), torch.KeepDim(a.bool(2))))
	},
	"Median": func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).Median()) },
	"MedianDim": func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).MedianDim(a.int(1), torch.KeepDim(a.bool(2))))
	},
	"NaNMedian": func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).NaNMedian()) },
	"NaNMedianDim": func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).NaNMedianDim(a.int(1), torch.KeepDim(a.bool(2))))
	},
	"Mode": func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).Mode(a.int(1), torch.KeepDim(a.bool(2)))) },
	"KthValue": func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).KthValue(a.int(1), torch.Dim(a.int(2)), torch.KeepDim(a.bool(3))))
	},

	"CumSum":       func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).CumSum(a.int(1))) },
	"CumSumAs":     func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).CumSum(a.int(1), a.dtype(2))) },
	"CumProd":      func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).CumProd(a.int(1))) },
	"CumProdAs":    func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).CumProd(a.int(1), a.dtype(2))) },
	"CumMax":       func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).CumMax(a.int(1))) },
	"CumMin":       func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).CumMin(a.int(1))) },
	"LogCumSumExp": func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).LogCumSumExp(a.int(1))) },
	"Diff": func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).Diff(torch.N(a.int(1)), torch.Dim(a.int(2))))
	},
	"Trapezoid": func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).Trapezoid(torch.Dx(a.float(1)), torch.Dim(a.int(2))))
	},
	"TrapezoidAt": func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).TrapezoidAt(a.x(1), torch.Dim(a.int(2))))
	},
	"CumulativeTrapezoid": func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).CumulativeTrapezoid(torch.Dx(a.float(1)), torch.Dim(a.int(2))))
	},

	"Var": func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).Var()) },
	"VarDim": func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).Var(torch.Dims(a.ints(1)), torch.Correction(a.float(2)), torch.KeepDim(a.bool(3))))
	},
	"Std": func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).Std()) },
	"StdDim": func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).Std(torch.Dims(a.ints(1)), torch.Correction(a.float(2)), torch.KeepDim(a.bool(3))))
	},
	"VarMean": func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).VarMean(torch.Dims(a.ints(1)), torch.Correction(a.float(2)), torch.KeepDim(a.bool(3))))
	},
	"StdMean": func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).StdMean(torch.Dims(a.ints(1)), torch.Correction(a.float(2)), torch.KeepDim(a.bool(3))))
	},
	"Cov":      func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).Cov(torch.Correction(a.int(1)))) },
	"Corrcoef": func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).Corrcoef()) },
	"Quantile": func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).Quantile(a.float(1))) },
	"QuantileDim": func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).Quantile(a.float(1), torch.Dim(a.int(2)), torch.KeepDim(a.bool(3))))
	},
	"QuantileWith": func(a *goldArgs) []*torch.Tensor {
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
	},
	"Histc": func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).Histc(torch.Bins(a.int(1)), torch.Min(a.float(2)), torch.Max(a.float(3))))
	},
	"Histogram": func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).Histogram(a.x(1), torch.Density(a.bool(2))))
	},
	"BinCount": func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).BinCount(torch.Weights(a.x(1)), torch.MinLength(a.int(2))))
	},
	"Unique":            func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).Unique()) },
	"UniqueCounts":      func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).UniqueCounts()) },
	"UniqueDim":         func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).UniqueCounts(torch.Dim(a.int(1)))) },
	"UniqueConsecutive": func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).UniqueConsecutive()) },
}

func TestReductionsLikePython(t *testing.T) { runGolden(t, "reduce.json", reduceOps, 64) }

func TestEveryReductionHasGoldens(t *testing.T) {
	checkGoldCover(t, reduceOps, "reduce_basic.go", "linalg_norm.go", "reduce_extrema.go", "op_scan.go", "op_diff.go",
		"reduce_stats.go", "reduce_quantile.go", "reduce_histogram.go", "index_unique.go")
}
