package torch_test

import "github.com/gotorch/gotorch/torch"

// costly lists functions that allocate because an option makes them do more work.
var costly = map[string]bool{
	// An option makes these functions convert their arguments.
	"FromSliceWith": true, "NewTensor": true, "Tensor.NewTensor": true, "SparseCOOTensor": true,
	"SparseCSRTensor": true,
	"SparseCSCTensor": true, "SparseBSRTensor": true, "SparseBSCTensor": true, "SparseCompressedTensor": true,
	"SVDLowrank":      true,
	"Capture":         true,                            // runs the step more often
	"CaptureByShape":  true,                            // keeps other graphs
	"Tensor.Gradient": true,                            // needs a spacing for each dimension
	"SetPrintOptions": true, "Tensor.StringWith": true, // change how tensors are printed
	"Tensor.IsContiguous": true, // reads the strides
	"Grad":                true, // more gradients
}

// someNumbers returns the matrix that most rows use. Its numbers differ along both dimensions.
func someNumbers() *torch.Tensor { return torch.FromSlice([]float32{3, 0, 2, 1, 5, 4}, 2, 3) }

// These are pairs of values for options that many functions have.
var (
	dimPair   = []any{torch.Dim(0), torch.Dim(1)}
	dimsPairs = []any{
		torch.Dim(0), torch.Dim(1),
		torch.Dims{0},
		torch.Dims{},
		torch.KeepDim(true),
		torch.KeepDim(false),
	}
	keepPair  = []any{torch.KeepDim(true), torch.KeepDim(false)}
	dtypePair = []any{torch.Float64, torch.Float32}
)

func reduceRows() map[string]optionRow {
	x := someNumbers()
	reducing := func(call any, args ...any) optionRow {
		return row(call, append([]any{x}, args...)...).with(dimsPairs...)
	}
	one := func(call any, args ...any) optionRow {
		return row(call, append([]any{x}, args...)...).with(dimPair...).with(keepPair...)
	}
	keep := func(call any) optionRow { return row(call, x, int64(1)).with(keepPair...) }
	quantile := func(call any, q any) optionRow {
		return one(call, q).with(torch.InterpolationLower, torch.InterpolationHigher)
	}
	level := torch.FromSlice([]float32{0.3, 0.4}, 2)
	return map[string]optionRow{
		"Tensor.Sum":               reducing((*torch.Tensor).Sum).with(dtypePair...),
		"Tensor.NaNSum":            reducing((*torch.Tensor).NaNSum).with(dtypePair...),
		"Tensor.Mean":              reducing((*torch.Tensor).Mean).with(dtypePair...),
		"Tensor.NaNMean":           reducing((*torch.Tensor).NaNMean).with(dtypePair...),
		"Tensor.Norm":              reducing((*torch.Tensor).Norm).with(dtypePair...).with(torch.P(0), torch.P(1)),
		"Tensor.Prod":              one((*torch.Tensor).Prod).with(dtypePair...),
		"Tensor.LogSumExp":         reducing((*torch.Tensor).LogSumExp),
		"Tensor.All":               reducing((*torch.Tensor).All),
		"Tensor.Any":               reducing((*torch.Tensor).Any),
		"Tensor.Amax":              reducing((*torch.Tensor).Amax),
		"Tensor.Amin":              reducing((*torch.Tensor).Amin),
		"Tensor.CountNonzero":      row((*torch.Tensor).CountNonzero, x).with(dimsPairs[:4]...),
		"Tensor.Var":               reducing((*torch.Tensor).Var).with(torch.Correction(0), torch.Correction(1)),
		"Tensor.Std":               reducing((*torch.Tensor).Std).with(torch.Correction(0), torch.Correction(1)),
		"Tensor.VarMean":           reducing((*torch.Tensor).VarMean).with(torch.Correction(0), torch.Correction(1)),
		"Tensor.StdMean":           reducing((*torch.Tensor).StdMean).with(torch.Correction(0), torch.Correction(1)),
		"Tensor.ArgMax":            one((*torch.Tensor).ArgMax),
		"Tensor.ArgMin":            one((*torch.Tensor).ArgMin),
		"Tensor.Aminmax":           one((*torch.Tensor).Aminmax),
		"Tensor.KthValue":          one((*torch.Tensor).KthValue, int64(1)),
		"Tensor.MaxDim":            keep((*torch.Tensor).MaxDim),
		"Tensor.MinDim":            keep((*torch.Tensor).MinDim),
		"Tensor.MedianDim":         keep((*torch.Tensor).MedianDim),
		"Tensor.NaNMedianDim":      keep((*torch.Tensor).NaNMedianDim),
		"Tensor.Mode":              keep((*torch.Tensor).Mode),
		"Tensor.CumSum":            row((*torch.Tensor).CumSum, x, int64(0)).with(dtypePair...),
		"Tensor.CumProd":           row((*torch.Tensor).CumProd, x, int64(0)).with(dtypePair...),
		"Tensor.Quantile":          quantile((*torch.Tensor).Quantile, 0.3),
		"Tensor.NaNQuantile":       quantile((*torch.Tensor).NaNQuantile, 0.3),
		"Tensor.QuantileTensor":    quantile((*torch.Tensor).QuantileTensor, level),
		"Tensor.NaNQuantileTensor": quantile((*torch.Tensor).NaNQuantileTensor, level),
	}
}

