package functional_test

import (
	"maps"
	"testing"

	"github.com/gotorch/gotorch/internal/compilefail"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
)

// A cost holds a call without options and a call with all options. The call with options
// must not allocate more than the call without. Both calls are written out, because
// allocations in the caller's own statement count too. PaddingIdx and
// RecomputeScaleFactor(true) are left out, because they read a shape, which allocates a
// slice.
type cost struct{ without, with func() }

func drop(t *torch.Tensor) { _ = t.Close() }

func allocations() map[string]cost {
	all := costs()
	for _, more := range []map[string]cost{activationCosts(), bagCosts()} {
		maps.Copy(all, more)
	}
	for _, f := range functions {
		if f.cost != nil {
			all[f.name] = f.cost()
		}
	}
	return all
}

func costs() map[string]cost {
	seq, w1 := ramp(1, 2, 9), ramp(4, 2, 3)
	img, w2 := ramp(1, 2, 7, 8), ramp(4, 2, 3, 3)
	vol, w3, wt := ramp(1, 1, 5, 5, 5), ramp(2, 1, 3, 3, 3), ramp(2, 2, 3, 3)
	x, y, w := ramp(4, 6), ramp(4, 6), torch.Linspace(0.5, 1.5, 6)
	prob, target, indices := F.Sigmoid(x), torch.FromSlice([]int64{0, 3, 0, 5}), torch.FromSlice([]int64{0, 2, 2, 1})
	stats, grid, theta, q := torch.Ones(torch.Shape{2}), ramp(1, 3, 2, 2), ramp(1, 2, 3), ramp(1, 2, 3, 4)
	mask, p := torch.Ones(torch.Shape{3, 3}, torch.Bool), 0.25
	norm, pad := torch.Shape{6}, []int64{1, 2}
	all := map[string]cost{
		"Conv1d": {func() { drop(F.Conv1d(seq, w1, nil)) }, func() {
			drop(F.Conv1d(seq, w1, nil, F.Stride(2), F.Strides{2}, F.Padding(1), F.Paddings{1}, F.Dilation(2),
				F.Dilations{1}, F.Groups(1)))
		}},
		"Conv2d": {func() { drop(F.Conv2d(img, w2, nil)) }, func() {
			drop(F.Conv2d(img, w2, nil, F.Stride(2), F.Strides{2, 1}, F.PaddingSame, F.Paddings{1, 0}, F.Dilation(2),
				F.Dilations{1}, F.Groups(1)))
		}},
		"Conv3d": {func() { drop(F.Conv3d(vol, w3, nil)) }, func() {
			drop(F.Conv3d(vol, w3, nil, F.Strides{2, 1, 1}, F.Padding(300), F.Padding(1), F.Dilations{1}, F.Groups(1)))
		}},
		"ConvTranspose2d": {func() { drop(F.ConvTranspose2d(img, wt, nil)) }, func() {
			drop(F.ConvTranspose2d(img, wt, nil, F.Strides{2, 2}, F.Paddings{1}, F.OutputPadding(0),
				F.OutputPaddings{1}, F.Dilation(1), F.Groups(1)))
		}},
		"MaxPool1d": {func() { drop(F.MaxPool1d(seq, 3)) }, func() {
			drop(F.MaxPool1d(seq, 3, F.Stride(2), F.Paddings{1}, F.Dilation(1), F.CeilMode(true)))
		}},
		"MaxPool2d": {func() { drop(F.MaxPool2d(img, 3)) }, func() {
			drop(F.MaxPool2d(img, 3, F.Strides{2, 1}, F.Padding(1), F.Dilations{1, 1}, F.CeilMode(true)))
		}},
		"MaxPool2dWithIndices": {func() {
			v, i := F.MaxPool2dWithIndices(img, 3)
			drop(v)
			drop(i)
		}, func() {
			v, i := F.MaxPool2dWithIndices(img, 3, F.Strides{2, 1}, F.Padding(1), F.Dilations{1, 1}, F.CeilMode(true))
			drop(v)
			drop(i)
		}},
		"AvgPool2d": {func() { drop(F.AvgPool2d(img, 3)) }, func() {
			drop(F.AvgPool2d(img, 3, F.Strides{2, 1}, F.Padding(1), F.CeilMode(true), F.CountIncludePad(false),
				F.DivisorOverride(3)))
		}},
		"GELU":      {func() { drop(F.GELU(x)) }, func() { drop(F.GELU(x, F.ApproximateTanh)) }},
		"LeakyReLU": {func() { drop(F.LeakyReLU(x)) }, func() { drop(F.LeakyReLU(x, F.NegativeSlope(p))) }},
		"ELU":       {func() { drop(F.ELU(x)) }, func() { drop(F.ELU(x, F.Alpha(p))) }},
		"Hardtanh":  {func() { drop(F.Hardtanh(x)) }, func() { drop(F.Hardtanh(x, F.MinVal(-p), F.MaxVal(p))) }},
		"Softplus":  {func() { drop(F.Softplus(x)) }, func() { drop(F.Softplus(x, F.Beta(p), F.WithThreshold(3))) }},
		"GLU":       {func() { drop(F.GLU(x)) }, func() { drop(F.GLU(x, F.Dim(-1))) }},
		"Softmax":   {func() { drop(F.Softmax(x, 1)) }, func() { drop(F.Softmax(x, 1, F.DType(torch.Float64))) }},
		"LogSoftmax": {func() { drop(F.LogSoftmax(x, 1)) }, func() {
			drop(F.LogSoftmax(x, 1, F.DType(torch.Float64)))
		}},
		"Dropout": {func() { drop(F.Dropout(x)) }, func() { drop(F.Dropout(x, F.P(p), F.Training(true))) }},
		"Dropout2d": {func() { drop(F.Dropout2d(img)) }, func() {
			drop(F.Dropout2d(img, F.P(p), F.Training(true)))
		}},
		"AlphaDropout": {func() { drop(F.AlphaDropout(x)) }, func() {
			drop(F.AlphaDropout(x, F.P(p), F.Training(false)))
		}},
		"LayerNorm": {func() { drop(F.LayerNorm(x, norm, nil, nil)) }, func() {
			drop(F.LayerNorm(x, norm, nil, nil, F.Eps(p)))
		}},
		"RMSNorm": {func() { drop(F.RMSNorm(x, norm, nil)) }, func() { drop(F.RMSNorm(x, norm, nil, F.Eps(p))) }},
		"GroupNorm": {func() { drop(F.GroupNorm(img, 2, nil, nil)) }, func() {
			drop(F.GroupNorm(img, 2, nil, nil, F.Eps(p)))
		}},
		"BatchNorm": {func() { drop(F.BatchNorm(img, stats, stats, nil, nil)) }, func() {
			drop(F.BatchNorm(img, stats, stats, nil, nil, F.Training(false), F.Momentum(p), F.Eps(p)))
		}},
		"InstanceNorm": {func() { drop(F.InstanceNorm(img, nil, nil, nil, nil)) }, func() {
			drop(F.InstanceNorm(img, nil, nil, nil, nil, F.UseInputStats(true), F.Momentum(p), F.Eps(p)))
		}},
		"CosineSimilarity": {func() { drop(F.CosineSimilarity(x, y)) }, func() {
			drop(F.CosineSimilarity(x, y, F.Dim(0), F.Eps(p)))
		}},
		"PairwiseDistance": {func() { drop(F.PairwiseDistance(x, y)) }, func() {
			drop(F.PairwiseDistance(x, y, F.P(p), F.Eps(p), F.KeepDim(true)))
		}},
		"Normalize": {func() { drop(F.Normalize(x)) }, func() { drop(F.Normalize(x, F.P(1), F.Dim(0), F.Eps(p))) }},
		"CrossEntropy": {func() { drop(F.CrossEntropy(x, target)) }, func() {
			drop(F.CrossEntropy(x, target, F.Weight(w), F.IgnoreIndex(-100), F.LabelSmoothing(p), F.ReductionSum))
		}},
		"NLLLoss": {func() { drop(F.NLLLoss(x, target)) }, func() {
			drop(F.NLLLoss(x, target, F.Weight(w), F.IgnoreIndex(-100), F.ReductionSum))
		}},
		"MSELoss": {func() { drop(F.MSELoss(x, y)) }, func() { drop(F.MSELoss(x, y, F.ReductionSum)) }},
		"L1Loss":  {func() { drop(F.L1Loss(x, y)) }, func() { drop(F.L1Loss(x, y, F.ReductionSum)) }},
		"SmoothL1Loss": {func() { drop(F.SmoothL1Loss(x, y)) }, func() {
			drop(F.SmoothL1Loss(x, y, F.Beta(p), F.ReductionSum))
		}},
		"HuberLoss": {func() { drop(F.HuberLoss(x, y)) }, func() {
			drop(F.HuberLoss(x, y, F.Delta(p), F.ReductionSum))
		}},
		"BinaryCrossEntropy": {func() { drop(F.BinaryCrossEntropy(prob, prob)) }, func() {
			drop(F.BinaryCrossEntropy(prob, prob, F.Weight(w), F.ReductionSum))
		}},
		"BinaryCrossEntropyWithLogits": {func() { drop(F.BinaryCrossEntropyWithLogits(x, prob)) }, func() {
			drop(F.BinaryCrossEntropyWithLogits(x, prob, F.Weight(w), F.PosWeight(w), F.ReductionSum))
		}},
		"KLDiv": {func() { drop(F.KLDiv(x, y)) }, func() { drop(F.KLDiv(x, y, F.LogTarget(true), F.ReductionSum)) }},
		"Embedding": {func() { drop(F.Embedding(indices, x)) }, func() {
			drop(F.Embedding(indices, x, F.MaxNorm(9), F.NormType(1), F.ScaleGradByFreq(true), F.Sparse(true)))
		}},
		"OneHot": {func() { drop(F.OneHot(indices)) }, func() { drop(F.OneHot(indices, F.NumClasses(5))) }},
		"Pad": {func() { drop(F.Pad(x, pad)) }, func() {
			drop(F.Pad(x, pad, F.ModeConstant, F.Value(p)))
		}},
		"Interpolate": {func() { drop(F.Interpolate(img, F.Size(3))) }, func() {
			drop(F.Interpolate(img, F.ScaleFactors{2, p}, F.ScaleFactor(2), F.ModeBilinear, F.AlignCorners(true),
				F.RecomputeScaleFactor(false), F.Antialias(true)))
		}},
		"GridSample": {func() { drop(F.GridSample(img, grid)) }, func() {
			drop(F.GridSample(img, grid, F.ModeBicubic, F.PaddingModeBorder, F.AlignCorners(true)))
		}},
		"AffineGrid": {func() { drop(F.AffineGrid(theta, torch.Shape{1, 1, 3, 2})) }, func() {
			drop(F.AffineGrid(theta, torch.Shape{1, 1, 3, 2}, F.AlignCorners(true)))
		}},
		"ScaledDotProductAttention": {func() { drop(F.ScaledDotProductAttention(q, q, q)) }, func() {
			drop(F.ScaledDotProductAttention(q, q, q, F.AttnMask(mask), F.DropoutP(p), F.IsCausal(false), F.Scale(p),
				F.EnableGQA(true)))
		}},
	}
	maps.Copy(all, criterionCosts())
	maps.Copy(all, poolAllocations())
	return all
}

