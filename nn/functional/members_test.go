package functional_test

import (
	"math"

	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/aten"
)

func ramp(shape ...int64) *torch.Tensor {
	n := int64(1)
	for _, s := range shape {
		n *= s
	}
	return torch.Linspace(-2, 2.5, n).Reshape(shape...)
}

type result = func() *torch.Tensor

// members returns a member for each function with options. Operators compute the
// expected result of each option.
func members() map[string]member {
	all := map[string]member{}
	for _, part := range []map[string]member{
		windowMembers(), poolMembers(), activationMembers(), normMembers(),
		lossMembers(), criterionMembers(), imageMembers(), tableMembers(), curveMembers(), dropMembers(), bagMembers(),
		attentionMembers(),
	} {
		for name, m := range part {
			all[name] = m
		}
	}
	for _, f := range functions {
		if f.options != nil {
			all[f.name] = f.options()
		}
	}
	return all
}

func windowMembers() map[string]member {
	type ints = []int64
	conv := func(n int, shapes [2][]int64, call func(x, w, b *torch.Tensor, opts ...F.ConvOption) *torch.Tensor,
		op func(x, w, b *torch.Tensor, stride, padding, dilation []int64, groups int64) *torch.Tensor,
	) member {
		x, w := ramp(shapes[0]...), ramp(shapes[1]...)
		all := func(v int64) ints { return ints{v, v, v}[:n] }
		want := func(s, p, d ints) result { return func() *torch.Tensor { return op(x, w, nil, s, p, d, 1) } }
		return rowOf(func(opts ...F.ConvOption) *torch.Tensor { return call(x, w, nil, opts...) },
			variant[F.ConvOption]{F.Stride(2), F.Stride(1), want(all(2), all(0), all(1))},
			variant[F.ConvOption]{F.Strides(ints{2, 1, 3}[:n]), F.Stride(3), want(ints{2, 1, 3}[:n], all(0), all(1))},
			variant[F.ConvOption]{F.Padding(0), F.Padding(1), want(all(1), all(0), all(1))},
			variant[F.ConvOption]{
				F.Paddings(ints{2, 1, 0}[:n]), F.PaddingSame,
				want(all(1), ints{2, 1, 0}[:n], all(1)),
			},
			variant[F.ConvOption]{F.PaddingSame, F.Padding(2), want(all(1), all(1), all(1))},
			variant[F.ConvOption]{F.PaddingValid, F.Padding(2), want(all(1), all(0), all(1))},
			variant[F.ConvOption]{F.Dilation(2), F.Dilation(1), want(all(1), all(0), all(2))},
			variant[F.ConvOption]{
				F.Dilations(ints{2, 1, 1}[:n]), F.Dilation(3),
				want(all(1), all(0), ints{2, 1, 1}[:n]),
			},
			variant[F.ConvOption]{F.Groups(1), F.Groups(2), want(all(1), all(0), all(1))})
	}
	x, w := ramp(1, 4, 7, 6), ramp(4, 2, 3, 3)
	transposed := func(s, p, o ints, d ints) result {
		return func() *torch.Tensor { return aten.ConvTranspose2dInput(x, w, nil, s, p, o, 1, d) }
	}
	one, none := ints{1, 1}, ints{0, 0}
	max := func(call func(opts ...F.MaxPoolOption) *torch.Tensor, want func(k, s, p, d ints, ceil bool) *torch.Tensor,
		n int,
	) member {
		k := ints{3, 3}[:n]
		w := func(s, p, d ints, ceil bool) result {
			return func() *torch.Tensor { return want(k, s[:n], p[:n], d[:n], ceil) }
		}
		return rowOf(call,
			variant[F.MaxPoolOption]{F.Stride(2), F.Stride(1), w(ints{2, 2}, none, one, false)},
			variant[F.MaxPoolOption]{F.Strides(ints{2, 1}[:n]), F.Stride(3), w(ints{2, 1}, none, one, false)},
			variant[F.MaxPoolOption]{F.Padding(1), F.Padding(0), w(ints{3, 3}, one, one, false)},
			variant[F.MaxPoolOption]{F.Padding(0), F.Padding(1), w(ints{3, 3}, none, one, false)},
			variant[F.MaxPoolOption]{F.Paddings(ints{1, 0}[:n]), F.Padding(0), w(ints{3, 3}, ints{1, 0}, one, false)},
			variant[F.MaxPoolOption]{F.Dilation(2), F.Dilation(1), w(ints{3, 3}, none, ints{2, 2}, false)},
			variant[F.MaxPoolOption]{
				F.Dilations(ints{1, 2}[:n]), F.Dilation(2),
				w(ints{3, 3}, none, ints{1, 2}, false),
			},
			variant[F.MaxPoolOption]{F.CeilMode(true), F.CeilMode(false), w(ints{3, 3}, none, one, true)},
			variant[F.MaxPoolOption]{F.CeilMode(false), F.CeilMode(true), w(ints{3, 3}, none, one, false)})
	}
	seq := ramp(1, 2, 8)
	avg := func(s, p ints, ceil, count bool, divisor *int64) result {
		return func() *torch.Tensor { return aten.AvgPool2d(x, ints{3, 3}, s, p, ceil, count, divisor) }
	}
	three := ints{3, 3}
	return map[string]member{
		"Conv1d": conv(1, [2][]int64{{1, 2, 9}, {4, 2, 3}}, F.Conv1d, aten.Conv1d),
		"Conv2d": conv(2, [2][]int64{{1, 2, 7, 8}, {4, 2, 3, 3}}, F.Conv2d, aten.Conv2d),
		"Conv3d": conv(3, [2][]int64{{1, 1, 7, 7, 7}, {2, 1, 3, 3, 3}}, F.Conv3d, aten.Conv3d),
		"ConvTranspose2d": rowOf(func(opts ...F.ConvTransposeOption) *torch.Tensor {
			return F.ConvTranspose2d(x, w, nil, opts...)
		},
			variant[F.ConvTransposeOption]{F.Stride(2), F.Stride(1), transposed(ints{2, 2}, none, none, one)},
			variant[F.ConvTransposeOption]{F.Strides{2, 1}, F.Stride(3), transposed(ints{2, 1}, none, none, one)},
			variant[F.ConvTransposeOption]{F.Padding(1), F.Padding(0), transposed(one, one, none, one)},
			variant[F.ConvTransposeOption]{F.Paddings{0, 1}, F.Padding(2), transposed(one, ints{0, 1}, none, one)},
			variant[F.ConvTransposeOption]{F.OutputPadding(0), F.OutputPadding(1), transposed(one, none, none, one)},
			variant[F.ConvTransposeOption]{
				F.OutputPaddings{0, 0},
				F.OutputPadding(1),
				transposed(one, none, none, one),
			},
			variant[F.ConvTransposeOption]{F.Dilation(2), F.Dilation(1), transposed(one, none, none, ints{2, 2})},
			variant[F.ConvTransposeOption]{F.Dilations{1, 2}, F.Dilation(2), transposed(one, none, none, ints{1, 2})},
			variant[F.ConvTransposeOption]{F.Groups(1), F.Groups(2), transposed(one, none, none, one)}),
		"MaxPool1d": max(func(opts ...F.MaxPoolOption) *torch.Tensor { return F.MaxPool1d(seq, 3, opts...) },
			func(k, s, p, d ints, ceil bool) *torch.Tensor { return aten.MaxPool1d(seq, k, s, p, d, ceil) }, 1),
		"MaxPool2d": max(func(opts ...F.MaxPoolOption) *torch.Tensor { return F.MaxPool2d(x, 3, opts...) },
			func(k, s, p, d ints, ceil bool) *torch.Tensor { return aten.MaxPool2d(x, k, s, p, d, ceil) }, 2),
		"MaxPool2dWithIndices": max(func(opts ...F.MaxPoolOption) *torch.Tensor {
			_, i := F.MaxPool2dWithIndices(x, 3, opts...)
			return i
		}, func(k, s, p, d ints, ceil bool) *torch.Tensor {
			_, i := aten.MaxPool2dWithIndices(x, k, s, p, d, ceil)
			return i
		}, 2),
		"AvgPool2d": rowOf(func(opts ...F.AvgPoolOption) *torch.Tensor {
			// With padding and a last window beyond the edge, every option has an
			// effect.
			return F.AvgPool2d(x, 3, append([]F.AvgPoolOption{F.Padding(1), F.Stride(2)}, opts...)...)
		},
			variant[F.AvgPoolOption]{F.Stride(1), F.Stride(3), avg(one, one, false, true, nil)},
			variant[F.AvgPoolOption]{F.Strides{3, 1}, F.Stride(3), avg(ints{3, 1}, one, false, true, nil)},
			variant[F.AvgPoolOption]{F.Padding(0), F.Padding(1), avg(ints{2, 2}, none, false, true, nil)},
			variant[F.AvgPoolOption]{F.Paddings{0, 1}, F.Padding(1), avg(ints{2, 2}, ints{0, 1}, false, true, nil)},
			variant[F.AvgPoolOption]{F.CeilMode(true), F.CeilMode(false), avg(ints{2, 2}, one, true, true, nil)},
			variant[F.AvgPoolOption]{
				F.CountIncludePad(false), F.CountIncludePad(true),
				avg(ints{2, 2}, one, false, false, nil),
			},
			variant[F.AvgPoolOption]{
				F.DivisorOverride(2), F.DivisorOverride(3),
				avg(ints{2, 2}, one, false, true, &[]int64{2}[0]),
			},
			variant[F.AvgPoolOption]{F.Strides(three), F.Stride(1), avg(three, one, false, true, nil)}),
	}
}

