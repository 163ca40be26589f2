package distributions

import (
	"math"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributions/constraints"
)

// A ContinuousBernoulli is a continuous Bernoulli distribution on the unit interval, for
// example for the pixels of an image (https://arxiv.org/abs/1907.06845). Follows
// torch.distributions.ContinuousBernoulli.
type ContinuousBernoulli struct {
	base
	odds odds
	lims LimsOption
}

// NewContinuousBernoulli returns the continuous Bernoulli distribution with parameter
// [Probs] or log odds [Logits], a tensor or a number. See [NewNormal] for ownership and
// panics. NewContinuousBernoulli also panics with ErrValue unless exactly one of the two
// is given. Probs must be in [0, 1], and is clamped to the inside of that interval.
func NewContinuousBernoulli(opts ...ContinuousBernoulliOption) *ContinuousBernoulli {
	const op = "distributions.NewContinuousBernoulli"
	d := &ContinuousBernoulli{}
	s := readContinuousBernoulliOptions(op, opts)
	build(d, "ContinuousBernoulli", s, func(b *base) {
		name, v := s.exactlyOne(op)
		d.lims = s.lims
		d.odds.set(b, inside, name, b.broadcast([]string{name}, v)[0])
		if b.validate {
			b.checkParameters(op) // check before clamping, which would hide invalid values
		}
		if name == "probs" {
			d.odds.given = b.keep(clampProbs(d.odds.given))
		}
		b.batch, b.rsample = d.odds.shape(), true
	})
	return d
}

func (d *ContinuousBernoulli) parameters() []parameter {
	return d.odds.list(constraints.UnitInterval, constraints.Real)
}

// Probs returns the parameter, a tensor of the distribution.
func (d *ContinuousBernoulli) Probs() *torch.Tensor { opened(d, "Probs"); return d.odds.probs() }

// Logits returns the log odds.
func (d *ContinuousBernoulli) Logits() *torch.Tensor { opened(d, "Logits"); return d.odds.logits() }

// ParamShape returns the shape of the parameter. param_shape in Python.
func (d *ContinuousBernoulli) ParamShape() torch.Shape {
	opened(d, "ParamShape")
	return d.odds.shape()
}

// Support returns the unit interval.
func (d *ContinuousBernoulli) Support() constraints.Constraint {
	opened(d, "Support")
	return constraints.UnitInterval
}

// stable reports where the formulas are numerically stable. probs equals the parameter
// there, and is a value with stable formulas elsewhere.
func (d *ContinuousBernoulli) stable() (where, probs *torch.Tensor) {
	p := d.odds.probs()
	where = p.LeScalar(d.lims.low).LogicalOr(p.GtScalar(d.lims.high))
	return where, torch.Where(where, p, torch.FullLike(p, d.lims.low))
}

// logNorm returns the logarithm of the normalizing constant of the density.
func (d *ContinuousBernoulli) logNorm() *torch.Tensor {
	where, cut := d.stable()
	low := cut.LeScalar(0.5)
	below := torch.Where(low, cut, torch.ZerosLike(cut))
	above := torch.Where(cut.GeScalar(0.5), cut, torch.OnesLike(cut))
	norm := cut.Neg().Log1p().Sub(cut.Log()).Abs().Log().
		Sub(torch.Where(low, below.MulScalar(-2).Log1p(), above.MulScalar(2).SubScalar(1).Log()))
	x := d.odds.probs().SubScalar(0.5).PowScalar(2)
	taylor := x.MulScalar(104.0 / 45).AddScalar(4.0 / 3).Mul(x).AddScalar(math.Ln2)
	return torch.Where(where, norm, taylor)
}

func (d *ContinuousBernoulli) expected() *torch.Tensor {
	where, cut := d.stable()
	mean := cut.Div(cut.MulScalar(2).SubScalar(1)).Add(cut.Neg().Log1p().Sub(cut.Log()).Reciprocal())
	x := d.odds.probs().SubScalar(0.5)
	taylor := x.PowScalar(2).MulScalar(16.0 / 45).AddScalar(1.0 / 3).Mul(x).AddScalar(0.5)
	return torch.Where(where, mean, taylor)
}

