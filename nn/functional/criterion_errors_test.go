package functional_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"

	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
)

// Invalid arguments of margin, likelihood and sequence losses give typed errors.
func TestBadCriterionInput(t *testing.T) {
	scoped(t, func() {
		x, wide := torch.Zeros(torch.Shape{4, 6}), torch.Zeros(torch.Shape{3, 5})
		ints := torch.Zeros(torch.Shape{4}, torch.Int64)
		logs := torch.Zeros(torch.Shape{5, 2, 4})
		spoken := torch.FromSlice([]int64{1, 2, 3, 1}, 2, 2)
		five, two := []int64{5, 5}, []int64{2, 2}
		nothing := func(x, y *torch.Tensor) *torch.Tensor { return nil }
		for _, c := range []struct {
			name string
			kind error
			text string
			fn   func()
		}{
			{"nil", torch.ErrNil, "argument input2", func() { F.MarginRankingLoss(x, nil, x) }},
			{"ranks", torch.ErrShape, "(4, 6), (4, 6) and (4,)", func() { F.MarginRankingLoss(x, x, ints) }},
			{"sizes", torch.ErrShape, "SoftMarginLoss", func() { F.SoftMarginLoss(x, wide) }},
			{"batchmean", torch.ErrValue, "batchmean", func() { F.HingeEmbeddingLoss(x, x, F.ReductionBatchMean) }},
			{"cosine", torch.ErrShape, "CosineEmbeddingLoss", func() { F.CosineEmbeddingLoss(x, x, wide) }},
			{"P", torch.ErrValue, "P: expected 1 or 2, got 3", func() { F.MultiMarginLoss(x, ints, F.P(3)) }},
			{"weight", torch.ErrShape, "Weight: expected one dimension", func() {
				F.MultiMarginLoss(x, ints, F.Weight(x))
			}},
			{"weight's size", torch.ErrShape, "MultiMarginLoss", func() {
				F.MultiMarginLoss(x, ints, F.Weight(torch.Ones(torch.Shape{2})))
			}},
			{"class", torch.ErrIndex, "MultiMarginLoss", func() {
				F.MultiMarginLoss(x, torch.Full(torch.Shape{4}, 6))
			}},
			{"label", torch.ErrIndex, "MultilabelMarginLoss", func() {
				F.MultilabelMarginLoss(x, torch.Full(torch.Shape{4, 6}, 6))
			}},
			{"labels' sizes", torch.ErrShape, "MultilabelMarginLoss", func() { F.MultilabelMarginLoss(x, ints) }},
			{"no classes", torch.ErrShape, "at least one dimension", func() {
				F.MultilabelSoftMarginLoss(torch.Ones(nil), torch.Ones(nil))
			}},
			{"margin", torch.ErrValue, "Margin: expected a positive number, got 0", func() {
				F.TripletMarginLoss(x, x, x, F.Margin(0))
			}},
			{"no margin", torch.ErrValue, "Margin", func() { F.TripletMarginLoss(x, x, x, F.Margin(math.NaN())) }},
			{"triplets", torch.ErrShape, "TripletMarginLoss", func() { F.TripletMarginLoss(x, x, ints) }},
			{"triplets of a distance", torch.ErrShape, "number of dimensions", func() {
				F.TripletMarginWithDistanceLoss(x, x, ints)
			}},
			{"no distance", torch.ErrNil, "positive_distance", func() {
				F.TripletMarginWithDistanceLoss(x, x, x, F.DistanceFunction(nothing))
			}},
			{"counts", torch.ErrShape, "PoissonNLLLoss", func() { F.PoissonNLLLoss(x, wide) }},
			{"variance", torch.ErrValue, "negative", func() { F.GaussianNLLLoss(x, x, x.SubScalar(1)) }},
			{"one variance", torch.ErrValue, "variance: expected a number that is not negative, got -1", func() {
				F.GaussianNLLLossScalar(x, x, -1)
			}},
			{"variances", torch.ErrShape, "expected the input's size (4, 6)", func() {
				F.GaussianNLLLoss(x, x, wide)
			}},
			{"lengths", torch.ErrType, "inputLengths: expected a tensor or a slice of lengths, got float64", func() {
				F.CTCLoss(logs, spoken, 5.0, two)
			}},
			{"nil lengths", torch.ErrNil, "targetLengths", func() {
				F.CTCLoss(logs, spoken, five, (*torch.Tensor)(nil))
			}},
			{"no lengths", torch.ErrType, "targetLengths", func() { F.CTCLoss(logs, spoken, five, nil) }},
			{"too few lengths", torch.ErrShape, "inputLengths: expected 2 lengths, got 1", func() {
				F.CTCLoss(logs, spoken, five[:1], two)
			}},
			{"a long input", torch.ErrValue, "inputLengths: expected lengths from 0 to 5, got 9 at index 1", func() {
				F.CTCLoss(logs, spoken, []int64{5, 9}, two)
			}},
			{"a long target", torch.ErrShape, "CTCLoss", func() { F.CTCLoss(logs, spoken, five, []int{2, 3}) }},
			{"a negative length", torch.ErrValue, "CTCLoss", func() { F.CTCLoss(logs, spoken, five, []int{2, -1}) }},
			{"blank", torch.ErrValue, "CTCLoss", func() { F.CTCLoss(logs, spoken, five, two, F.Blank(4)) }},
			{
				"a label that is no class", torch.ErrIndex,
				"targets: expected classes from 0 to 3, got 70000000000 as label 1 of sequence 0", func() {
					F.CTCLoss(logs, torch.FromSlice([]int64{1, 70000000000, 2, 3}, 2, 2), five, two)
				},
			},
			{"a negative label in a row of all", torch.ErrIndex, "got -1 as label 0 of sequence 1", func() {
				F.CTCLoss(logs, torch.FromSlice([]int64{1, -1, 3}), five, torch.FromSlice([]int64{1, 2}))
			}},
			{"a label of another dtype", torch.ErrIndex, "targets", func() {
				F.CTCLoss(logs, spoken.Double().MulScalar(1e9), five, two)
			}},
			{"log probabilities", torch.ErrShape, "(T, N, C)", func() {
				F.CTCLoss(spoken.Unsqueeze(0).Unsqueeze(0), spoken, five, two)
			}},
		} {
			live := torch.NumLiveTensors()
			err := torch.Try(func() { torch.Scope(c.fn) })
			assert.ErrorIs(t, err, c.kind, c.name)
			assert.ErrorContains(t, err, c.text, c.name)
			assert.Equal(t, live, torch.NumLiveTensors(), c.name)
		}
	})
}

