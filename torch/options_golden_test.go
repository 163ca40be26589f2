package torch_test

import (
	"testing"

	"github.com/gotorch/gotorch/torch"
)

// optionOps compares each option with Python's keyword. testdata/make_options.py defines
// each case.
var optionOps = goldOps{
	"Sum.KeepDim":   func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).Sum(torch.KeepDim(true))) },
	"Sum.Dims.none": func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).Sum(torch.Dims{})) },
	"Sum.DType":     func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).Sum(torch.Dim(1), torch.Float64)) },
	"Prod.DType":    func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).Prod(torch.Dim(-1), torch.Float32)) },
	"NaNSum.DType":  func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).NaNSum(torch.Dim(1), torch.Float64)) },
	"NaNMean.Dims": func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).NaNMean(torch.Dims{0, 1}, torch.KeepDim(true)))
	},
	"LogSumExp.Dims": func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).LogSumExp(torch.Dims{0, 2})) },
	"Norm.P": func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).Norm(torch.P(1), torch.Dim(1), torch.KeepDim(true)))
	},
	"Norm.P.zero": func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).Norm(torch.P(0))) },
	"Norm.DType":  func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).Norm(torch.Float64)) },
	"All.Dims": func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).All(torch.Dims{0, 1}, torch.KeepDim(true)))
	},
	"Any.Dim":           func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).Any(torch.Dim(0))) },
	"CountNonzero.Dims": func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).CountNonzero(torch.Dims{0, 1})) },
	"ArgMax.KeepDim":    func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).ArgMax(torch.KeepDim(true))) },
	"ArgMin.Dim": func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).ArgMin(torch.Dim(0), torch.KeepDim(true)))
	},
	"Aminmax.Dim": func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).Aminmax(torch.Dim(0), torch.KeepDim(true)))
	},
	"KthValue": func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).KthValue(2)) },
	"KthValue.Dim": func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).KthValue(2, torch.Dim(0), torch.KeepDim(true)))
	},
	"Var.Correction.zero": func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).Var(torch.Dim(1), torch.Correction(0)))
	},
	"Std.KeepDim": func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).Std(torch.KeepDim(true))) },
	"VarMean.Correction": func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).VarMean(torch.Dim(1), torch.Correction(2)))
	},
	"StdMean.Dims": func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).StdMean(torch.Dims{0, 1}, torch.KeepDim(true)))
	},
	"Cov.FWeights": func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).Cov(torch.FWeights(a.x(1)))) },
	"Cov.AWeights": func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).Cov(torch.Correction(0), torch.AWeights(a.x(1))))
	},
	"Quantile.Interpolation": func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).Quantile(0.3, torch.Dim(1), torch.KeepDim(true), torch.InterpolationHigher))
	},
	"NaNQuantile": func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).NaNQuantile(0.4)) },
	"NaNQuantile.Dim": func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).NaNQuantile(0.4, torch.Dim(0), torch.InterpolationLower))
	},
	"NaNQuantileTensor": func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).NaNQuantileTensor(a.x(1), torch.Dim(0)))
	},
	"QuantileTensor": func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).QuantileTensor(a.x(1))) },
	"CumSum.DType":   func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).CumSum(1, torch.Float64)) },
	"CumProd.DType":  func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).CumProd(1, torch.Float64)) },
	"Diff":           func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).Diff()) },
	"Diff.Prepend": func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).Diff(torch.Dim(0), torch.Prepend(a.x(1))))
	},
	"Diff.Append": func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).Diff(torch.N(2), torch.Append(a.x(1))))
	},
	"Trapezoid":         func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).Trapezoid()) },
	"Trapezoid.Dx.zero": func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).Trapezoid(torch.Dx(0))) },
	"Histc":             func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).Histc()) },
	"Histc.Bins": func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).Histc(torch.Bins(3), torch.Min(-1), torch.Max(1.5)))
	},
	"Histogram.Weight": func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).Histogram(a.x(1), torch.Weight(a.x(2)), torch.Density(true)))
	},
	"BinCount.Weights": func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).BinCount(torch.Weights(a.x(1)), torch.MinLength(5)))
	},
	"Unique.Dim":       func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).Unique(torch.Dim(0))) },
	"UniqueCounts.Dim": func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).UniqueCounts(torch.Dim(1))) },
	"UniqueConsecutive.Dim": func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).UniqueConsecutive(torch.Dim(0)))
	},

	"Sort": func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).Sort()) },
	"Sort.Stable": func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).Sort(torch.Dim(0), torch.Descending(true), torch.Stable(true)))
	},
	"ArgSort.Stable": func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).ArgSort(torch.Dim(0), torch.Descending(true), torch.Stable(true)))
	},
	"TopK": func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).TopK(2)) },
	"TopK.Sorted": func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).TopK(1, torch.Dim(0), torch.Largest(false), torch.Sorted(false)))
	},
	"SearchSorted.Sorter": func(a *goldArgs) []*torch.Tensor {
		return goldOut(torch.SearchSorted(a.x(0), a.x(1), torch.Sorter(a.x(2)), torch.OutInt32(true)))
	},
	"Bucketize.OutInt32": func(a *goldArgs) []*torch.Tensor {
		return goldOut(torch.Bucketize(a.x(0), a.x(1), torch.Right(true), torch.OutInt32(true)))
	},

	"AddScalar.Alpha":     func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).AddScalar(3, torch.Alpha(2.5))) },
	"AddScalar.Alpha.int": func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).AddScalar(3, torch.Alpha(2))) },
	"AddScalar_.Alpha": func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).Clone().AddScalar_(3, torch.Alpha(2.5)))
	},
	"SubScalar.Alpha": func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).SubScalar(3, torch.Alpha(2.5))) },
	"SubScalar_.Alpha": func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).Clone().SubScalar_(3, torch.Alpha(2.5)))
	},
	"RSub.Alpha":       func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).RSub(a.x(1), torch.Alpha(2.5))) },
	"RSubScalar.Alpha": func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).RSubScalar(3, torch.Alpha(2.5))) },
	"IndexAdd.Alpha": func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).IndexAdd(1, a.x(1), a.x(2), torch.Alpha(-0.5)))
	},
	"IndexAdd_.Alpha": func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).Clone().IndexAdd_(1, a.x(1), a.x(2), torch.Alpha(3)))
	},
	"Addr.Beta": func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).Addr(a.x(1), a.x(2), torch.Beta(0.5), torch.Alpha(2)))
	},
	"Addbmm.Beta": func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).Addbmm(a.x(1), a.x(2), torch.Beta(0.5), torch.Alpha(2)))
	},
	"Addmm_.Beta.zero": func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).Clone().Addmm_(a.x(1), a.x(2), torch.Beta(0), torch.Alpha(-1)))
	},
	"Addmv_.Beta": func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).Clone().Addmv_(a.x(1), a.x(2), torch.Beta(2), torch.Alpha(0.5)))
	},
	"Addr_.Beta": func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).Clone().Addr_(a.x(1), a.x(2), torch.Beta(2), torch.Alpha(0.5)))
	},
	"Addbmm_.Beta": func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).Clone().Addbmm_(a.x(1), a.x(2), torch.Beta(2), torch.Alpha(0.5)))
	},
	"Baddbmm_.Beta": func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).Clone().Baddbmm_(a.x(1), a.x(2), torch.Beta(2), torch.Alpha(0.5)))
	},
	"Addmm.Alpha.int": func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).Addmm(a.x(1), a.x(2), torch.Alpha(2)))
	},
	"DivScalar_.RoundingMode": func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).Clone().DivScalar_(-2, torch.RoundingModeFloor))
	},
	"Round_.Decimals": func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).Clone().Round_(torch.Decimals(1)))
	},
	"Round.Decimals.zero": func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).Round(torch.Decimals(0))) },
	"Logit_.Eps":          func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).Clone().Logit_(torch.Eps(0.25))) },
	"NaNToNum.NegInf":     func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).NaNToNum(torch.NegInf(-1))) },
	"NaNToNum_.PosInf": func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).Clone().NaNToNum_(torch.PosInf(0)))
	},
	"IsClose.RTol": func(a *goldArgs) []*torch.Tensor { return goldOut(a.x(0).IsClose(a.x(1), torch.RTol(0.5))) },
	"IsClose.EqualNaN": func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).IsClose(a.x(1), torch.ATol(1), torch.EqualNaN(true)))
	},
}

func TestOptionsLikePython(t *testing.T) { runGolden(t, "options.json", optionOps, 1) }
