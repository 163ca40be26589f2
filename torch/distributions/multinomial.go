package distributions

import (
	"fmt"
	"math"
	"slices"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributions/constraints"
)

// A Multinomial is the distribution of the number of times that each category occurs in
// a fixed number of draws. Follows torch.distributions.Multinomial.
type Multinomial struct {
	base
	totalCount int64
	odds       odds
	each       *Binomial // the distribution of the count of each category
}

// NewMultinomial returns the multinomial distribution of totalCount draws over the last
// dimension of a tensor. totalCount has no default; Python's is 1. See [NewCategorical]
// for options, ownership and panics. NewMultinomial also panics with ErrValue for a
// negative totalCount.
func NewMultinomial(totalCount int64, opts ...ProbsOption) *Multinomial {
	const op = "distributions.NewMultinomial"
	d := &Multinomial{totalCount: totalCount}
	s := readProbsOptions(op, opts)
	if totalCount < 0 {
		panic(torch.NewError(op, torch.ErrValue, "totalCount", fmt.Sprintf("expected at least 0, got %d", totalCount)))
	}
	build(d, "Multinomial", s, func(b *base) {
		b.event = d.odds.categories(b, &s)
		d.each = NewBinomial(totalCount, Probs(d.odds.probs()), ValidateArgs(false))
		b.part(d.each)
		d.odds.both(s.validate)
	})
	return d
}

func (d *Multinomial) parameters() []parameter { return hiddenCategories(&d.odds) }

// TotalCount returns the number of draws. total_count in Python.
func (d *Multinomial) TotalCount() int64 { opened(d, "TotalCount"); return d.totalCount }

// Probs returns the probabilities, normalized.
func (d *Multinomial) Probs() *torch.Tensor { opened(d, "Probs"); return d.odds.probs() }

// Logits returns the log probabilities, normalized.
func (d *Multinomial) Logits() *torch.Tensor { opened(d, "Logits"); return d.odds.logits() }

// ParamShape returns the shape of the parameter. param_shape in Python.
func (d *Multinomial) ParamShape() torch.Shape { opened(d, "ParamShape"); return d.odds.shape() }

// Support returns the vectors of non-negative numbers that add up to at most the total
// count.
func (d *Multinomial) Support() constraints.Constraint {
	opened(d, "Support")
	return constraints.Multinomial(d.totalCount)
}

// Mean returns n p for each category.
func (d *Multinomial) Mean() *torch.Tensor {
	return compute(d, "Mean", func() *torch.Tensor { return d.odds.probs().MulScalar(d.totalCount) })
}

// Variance returns n p (1 - p) for each category.
func (d *Multinomial) Variance() *torch.Tensor {
	return compute(d, "Variance", func() *torch.Tensor {
		return d.odds.probs().MulScalar(d.totalCount).Mul(d.odds.probs().RSubScalar(1))
	})
}

// Sample draws counts in the dtype of the probabilities; see [Distribution].
func (d *Multinomial) Sample(opts ...SampleOption) *torch.Tensor {
	return drawPlain(d, opts, func(sample, shape torch.Shape) *torch.Tensor {
		drawn := drawCategories(&d.odds, slices.Concat(torch.Shape{d.totalCount}, sample)).MoveDim(0, -1)
		counts := torch.Zeros(shape, drawn.DType(), drawn.Device())
		return counts.ScatterAdd_(-1, drawn, torch.OnesLike(drawn)).TypeAs(d.odds.probs())
	})
}

// LogProb returns the log probability of value; see [Distribution].
func (d *Multinomial) LogProb(value *torch.Tensor) *torch.Tensor {
	return at(d, "LogProb", value, func() *torch.Tensor {
		ts := torch.BroadcastTensors(d.odds.logits(), value)
		logits, value, last := ts[0], ts[1], torch.Dim(-1)
		logits = logits.MaskedFill(value.EqScalar(0).LogicalAnd(logits.EqScalar(math.Inf(-1))), 0)
		return value.Sum(last).AddScalar(1).Lgamma().Sub(value.AddScalar(1).Lgamma().Sum(last)).
			Add(logits.Mul(value).Sum(last))
	})
}

// Entropy returns the entropy of each distribution in the batch; see [Distribution].
func (d *Multinomial) Entropy() *torch.Tensor {
	return compute(d, "Entropy", func() *torch.Tensor {
		n := torch.ScalarTensor(d.totalCount, torch.Int64, d.odds.probs().Device())
		term1 := n.Mul(categoryEntropy(&d.odds)).Sub(n.AddScalar(1).Lgamma())
		counts := d.each.EnumerateSupport(Expand(false)).Narrow(0, 1, d.totalCount)
		weighted := d.each.LogProb(counts).Exp().Mul(counts.AddScalar(1).Lgamma())
		return term1.Add(weighted.Sum(torch.Dims{0, -1}))
	})
}

// Expand returns the distribution with its batch expanded to batchShape; see [Distribution].
func (d *Multinomial) Expand(batchShape torch.Shape) Distribution {
	n := &Multinomial{}
	expand(d, n, batchShape, func(b *base, grow func(*torch.Tensor) *torch.Tensor) {
		n.totalCount = d.totalCount
		n.odds.grow(b, &d.odds, grow)
		n.each = b.expanded(d.each, slices.Concat(batchShape, d.event)).(*Binomial)
	})
	return n
}

// Close frees the tensors that the distribution made; see [Distribution].
func (d *Multinomial) Close() error { return closeAll(d) }