// Elements after a target's length may have any value, as in Python.
func TestCTCPadding(t *testing.T) {
	scoped(t, func() {
		logs := F.LogSoftmax(ramp(5, 2, 4), 2)
		padded := torch.FromSlice([]int64{1, 2, 3, -1}, 2, 2)
		row := torch.FromSlice([]int64{1, 2, 3})
		lengths := torch.FromSlice([]int64{5, 4})
		want := F.CTCLoss(logs, row, []int64{5, 4}, []int64{2, 1}).Item()
		assert.InDelta(t, want, F.CTCLoss(logs, padded, lengths, torch.Shape{2, 1}).Item(), 1e-6)
		assert.InDelta(t, want, F.CTCLoss(logs, padded, lengths, torch.FromSlice([]int64{2, 1})).Item(), 1e-6)
		assert.InDelta(t, want, F.CTCLoss(logs, row, []int{5, 4}, torch.FromSlice([]int32{2, 1})).Item(), 1e-6)
	})
}

// Variances per row, and variances clamped to Eps, have the same gradients as in Python.
func TestGaussianNLLLossVariance(t *testing.T) {
	scoped(t, func() {
		x, y := ramp(2, 3), ramp(2, 3).Flip(1)
		v := torch.FromSlice([]float32{0.5, 1e-9}).RequiresGrad_()
		loss := F.GaussianNLLLoss(x, y, v, F.Eps(0.25), F.ReductionSum)
		loss.Backward()
		at := torch.FromSlice([]float32{0.5, 0.25}).Unsqueeze(1)
		d := x.Sub(y).PowScalar(2)
		want := at.Reciprocal().Sub(d.Div(at.Mul(at))).MulScalar(0.5).Sum(torch.Dim(1))
		assert.InDeltaSlice(t, want.Float64s(), v.Grad().Float64s(), 1e-5)
		wide := F.GaussianNLLLoss(x, y, v.Detach().Unsqueeze(1), F.Eps(0.25), F.ReductionSum)
		assert.InDelta(t, loss.Item(), wide.Item(), 1e-6)
	})
}
