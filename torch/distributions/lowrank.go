package distributions

import (
	"fmt"
	"math"
	"slices"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributions/constraints"
)

// A LowRankMultivariateNormal is a normal distribution of vectors with the covariance W W^T +
// D, where W is a matrix with few columns and D is diagonal. Follows
// torch.distributions.LowRankMultivariateNormal.
type LowRankMultivariateNormal struct {
	base
	loc, covFactor, covDiag *torch.Tensor // the parameters, expanded to the batch
	// factor and diag are W and the diagonal of D, not expanded. tril is the Cholesky
	// factor of I + W^T D^-1 W.
	factor, diag, tril *torch.Tensor
	variance           lazy
	forms              [matrixForms]lazy
}

// NewLowRankMultivariateNormal returns the normal distribution with mean loc, of shape (n), and
// the covariance given by covFactor (W), of shape (n, m), and covDiag (the diagonal of D), of
// shape (n). Each may have batch dimensions before these; the batches broadcast. See
// [NewMultivariateNormal] for ownership and panics; covDiag must be positive.
func NewLowRankMultivariateNormal(loc, covFactor, covDiag *torch.Tensor, opts ...Option) *LowRankMultivariateNormal {
	const op = "distributions.NewLowRankMultivariateNormal"
	s := readOptions(op, opts)
	_, event := categories(op, "loc", loc)
	covFactor.HandleFor(op+"(covFactor)", 0)
	covDiag.HandleFor(op+"(covDiag)", 0)
	if shape := covFactor.Shape(); len(shape) < 2 || shape[len(shape)-2] != event[0] {
		panic(torch.NewError(op, torch.ErrShape, "covFactor",
			fmt.Sprintf("expected a shape that ends in (%d, m), got %v", event[0], shape)))
	}
	if shape := covDiag.Shape(); len(shape) < 1 || shape[len(shape)-1] != event[0] {
		panic(torch.NewError(op, torch.ErrShape, "covDiag",
			fmt.Sprintf("expected a shape that ends in (%d), got %v", event[0], shape)))
	}
	d := &LowRankMultivariateNormal{}
	build(d, "LowRankMultivariateNormal", settings{}, func(b *base) {
		var batch torch.Shape
		if torch.Try(func() {
			f, l, g := covFactor.Shape(), loc.Shape(), covDiag.Shape()
			batch = torch.BroadcastShapes(l[:len(l)-1], f[:len(f)-2], g[:len(g)-1])
		}) != nil {
			panic(torch.NewError(op, torch.ErrShape, "loc", fmt.Sprintf("the batches of loc, covFactor and covDiag, "+
				"of shapes %v, %v and %v, do not broadcast", loc.Shape(), covFactor.Shape(), covDiag.Shape())))
		}
		d.loc = b.keep(loc.Expand(slices.Concat(batch, event)...))
		d.covFactor = b.keep(covFactor.Expand(slices.Concat(batch, event, torch.Shape{covFactor.Size(-1)})...))
		d.covDiag = b.keep(covDiag.Expand(slices.Concat(batch, event)...))
		d.factor, d.diag = covFactor, covDiag
		b.batch, b.event, b.rsample = batch, event, true
		b.checkEarly(d, s)
		d.tril = b.keep(plusIdentity(d.weighted().MatMul(covFactor)).Cholesky())
	})
	d.validate = s.validate
	return d
}

// weighted returns W^T D^-1.
func (d *LowRankMultivariateNormal) weighted() *torch.Tensor {
	return d.factor.MT().Div(d.diag.Unsqueeze(-2))
}

// plusIdentity adds the identity to matrices.
func plusIdentity(k *torch.Tensor) *torch.Tensor {
	return k.Add(torch.Eye(k.Size(-1), k.DType(), k.Device()))
}

// logDet returns the logarithm of the covariance's determinant.
func (d *LowRankMultivariateNormal) logDet() *torch.Tensor {
	return times(2, logDiagonal(d.tril)).Add(d.diag.Log().Sum(torch.Dim(-1)))
}

// mahalanobis returns x^T C^-1 x for the covariance C.
func (d *LowRankMultivariateNormal) mahalanobis(x *torch.Tensor) *torch.Tensor {
	narrow := batchMV(d.weighted(), x)
	return x.PowScalar(2).Div(d.diag).Sum(torch.Dim(-1)).Sub(batchMahalanobis(d.tril, narrow))
}

func (d *LowRankMultivariateNormal) parameters() []parameter {
	return []parameter{
		{name: "loc", value: d.loc, constraint: constraints.RealVector},
		{name: "cov_factor", value: d.covFactor, constraint: constraints.Independent(constraints.Real, 2)},
		{name: "cov_diag", value: d.covDiag, constraint: constraints.Independent(constraints.Positive, 1)},
	}
}

// Loc returns the mean, expanded to the batch.
func (d *LowRankMultivariateNormal) Loc() *torch.Tensor { opened(d, "Loc"); return d.loc }

// CovFactor returns W, expanded to the batch. cov_factor in Python.
func (d *LowRankMultivariateNormal) CovFactor() *torch.Tensor {
	opened(d, "CovFactor")
	return d.covFactor
}