func activationMembers() map[string]member {
	x := ramp(4, 6)
	softplus := func(beta, threshold float64) result {
		return func() *torch.Tensor { return aten.Softplus(x, beta, threshold) }
	}
	return map[string]member{
		"GELU": rowOf(func(opts ...F.GELUOption) *torch.Tensor { return F.GELU(x, opts...) },
			variant[F.GELUOption]{F.ApproximateTanh, F.ApproximateNone, func() *torch.Tensor {
				return aten.GELU(x, "tanh")
			}},
			variant[F.GELUOption]{F.ApproximateNone, F.ApproximateTanh, func() *torch.Tensor {
				return aten.GELU(x, "none")
			}}),
		"Softplus": rowOf(func(opts ...F.SoftplusOption) *torch.Tensor { return F.Softplus(x, opts...) },
			variant[F.SoftplusOption]{F.Beta(2), F.Beta(3), softplus(2, 20)},
			variant[F.SoftplusOption]{F.WithThreshold(0), F.WithThreshold(1), softplus(1, 0)}),
		"Softmax": rowOf(func(opts ...F.SoftmaxOption) *torch.Tensor { return F.Softmax(x, 1, opts...) },
			variant[F.SoftmaxOption]{F.DType(torch.Float64), F.DType(torch.Float16), func() *torch.Tensor {
				return aten.SoftmaxInt(x, 1, torch.Float64)
			}},
			variant[F.SoftmaxOption]{F.DType(torch.DType(0)), F.DType(torch.Float64), func() *torch.Tensor {
				return aten.SoftmaxInt(x, 1, torch.Float32)
			}}),
		"LogSoftmax": rowOf(func(opts ...F.SoftmaxOption) *torch.Tensor { return F.LogSoftmax(x, 1, opts...) },
			variant[F.SoftmaxOption]{F.DType(torch.Float64), F.DType(torch.Float16), func() *torch.Tensor {
				return aten.LogSoftmaxInt(x, 1, torch.Float64)
			}}),
	}
}

