package distributions

import (
	"math"

	"github.com/gotorch/gotorch/torch"
)

// This file has the divergences from distributions on a half line: Exponential, Gamma and Pareto.

var klExponential = []klEntry{
	kl(klExponentialGamma), kl(klExponentialGumbel), kl(klExponentialNormal),
	infinite[*Exponential, *Beta](exponentialRate), infinite[*Exponential, *ContinuousBernoulli](exponentialRate),
	infinite[*Exponential, *Pareto](exponentialRate), infinite[*Exponential, *Uniform](exponentialRate),
}

func exponentialRate(p *Exponential) *torch.Tensor { return p.rate }

func klExponentialGamma(p *Exponential, q *Gamma) *torch.Tensor {
	ratio := q.rate.Div(p.rate)
	t1 := q.concentration.Neg().Mul(ratio.Log())
	return minus(t1.Add(ratio).Add(q.concentration.Lgamma()).Add(times(q.concentration, eulerGamma)), 1+eulerGamma)
}

func klExponentialGumbel(p *Exponential, q *Gumbel) *torch.Tensor {
	product, loc := p.rate.Mul(q.scale), q.loc.Div(q.scale)
	t2 := loc.Exp().Mul(product).Div(plus(product, 1))
	return minus(product.Log(), 1).Sub(loc).Add(t2).Add(product.Reciprocal())
}

func klExponentialNormal(p *Exponential, q *Normal) *torch.Tensor {
	variance, square := q.scale.PowScalar(2), p.rate.PowScalar(2)
	t1 := times(0.5, times(times(square.Mul(variance), 2), math.Pi).Log())
	t4 := times(q.loc.PowScalar(2), 0.5)
	return minus(t1, 1).Add(square.Reciprocal().Sub(q.loc.Div(p.rate)).Add(t4).Div(variance))
}

var klGamma = []klEntry{
	kl(klGammaExponential), kl(klGammaGumbel), kl(klGammaNormal),
	infinite[*Gamma, *Beta](gammaConcentration), infinite[*Gamma, *ContinuousBernoulli](gammaConcentration),
	infinite[*Gamma, *Pareto](gammaConcentration), infinite[*Gamma, *Uniform](gammaConcentration),
}

func gammaConcentration(p *Gamma) *torch.Tensor { return p.concentration }

func klGammaExponential(p *Gamma, q *Exponential) *torch.Tensor {
	return p.Entropy().Neg().Sub(q.rate.Log()).Add(q.rate.Mul(p.concentration).Div(p.rate))
}

func klGammaGumbel(p *Gamma, q *Gumbel) *torch.Tensor {
	c := p.concentration
	product, loc := p.rate.Mul(q.scale), q.loc.Div(q.scale)
	t1 := minus(c, 1).Mul(c.Digamma()).Sub(c.Lgamma()).Sub(c)
	t2 := product.Log().Add(c.Div(product))
	t3 := loc.Exp().Mul(plus(1, product.Reciprocal()).Pow(c.Neg())).Sub(loc)
	return t1.Add(t2).Add(t3)
}

func klGammaNormal(p *Gamma, q *Normal) *torch.Tensor {
	c := p.concentration
	variance, square := q.scale.PowScalar(2), p.rate.PowScalar(2)
	t1 := times(0.5, times(times(square.Mul(variance), 2), math.Pi).Log()).Sub(c).Sub(c.Lgamma())
	t2 := times(0.5, c.PowScalar(2).Add(c)).Div(square)
	t3 := q.loc.Mul(c).Div(p.rate)
	t4 := times(0.5, q.loc.PowScalar(2))
	return t1.Add(minus(c, 1).Mul(c.Digamma())).Add(t2.Sub(t3).Add(t4).Div(variance))
}

var klPareto = []klEntry{
	kl(klParetoExponential), kl(klParetoGamma), kl(klParetoNormal),
	infinite[*Pareto, *Beta](paretoScale), infinite[*Pareto, *ContinuousBernoulli](paretoScale),
	infinite[*Pareto, *Uniform](paretoScale),
}

func paretoScale(p *Pareto) *torch.Tensor { return p.scale }

func klParetoExponential(p *Pareto, q *Exponential) *torch.Tensor {
	product := p.scale.Mul(q.rate)
	t1 := p.alpha.Div(product).Log()
	t3 := p.alpha.Mul(product).Div(minus(p.alpha, 1))
	return infiniteWhere(p.alpha.LeScalar(1), minus(t1.Sub(p.alpha.Reciprocal()).Add(t3), 1))
}

func klParetoGamma(p *Pareto, q *Gamma) *torch.Tensor {
	common := p.scale.Log().Add(p.alpha.Reciprocal())
	t1 := p.alpha.Log().Sub(common)
	t3 := minus(1, q.concentration).Mul(common)
	t4 := q.rate.Mul(p.alpha).Mul(p.scale).Div(minus(p.alpha, 1))
	return infiniteWhere(p.alpha.LeScalar(1), minus(t1.Add(q.logNormalizer()).Add(t3).Add(t4), 1))
}

func klParetoNormal(p *Pareto, q *Normal) *torch.Tensor {
	variance := times(2, q.scale.PowScalar(2))
	common := p.scale.Div(minus(p.alpha, 1))
	t1 := times(math.Sqrt(2*math.Pi), q.scale).Mul(p.alpha).Div(p.scale).Log()
	t3 := p.alpha.Mul(common.PowScalar(2)).Div(minus(p.alpha, 2))
	t4 := p.alpha.Mul(common).Sub(q.loc).PowScalar(2)
	return infiniteWhere(p.alpha.LeScalar(2), minus(t1.Sub(p.alpha.Reciprocal()).Add(t3.Add(t4).Div(variance)), 1))
}