// An option of another function does not compile, and neither does a plain number.
func TestForeignOptionsDoNotCompile(t *testing.T) {
	s := compilefail.Scope{
		Imports: []string{"github.com/gotorch/gotorch/torch", "F github.com/gotorch/gotorch/nn/functional"},
		Decls:   "var x, y *torch.Tensor",
	}
	s.Accepts(t,
		"F.MSELoss(x, y, F.ReductionSum)",
		`F.MSELoss(x, y, F.Reduction("sum"))`,
		"F.Conv2d(x, y, nil, F.Stride(2), F.Paddings{1, 0}, F.Groups(2))",
		"F.Conv2d(x, y, nil, F.PaddingSame)",
		"F.CrossEntropy(x, y, F.Weight(x), F.IgnoreIndex(0))",
	)
	s.Rejects(t,
		"F.MSELoss(x, y, 1)",
		`F.MSELoss(x, y, "sum")`,
		"F.MSELoss(x, y, F.Beta(1))",
		"F.CrossEntropy(x, y, F.PosWeight(x))",
		"F.NLLLoss(x, y, F.LabelSmoothing(0.1))",
		"F.Conv2d(x, y, nil, 2)",
		"F.Conv2d(x, y, nil, F.OutputPadding(1))",
		"F.ConvTranspose2d(x, y, nil, F.PaddingSame)",
		"F.MaxPool2d(x, 2, F.CountIncludePad(true))",
		"F.MaxPool2d(x, 2, F.PaddingSame)",
		"F.AvgPool2d(x, 2, F.Dilation(2))",
		"F.Softmax(x, 1, torch.Float64)",
		"F.ReLU(x, F.Alpha(1))",
		"F.LayerNorm(x, torch.Shape{1}, nil, nil, 1e-5)",
		"F.LayerNorm(x, torch.Shape{1}, nil, nil, F.Momentum(0.1))",
		"F.Dropout(x, 0.5)",
	)
}
