package distributions

import (
	"math"

	"github.com/gotorch/gotorch/torch"
)

// This file has the divergences between two distributions of the same type, and between
// discrete distributions.

var klSame = []klEntry{
	kl(klBetas), kl(klContinuousBernoullis), kl(klDirichlets), kl(klExponentials), kl(klGammas), kl(klGumbels),
	kl(klHalfNormals), kl(klLaplaces), kl(klNormals), kl(klParetos), kl(klUniforms), kl(klCauchys),
}

var klDiscrete = []klEntry{
	kl(klBernoullis), kl(klBinomials), kl(klCategoricals), kl(klGeometrics), kl(klOneHots), kl(klPoissons),
	kl(klBernoulliPoisson),
	infinite[*Poisson, *Bernoulli](poissonRate), infinite[*Poisson, *Binomial](poissonRate),
}

func poissonRate(p *Poisson) *torch.Tensor { return p.rate }

func infiniteLike(t *torch.Tensor) *torch.Tensor { return torch.FullLike(t, math.Inf(1)) }

// infiniteWhere returns x with infinity where mask is true.
func infiniteWhere(mask, x *torch.Tensor) *torch.Tensor { return torch.Where(mask, math.Inf(1), x) }

// bernoulliTerm returns p (log p - log q), or infinity where pq is 0, or 0 where p is 0.
func bernoulliTerm(p, pq, minusLogP, minusLogQ *torch.Tensor) *torch.Tensor {
	t := infiniteWhere(pq.EqScalar(0), p.Mul(minusLogQ.Sub(minusLogP)))
	return torch.Where(p.EqScalar(0), 0, t)
}

func klBernoullis(p, q *Bernoulli) *torch.Tensor {
	pp, qp, pl, ql := p.odds.probs(), q.odds.probs(), p.odds.logits(), q.odds.logits()
	one := bernoulliTerm(pp, qp, softplus(pl.Neg()), softplus(ql.Neg()))
	return one.Add(bernoulliTerm(minus(1, pp), minus(1, qp), softplus(pl), softplus(ql)))
}

func klBinomials(p, q *Binomial) *torch.Tensor {
	n, m := p.totalCount, q.totalCount
	if n.Lt(m).Any().ItemBool() {
		panic(notImplemented("distributions.KLDivergence",
			"the divergence of a Binomial from one with a smaller total_count is not supported, as in PyTorch"))
	}
	pp, qp := p.odds.probs(), q.odds.probs()
	kl := n.Mul(pp.Mul(p.odds.logits().Sub(q.odds.logits())).Add(pp.Neg().Log1p()).Sub(qp.Neg().Log1p()))
	return infiniteWhere(n.Gt(m), kl)
}

func klOdds(p, q *odds) *torch.Tensor {
	t := infiniteWhere(q.probs().EqScalar(0), p.probs().Mul(p.logits().Sub(q.logits())))
	return torch.Where(p.probs().EqScalar(0), 0, t).Sum(torch.Dim(-1))
}

func klCategoricals(p, q *Categorical) *torch.Tensor { return klOdds(&p.odds, &q.odds) }

func klOneHots(p, q *OneHotCategorical) *torch.Tensor { return klOdds(&p.odds, &q.odds) }

func klGeometrics(p, q *Geometric) *torch.Tensor {
	return p.Entropy().Neg().Sub(q.odds.probs().Neg().Log1p().Div(p.odds.probs())).Sub(q.odds.logits())
}

func klPoissons(p, q *Poisson) *torch.Tensor {
	return p.rate.Mul(p.rate.Log().Sub(q.rate.Log())).Sub(p.rate.Sub(q.rate))
}

func klBernoulliPoisson(p *Bernoulli, q *Poisson) *torch.Tensor {
	return p.Entropy().Neg().Sub(p.odds.probs().Mul(q.rate.Log()).Sub(q.rate))
}

func klBetas(p, q *Beta) *torch.Tensor {
	p1, p0, q1, q0 := p.concentration1, p.concentration0, q.concentration1, q.concentration0
	ps, qs := p1.Add(p0), q1.Add(q0)
	t1 := q1.Lgamma().Add(q0.Lgamma()).Add(ps.Lgamma())
	t2 := p1.Lgamma().Add(p0.Lgamma()).Add(qs.Lgamma())
	t3 := p1.Sub(q1).Mul(p1.Digamma())
	t4 := p0.Sub(q0).Mul(p0.Digamma())
	t5 := qs.Sub(ps).Mul(ps.Digamma())
	return t1.Sub(t2).Add(t3).Add(t4).Add(t5)
}

