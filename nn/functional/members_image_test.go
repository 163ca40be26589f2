package functional_test

import (
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/aten"
)

func imageMembers() map[string]member {
	img := ramp(1, 2, 4, 5)
	grid := ramp(1, 3, 2, 2)
	theta := ramp(1, 2, 3)
	value := 1.5
	nearest := func(size []int64, scale []float64) result {
		return func() *torch.Tensor { return aten.UpsampleNearest2dVec(img, size, scale) }
	}
	bilinear := func(size []int64, align bool, scale []float64) result {
		return func() *torch.Tensor { return aten.UpsampleBilinear2dVec(img, size, align, scale) }
	}
	sample := func(mode, padding int64, align bool) result {
		return func() *torch.Tensor { return aten.GridSampler(img, grid, mode, padding, align) }
	}
	// resize returns a function that calls Interpolate with the options in first, which
	// the tested options may need, followed by the tested options.
	resize := func(first ...F.InterpolateOption) func(opts ...F.InterpolateOption) *torch.Tensor {
		return func(opts ...F.InterpolateOption) *torch.Tensor {
			return F.Interpolate(img, append(append([]F.InterpolateOption{}, first...), opts...)...)
		}
	}
	parts := []member{
		rowOf(resize(),
			variant[F.InterpolateOption]{F.Size(3), F.Size(7), nearest([]int64{3, 3}, nil)},
			variant[F.InterpolateOption]{F.Sizes{3, 2}, F.Size(7), nearest([]int64{3, 2}, nil)},
			variant[F.InterpolateOption]{F.ScaleFactor(2), F.ScaleFactor(3), nearest(nil, []float64{2, 2})},
			variant[F.InterpolateOption]{F.ScaleFactors{2, 1.5}, F.ScaleFactor(3), nearest(nil, []float64{2, 1.5})}),
		rowOf(resize(F.ScaleFactor(1.3), F.ModeBilinear),
			variant[F.InterpolateOption]{F.ModeNearest, F.ModeArea, nearest(nil, []float64{1.3, 1.3})},
			variant[F.InterpolateOption]{
				F.AlignCorners(true), F.AlignCorners(false),
				bilinear(nil, true, []float64{1.3, 1.3}),
			},
			variant[F.InterpolateOption]{
				F.AlignCorners(false), F.AlignCorners(true),
				bilinear(nil, false, []float64{1.3, 1.3}),
			},
			variant[F.InterpolateOption]{
				F.RecomputeScaleFactor(true), F.RecomputeScaleFactor(false),
				bilinear([]int64{5, 6}, false, nil),
			},
			variant[F.InterpolateOption]{F.Antialias(true), F.Antialias(false), func() *torch.Tensor {
				return aten.UnderUpsampleBilinear2dAaVec(img, nil, false, []float64{1.3, 1.3})
			}}),
	}
	return map[string]member{
		"Interpolate": join(parts...),
		"Pad": rowOf(func(opts ...F.PadOption) *torch.Tensor { return F.Pad(img, []int64{1, 2, 1, 1}, opts...) },
			variant[F.PadOption]{F.Value(1.5), F.Value(0), func() *torch.Tensor {
				return aten.Pad(img, []int64{1, 2, 1, 1}, "constant", &value)
			}},
			variant[F.PadOption]{F.ModeReflect, F.ModeConstant, func() *torch.Tensor {
				return aten.Pad(img, []int64{1, 2, 1, 1}, "reflect", nil)
			}}),
		"GridSample": rowOf(func(opts ...F.GridSampleOption) *torch.Tensor { return F.GridSample(img, grid, opts...) },
			variant[F.GridSampleOption]{F.ModeNearest, F.ModeBicubic, sample(1, 0, false)},
			variant[F.GridSampleOption]{F.ModeBicubic, F.ModeNearest, sample(2, 0, false)},
			variant[F.GridSampleOption]{F.PaddingModeBorder, F.PaddingModeZeros, sample(0, 1, false)},
			variant[F.GridSampleOption]{F.PaddingModeReflection, F.PaddingModeZeros, sample(0, 2, false)},
			variant[F.GridSampleOption]{F.AlignCorners(true), F.AlignCorners(false), sample(0, 0, true)}),
		"AffineGrid": rowOf(func(opts ...F.AffineGridOption) *torch.Tensor {
			return F.AffineGrid(theta, torch.Shape{1, 1, 3, 2}, opts...)
		},
			variant[F.AffineGridOption]{F.AlignCorners(true), F.AlignCorners(false), func() *torch.Tensor {
				return aten.AffineGridGenerator(theta, []int64{1, 1, 3, 2}, true)
			}}),
	}
}

