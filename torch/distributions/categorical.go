package distributions

import (
	"math"
	"slices"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributions/constraints"
)

// A Categorical is a distribution over the integers from 0 to n-1, each with its own
// probability. Follows torch.distributions.Categorical.
type Categorical struct {
	base
	odds odds
}

// NewCategorical returns the categorical distribution over the last dimension of a
// tensor; the dimensions before it are the batch. [Probs] are probabilities, which need
// not add up to 1; [Logits] are log probabilities up to a constant. See [NewNormal] for
// ownership and panics. NewCategorical also panics with ErrValue unless exactly one of
// the two is given, with ErrType for an argument that is not a tensor and with ErrShape
// for a tensor without dimensions. Probabilities must not be negative.
func NewCategorical(opts ...ProbsOption) *Categorical {
	d := &Categorical{}
	s := readProbsOptions("distributions.NewCategorical", opts)
	build(d, "Categorical", s, func(b *base) {
		d.odds.categories(b, &s)
		b.enumerates = true
	})
	return d
}

func (d *Categorical) parameters() []parameter {
	return d.odds.list(constraints.Simplex, constraints.RealVector)
}

// Probs returns the probabilities, normalized.
func (d *Categorical) Probs() *torch.Tensor { opened(d, "Probs"); return d.odds.probs() }

// Logits returns the log probabilities, normalized.
func (d *Categorical) Logits() *torch.Tensor { opened(d, "Logits"); return d.odds.logits() }

// ParamShape returns the shape of the parameter. param_shape in Python.
func (d *Categorical) ParamShape() torch.Shape { opened(d, "ParamShape"); return d.odds.shape() }

func (d *Categorical) count() int64 { return d.odds.given.Size(-1) }

// Support returns the integers from 0 to the number of categories minus 1.
func (d *Categorical) Support() constraints.Constraint {
	opened(d, "Support")
	return constraints.IntegerInterval(0, d.count()-1)
}

// Mean returns NaN.
func (d *Categorical) Mean() *torch.Tensor {
	return compute(d, "Mean", func() *torch.Tensor { return filled(&d.base, d.odds.probs(), math.NaN()) })
}

// Mode returns the most likely category, as Int64.
func (d *Categorical) Mode() *torch.Tensor {
	return compute(d, "Mode", func() *torch.Tensor { return d.odds.probs().ArgMax(torch.Dim(-1)) })
}

// Variance returns NaN.
func (d *Categorical) Variance() *torch.Tensor {
	return compute(d, "Variance", func() *torch.Tensor { return filled(&d.base, d.odds.probs(), math.NaN()) })
}

// Sample draws categories, as Int64; see [Distribution].
func (d *Categorical) Sample(opts ...SampleOption) *torch.Tensor {
	return drawPlain(d, opts, func(sample, _ torch.Shape) *torch.Tensor { return drawCategories(&d.odds, sample) })
}

// drawCategories draws categories. The result has the shape of sample followed by the batch.
func drawCategories(o *odds, sample torch.Shape) *torch.Tensor {
	shape := o.probs().Shape()
	rows := o.probs().Reshape(-1, shape[len(shape)-1])
	return rows.Multinomial(sample.Numel(), torch.Replacement(true)).T().Reshape(slices.Concat(sample,
		shape[:len(shape)-1])...)
}

// LogProb returns the log probability of value, which holds categories in any dtype; see
// [Distribution].
func (d *Categorical) LogProb(value *torch.Tensor) *torch.Tensor {
	return at(d, "LogProb", value, func() *torch.Tensor { return categoryLogProb(&d.odds, value) })
}

func categoryLogProb(o *odds, value *torch.Tensor) *torch.Tensor {
	ts := torch.BroadcastTensors(value.Long().Unsqueeze(-1), o.logits())
	return ts[1].Gather(-1, ts[0].Narrow(-1, 0, 1)).Squeeze(-1)
}

// Entropy returns the entropy of each distribution in the batch; see [Distribution].
func (d *Categorical) Entropy() *torch.Tensor {
	return compute(d, "Entropy", func() *torch.Tensor { return categoryEntropy(&d.odds) })
}

func categoryEntropy(o *odds) *torch.Tensor {
	logits := o.logits().Clamp(torch.Finfo(o.logits().DType()).Min, nil) // so that 0 log(0) is 0
	return logits.Mul(o.probs()).Sum(torch.Dim(-1)).Neg()
}

// EnumerateSupport returns the categories, as Int64; see [Distribution].
func (d *Categorical) EnumerateSupport(opts ...EnumerateOption) *torch.Tensor {
	return enumerate(d, opts, func() *torch.Tensor {
		return torch.Arange(d.count(), torch.Int64, d.odds.given.Device())
	})
}

// Expand returns the distribution with its batch expanded to batchShape; see [Distribution].
func (d *Categorical) Expand(batchShape torch.Shape) Distribution {
	n := &Categorical{}
	expand(d, n, batchShape, func(b *base, grow func(*torch.Tensor) *torch.Tensor) { n.odds.grow(b, &d.odds, grow) })
	return n
}

// Close frees the tensors that the distribution made; see [Distribution].
func (d *Categorical) Close() error { return closeAll(d) }
