package distributions

import (
	"math"

	"github.com/gotorch/gotorch/torch"
)

// This file has the divergences from distributions on the real line: Gumbel, Laplace and Normal.

var klGumbel = []klEntry{
	kl(klGumbelNormal),
	infinite[*Gumbel, *Beta](gumbelLoc), infinite[*Gumbel, *ContinuousBernoulli](gumbelLoc),
	infinite[*Gumbel, *Exponential](gumbelLoc),
	infinite[*Gumbel, *Gamma](gumbelLoc), infinite[*Gumbel, *Pareto](gumbelLoc), infinite[*Gumbel, *Uniform](gumbelLoc),
}

func gumbelLoc(p *Gumbel) *torch.Tensor { return p.loc }

func klGumbelNormal(p *Gumbel, q *Normal) *torch.Tensor {
	ratio := p.scale.Div(q.scale)
	t1 := over(ratio, math.Sqrt(2*math.Pi)).Log()
	t2 := over(times(times(math.Pi, ratio), 0.5).PowScalar(2), 3)
	t3 := times(p.loc.Add(times(p.scale, eulerGamma)).Sub(q.loc).Div(q.scale).PowScalar(2), 0.5)
	return minus(t1.Neg().Add(t2).Add(t3), eulerGamma+1)
}

var klLaplace = []klEntry{
	kl(klLaplaceNormal),
	infinite[*Laplace, *Beta](laplaceLoc), infinite[*Laplace, *ContinuousBernoulli](laplaceLoc),
	infinite[*Laplace, *Exponential](laplaceLoc),
	infinite[*Laplace, *Gamma](laplaceLoc), infinite[*Laplace, *Pareto](laplaceLoc),
	infinite[*Laplace, *Uniform](laplaceLoc),
}

func laplaceLoc(p *Laplace) *torch.Tensor { return p.loc }

func klLaplaceNormal(p *Laplace, q *Normal) *torch.Tensor {
	variance := q.scale.PowScalar(2)
	ratio := p.scale.PowScalar(2).Div(variance)
	t1 := times(0.5, over(times(2, ratio), math.Pi).Log())
	t2 := times(0.5, p.loc.PowScalar(2))
	t4 := times(0.5, q.loc.PowScalar(2))
	return minus(t1.Neg().Add(ratio).Add(t2.Sub(p.loc.Mul(q.loc)).Add(t4).Div(variance)), 1)
}

var klNormal = []klEntry{
	kl(klNormalGumbel), kl(klNormalLaplace),
	infinite[*Normal, *Beta](normalLoc), infinite[*Normal, *ContinuousBernoulli](normalLoc),
	infinite[*Normal, *Exponential](normalLoc),
	infinite[*Normal, *Gamma](normalLoc), infinite[*Normal, *Pareto](normalLoc), infinite[*Normal, *Uniform](normalLoc),
}

func normalLoc(p *Normal) *torch.Tensor { return p.loc }

func klNormalGumbel(p *Normal, q *Gumbel) *torch.Tensor {
	mean, loc := p.loc.Div(q.scale), q.loc.Div(q.scale)
	variance := p.scale.Div(q.scale).PowScalar(2)
	t1 := times(variance.Log(), 0.5)
	t3 := mean.Neg().Add(times(0.5, variance)).Add(loc).Exp()
	return minus(t1.Neg().Add(mean.Sub(loc)).Add(t3), 0.5*(1+math.Log(2*math.Pi)))
}

func klNormalLaplace(p *Normal, q *Laplace) *torch.Tensor {
	apart := p.loc.Sub(q.loc)
	ratio := apart.Div(p.scale)
	t1 := p.scale.Div(q.scale).Log()
	t2 := times(math.Sqrt(2/math.Pi), p.scale).Mul(times(-0.5, ratio.PowScalar(2)).Exp())
	t3 := apart.Mul(times(math.Sqrt(0.5), ratio).Erf())
	return minus(t1.Neg().Add(t2.Add(t3).Div(q.scale)), 0.5*(1+math.Log(0.5*math.Pi)))
}
