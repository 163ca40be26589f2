package distributions

import (
	"math"

	"github.com/gotorch/gotorch/torch"
)

// This file has the divergences from distributions on an interval: Beta,
// ContinuousBernoulli and Uniform.

var klBeta = []klEntry{
	kl(klBetaContinuousBernoulli), kl(klBetaExponential), kl(klBetaGamma), kl(klBetaNormal), kl(klBetaUniform),
	infinite[*Beta, *Pareto](func(p *Beta) *torch.Tensor { return p.concentration1 }),
}

func (d *Beta) total() *torch.Tensor { return d.concentration1.Add(d.concentration0) }

// share returns the mean of d: concentration1 divided by the sum of both
// concentrations.
func (d *Beta) share() *torch.Tensor { return d.concentration1.Div(d.total()) }

func klBetaContinuousBernoulli(p *Beta, q *ContinuousBernoulli) *torch.Tensor {
	return p.Entropy().Neg().Sub(p.Mean().Mul(q.odds.logits())).Sub(q.odds.probs().Neg().Log1p()).Sub(q.logNorm())
}

func klBetaExponential(p *Beta, q *Exponential) *torch.Tensor {
	return p.Entropy().Neg().Sub(q.rate.Log()).Add(q.rate.Mul(p.share()))
}

// logNormalizer returns log(gamma(concentration)) - concentration log(rate).
func (d *Gamma) logNormalizer() *torch.Tensor {
	return d.concentration.Lgamma().Sub(d.concentration.Mul(d.rate.Log()))
}

func klBetaGamma(p *Beta, q *Gamma) *torch.Tensor {
	t3 := minus(q.concentration, 1).Mul(p.concentration1.Digamma().Sub(p.total().Digamma()))
	t4 := q.rate.Mul(p.concentration1).Div(p.total())
	return p.Entropy().Neg().Add(q.logNormalizer()).Sub(t3).Add(t4)
}

func klBetaNormal(p *Beta, q *Normal) *torch.Tensor {
	mean, variance := p.share(), q.scale.PowScalar(2)
	t2 := times(0.5, times(times(variance, 2), math.Pi).Log())
	t3 := times(mean.Mul(minus(1, mean)).Div(plus(p.total(), 1)).Add(mean.PowScalar(2)), 0.5)
	t4 := q.loc.Mul(mean)
	t5 := times(q.loc.PowScalar(2), 0.5)
	return p.Entropy().Neg().Add(t2).Add(t3.Sub(t4).Add(t5).Div(variance))
}

func klBetaUniform(p *Beta, q *Uniform) *torch.Tensor {
	result := p.Entropy().Neg().Add(q.length().Log())
	return infiniteWhere(q.low.GtScalar(0).LogicalOr(q.high.LtScalar(1)), result)
}

var klContinuousBernoulli = []klEntry{
	kl(klContinuousBernoulliExponential), kl(klContinuousBernoulliNormal), kl(klContinuousBernoulliUniform),
	infinite[*ContinuousBernoulli, *Pareto](func(p *ContinuousBernoulli) *torch.Tensor { return p.odds.probs() }),
}

func klContinuousBernoulliExponential(p *ContinuousBernoulli, q *Exponential) *torch.Tensor {
	return p.Entropy().Neg().Sub(q.rate.Log()).Add(q.rate.Mul(p.expected()))
}

func klContinuousBernoulliNormal(p *ContinuousBernoulli, q *Normal) *torch.Tensor {
	mean := p.expected()
	t2 := times(0.5, plus(math.Log(2*math.Pi), q.loc.Div(q.scale).Square())).Add(q.scale.Log())
	t3 := p.Variance().Add(mean.Square()).Sub(times(2.0, q.loc).Mul(mean)).Div(times(2.0, q.scale.Square()))
	return p.Entropy().Neg().Add(t2).Add(t3)
}