func orderRows() map[string]optionRow {
	x := someNumbers()
	sorting := []any{
		torch.Dim(0), torch.Dim(1), torch.Descending(true), torch.Descending(false), torch.Stable(true),
		torch.Stable(false),
	}
	twins := torch.FromSlice([]int64{2, 2, 1, 2, 2, 1}, 2, 3)
	ascending := torch.FromSlice([]float32{1, 3, 5}, 3)
	finding := []any{torch.Right(true), torch.Right(false), torch.OutInt32(true), torch.OutInt32(false)}
	order := torch.Sorter(torch.FromSlice([]int64{2, 1, 0}, 3))
	return map[string]optionRow{
		"Tensor.Sort":    row((*torch.Tensor).Sort, x).with(sorting...),
		"Tensor.ArgSort": row((*torch.Tensor).ArgSort, x).with(sorting...),
		"Tensor.TopK": row((*torch.Tensor).TopK, x, int64(2)).with(torch.Dim(0), torch.Dim(1),
			torch.Largest(false), torch.Largest(true), torch.Sorted(true), torch.Sorted(false)),
		"Tensor.Unique": row((*torch.Tensor).Unique, twins).with(torch.Dim(0), torch.Dim(1), torch.Sorted(true),
			torch.Sorted(false)),
		"Tensor.UniqueCounts": row((*torch.Tensor).UniqueCounts, twins).with(torch.Dim(0), torch.Dim(1),
			torch.Sorted(true), torch.Sorted(false)),
		"SearchSorted": row(torch.SearchSorted, ascending, ascending).with(finding...).with(order, torch.Sorter(nil)),
		"Bucketize":    row(torch.Bucketize, x, ascending).with(finding...),
	}
}

func countRows() map[string]optionRow {
	x, edges := someNumbers(), torch.FromSlice([]float32{0, 2, 6}, 3)
	w := torch.FromSlice([]float32{1, 2, 3, 4, 5, 6}, 2, 3)
	numbers, float := torch.FromSlice([]int64{1, 2, 1}, 3), torch.FromSlice([]float32{1, 2, 4}, 3)
	return map[string]optionRow{
		"Tensor.Histc": row((*torch.Tensor).Histc, x).with(torch.Bins(3), torch.Bins(4),
			torch.Min(-1), torch.Min(0), torch.Max(3), torch.Max(0)),
		"Tensor.Histogram": row((*torch.Tensor).Histogram, x, edges).with(torch.Density(true), torch.Density(false),
			torch.Weight(w), torch.Weight(nil)),
		"Tensor.BinCount": row((*torch.Tensor).BinCount, numbers).with(torch.MinLength(5), torch.MinLength(0),
			torch.Weights(float), torch.Weights(nil)),
		"Tensor.Cov": row((*torch.Tensor).Cov, x).with(torch.Correction(0), torch.Correction(1),
			torch.FWeights(numbers), torch.FWeights(nil), torch.AWeights(float), torch.AWeights(nil)),
		"Tensor.Diff": row((*torch.Tensor).Diff, x).with(torch.N(0), torch.N(1), torch.Dim(0), torch.Dim(1),
			torch.Prepend(x), torch.Prepend(nil), torch.Append(x), torch.Append(nil)),
		"Tensor.Trapezoid": row((*torch.Tensor).Trapezoid, x).with(torch.Dx(0), torch.Dx(2)).with(dimPair...),
		"Tensor.CumulativeTrapezoid": row((*torch.Tensor).CumulativeTrapezoid, x).with(torch.Dx(0),
			torch.Dx(2)).with(dimPair...),
	}
}