// CovDiag returns the diagonal of D, expanded to the batch. cov_diag in Python.
func (d *LowRankMultivariateNormal) CovDiag() *torch.Tensor { opened(d, "CovDiag"); return d.covDiag }

// matrix returns a form of the covariance as a new tensor, expanded to the batch. fn
// computes the form on first use.
func (d *LowRankMultivariateNormal) matrix(method string, form matrixForm, fn func() *torch.Tensor) *torch.Tensor {
	return compute(d, method, func() *torch.Tensor {
		return alias(d.forms[form].of(&d.base, func() *torch.Tensor {
			return fn().Expand(slices.Concat(d.batch, d.event, d.event)...)
		}))
	})
}

// ScaleTril returns the Cholesky factor of the covariance, a new tensor whose elements
// may share memory. scale_tril in Python.
func (d *LowRankMultivariateNormal) ScaleTril() *torch.Tensor {
	return d.matrix("ScaleTril", byScaleTril, func() *torch.Tensor {
		// Factor I + D^(-1/2) W W^T D^(-1/2), whose eigenvalues are all at least 1.
		root := d.diag.Sqrt().Unsqueeze(-1)
		w := d.factor.Div(root)
		return root.Mul(plusIdentity(w.MatMul(w.MT())).Cholesky())
	})
}

// CovarianceMatrix returns the covariance, a new tensor whose elements may share memory.
// covariance_matrix in Python.
func (d *LowRankMultivariateNormal) CovarianceMatrix() *torch.Tensor {
	return d.matrix("CovarianceMatrix", byCovariance, func() *torch.Tensor {
		return d.factor.MatMul(d.factor.MT()).Add(d.diag.DiagEmbed())
	})
}

// PrecisionMatrix returns the inverse of the covariance, a new tensor whose elements may share
// memory. precision_matrix in Python.
func (d *LowRankMultivariateNormal) PrecisionMatrix() *torch.Tensor {
	return d.matrix("PrecisionMatrix", byPrecision, func() *torch.Tensor {
		a := d.tril.SolveTriangular(d.weighted(), false)
		return d.diag.Reciprocal().DiagEmbed().Sub(a.MT().MatMul(a))
	})
}

// Support returns the vectors of real numbers.
func (d *LowRankMultivariateNormal) Support() constraints.Constraint {
	opened(d, "Support")
	return constraints.RealVector
}

// Mean returns loc.
func (d *LowRankMultivariateNormal) Mean() *torch.Tensor {
	return compute(d, "Mean", func() *torch.Tensor { return alias(d.loc) })
}

// Mode returns loc.
func (d *LowRankMultivariateNormal) Mode() *torch.Tensor {
	return compute(d, "Mode", func() *torch.Tensor { return alias(d.loc) })
}

// Variance returns the diagonal of the covariance.
func (d *LowRankMultivariateNormal) Variance() *torch.Tensor {
	return compute(d, "Variance", func() *torch.Tensor {
		return alias(d.variance.of(&d.base, func() *torch.Tensor {
			return d.factor.PowScalar(2).Sum(torch.Dim(-1)).Add(d.diag).Expand(d.loc.Shape()...)
		}))
	})
}

// RSample draws samples with gradients; see [Distribution].
func (d *LowRankMultivariateNormal) RSample(opts ...SampleOption) *torch.Tensor {
	return draw(d, "RSample", opts, func(_, shape torch.Shape) *torch.Tensor {
		narrow := slices.Clone(shape)
		narrow[len(narrow)-1] = d.factor.Size(-1)
		w, e := standardNormal(narrow, d.loc), standardNormal(shape, d.loc)
		return d.loc.Add(batchMV(d.factor, w)).Add(d.diag.Sqrt().Mul(e))
	})
}

// LogProb returns the log density at value; see [Distribution].
func (d *LowRankMultivariateNormal) LogProb(value *torch.Tensor) *torch.Tensor {
	return at(d, "LogProb", value, func() *torch.Tensor {
		m := d.mahalanobis(value.Sub(d.loc))
		return times(-0.5, plus(float64(d.event[0])*math.Log(2*math.Pi), d.logDet()).Add(m))
	})
}

// Entropy returns n/2 (1 + log(2 pi)) plus half the logarithm of the covariance's
// determinant.
func (d *LowRankMultivariateNormal) Entropy() *torch.Tensor {
	return compute(d, "Entropy", func() *torch.Tensor {
		return times(0.5, plus(float64(d.event[0])*(1+math.Log(2*math.Pi)), d.logDet())).Expand(d.batch...)
	})
}

// Expand returns the distribution with its batch expanded to batchShape; see [Distribution].
func (d *LowRankMultivariateNormal) Expand(batchShape torch.Shape) Distribution {
	n := &LowRankMultivariateNormal{}
	expand(d, n, batchShape, func(b *base, grow func(*torch.Tensor) *torch.Tensor) {
		n.loc, n.covFactor, n.covDiag = grow(d.loc), grow(d.covFactor), grow(d.covDiag)
		n.factor, n.diag, n.tril = b.keep(alias(d.factor)), b.keep(alias(d.diag)), b.keep(alias(d.tril))
	})
	return n
}

// Close frees the tensors that the distribution made; see [Distribution].
func (d *LowRankMultivariateNormal) Close() error { return closeAll(d) }