// klContinuousBernoulliUniform returns infinity unless low < 0 and high > 1, as PyTorch
// does. The true divergence is finite for low <= 0 and high >= 1.
func klContinuousBernoulliUniform(p *ContinuousBernoulli, q *Uniform) *torch.Tensor {
	result := p.Entropy().Neg().Add(q.length().Log())
	return infiniteWhere(q.low.GeScalar(0).LogicalOr(q.high.LeScalar(1)), result)
}

var klUniform = []klEntry{
	kl(klUniformBeta), kl(klUniformContinuousBernoulli), kl(klUniformExponential), kl(klUniformGamma),
	kl(klUniformGumbel), kl(klUniformNormal), kl(klUniformPareto),
}

func xLogX(x *torch.Tensor) *torch.Tensor { return x.Xlogy(x) }

func klUniformBeta(p *Uniform, q *Beta) *torch.Tensor {
	length := p.length()
	t2 := minus(q.concentration1, 1).Mul(xLogX(p.high).Sub(xLogX(p.low)).Sub(length)).Div(length)
	t3 := minus(q.concentration0, 1).Mul(xLogX(minus(1, p.high)).Sub(xLogX(minus(1, p.low))).Add(length)).Div(length)
	t4 := q.concentration1.Lgamma().Add(q.concentration0.Lgamma()).Sub(q.total().Lgamma())
	result := t3.Add(t4).Sub(length.Log()).Sub(t2)
	return infiniteWhere(p.high.GtScalar(1).LogicalOr(p.low.LtScalar(0)), result)
}

func klUniformContinuousBernoulli(p *Uniform, q *ContinuousBernoulli) *torch.Tensor {
	result := p.Entropy().Neg().Sub(p.Mean().Mul(q.odds.logits())).Sub(q.odds.probs().Neg().Log1p()).Sub(q.logNorm())
	return infiniteWhere(p.high.GeScalar(1).LogicalOr(p.low.LeScalar(0)), result)
}

func klUniformExponential(p *Uniform, q *Exponential) *torch.Tensor {
	result := over(q.rate.Mul(p.high.Add(p.low)), 2).Sub(p.length().Mul(q.rate).Log())
	return infiniteWhere(p.low.LtScalar(0), result)
}

func klUniformGamma(p *Uniform, q *Gamma) *torch.Tensor {
	length := p.length()
	t3 := minus(1, q.concentration).Mul(xLogX(p.high).Sub(xLogX(p.low)).Sub(length)).Div(length)
	t4 := over(q.rate.Mul(p.high.Add(p.low)), 2)
	result := length.Log().Neg().Add(q.logNormalizer()).Add(t3).Add(t4)
	return infiniteWhere(p.low.LtScalar(0), result)
}

func klUniformGumbel(p *Uniform, q *Gumbel) *torch.Tensor {
	ratio := q.scale.Div(p.length())
	high, low := p.high.Sub(q.loc).Div(q.scale), p.low.Sub(q.loc).Div(q.scale)
	t1 := ratio.Log().Add(times(0.5, high.Add(low)))
	return t1.Sub(ratio.Mul(high.Neg().Exp().Sub(low.Neg().Exp())))
}

func klUniformNormal(p *Uniform, q *Normal) *torch.Tensor {
	length := p.length()
	t1 := times(math.Sqrt(math.Pi*2), q.scale).Div(length).Log()
	t2 := over(length.PowScalar(2), 12)
	t3 := over(p.high.Add(p.low).Sub(times(2, q.loc)), 2).PowScalar(2)
	return t1.Add(times(0.5, t2.Add(t3)).Div(q.scale.PowScalar(2)))
}

func klUniformPareto(p *Uniform, q *Pareto) *torch.Tensor {
	length := p.length()
	t1 := q.alpha.Mul(q.scale.Pow(q.alpha)).Mul(length).Log()
	t2 := xLogX(p.high).Sub(xLogX(p.low)).Sub(length).Div(length)
	return infiniteWhere(p.low.Lt(q.scale), t2.Mul(plus(q.alpha, 1)).Sub(t1))
}