func klContinuousBernoullis(p, q *ContinuousBernoulli) *torch.Tensor {
	t1 := p.expected().Mul(p.odds.logits().Sub(q.odds.logits()))
	t2 := p.logNorm().Add(p.odds.probs().Neg().Log1p())
	t3 := q.logNorm().Neg().Sub(q.odds.probs().Neg().Log1p())
	return t1.Add(t2).Add(t3)
}

func klDirichlets(p, q *Dirichlet) *torch.Tensor {
	last := torch.Dim(-1)
	pc, qc := p.concentration, q.concentration
	ps, qs := pc.Sum(last), qc.Sum(last)
	t1 := ps.Lgamma().Sub(qs.Lgamma())
	t2 := pc.Lgamma().Sub(qc.Lgamma()).Sum(last)
	t4 := pc.Digamma().Sub(ps.Digamma().Unsqueeze(-1))
	return t1.Sub(t2).Add(pc.Sub(qc).Mul(t4).Sum(last))
}

func klExponentials(p, q *Exponential) *torch.Tensor {
	ratio := q.rate.Div(p.rate)
	return minus(ratio.Log().Neg().Add(ratio), 1)
}

func klGammas(p, q *Gamma) *torch.Tensor {
	pc, qc := p.concentration, q.concentration
	t1 := qc.Mul(p.rate.Div(q.rate).Log())
	t2 := qc.Lgamma().Sub(pc.Lgamma())
	t3 := pc.Sub(qc).Mul(pc.Digamma())
	t4 := q.rate.Sub(p.rate).Mul(pc.Div(p.rate))
	return t1.Add(t2).Add(t3).Add(t4)
}

func klGumbels(p, q *Gumbel) *torch.Tensor {
	scale, ql, pl := p.scale.Div(q.scale), q.loc.Div(q.scale), p.loc.Div(q.scale)
	t1 := scale.Log().Neg().Sub(ql).Add(pl)
	t2 := times(scale, eulerGamma)
	t3 := ql.Add(plus(1, scale).Lgamma()).Sub(pl).Exp()
	return minus(t1.Add(t2).Add(t3), 1+eulerGamma)
}

func klHalfNormals(p, q *HalfNormal) *torch.Tensor {
	return klNormals(p.baseDist.(*Normal), q.baseDist.(*Normal))
}

func klLaplaces(p, q *Laplace) *torch.Tensor {
	ratio := p.scale.Div(q.scale)
	apart := p.loc.Sub(q.loc).Abs()
	t3 := ratio.Mul(apart.Neg().Div(p.scale).Exp())
	return minus(ratio.Log().Neg().Add(apart.Div(q.scale)).Add(t3), 1)
}

func klNormals(p, q *Normal) *torch.Tensor {
	ratio := p.scale.Div(q.scale).PowScalar(2)
	t1 := p.loc.Sub(q.loc).Div(q.scale).PowScalar(2)
	return times(0.5, minus(ratio.Add(t1), 1).Sub(ratio.Log()))
}

func klParetos(p, q *Pareto) *torch.Tensor {
	alpha := q.alpha.Div(p.alpha)
	t1 := q.alpha.Mul(p.scale.Div(q.scale).Log())
	result := minus(t1.Add(alpha.Log().Neg()).Add(alpha), 1)
	return infiniteWhere(p.scale.Lt(q.scale), result)
}

func klUniforms(p, q *Uniform) *torch.Tensor {
	result := q.length().Div(p.length()).Log()
	return infiniteWhere(q.low.Gt(p.low).LogicalOr(q.high.Lt(p.high)), result)
}

func klCauchys(p, q *Cauchy) *torch.Tensor {
	t1 := p.scale.Add(q.scale).PowScalar(2).Add(p.loc.Sub(q.loc).PowScalar(2)).Log()
	return t1.Sub(times(4, p.scale).Mul(q.scale).Log())
}
