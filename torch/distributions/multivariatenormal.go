package distributions

import (
	"fmt"
	"math"
	"slices"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributions/constraints"
)

// A MultivariateNormal is a normal distribution of vectors. Follows
// torch.distributions.MultivariateNormal.
type MultivariateNormal struct {
	base
	loc        *torch.Tensor
	covariance covariance
}

// NewMultivariateNormal returns the normal distribution with mean loc, a vector or a
// batch of vectors. Exactly one of the [CovarianceMatrix], [PrecisionMatrix] and
// [ScaleTril] options sets the covariance. The batches broadcast. The caller owns the
// tensors that it passes, and must keep them open while the distribution is used. Tensors
// that the distribution makes belong to the innermost scope or else to the garbage
// collector, and Close frees them.
//
// It panics with ErrNil or ErrClosed for a nil or closed tensor, with ErrShape for shapes
// that do not match, and with ErrValue unless exactly one option is given. An invalid
// matrix causes ErrValue, or ErrLinAlg if [ValidateArgs] is false.
func NewMultivariateNormal(loc *torch.Tensor, opts ...CovarianceOption) *MultivariateNormal {
	const op = "distributions.NewMultivariateNormal"
	s, m := readCovarianceOptions(op, opts)
	batch, event := categories(op, "loc", loc)
	if n := m.matrix.Size(-1); n != event[0] {
		panic(torch.NewError(op, torch.ErrShape, argument(m.form.name()),
			fmt.Sprintf("expected %d x %d matrices for a loc of shape %v, got shape %v", event[0], event[0],
				loc.Shape(), m.matrix.Shape())))
	}
	d := &MultivariateNormal{}
	build(d, "MultivariateNormal", settings{}, func(b *base) {
		shape := m.matrix.Shape()
		if torch.Try(func() { batch = torch.BroadcastShapes(shape[:len(shape)-2], batch) }) != nil {
			panic(torch.NewError(op, torch.ErrShape, argument(m.form.name()),
				fmt.Sprintf("shape %v does not broadcast with loc of shape %v in the batch dimensions", shape,
					loc.Shape())))
		}
		d.loc = b.keep(loc.Expand(slices.Concat(batch, event)...))
		d.covariance.set(b, m, batch)
		b.batch, b.event, b.rsample = batch, event, true
		b.checkEarly(d, s)
		d.covariance.factor(b, m.matrix)
	})
	d.validate = s.validate
	return d
}

func (d *MultivariateNormal) parameters() []parameter {
	return append([]parameter{{name: "loc", value: d.loc, constraint: constraints.RealVector}}, d.covariance.list()...)
}

// Loc returns the mean, expanded to the batch.
func (d *MultivariateNormal) Loc() *torch.Tensor { opened(d, "Loc"); return d.loc }

func (d *MultivariateNormal) matrix(form matrixForm) *torch.Tensor {
	return alias(d.covariance.matrix(form, func(tril *torch.Tensor) *torch.Tensor { return tril.CholeskyInverse() }))
}

// CovarianceMatrix returns the covariance, a new tensor whose elements may share memory.
// covariance_matrix in Python.
func (d *MultivariateNormal) CovarianceMatrix() *torch.Tensor {
	return compute(d, "CovarianceMatrix", func() *torch.Tensor { return d.matrix(byCovariance) })
}

// PrecisionMatrix returns the inverse of the covariance, a new tensor whose elements may
// share memory. precision_matrix in Python.
func (d *MultivariateNormal) PrecisionMatrix() *torch.Tensor {
	return compute(d, "PrecisionMatrix", func() *torch.Tensor { return d.matrix(byPrecision) })
}

// ScaleTril returns the Cholesky factor of the covariance, a new tensor whose elements
// may share memory. scale_tril in Python.
func (d *MultivariateNormal) ScaleTril() *torch.Tensor {
	return compute(d, "ScaleTril", func() *torch.Tensor { return d.matrix(byScaleTril) })
}

// Support returns the vectors of real numbers.
func (d *MultivariateNormal) Support() constraints.Constraint {
	opened(d, "Support")
	return constraints.RealVector
}

// Mean returns loc.
func (d *MultivariateNormal) Mean() *torch.Tensor {
	return compute(d, "Mean", func() *torch.Tensor { return alias(d.loc) })
}

// Mode returns loc.
func (d *MultivariateNormal) Mode() *torch.Tensor {
	return compute(d, "Mode", func() *torch.Tensor { return alias(d.loc) })
}

// Variance returns the diagonal of the covariance.
func (d *MultivariateNormal) Variance() *torch.Tensor {
	return compute(d, "Variance", func() *torch.Tensor {
		return d.covariance.tril.PowScalar(2).Sum(torch.Dim(-1)).Expand(d.loc.Shape()...)
	})
}

// RSample draws samples with gradients; see [Distribution].
func (d *MultivariateNormal) RSample(opts ...SampleOption) *torch.Tensor {
	return draw(d, "RSample", opts, func(_, shape torch.Shape) *torch.Tensor {
		return d.loc.Add(batchMV(d.covariance.tril, standardNormal(shape, d.loc)))
	})
}

// LogProb returns the log density at value; see [Distribution].
func (d *MultivariateNormal) LogProb(value *torch.Tensor) *torch.Tensor {
	return at(d, "LogProb", value, func() *torch.Tensor {
		m := batchMahalanobis(d.covariance.tril, value.Sub(d.loc))
		return times(-0.5, plus(float64(d.event[0])*math.Log(2*math.Pi), m)).Sub(d.covariance.halfLogDet())
	})
}

// Entropy returns n/2 (1 + log(2 pi)) plus half the logarithm of the covariance's
// determinant.
func (d *MultivariateNormal) Entropy() *torch.Tensor {
	return compute(d, "Entropy", func() *torch.Tensor {
		h := plus(0.5*float64(d.event[0])*(1+math.Log(2*math.Pi)), d.covariance.halfLogDet())
		return h.Expand(d.batch...)
	})
}

// Expand returns the distribution with its batch expanded to batchShape; see [Distribution].
func (d *MultivariateNormal) Expand(batchShape torch.Shape) Distribution {
	n := &MultivariateNormal{}
	expand(d, n, batchShape, func(b *base, grow func(*torch.Tensor) *torch.Tensor) {
		n.loc = grow(d.loc)
		n.covariance.grow(b, &d.covariance, grow)
	})
	return n
}

// Close frees the tensors that the distribution made; see [Distribution].
func (d *MultivariateNormal) Close() error { return closeAll(d) }
