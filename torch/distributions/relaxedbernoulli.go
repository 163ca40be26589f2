package distributions

import (
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributions/constraints"
)

// A LogitRelaxedBernoulli is the distribution of the log odds of a [RelaxedBernoulli]. Follows
// torch.distributions.relaxed_bernoulli.LogitRelaxedBernoulli.
type LogitRelaxedBernoulli struct {
	base
	temperature *torch.Tensor
	odds        odds
}

// NewLogitRelaxedBernoulli returns the distribution with a temperature, and with the
// probability [Probs] or log odds [Logits]. Each is a tensor or a number. See
// [NewBernoulli] for ownership and panics.
func NewLogitRelaxedBernoulli(temperature any, opts ...ProbsOption) *LogitRelaxedBernoulli {
	const op = "distributions.NewLogitRelaxedBernoulli"
	d := &LogitRelaxedBernoulli{}
	s := readProbsOptions(op, opts)
	build(d, "LogitRelaxedBernoulli", s, func(b *base) {
		name, v := s.exactlyOne(op)
		d.odds.set(b, binary, name, b.broadcast([]string{name}, v)[0])
		d.temperature = b.broadcast([]string{"temperature"}, temperature)[0]
		b.batch = d.odds.shape()
	})
	return d
}

func (d *LogitRelaxedBernoulli) parameters() []parameter {
	return d.odds.list(constraints.UnitInterval, constraints.Real)
}

// Temperature returns the temperature.
func (d *LogitRelaxedBernoulli) Temperature() *torch.Tensor {
	opened(d, "Temperature")
	return d.temperature
}

// Probs returns the probability of 1.
func (d *LogitRelaxedBernoulli) Probs() *torch.Tensor { opened(d, "Probs"); return d.odds.probs() }

// Logits returns the log odds of 1.
func (d *LogitRelaxedBernoulli) Logits() *torch.Tensor { opened(d, "Logits"); return d.odds.logits() }

// ParamShape returns the shape of the parameter. param_shape in Python.
func (d *LogitRelaxedBernoulli) ParamShape() torch.Shape {
	opened(d, "ParamShape")
	return d.odds.shape()
}

// Support returns the real numbers.
func (d *LogitRelaxedBernoulli) Support() constraints.Constraint {
	opened(d, "Support")
	return constraints.Real
}

// Sample draws samples without gradients; see [Distribution].
func (d *LogitRelaxedBernoulli) Sample(opts ...SampleOption) *torch.Tensor {
	return noGrad(func() *torch.Tensor { return d.draw("Sample", opts) })
}

// RSample draws samples with gradients; see [Distribution]. HasRSample is nevertheless false, as
// in PyTorch.
func (d *LogitRelaxedBernoulli) RSample(opts ...SampleOption) *torch.Tensor {
	return d.draw("RSample", opts)
}

func (d *LogitRelaxedBernoulli) draw(method string, opts []SampleOption) *torch.Tensor {
	return draw(d, method, opts, func(_, shape torch.Shape) *torch.Tensor {
		p := clampProbs(d.odds.probs().Expand(shape...))
		u := clampProbs(torch.Rand(shape, p.DType(), p.Device()))
		return u.Log().Sub(u.Neg().Log1p()).Add(p.Log()).Sub(p.Neg().Log1p()).Div(d.temperature)
	})
}

// LogProb returns the log density at value; see [Distribution].
func (d *LogitRelaxedBernoulli) LogProb(value *torch.Tensor) *torch.Tensor {
	return at(d, "LogProb", value, func() *torch.Tensor {
		diff := d.odds.logits().Sub(value.Mul(d.temperature))
		return d.temperature.Log().Add(diff).Sub(times(2, diff.Exp().Log1p()))
	})
}

// Expand returns the distribution with its batch expanded to batchShape; see [Distribution].
func (d *LogitRelaxedBernoulli) Expand(batchShape torch.Shape) Distribution {
	n := &LogitRelaxedBernoulli{}
	expand(d, n, batchShape, func(b *base, grow func(*torch.Tensor) *torch.Tensor) {
		n.odds.grow(b, &d.odds, grow)
		n.temperature = b.keep(alias(d.temperature))
	})
	return n
}

// Close frees the tensors that the distribution made; see [Distribution].
func (d *LogitRelaxedBernoulli) Close() error { return closeAll(d) }

// A RelaxedBernoulli is a distribution on the unit interval that approaches a [Bernoulli]
// as its temperature falls, and whose samples have gradients. Follows
// torch.distributions.RelaxedBernoulli.
type RelaxedBernoulli struct {
	TransformedDistribution
	logit *LogitRelaxedBernoulli
}

// NewRelaxedBernoulli returns the distribution with a temperature, and with the
// probability [Probs] or log odds [Logits]. Each is a tensor or a number. See
// [NewBernoulli] for ownership and panics.
func NewRelaxedBernoulli(temperature any, opts ...ProbsOption) *RelaxedBernoulli {
	const op = "distributions.NewRelaxedBernoulli"
	d := &RelaxedBernoulli{}
	s := readProbsOptions(op, opts)
	build(d, "RelaxedBernoulli", s, func(b *base) {
		name, v := s.exactlyOne(op)
		param := b.broadcast([]string{name}, v)[0]
		t := b.broadcast([]string{"temperature"}, temperature)[0]
		d.logit = NewLogitRelaxedBernoulli(t, ParamOption{logits: name == "logits", value: param}, ValidateArgs(false))
		b.inner(d.logit, s.validate)
		d.logit.odds.both(s.validate)
		d.set(b, d.logit, SigmoidTransform)
		b.rsample = true
	})
	return d
}

func (d *RelaxedBernoulli) parameters() []parameter {
	list := d.logit.parameters()
	list[0].hidden = true
	return list
}

// Temperature returns the temperature.
func (d *RelaxedBernoulli) Temperature() *torch.Tensor {
	opened(d, "Temperature")
	return d.logit.temperature
}

// Probs returns the probability of 1.
func (d *RelaxedBernoulli) Probs() *torch.Tensor { opened(d, "Probs"); return d.logit.odds.probs() }

// Logits returns the log odds of 1.
func (d *RelaxedBernoulli) Logits() *torch.Tensor { opened(d, "Logits"); return d.logit.odds.logits() }

// Expand returns the distribution with its batch expanded to batchShape; see [Distribution].
func (d *RelaxedBernoulli) Expand(batchShape torch.Shape) Distribution {
	n := &RelaxedBernoulli{}
	expand(d, n, batchShape, func(b *base, _ func(*torch.Tensor) *torch.Tensor) {
		n.logit = b.expanded(d.logit, batchShape).(*LogitRelaxedBernoulli)
		n.set(b, n.logit, SigmoidTransform)
		b.rsample = true
	})
	return n
}

// Close frees the tensors that the distribution made; see [Distribution].
func (d *RelaxedBernoulli) Close() error { return closeAll(d) }
