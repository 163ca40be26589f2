package functional_test

import (
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/aten"
)

// The numbers that libtorch uses for the reductions.
const (
	none = iota
	mean
	sum
)

func lossMembers() map[string]member {
	x, y := ramp(4, 6), ramp(4, 6).Flip(1)
	target := torch.FromSlice([]int64{0, 3, 0, 5})
	w := torch.Linspace(0.5, 1.5, 6)
	prob := F.Sigmoid(x)
	each := torch.Linspace(0, 2, 24).Reshape(4, 6)
	loss := func(call func(_, _ *torch.Tensor, opts ...F.LossOption) *torch.Tensor,
		op func(_, _ *torch.Tensor, red int64) *torch.Tensor,
	) member {
		want := func(red int64) result { return func() *torch.Tensor { return op(x, y, red) } }
		return rowOf(func(opts ...F.LossOption) *torch.Tensor { return call(x, y, opts...) },
			variant[F.LossOption]{F.ReductionSum, F.ReductionMean, want(sum)},
			variant[F.LossOption]{F.ReductionMean, F.ReductionSum, want(mean)},
			variant[F.LossOption]{F.Reduction("none"), F.ReductionSum, want(none)},
			variant[F.LossOption]{F.Weight(each), F.Weight(nil), func() *torch.Tensor {
				return op(x, y, none).Mul(each).Sum().Div(each.Sum())
			}},
			variant[F.LossOption]{F.Weight(nil), F.Weight(each), want(mean)})
	}
	ce := func(w *torch.Tensor, red, ignore int64, smoothing float64) result {
		return func() *torch.Tensor { return aten.CrossEntropyLoss(x, target, w, red, ignore, smoothing) }
	}
	nll := func(w *torch.Tensor, red, ignore int64) result {
		return func() *torch.Tensor { return aten.NLLLossNd(x, target, w, red, ignore) }
	}
	smooth := func(red int64, beta float64) result {
		return func() *torch.Tensor { return aten.SmoothL1Loss(x, y, red, beta) }
	}
	huber := func(red int64, delta float64) result {
		return func() *torch.Tensor { return aten.HuberLoss(x, y, red, delta) }
	}
	bce := func(w *torch.Tensor, red int64) result {
		return func() *torch.Tensor { return aten.BinaryCrossEntropy(prob, prob, w, red) }
	}
	logits := func(w, p *torch.Tensor, red int64) result {
		return func() *torch.Tensor { return aten.BinaryCrossEntropyWithLogits(x, prob, w, p, red) }
	}
	kl := func(red int64, log bool) result { return func() *torch.Tensor { return aten.KLDiv(x, prob, red, log) } }
	return map[string]member{
		"MSELoss": loss(F.MSELoss, aten.MSELoss),
		"L1Loss":  loss(F.L1Loss, aten.L1Loss),
		"CrossEntropy": rowOf(func(opts ...F.CrossEntropyOption) *torch.Tensor {
			return F.CrossEntropy(x, target, opts...)
		},
			variant[F.CrossEntropyOption]{F.Weight(w), F.Weight(nil), ce(w, mean, -100, 0)},
			variant[F.CrossEntropyOption]{F.Weight(nil), F.Weight(w), ce(nil, mean, -100, 0)},
			variant[F.CrossEntropyOption]{F.IgnoreIndex(0), F.IgnoreIndex(3), ce(nil, mean, 0, 0)},
			variant[F.CrossEntropyOption]{F.ReductionSum, F.ReductionNone, ce(nil, sum, -100, 0)},
			variant[F.CrossEntropyOption]{F.LabelSmoothing(0.25), F.LabelSmoothing(0), ce(nil, mean, -100, 0.25)},
			variant[F.CrossEntropyOption]{F.LabelSmoothing(0), F.LabelSmoothing(0.25), ce(nil, mean, -100, 0)}),
		"NLLLoss": rowOf(func(opts ...F.NLLLossOption) *torch.Tensor { return F.NLLLoss(x, target, opts...) },
			variant[F.NLLLossOption]{F.Weight(w), F.Weight(nil), nll(w, mean, -100)},
			variant[F.NLLLossOption]{F.IgnoreIndex(0), F.IgnoreIndex(3), nll(nil, mean, 0)},
			variant[F.NLLLossOption]{F.ReductionNone, F.ReductionSum, nll(nil, none, -100)}),
		"SmoothL1Loss": rowOf(func(opts ...F.SmoothL1LossOption) *torch.Tensor { return F.SmoothL1Loss(x, y, opts...) },
			variant[F.SmoothL1LossOption]{F.Beta(0), F.Beta(2), smooth(mean, 0)},
			variant[F.SmoothL1LossOption]{F.Beta(2), F.Beta(0), smooth(mean, 2)},
			variant[F.SmoothL1LossOption]{F.ReductionSum, F.ReductionNone, smooth(sum, 1)}),
		"HuberLoss": rowOf(func(opts ...F.HuberLossOption) *torch.Tensor { return F.HuberLoss(x, y, opts...) },
			variant[F.HuberLossOption]{F.Delta(2), F.Delta(3), huber(mean, 2)},
			variant[F.HuberLossOption]{F.Weight(each), F.Weight(nil), func() *torch.Tensor {
				return huber(none, 1)().Mul(each).Mean()
			}},
			variant[F.HuberLossOption]{F.ReductionSum, F.ReductionNone, huber(sum, 1)}),
		"BinaryCrossEntropy": rowOf(func(opts ...F.BCEOption) *torch.Tensor {
			return F.BinaryCrossEntropy(prob, prob, opts...)
		},
			variant[F.BCEOption]{F.Weight(w), F.Weight(nil), bce(w, mean)},
			variant[F.BCEOption]{F.ReductionNone, F.ReductionSum, bce(nil, none)}),
		"BinaryCrossEntropyWithLogits": rowOf(func(opts ...F.BCEWithLogitsOption) *torch.Tensor {
			return F.BinaryCrossEntropyWithLogits(x, prob, opts...)
		},
			variant[F.BCEWithLogitsOption]{F.Weight(w), F.Weight(nil), logits(w, nil, mean)},
			variant[F.BCEWithLogitsOption]{F.PosWeight(w), F.PosWeight(nil), logits(nil, w, mean)},
			variant[F.BCEWithLogitsOption]{F.PosWeight(nil), F.PosWeight(w), logits(nil, nil, mean)},
			variant[F.BCEWithLogitsOption]{F.ReductionNone, F.ReductionSum, logits(nil, nil, none)}),
		"KLDiv": rowOf(func(opts ...F.KLDivOption) *torch.Tensor { return F.KLDiv(x, prob, opts...) },
			variant[F.KLDivOption]{F.LogTarget(true), F.LogTarget(false), kl(mean, true)},
			variant[F.KLDivOption]{F.LogTarget(false), F.LogTarget(true), kl(mean, false)},
			variant[F.KLDivOption]{F.ReductionBatchMean, F.ReductionSum, func() *torch.Tensor {
				return kl(sum, false)().DivScalar(4)
			}}),
	}
}