func normMembers() map[string]member {
	x, y, img := ramp(4, 6), ramp(4, 6).Flip(0), ramp(2, 4, 3, 2)
	eps := func(call func(opts ...F.NormOption) *torch.Tensor, want func(eps float64) *torch.Tensor) member {
		return rowOf(call,
			variant[F.NormOption]{F.Eps(0.5), F.Eps(0), func() *torch.Tensor { return want(0.5) }},
			variant[F.NormOption]{F.Eps(0), F.Eps(1), func() *torch.Tensor { return want(0) }})
	}
	// running returns the result of run joined with the running statistics after the
	// call, so that the test compares both.
	running := func(run func(mean, variance *torch.Tensor) *torch.Tensor) *torch.Tensor {
		mean, variance := torch.Full(torch.Shape{4}, 0.5), torch.Full(torch.Shape{4}, 2.0)
		return torch.Cat([]*torch.Tensor{run(mean, variance).Reshape(-1), mean, variance})
	}
	batch := func(training bool, momentum, eps float64) result {
		return func() *torch.Tensor {
			return running(func(m, v *torch.Tensor) *torch.Tensor {
				return aten.BatchNorm(img, nil, nil, m, v, training, momentum, eps, true)
			})
		}
	}
	instance := func(input bool, momentum, eps float64) result {
		return func() *torch.Tensor {
			return running(func(m, v *torch.Tensor) *torch.Tensor {
				return aten.InstanceNorm(img, nil, nil, m, v, input, momentum, eps, true)
			})
		}
	}
	cosine := func(dim int64, eps float64) result {
		return func() *torch.Tensor { return aten.CosineSimilarity(x, y, dim, eps) }
	}
	pairs := func(p, eps float64, keep bool) result {
		return func() *torch.Tensor { return aten.PairwiseDistance(x, y, p, eps, keep) }
	}
	normal := func(p float64, dim int64, eps float64) result {
		return func() *torch.Tensor {
			return x.Div(aten.LinalgVectorNorm(x, p, []int64{dim}, true, torch.DType(0)).ClampMin(eps))
		}
	}
	return map[string]member{
		"LayerNorm": eps(func(opts ...F.NormOption) *torch.Tensor {
			return F.LayerNorm(x, torch.Shape{6}, nil, nil, opts...)
		},
			func(eps float64) *torch.Tensor { return aten.LayerNorm(x, []int64{6}, nil, nil, eps, true) }),
		"RMSNorm": eps(func(opts ...F.NormOption) *torch.Tensor { return F.RMSNorm(x, torch.Shape{6}, nil, opts...) },
			func(eps float64) *torch.Tensor { return aten.RMSNorm(x, []int64{6}, nil, &eps) }),
		"GroupNorm": eps(func(opts ...F.NormOption) *torch.Tensor { return F.GroupNorm(img, 2, nil, nil, opts...) },
			func(eps float64) *torch.Tensor { return aten.GroupNorm(img, 2, nil, nil, eps, true) }),
		"BatchNorm": rowOf(func(opts ...F.BatchNormOption) *torch.Tensor {
			return running(func(m, v *torch.Tensor) *torch.Tensor {
				return F.BatchNorm(img, m, v, nil, nil, append([]F.BatchNormOption{F.Training(true)}, opts...)...)
			})
		},
			variant[F.BatchNormOption]{F.Training(false), F.Training(true), batch(false, 0.1, 1e-5)},
			variant[F.BatchNormOption]{F.Momentum(0), F.Momentum(0.5), batch(true, 0, 1e-5)},
			variant[F.BatchNormOption]{F.Momentum(0.5), F.Momentum(0), batch(true, 0.5, 1e-5)},
			variant[F.BatchNormOption]{F.Eps(0.5), F.Eps(1), batch(true, 0.1, 0.5)}),
		"InstanceNorm": rowOf(func(opts ...F.InstanceNormOption) *torch.Tensor {
			return running(func(m, v *torch.Tensor) *torch.Tensor {
				return F.InstanceNorm(img, m, v, nil, nil, opts...)
			})
		},
			variant[F.InstanceNormOption]{F.UseInputStats(false), F.UseInputStats(true), instance(false, 0.1, 1e-5)},
			variant[F.InstanceNormOption]{F.Momentum(0), F.Momentum(0.5), instance(true, 0, 1e-5)},
			variant[F.InstanceNormOption]{F.Eps(0), F.Eps(1), instance(true, 0.1, 0)}),
		"CosineSimilarity": rowOf(func(opts ...F.CosineSimilarityOption) *torch.Tensor {
			return F.CosineSimilarity(x, y, opts...)
		},
			variant[F.CosineSimilarityOption]{F.Dim(0), F.Dim(1), cosine(0, 1e-8)},
			variant[F.CosineSimilarityOption]{F.Eps(0), F.Eps(9), cosine(1, 0)},
			variant[F.CosineSimilarityOption]{F.Eps(9), F.Eps(0), cosine(1, 9)}),
		"PairwiseDistance": rowOf(func(opts ...F.PairwiseDistanceOption) *torch.Tensor {
			return F.PairwiseDistance(x, y, opts...)
		},
			variant[F.PairwiseDistanceOption]{F.P(1), F.P(2), pairs(1, 1e-6, false)},
			variant[F.PairwiseDistanceOption]{F.P(math.Inf(1)), F.P(0), pairs(math.Inf(1), 1e-6, false)},
			variant[F.PairwiseDistanceOption]{F.Eps(0), F.Eps(1), pairs(2, 0, false)},
			variant[F.PairwiseDistanceOption]{F.KeepDim(true), F.KeepDim(false), pairs(2, 1e-6, true)}),
		"Normalize": rowOf(func(opts ...F.NormalizeOption) *torch.Tensor { return F.Normalize(x, opts...) },
			variant[F.NormalizeOption]{F.P(0), F.P(1), normal(0, 1, 1e-12)},
			variant[F.NormalizeOption]{F.Dim(0), F.Dim(1), normal(2, 0, 1e-12)},
			variant[F.NormalizeOption]{F.Eps(9), F.Eps(0), normal(2, 1, 9)}),
	}
}
