package torch_test

import (
	"testing"

	"github.com/gotorch/gotorch/torch"
)

// optionOps compares each option with Python's keyword. testdata/make_options.py defines
// each case.
var optionOps = goldOps{
	"Sum.KeepDim":            {torch.KeepDim(true)},
	"Sum.Dims.none":          {torch.Dims{}},
	"Sum.DType":              {torch.Dim(1), torch.Float64},
	"Prod.DType":             {torch.Dim(-1), torch.Float32},
	"NaNSum.DType":           {torch.Dim(1), torch.Float64},
	"NaNMean.Dims":           {torch.Dims{0, 1}, torch.KeepDim(true)},
	"LogSumExp.Dims":         {torch.Dims{0, 2}},
	"Norm.P":                 {torch.P(1), torch.Dim(1), torch.KeepDim(true)},
	"Norm.P.zero":            {torch.P(0)},
	"Norm.DType":             {torch.Float64},
	"All.Dims":               {torch.Dims{0, 1}, torch.KeepDim(true)},
	"Any.Dim":                {torch.Dim(0)},
	"CountNonzero.Dims":      {torch.Dims{0, 1}},
	"ArgMax.KeepDim":         {torch.KeepDim(true)},
	"ArgMin.Dim":             {torch.Dim(0), torch.KeepDim(true)},
	"Aminmax.Dim":            {torch.Dim(0), torch.KeepDim(true)},
	"KthValue":               {2},
	"KthValue.Dim":           {2, torch.Dim(0), torch.KeepDim(true)},
	"Var.Correction.zero":    {torch.Dim(1), torch.Correction(0)},
	"Std.KeepDim":            {torch.KeepDim(true)},
	"VarMean.Correction":     {torch.Dim(1), torch.Correction(2)},
	"StdMean.Dims":           {torch.Dims{0, 1}, torch.KeepDim(true)},
	"Cov.FWeights":           {torch.FWeights},
	"Cov.AWeights":           {torch.Correction(0), torch.AWeights},
	"Quantile.Interpolation": {0.3, torch.Dim(1), torch.KeepDim(true), torch.InterpolationHigher},
	"NaNQuantile":            {0.4},
	"NaNQuantile.Dim":        {0.4, torch.Dim(0), torch.InterpolationLower},
	"NaNQuantileTensor":      {torch.Dim(0)},
	"CumSum.DType":           {1, torch.Float64},
	"CumProd.DType":          {1, torch.Float64},
	"Diff.Prepend":           {torch.Dim(0), torch.Prepend},
	"Diff.Append":            {torch.N(2), torch.Append},
	"Trapezoid.Dx.zero":      {torch.Dx(0)},
	"Histc.Bins":             {torch.Bins(3), torch.Min(-1), torch.Max(1.5)},
	"Histogram.Weight":       {torch.Weight, torch.Density(true)},
	"BinCount.Weights":       {torch.Weights, torch.MinLength(5)},
	"Unique.Dim":             {torch.Dim(0)},
	"UniqueCounts.Dim":       {torch.Dim(1)},
	"UniqueConsecutive.Dim":  {torch.Dim(0)},

	"Sort.Stable":         {torch.Dim(0), torch.Descending(true), torch.Stable(true)},
	"ArgSort.Stable":      {torch.Dim(0), torch.Descending(true), torch.Stable(true)},
	"TopK":                {2},
	"TopK.Sorted":         {1, torch.Dim(0), torch.Largest(false), torch.Sorted(false)},
	"SearchSorted.Sorter": {torch.SearchSorted, torch.Sorter, torch.OutInt32(true)},
	"Bucketize.OutInt32":  {torch.Bucketize, torch.Right(true), torch.OutInt32(true)},

	"AddScalar.Alpha":     {3, torch.Alpha(2.5)},
	"AddScalar.Alpha.int": {3, torch.Alpha(2)},
	"AddScalar_.Alpha":    {3, torch.Alpha(2.5)},
	"SubScalar.Alpha":     {3, torch.Alpha(2.5)},
	"SubScalar_.Alpha":    {3, torch.Alpha(2.5)},
	"RSub.Alpha":          {torch.Alpha(2.5)},
	"RSubScalar.Alpha":    {3, torch.Alpha(2.5)},
	"IndexAdd.Alpha": {func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).IndexAdd(1, a.x(1), a.x(2), torch.Alpha(-0.5)))
	}},
	"IndexAdd_.Alpha": {func(a *goldArgs) []*torch.Tensor {
		return goldOut(a.x(0).Clone().IndexAdd_(1, a.x(1), a.x(2), torch.Alpha(3)))
	}},
	"Addr.Beta":               {torch.Beta(0.5), torch.Alpha(2)},
	"Addbmm.Beta":             {torch.Beta(0.5), torch.Alpha(2)},
	"Addmm_.Beta.zero":        {torch.Beta(0), torch.Alpha(-1)},
	"Addmv_.Beta":             {torch.Beta(2), torch.Alpha(0.5)},
	"Addr_.Beta":              {torch.Beta(2), torch.Alpha(0.5)},
	"Addbmm_.Beta":            {torch.Beta(2), torch.Alpha(0.5)},
	"Baddbmm_.Beta":           {torch.Beta(2), torch.Alpha(0.5)},
	"Addmm.Alpha.int":         {torch.Alpha(2)},
	"DivScalar_.RoundingMode": {-2, torch.RoundingModeFloor},
	"Round_.Decimals":         {torch.Decimals(1)},
	"Round.Decimals.zero":     {torch.Decimals(0)},
	"Logit_.Eps":              {torch.Eps(0.25)},
	"NaNToNum.NegInf":         {torch.NegInf(-1)},
	"NaNToNum_.PosInf":        {torch.PosInf(0)},
	"IsClose.RTol":            {torch.RTol(0.5)},
	"IsClose.EqualNaN":        {torch.ATol(1), torch.EqualNaN(true)},
}

func TestOptionsLikePython(t *testing.T) { runGolden(t, "options.json", optionOps, 1) }
