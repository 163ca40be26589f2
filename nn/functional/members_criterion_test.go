package functional_test

import (
	"math"

	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/aten"
)

// criterion holds the inputs of margin, likelihood and sequence losses.
type criterion struct {
	x, y, z, sign, each, labels, target, w, weight, logs, spoken *torch.Tensor
}

func newCriterion() criterion {
	x := ramp(4, 6)
	return criterion{
		x: x, y: x.Flip(1), z: x.Mul(x),
		sign: torch.FromSlice([]float32{1, -1, -1, 1}),
		each: torch.FromSlice([]float32{1, -1, 1, 1, -1, 1}),
		labels: torch.FromSlice([]int64{3, 0, -1, 1, 1, 1, 5, -1, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, -1, 0, 0, 0, 0, 0}, 4,
			6),
		target: torch.FromSlice([]int64{0, 3, 0, 5}),
		w:      torch.Linspace(0.5, 1.5, 6),
		weight: torch.Linspace(0, 2, 24).Reshape(4, 6),
		logs:   F.LogSoftmax(ramp(5, 2, 4), 2),
		spoken: torch.FromSlice([]int64{1, 1, 2, 3, 1, 2}, 2, 3),
	}
}

func criterionMembers() map[string]member {
	in := newCriterion()
	x, y, z, sign := in.x, in.y, in.z, in.sign
	plain := func(call func(...F.ReductionOption) *torch.Tensor, op func(red int64) *torch.Tensor) member {
		want := func(red int64) result { return func() *torch.Tensor { return op(red) } }
		return rowOf(call,
			variant[F.ReductionOption]{F.ReductionSum, F.ReductionMean, want(sum)},
			variant[F.ReductionOption]{F.ReductionMean, F.ReductionSum, want(mean)},
			variant[F.ReductionOption]{F.Reduction("none"), F.ReductionSum, want(none)})
	}
	margin := func(call func(...F.MarginLossOption) *torch.Tensor, usual float64,
		op func(margin float64, red int64) *torch.Tensor,
	) member {
		want := func(m float64, red int64) result { return func() *torch.Tensor { return op(m, red) } }
		return rowOf(call,
			variant[F.MarginLossOption]{F.Margin(0.5), F.Margin(2), want(0.5, mean)},
			variant[F.MarginLossOption]{F.Margin(0), F.Margin(2), want(0, mean)},
			variant[F.MarginLossOption]{F.ReductionSum, F.ReductionMean, want(usual, sum)},
			variant[F.MarginLossOption]{F.ReductionNone, F.ReductionSum, want(usual, none)})
	}
	multi := func(p int64, margin float64, w *torch.Tensor, red int64) result {
		return func() *torch.Tensor { return aten.MultiMarginLoss(x, in.target, p, margin, w, red) }
	}
	soft := func(w *torch.Tensor) *torch.Tensor {
		truth := x.Sigmoid()
		loss := truth.Mul(F.LogSigmoid(x)).Add(truth.RSubScalar(1).Mul(F.LogSigmoid(x.Neg()))).Neg()
		if w != nil {
			loss = loss.Mul(w)
		}
		return loss.Sum(torch.Dim(1)).DivScalar(6)
	}
	triplet := func(margin, p, eps float64, swap bool, red int64) result {
		return func() *torch.Tensor { return aten.TripletMarginLoss(x, y, z, margin, p, eps, swap, red) }
	}
	poisson := func(log, full bool, eps float64, red int64) result {
		return func() *torch.Tensor { return aten.PoissonNLLLoss(z, y, log, full, eps, red) }
	}
	gauss := func(eps float64, full bool) *torch.Tensor {
		v := in.weight.ClampMin(eps)
		loss := v.Log().Add(x.Sub(y).PowScalar(2).Div(v)).MulScalar(0.5)
		if full {
			loss.AddScalar_(0.5 * math.Log(2*math.Pi))
		}
		return loss
	}
	gaussians := func(call func(...F.GaussianNLLLossOption) *torch.Tensor,
		want func(eps float64, full bool) *torch.Tensor,
	) member {
		return rowOf(call,
			variant[F.GaussianNLLLossOption]{F.Full(true), F.Full(false), func() *torch.Tensor {
				return want(1e-6, true).Mean()
			}},
			variant[F.GaussianNLLLossOption]{F.Full(false), F.Full(true), func() *torch.Tensor {
				return want(1e-6, false).Mean()
			}},
			variant[F.GaussianNLLLossOption]{F.Eps(0.75), F.Eps(0.1), func() *torch.Tensor {
				return want(0.75, false).Mean()
			}},
			variant[F.GaussianNLLLossOption]{F.ReductionSum, F.ReductionMean, func() *torch.Tensor {
				return want(1e-6, false).Sum()
			}},
			variant[F.GaussianNLLLossOption]{F.ReductionNone, F.ReductionSum, func() *torch.Tensor {
				return want(1e-6, false)
			}})
	}
	manhattan := func(x, y *torch.Tensor) *torch.Tensor { return x.Sub(y).Abs().Sum(torch.Dim(-1)) }
	spoken := func(blank, red int64, zero bool) result {
		return func() *torch.Tensor {
			return aten.CTCLossIntList(in.logs, in.spoken, []int64{5, 4}, []int64{3, 3}, blank, red, zero)
		}
	}
	endless := func(opts ...F.CTCLossOption) *torch.Tensor {
		return F.CTCLoss(in.logs, in.spoken, []int64{2, 4}, []int64{3, 3}, opts...)
	}
	return map[string]member{
		"SoftMarginLoss": plain(func(opts ...F.ReductionOption) *torch.Tensor {
			return F.SoftMarginLoss(x, in.each, opts...)
		},
			func(red int64) *torch.Tensor { return aten.SoftMarginLoss(x, in.each, red) }),
		"MultilabelMarginLoss": plain(func(opts ...F.ReductionOption) *torch.Tensor {
			return F.MultilabelMarginLoss(x, in.labels, opts...)
		},
			func(red int64) *torch.Tensor { return aten.MultilabelMarginLoss(x, in.labels, red) }),
		"HingeEmbeddingLoss": margin(func(opts ...F.MarginLossOption) *torch.Tensor {
			return F.HingeEmbeddingLoss(x, in.each, opts...)
		}, 1,
			func(m float64, red int64) *torch.Tensor { return aten.HingeEmbeddingLoss(x, in.each, m, red) }),
		"MarginRankingLoss": margin(func(opts ...F.MarginLossOption) *torch.Tensor {
			return F.MarginRankingLoss(x, y, z, opts...)
		}, 0,
			func(m float64, red int64) *torch.Tensor { return aten.MarginRankingLoss(x, y, z, m, red) }),
		"CosineEmbeddingLoss": margin(func(opts ...F.MarginLossOption) *torch.Tensor {
			return F.CosineEmbeddingLoss(x, y, sign, opts...)
		}, 0,
			func(m float64, red int64) *torch.Tensor { return aten.CosineEmbeddingLoss(x, y, sign, m, red) }),
		"MultiMarginLoss": rowOf(func(opts ...F.MultiMarginLossOption) *torch.Tensor {
			return F.MultiMarginLoss(x, in.target, opts...)
		},
			variant[F.MultiMarginLossOption]{F.P(2), F.P(1), multi(2, 1, nil, mean)},
			variant[F.MultiMarginLossOption]{F.Margin(0.5), F.Margin(2), multi(1, 0.5, nil, mean)},
			variant[F.MultiMarginLossOption]{F.Weight(in.w), F.Weight(nil), multi(1, 1, in.w, mean)},
			variant[F.MultiMarginLossOption]{F.Weight(nil), F.Weight(in.w), multi(1, 1, nil, mean)},
			variant[F.MultiMarginLossOption]{F.ReductionNone, F.ReductionSum, multi(1, 1, nil, none)}),
		"MultilabelSoftMarginLoss": rowOf(func(opts ...F.MultilabelSoftMarginLossOption) *torch.Tensor {
			return F.MultilabelSoftMarginLoss(x, x.Sigmoid(), opts...)
		},
			variant[F.MultilabelSoftMarginLossOption]{F.Weight(in.w), F.Weight(nil), func() *torch.Tensor {
				return soft(in.w).Mean()
			}},
			variant[F.MultilabelSoftMarginLossOption]{F.Weight(nil), F.Weight(in.w), func() *torch.Tensor {
				return soft(nil).Mean()
			}},
			variant[F.MultilabelSoftMarginLossOption]{F.ReductionSum, F.ReductionMean, func() *torch.Tensor {
				return soft(nil).Sum()
			}},
			variant[F.MultilabelSoftMarginLossOption]{F.ReductionNone, F.ReductionSum, func() *torch.Tensor {
				return soft(nil)
			}}),
		"TripletMarginLoss": rowOf(func(opts ...F.TripletMarginLossOption) *torch.Tensor {
			return F.TripletMarginLoss(x, y, z, opts...)
		},
			variant[F.TripletMarginLossOption]{F.Margin(3), F.Margin(2), triplet(3, 2, 1e-6, false, mean)},
			variant[F.TripletMarginLossOption]{F.P(1), F.P(2), triplet(1, 1, 1e-6, false, mean)},
			variant[F.TripletMarginLossOption]{F.Eps(0.5), F.Eps(0), triplet(1, 2, 0.5, false, mean)},
			variant[F.TripletMarginLossOption]{F.Swap(true), F.Swap(false), triplet(1, 2, 1e-6, true, mean)},
			variant[F.TripletMarginLossOption]{F.Swap(false), F.Swap(true), triplet(1, 2, 1e-6, false, mean)},
			variant[F.TripletMarginLossOption]{F.ReductionNone, F.ReductionSum, triplet(1, 2, 1e-6, false, none)}),
		"TripletMarginWithDistanceLoss": rowOf(func(opts ...F.TripletMarginWithDistanceLossOption) *torch.Tensor {
			return F.TripletMarginWithDistanceLoss(x, y, z, opts...)
		},
			variant[F.TripletMarginWithDistanceLossOption]{
				F.DistanceFunction(manhattan), F.DistanceFunction(nil),
				func() *torch.Tensor {
					return manhattan(x, y).AddScalar(1).Sub(manhattan(x, z)).ClampMin(0).Mean()
				},
			},
			variant[F.TripletMarginWithDistanceLossOption]{
				F.DistanceFunction(nil), F.DistanceFunction(manhattan),
				triplet(1, 2, 1e-6, false, mean),
			},
			variant[F.TripletMarginWithDistanceLossOption]{F.Margin(3), F.Margin(2), triplet(3, 2, 1e-6, false, mean)},
			variant[F.TripletMarginWithDistanceLossOption]{
				F.Swap(true), F.Swap(false),
				triplet(1, 2, 1e-6, true, mean),
			},
			variant[F.TripletMarginWithDistanceLossOption]{
				F.ReductionSum, F.ReductionMean,
				triplet(1, 2, 1e-6, false, sum),
			},
			variant[F.TripletMarginWithDistanceLossOption]{
				F.ReductionNone, F.ReductionSum,
				triplet(1, 2, 1e-6, false, none),
			}),
		"PoissonNLLLoss": join(
			rowOf(func(opts ...F.PoissonNLLLossOption) *torch.Tensor { return F.PoissonNLLLoss(z, y, opts...) },
				variant[F.PoissonNLLLossOption]{F.LogInput(false), F.LogInput(true), poisson(false, false, 1e-8, mean)},
				variant[F.PoissonNLLLossOption]{F.LogInput(true), F.LogInput(false), poisson(true, false, 1e-8, mean)},
				variant[F.PoissonNLLLossOption]{F.Full(true), F.Full(false), poisson(true, true, 1e-8, mean)},
				variant[F.PoissonNLLLossOption]{F.ReductionNone, F.ReductionSum, poisson(true, false, 1e-8, none)}),
			rowOf(func(opts ...F.PoissonNLLLossOption) *torch.Tensor {
				return F.PoissonNLLLoss(z, y, append([]F.PoissonNLLLossOption{F.LogInput(false)}, opts...)...)
			}, variant[F.PoissonNLLLossOption]{F.Eps(0.5), F.Eps(1), poisson(false, false, 0.5, mean)})),
		"GaussianNLLLoss": gaussians(func(opts ...F.GaussianNLLLossOption) *torch.Tensor {
			return F.GaussianNLLLoss(x, y, in.weight, opts...)
		}, gauss),
		"GaussianNLLLossScalar": gaussians(func(opts ...F.GaussianNLLLossOption) *torch.Tensor {
			return F.GaussianNLLLossScalar(x, y, 0.25, opts...)
		}, func(eps float64, full bool) *torch.Tensor {
			opts := []F.GaussianNLLLossOption{F.Eps(eps), F.Full(full), F.ReductionNone}
			return F.GaussianNLLLoss(x, y, torch.FullLike(x, 0.25), opts...)
		}),
		"CTCLoss": join(
			rowOf(func(opts ...F.CTCLossOption) *torch.Tensor {
				return F.CTCLoss(in.logs, in.spoken, []int64{5, 4}, []int{3, 3}, opts...)
			},
				variant[F.CTCLossOption]{F.Blank(2), F.Blank(0), spoken(2, mean, false)},
				variant[F.CTCLossOption]{F.ReductionSum, F.ReductionMean, spoken(0, sum, false)},
				variant[F.CTCLossOption]{F.ReductionNone, F.ReductionSum, spoken(0, none, false)}),
			rowOf(endless,
				variant[F.CTCLossOption]{F.ZeroInfinity(false), F.ZeroInfinity(true), func() *torch.Tensor {
					return torch.Full(torch.Shape{}, math.Inf(1))
				}}),
		),
	}
}
