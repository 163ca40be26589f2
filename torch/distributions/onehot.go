package distributions

import (
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributions/constraints"
)

// A OneHotCategorical is a [Categorical] distribution whose values are one-hot vectors.
// Follows torch.distributions.OneHotCategorical.
type OneHotCategorical struct {
	base
	odds odds
}

// NewOneHotCategorical returns the distribution over the last dimension of a tensor. See
// [NewCategorical] for options, ownership and panics.
func NewOneHotCategorical(opts ...ProbsOption) *OneHotCategorical {
	d := &OneHotCategorical{}
	s := readProbsOptions("distributions.NewOneHotCategorical", opts)
	build(d, "OneHotCategorical", s, func(*base) { d.set(&s) })
	return d
}

func (d *OneHotCategorical) set(s *settings) {
	d.event = d.odds.categories(&d.base, s)
	d.enumerates = true
	d.odds.both(s.validate)
}

func (d *OneHotCategorical) parameters() []parameter { return hiddenCategories(&d.odds) }

// hiddenCategories returns the parameters of a distribution over categories, which String
// does not print.
func hiddenCategories(o *odds) []parameter {
	list := o.list(constraints.Simplex, constraints.RealVector)
	list[0].hidden = true
	return list
}

// Probs returns the probabilities, normalized.
func (d *OneHotCategorical) Probs() *torch.Tensor { opened(d, "Probs"); return d.odds.probs() }

// Logits returns the log probabilities, normalized.
func (d *OneHotCategorical) Logits() *torch.Tensor { opened(d, "Logits"); return d.odds.logits() }

// ParamShape returns the shape of the parameter. param_shape in Python.
func (d *OneHotCategorical) ParamShape() torch.Shape { opened(d, "ParamShape"); return d.odds.shape() }

// Support returns the one-hot vectors.
func (d *OneHotCategorical) Support() constraints.Constraint {
	opened(d, "Support")
	return constraints.OneHot
}

// Mean returns the probabilities.
func (d *OneHotCategorical) Mean() *torch.Tensor {
	return compute(d, "Mean", func() *torch.Tensor { return alias(d.odds.probs()) })
}

// Mode returns the one-hot vector of the most likely category.
func (d *OneHotCategorical) Mode() *torch.Tensor {
	return compute(d, "Mode", func() *torch.Tensor {
		return oneHot(d.odds.probs().ArgMax(torch.Dim(-1)), d.odds.probs())
	})
}

// Variance returns p (1 - p) for each category.
func (d *OneHotCategorical) Variance() *torch.Tensor {
	return compute(d, "Variance", func() *torch.Tensor { return d.odds.probs().Mul(d.odds.probs().RSubScalar(1)) })
}

// Sample draws vectors in the dtype of the probabilities; see [Distribution].
func (d *OneHotCategorical) Sample(opts ...SampleOption) *torch.Tensor {
	return drawPlain(d, opts, func(sample, _ torch.Shape) *torch.Tensor {
		return oneHot(drawCategories(&d.odds, sample), d.odds.probs())
	})
}

// LogProb returns the log probability of value; see [Distribution].
func (d *OneHotCategorical) LogProb(value *torch.Tensor) *torch.Tensor {
	return at(d, "LogProb", value, func() *torch.Tensor {
		_, indices := value.MaxDim(-1)
		return categoryLogProb(&d.odds, indices)
	})
}

// Entropy returns the entropy of each distribution in the batch; see [Distribution].
func (d *OneHotCategorical) Entropy() *torch.Tensor {
	return compute(d, "Entropy", func() *torch.Tensor { return categoryEntropy(&d.odds) })
}

// EnumerateSupport returns the vectors as an identity matrix; see [Distribution].
func (d *OneHotCategorical) EnumerateSupport(opts ...EnumerateOption) *torch.Tensor {
	return enumerate(d, opts, func() *torch.Tensor {
		p := d.odds.given
		return torch.Eye(d.event[0], p.DType(), p.Device())
	})
}

// Expand returns the distribution with its batch expanded to batchShape; see [Distribution].
func (d *OneHotCategorical) Expand(batchShape torch.Shape) Distribution {
	n := &OneHotCategorical{}
	expand(d, n, batchShape, func(b *base, grow func(*torch.Tensor) *torch.Tensor) { n.odds.grow(b, &d.odds, grow) })
	return n
}

// Close frees the tensors that the distribution made; see [Distribution].
func (d *OneHotCategorical) Close() error { return closeAll(d) }

// A OneHotCategoricalStraightThrough is a [OneHotCategorical] distribution with RSample:
// the gradient of a sample is passed to the probabilities unchanged. Follows
// torch.distributions.OneHotCategoricalStraightThrough.
type OneHotCategoricalStraightThrough struct {
	OneHotCategorical
}

// NewOneHotCategoricalStraightThrough returns the distribution over the last dimension of
// a tensor. See [NewCategorical] for options, ownership and panics.
func NewOneHotCategoricalStraightThrough(opts ...ProbsOption) *OneHotCategoricalStraightThrough {
	d := &OneHotCategoricalStraightThrough{}
	s := readProbsOptions("distributions.NewOneHotCategoricalStraightThrough", opts)
	build(d, "OneHotCategoricalStraightThrough", s, func(b *base) {
		d.set(&s)
		b.rsample = true
	})
	return d
}

// RSample draws one-hot vectors; see [Distribution]. Gradients pass unchanged to the probabilities.
func (d *OneHotCategoricalStraightThrough) RSample(opts ...SampleOption) *torch.Tensor {
	return draw(d, "RSample", opts, func(sample, _ torch.Shape) *torch.Tensor {
		p := d.odds.probs()
		return d.Sample(SampleShape(sample)).Add(p.Sub(p.Detach()))
	})
}

// Expand returns the distribution with its batch expanded to batchShape; see [Distribution].
func (d *OneHotCategoricalStraightThrough) Expand(batchShape torch.Shape) Distribution {
	n := &OneHotCategoricalStraightThrough{}
	expand(d, n, batchShape, func(b *base, grow func(*torch.Tensor) *torch.Tensor) { n.odds.grow(b, &d.odds, grow) })
	return n
}

// Close frees the tensors that the distribution made; see [Distribution].
func (d *OneHotCategoricalStraightThrough) Close() error { return closeAll(d) }