func tableMembers() map[string]member {
	indices := torch.FromSlice([]int64{0, 2, 2, 1})
	q := ramp(1, 2, 3, 4)
	k := ramp(1, 2, 3, 4).Flip(-1)
	mask := torch.Ones(torch.Shape{3, 3}, torch.Bool).Tril()
	scale := 0.0
	sdpa := func(mask *torch.Tensor, p float64, causal bool, scale *float64, gqa bool) result {
		return func() *torch.Tensor {
			torch.ManualSeed(3)
			return aten.ScaledDotProductAttention(q, k, k, mask, p, causal, scale, gqa)
		}
	}
	// trained returns the result, the table and its gradient, so that all three are
	// compared.
	trained := func(run func(w *torch.Tensor) *torch.Tensor) *torch.Tensor {
		w := ramp(4, 3).RequiresGrad_()
		y := run(w)
		y.Mul(ramp(4, 3)).Sum().Backward()
		g := w.Grad()
		sparse := torch.Zeros(torch.Shape{1, 3})
		if g.Layout() != torch.Strided {
			sparse.Fill_(1)
			g = aten.ToDense(g, torch.DType(0), nil)
		}
		return torch.Cat([]*torch.Tensor{y, w.Detach(), g, sparse})
	}
	rows := func(padding int64, freq, sparse bool) result {
		return func() *torch.Tensor {
			return trained(func(w *torch.Tensor) *torch.Tensor {
				return aten.Embedding(w, indices, padding, freq, sparse)
			})
		}
	}
	limited := func(norm, kind float64) result {
		return func() *torch.Tensor {
			return trained(func(w *torch.Tensor) *torch.Tensor {
				torch.NoGrad(func() { aten.EmbeddingRenorm_(w, indices, norm, kind) })
				return aten.Embedding(w, indices, -1, false, false)
			})
		}
	}
	embed := func(first ...F.EmbeddingOption) func(opts ...F.EmbeddingOption) *torch.Tensor {
		return func(opts ...F.EmbeddingOption) *torch.Tensor {
			return trained(func(w *torch.Tensor) *torch.Tensor {
				return F.Embedding(indices, w, append(append([]F.EmbeddingOption{}, first...), opts...)...)
			})
		}
	}
	return map[string]member{
		"Embedding": join(
			rowOf(embed(),
				variant[F.EmbeddingOption]{F.PaddingIdx(0), F.PaddingIdx(2), rows(0, false, false)},
				variant[F.EmbeddingOption]{F.PaddingIdx(-2), F.PaddingIdx(0), rows(2, false, false)},
				variant[F.EmbeddingOption]{F.MaxNorm(0.5), F.MaxNorm(0.5), limited(0.5, 2)},
				variant[F.EmbeddingOption]{F.MaxNorm(0), F.MaxNorm(1), limited(0, 2)},
				variant[F.EmbeddingOption]{F.ScaleGradByFreq(true), F.ScaleGradByFreq(false), rows(-1, true, false)},
				variant[F.EmbeddingOption]{F.Sparse(true), F.Sparse(false), rows(-1, false, true)},
				variant[F.EmbeddingOption]{F.Sparse(false), F.Sparse(true), rows(-1, false, false)}),
			rowOf(embed(F.MaxNorm(0.5)),
				variant[F.EmbeddingOption]{F.NormType(1), F.NormType(2), limited(0.5, 1)})),
		"ScaledDotProductAttention": rowOf(func(opts ...F.AttentionOption) *torch.Tensor {
			torch.ManualSeed(3)
			return F.ScaledDotProductAttention(q, k, k, opts...)
		},
			variant[F.AttentionOption]{F.AttnMask(mask), F.AttnMask(nil), sdpa(mask, 0, false, nil, false)},
			variant[F.AttentionOption]{F.AttnMask(nil), F.AttnMask(mask), sdpa(nil, 0, false, nil, false)},
			variant[F.AttentionOption]{F.DropoutP(0.5), F.DropoutP(0), sdpa(nil, 0.5, false, nil, false)},
			variant[F.AttentionOption]{F.IsCausal(true), F.IsCausal(false), sdpa(nil, 0, true, nil, false)},
			variant[F.AttentionOption]{F.Scale(0), F.Scale(2), sdpa(nil, 0, false, &scale, false)},
			variant[F.AttentionOption]{F.EnableGQA(true), F.EnableGQA(false), sdpa(nil, 0, false, nil, true)}),
	}
}