// Mean returns the mean of each distribution in the batch; see [Distribution].
func (d *ContinuousBernoulli) Mean() *torch.Tensor { return compute(d, "Mean", d.expected) }

// Variance returns the variance of each distribution in the batch; see [Distribution].
func (d *ContinuousBernoulli) Variance() *torch.Tensor {
	return compute(d, "Variance", func() *torch.Tensor {
		where, cut := d.stable()
		v := cut.Mul(cut.SubScalar(1)).Div(cut.MulScalar(2).RSubScalar(1).PowScalar(2)).
			Add(cut.Neg().Log1p().Sub(cut.Log()).PowScalar(2).Reciprocal())
		x := d.odds.probs().SubScalar(0.5).PowScalar(2)
		taylor := x.MulScalar(128.0 / 945).RSubScalar(1.0 / 15).Mul(x).RSubScalar(1.0 / 12)
		return torch.Where(where, v, taylor)
	})
}

// RSample draws samples with gradients; see [Distribution].
func (d *ContinuousBernoulli) RSample(opts ...SampleOption) *torch.Tensor {
	return draw(d, "RSample", opts, func(_, shape torch.Shape) *torch.Tensor {
		p := d.odds.probs()
		return d.quantile(torch.Rand(shape, p.DType(), p.Device()))
	})
}

// LogProb returns the log density at value; see [Distribution].
func (d *ContinuousBernoulli) LogProb(value *torch.Tensor) *torch.Tensor {
	return at(d, "LogProb", value, func() *torch.Tensor {
		return crossEntropy(d.odds.logits(), value).Neg().Add(d.logNorm())
	})
}

// CDF returns the probability that a sample is at most value; see [Distribution].
func (d *ContinuousBernoulli) CDF(value *torch.Tensor) *torch.Tensor {
	return at(d, "CDF", value, func() *torch.Tensor {
		where, cut := d.stable()
		p := cut.Pow(value).Mul(cut.RSubScalar(1).Pow(value.RSubScalar(1))).Add(cut).SubScalar(1).
			Div(cut.MulScalar(2).SubScalar(1))
		inside := torch.Where(where, p, value)
		return torch.Where(value.LeScalar(0), torch.ZerosLike(value),
			torch.Where(value.GeScalar(1), torch.OnesLike(value), inside))
	})
}

// ICDF returns the inverse of CDF; see [Distribution].
func (d *ContinuousBernoulli) ICDF(value *torch.Tensor) *torch.Tensor {
	return unchecked(d, "ICDF", value, func() *torch.Tensor { return d.quantile(value) })
}

func (d *ContinuousBernoulli) quantile(value *torch.Tensor) *torch.Tensor {
	where, cut := d.stable()
	log1m := cut.Neg().Log1p()
	x := value.Mul(cut.MulScalar(2).SubScalar(1)).Sub(cut).Log1p().Sub(log1m).Div(cut.Log().Sub(log1m))
	return torch.Where(where, x, value)
}

// Entropy returns the entropy of each distribution in the batch; see [Distribution].
func (d *ContinuousBernoulli) Entropy() *torch.Tensor {
	return compute(d, "Entropy", func() *torch.Tensor {
		log0, log1 := d.odds.probs().Neg().Log1p(), d.odds.probs().Log()
		return d.expected().Mul(log0.Sub(log1)).Sub(d.logNorm()).Sub(log0)
	})
}

// Expand returns the distribution with its batch expanded to batchShape; see [Distribution].
func (d *ContinuousBernoulli) Expand(batchShape torch.Shape) Distribution {
	n := &ContinuousBernoulli{}
	expand(d, n, batchShape, func(b *base, grow func(*torch.Tensor) *torch.Tensor) {
		n.lims = d.lims
		n.odds.grow(b, &d.odds, grow)
	})
	return n
}

// Close frees the tensors that the distribution made; see [Distribution].
func (d *ContinuousBernoulli) Close() error { return closeAll(d) }
