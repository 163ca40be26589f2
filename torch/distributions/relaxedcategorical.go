package distributions

import (
	"slices"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributions/constraints"
)

// An ExpRelaxedCategorical is the distribution of the logarithm of a
// [RelaxedOneHotCategorical]. Follows
// torch.distributions.relaxed_categorical.ExpRelaxedCategorical.
type ExpRelaxedCategorical struct {
	base
	temperature *torch.Tensor
	odds        odds
}

// NewExpRelaxedCategorical returns the distribution with a temperature, a tensor or a
// number, and with [Probs] or [Logits] of the categories. See [NewCategorical] for
// ownership and panics.
func NewExpRelaxedCategorical(temperature any, opts ...ProbsOption) *ExpRelaxedCategorical {
	d := &ExpRelaxedCategorical{}
	s := readProbsOptions("distributions.NewExpRelaxedCategorical", opts)
	build(d, "ExpRelaxedCategorical", s, func(b *base) {
		b.event, b.rsample = d.odds.categories(b, &s), true
		d.odds.both(s.validate)
		d.temperature = b.broadcast([]string{"temperature"}, temperature)[0]
	})
	return d
}

func (d *ExpRelaxedCategorical) parameters() []parameter { return hiddenCategories(&d.odds) }

// Temperature returns the temperature.
func (d *ExpRelaxedCategorical) Temperature() *torch.Tensor {
	opened(d, "Temperature")
	return d.temperature
}

// Probs returns the probabilities, normalized.
func (d *ExpRelaxedCategorical) Probs() *torch.Tensor { opened(d, "Probs"); return d.odds.probs() }

// Logits returns the log probabilities, normalized.
func (d *ExpRelaxedCategorical) Logits() *torch.Tensor { opened(d, "Logits"); return d.odds.logits() }

// ParamShape returns the shape of the parameter. param_shape in Python.
func (d *ExpRelaxedCategorical) ParamShape() torch.Shape {
	opened(d, "ParamShape")
	return d.odds.shape()
}

// Support returns the vectors of real numbers, as in PyTorch. The actual support is the set
// of vectors whose exponentials add up to 1.
func (d *ExpRelaxedCategorical) Support() constraints.Constraint {
	opened(d, "Support")
	return constraints.RealVector
}

// RSample draws samples with gradients; see [Distribution].
func (d *ExpRelaxedCategorical) RSample(opts ...SampleOption) *torch.Tensor {
	return draw(d, "RSample", opts, func(_, shape torch.Shape) *torch.Tensor {
		l := d.odds.logits()
		u := clampProbs(torch.Rand(shape, l.DType(), l.Device()))
		return logNormalized(l.Add(u.Log().Neg().Log().Neg()).Div(d.temperature))
	})
}

// logNormalized subtracts the logarithm of the sum of exponentials over the last
// dimension.
func logNormalized(scores *torch.Tensor) *torch.Tensor {
	return scores.Sub(scores.LogSumExp(torch.Dim(-1), torch.KeepDim(true)))
}

// LogProb returns the log density at value; see [Distribution].
func (d *ExpRelaxedCategorical) LogProb(value *torch.Tensor) *torch.Tensor {
	return at(d, "LogProb", value, func() *torch.Tensor {
		k := float64(d.event[0])
		scale := torch.FullLike(d.temperature, k).Lgamma().Sub(d.temperature.Log().MulScalar(-(k - 1)))
		return logNormalized(d.odds.logits().Sub(value.Mul(d.temperature))).Sum(torch.Dim(-1)).Add(scale)
	})
}

// Expand returns the distribution with its batch expanded to batchShape; see [Distribution].
func (d *ExpRelaxedCategorical) Expand(batchShape torch.Shape) Distribution {
	n := &ExpRelaxedCategorical{}
	expand(d, n, batchShape, func(b *base, grow func(*torch.Tensor) *torch.Tensor) {
		n.odds.grow(b, &d.odds, grow)
		n.temperature = b.keep(alias(d.temperature))
	})
	return n
}

// Close frees the tensors that the distribution made; see [Distribution].
func (d *ExpRelaxedCategorical) Close() error { return closeAll(d) }

// A RelaxedOneHotCategorical is a distribution on the simplex that approaches a
// [OneHotCategorical] as its temperature falls, and whose samples have gradients. Follows
// torch.distributions.RelaxedOneHotCategorical.
type RelaxedOneHotCategorical struct {
	TransformedDistribution
	exp *ExpRelaxedCategorical
}

// NewRelaxedOneHotCategorical returns the distribution with a temperature, a tensor or a
// number, and with [Probs] or [Logits] of the categories. See [NewCategorical] for
// ownership and panics.
func NewRelaxedOneHotCategorical(temperature any, opts ...ProbsOption) *RelaxedOneHotCategorical {
	d := &RelaxedOneHotCategorical{}
	s := readProbsOptions("distributions.NewRelaxedOneHotCategorical", opts)
	build(d, "RelaxedOneHotCategorical", s, func(b *base) {
		// The base distribution uses the parameter as normalized here, so that it is
		// normalized only once.
		e := &ExpRelaxedCategorical{}
		event := e.odds.categories(b, &s)
		t := b.broadcast([]string{"temperature"}, temperature)[0]
		build(e, "ExpRelaxedCategorical", settings{}, func(inner *base) {
			inner.batch, inner.event, inner.rsample = slices.Clone(b.batch), event, true
			e.temperature = t
		})
		b.inner(e, s.validate)
		d.exp = e
		d.set(b, e, ExpTransform)
	})
	return d
}

func (d *RelaxedOneHotCategorical) parameters() []parameter { return hiddenCategories(&d.exp.odds) }

// Temperature returns the temperature.
func (d *RelaxedOneHotCategorical) Temperature() *torch.Tensor {
	opened(d, "Temperature")
	return d.exp.temperature
}

// Probs returns the probabilities, normalized.
func (d *RelaxedOneHotCategorical) Probs() *torch.Tensor {
	opened(d, "Probs")
	return d.exp.odds.probs()
}

// Logits returns the log probabilities, normalized.
func (d *RelaxedOneHotCategorical) Logits() *torch.Tensor {
	opened(d, "Logits")
	return d.exp.odds.logits()
}

// Support returns the simplex.
func (d *RelaxedOneHotCategorical) Support() constraints.Constraint {
	opened(d, "Support")
	return constraints.Simplex
}

// Expand returns the distribution with its batch expanded to batchShape; see [Distribution].
func (d *RelaxedOneHotCategorical) Expand(batchShape torch.Shape) Distribution {
	n := &RelaxedOneHotCategorical{}
	expand(d, n, batchShape, func(b *base, _ func(*torch.Tensor) *torch.Tensor) {
		n.exp = b.expanded(d.exp, batchShape).(*ExpRelaxedCategorical)
		n.set(b, n.exp, ExpTransform)
	})
	return n
}

// Close frees the tensors that the distribution made; see [Distribution].
func (d *RelaxedOneHotCategorical) Close() error { return closeAll(d) }
