package distributions

import (
	"fmt"
	"math"
	"slices"

	"github.com/gotorch/gotorch/torch"
)

// This file has the divergences of distributions of vectors and matrices.

var klMultivariate = []klEntry{
	kl(klMultivariateNormals), kl(klLowRanks), kl(klMultivariateLowRank), kl(klLowRankMultivariate), kl(klWisharts),
}

// sameEvent panics with ErrShape unless p and q have the same event shape.
func sameEvent(p, q core) {
	if a, b := p.state().event, q.state().event; !a.Equal(b) {
		panic(torch.NewError("distributions.KLDivergence", torch.ErrShape, "q",
			fmt.Sprintf("expected events of the same shape as p, %v, got %v", a, b)))
	}
}

// traceXXT returns the trace of X X^T.
func traceXXT(x *torch.Tensor) *torch.Tensor { return sumRightmost(x.PowScalar(2), 2) }

// solved returns L^-1 X, after expanding both to a common batch.
func solved(l, x *torch.Tensor) *torch.Tensor {
	ls, xs := l.Shape(), x.Shape()
	batch := torch.BroadcastShapes(ls[:len(ls)-2], xs[:len(xs)-2])
	l = l.Expand(slices.Concat(batch, ls[len(ls)-2:])...)
	return l.SolveTriangular(x.Expand(slices.Concat(batch, xs[len(xs)-2:])...), false)
}

func klMultivariateNormals(p, q *MultivariateNormal) *torch.Tensor {
	sameEvent(p, q)
	t1 := q.covariance.halfLogDet().Sub(p.covariance.halfLogDet())
	t2 := traceXXT(solved(q.covariance.tril, p.covariance.tril))
	t3 := batchMahalanobis(q.covariance.tril, q.loc.Sub(p.loc))
	return t1.Add(times(0.5, minus(t2.Add(t3), p.event[0])))
}

// capacitance returns L^-1 W^T D^-1, where L is the Cholesky factor of the capacitance matrix.
func (d *LowRankMultivariateNormal) capacitance() *torch.Tensor {
	return d.tril.SolveTriangular(d.weighted(), false)
}

func klLowRanks(p, q *LowRankMultivariateNormal) *torch.Tensor {
	sameEvent(p, q)
	t1 := q.logDet().Sub(p.logDet())
	t3 := q.mahalanobis(q.loc.Sub(p.loc))
	a := q.capacitance()
	t21 := p.diag.Div(q.diag).Sum(torch.Dim(-1))
	t22 := traceXXT(p.factor.Mul(q.diag.Rsqrt().Unsqueeze(-1)))
	t23 := traceXXT(a.Mul(p.diag.Sqrt().Unsqueeze(-2)))
	t24 := traceXXT(a.MatMul(p.factor))
	t2 := t21.Add(t22).Sub(t23).Sub(t24)
	return times(0.5, minus(t1.Add(t2).Add(t3), p.event[0]))
}

func klMultivariateLowRank(p *MultivariateNormal, q *LowRankMultivariateNormal) *torch.Tensor {
	sameEvent(p, q)
	l := p.covariance.tril
	t1 := q.logDet().Sub(times(2, logDiagonal(l)))
	t3 := q.mahalanobis(q.loc.Sub(p.loc))
	t2 := traceXXT(l.Mul(q.diag.Rsqrt().Unsqueeze(-1))).Sub(traceXXT(q.capacitance().MatMul(l)))
	return times(0.5, minus(t1.Add(t2).Add(t3), p.event[0]))
}

func klLowRankMultivariate(p *LowRankMultivariateNormal, q *MultivariateNormal) *torch.Tensor {
	sameEvent(p, q)
	l := q.covariance.tril
	t1 := times(2, logDiagonal(l)).Sub(p.logDet())
	t3 := batchMahalanobis(l, q.loc.Sub(p.loc))
	t2 := traceXXT(solved(l, p.factor)).Add(traceXXT(solved(l, p.diag.Sqrt().DiagEmbed())))
	return times(0.5, minus(t1.Add(t2).Add(t3), p.event[0]))
}

// natural returns the natural parameters of the Wishart distribution as a member of the
// exponential family.
func (d *Wishart) natural() (x, y *torch.Tensor) {
	return over(d.matrix(byPrecision).Neg(), 2), d.excess()
}

// logNormalizer returns the log-normalizer as a function of the natural parameters.
func (d *Wishart) logNormalizer(x, y *torch.Tensor) *torch.Tensor {
	p := d.event[0]
	df := plus(y, float64(p+1)/2)
	_, logDet := times(-2, x).Slogdet()
	return df.Mul(plus(logDet.Neg(), math.Ln2*float64(p))).Add(df.Mvlgamma(p))
}

// klWisharts returns the Bregman divergence of the log-normalizer. As in PyTorch, only the
// parameters of q get gradients, because the natural parameters of p are detached. Unlike in
// PyTorch, the result is not summed over the batch.
func klWisharts(p, q *Wishart) *torch.Tensor {
	sameEvent(p, q)
	var result *torch.Tensor
	torch.EnableGrad(func() {
		px, py := p.natural()
		px, py = px.Detach().RequiresGrad_(), py.Detach().RequiresGrad_()
		qx, qy := q.natural()
		at := p.logNormalizer(px, py)
		g := torch.Grad([]*torch.Tensor{at.Sum()}, []*torch.Tensor{px, py}, torch.CreateGraph(true))
		result = q.logNormalizer(qx, qy).Sub(at)
		result = result.Sub(sumRightmost(qx.Sub(px).Mul(g[0]), 2)).Sub(qy.Sub(py).Mul(g[1]))
	})
	return result
}
