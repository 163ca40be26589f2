package distributions

import (
	"fmt"
	"math"
	"slices"

	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributions/constraints"
)

// A Wishart is a distribution of positive definite matrices. Follows
// torch.distributions.Wishart.
type Wishart struct {
	base
	df         *torch.Tensor // the degrees of freedom, expanded to the batch
	covariance covariance
	chi2       *Chi2
}

// NewWishart returns the Wishart distribution with df degrees of freedom, a tensor or a
// number. Exactly one of the [CovarianceMatrix], [PrecisionMatrix] and [ScaleTril]
// options sets the scale matrix. See [NewMultivariateNormal] for ownership and panics.
// NewWishart also panics with ErrType for a df that is neither a tensor nor a number. df
// must exceed p - 1 for p x p matrices; if it is less than p, samples are often singular.
func NewWishart(df any, opts ...CovarianceOption) *Wishart {
	const op = "distributions.NewWishart"
	s, m := readCovarianceOptions(op, opts)
	d := &Wishart{}
	build(d, "Wishart", settings{}, func(b *base) {
		shape := m.matrix.Shape()
		batch, event := shape[:len(shape)-2], shape[len(shape)-2:]
		d.df = d.degrees(b, op, df, m.matrix)
		if torch.Try(func() { batch = torch.BroadcastShapes(batch, d.df.Shape()) }) != nil {
			panic(torch.NewError(op, torch.ErrShape, "df",
				fmt.Sprintf("shape %v does not broadcast with the batch dimensions of shape %v", d.df.Shape(), shape)))
		}
		d.df = b.keep(d.df.Expand(batch...))
		more := func() string {
			return fmt.Sprintf("expected more than %d, the size of the matrices less 1", event[0]-1)
		}
		demand(op, "df", d.df.GtScalar(event[0]-1), more, func() string {
			return fmt.Sprintf("%s, got %v", more(), d.df)
		})
		d.covariance.set(b, m, batch)
		b.batch, b.event, b.rsample = batch, slices.Clone(event), true
		b.checkEarly(d, s)
		d.covariance.factor(b, m.matrix)
		d.bartlett(b)
	})
	d.validate = s.validate
	return d
}

// degrees returns df as a tensor: df itself, or a new tensor of the distribution with
// the dtype and device of like.
func (d *Wishart) degrees(b *base, op string, df any, like *torch.Tensor) *torch.Tensor {
	if t, ok := df.(*torch.Tensor); ok {
		t.HandleFor(op+"(df)", 0)
		return t
	}
	if opt.IsNil(df) {
		panic(torch.NewError(op, torch.ErrNil, "df", "expected a tensor or a number, got nil"))
	}
	torch.ScalarOf(op, "df", df)
	return b.keep(torch.ScalarTensor(df, like.DType(), like.Device()))
}

// bartlett makes the chi-squared distribution of the diagonals from which samples are computed.
func (d *Wishart) bartlett(b *base) {
	p := d.event[0]
	df := b.keep(d.df.Unsqueeze(-1).Sub(upTo(p, d.covariance.tril).Expand(slices.Concat(d.batch, torch.Shape{p})...)))
	d.chi2 = NewChi2(df, ValidateArgs(false))
	b.part(d.chi2)
}

func (d *Wishart) parameters() []parameter {
	return append(d.covariance.list(),
		parameter{name: "df", value: d.df, constraint: constraints.GreaterThan(d.event[0] - 1)})
}

// DF returns the degrees of freedom, expanded to the batch.
func (d *Wishart) DF() *torch.Tensor { opened(d, "DF"); return d.df }

// CovarianceMatrix returns the scale matrix, a new tensor whose elements may share memory.
// covariance_matrix in Python.
func (d *Wishart) CovarianceMatrix() *torch.Tensor {
	return compute(d, "CovarianceMatrix", func() *torch.Tensor { return alias(d.matrix(byCovariance)) })
}

// PrecisionMatrix returns the inverse of the scale matrix, a new tensor whose elements
// may share memory. precision_matrix in Python.
func (d *Wishart) PrecisionMatrix() *torch.Tensor {
	return compute(d, "PrecisionMatrix", func() *torch.Tensor { return alias(d.matrix(byPrecision)) })
}

// matrix returns a form of the scale matrix, as a tensor of the distribution.
func (d *Wishart) matrix(form matrixForm) *torch.Tensor {
	return d.covariance.matrix(form, func(tril *torch.Tensor) *torch.Tensor {
		return torch.Eye(d.event[0], tril.DType(), tril.Device()).CholeskySolve(tril)
	})
}

// ScaleTril returns the Cholesky factor of the scale matrix, a new tensor whose elements may
// share memory. scale_tril in Python.
func (d *Wishart) ScaleTril() *torch.Tensor {
	return compute(d, "ScaleTril", func() *torch.Tensor { return alias(d.matrix(byScaleTril)) })
}

// Support returns the positive definite matrices.
func (d *Wishart) Support() constraints.Constraint {
	opened(d, "Support")
	return constraints.PositiveDefinite
}

// asMatrix adds two dimensions to a tensor with the shape of the batch.
func asMatrix(t *torch.Tensor) *torch.Tensor { return t.Unsqueeze(-1).Unsqueeze(-1) }

// Mean returns df times the scale matrix.
func (d *Wishart) Mean() *torch.Tensor {
	return compute(d, "Mean", func() *torch.Tensor { return asMatrix(d.df).Mul(d.matrix(byCovariance)) })
}

// Mode returns (df - p - 1) times the scale matrix for p x p matrices, or NaN where df
// is at most p + 1.
func (d *Wishart) Mode() *torch.Tensor {
	return compute(d, "Mode", func() *torch.Tensor {
		f := d.df.SubScalar(d.event[0]).SubScalar(1)
		f = torch.Where(f.LeScalar(0), math.NaN(), f)
		return asMatrix(f).Mul(d.matrix(byCovariance))
	})
}

// Variance returns the variance of each element.
func (d *Wishart) Variance() *torch.Tensor {
	return compute(d, "Variance", func() *torch.Tensor {
		v := d.matrix(byCovariance)
		g := diagonal(v)
		return asMatrix(d.df).Mul(v.PowScalar(2).Add(g.Unsqueeze(-1).Mul(g.Unsqueeze(-2))))
	})
}

// once draws by Bartlett's decomposition: from a triangular matrix with the roots of
// chi-squared variables on the diagonal and normal variables below it.
func (d *Wishart) once(sample torch.Shape) *torch.Tensor {
	p := d.event[0]
	roots := d.chi2.RSample(SampleShape(sample)).Sqrt()
	noise := roots.ClampMin(torch.Finfo(roots.DType()).Eps).DiagEmbed()
	below := torch.TrilIndices(p, p, -1).Unbind()
	normal := torch.Randn(slices.Concat(sample, d.batch, torch.Shape{p * (p - 1) / 2}), noise.DType(), noise.Device())
	noise.SetIndex(normal, torch.Ellipsis, below[0], below[1])
	chol := d.covariance.tril.MatMul(noise)
	return chol.MatMul(chol.Transpose(-2, -1))
}

// accepted reports, for each sample, whether at least one matrix of its batch is
// positive definite. If negate is set, it reports whether at least one is not.
func (d *Wishart) accepted(sample *torch.Tensor, negate bool) *torch.Tensor {
	ok := constraints.PositiveDefinite.Check(sample)
	if negate {
		ok = ok.LogicalNot()
	}
	if n := int64(len(d.batch)); n > 0 {
		dims := make(torch.Dims, n)
		for i := range dims {
			dims[i] = -1 - int64(i)
		}
		ok = ok.Amax(dims)
	}
	return ok
}

// RSample draws samples with gradients; see [Distribution]. As PyTorch does, it draws the
// positive definite samples a second time. Then it redraws the samples that are not
// positive definite, up to nine times.
func (d *Wishart) RSample(opts ...SampleOption) *torch.Tensor {
	const most = 10
	return draw(d, "RSample", opts, func(shape, _ torch.Shape) *torch.Tensor {
		sample := d.once(shape)
		again := d.accepted(sample, false)
		for try := 0; try < most && again.Any().ItemBool(); try++ {
			next := d.once(torch.Shape{again.Sum().ItemInt()})
			failed := d.accepted(next, true)
			if again.Dim() == 0 {
				sample, again = next.Select(0, 0), failed.Select(0, 0)
				continue
			}
			sample = sample.Clone().SetIndex(next, again)
			again = again.Clone().SetIndex(failed, again)
		}
		return sample
	})
}

// LogProb returns the log density at value; see [Distribution].
func (d *Wishart) LogProb(value *torch.Tensor) *torch.Tensor {
	return at(d, "LogProb", value, func() *torch.Tensor {
		nu, p := d.df, d.event[0]
		log := nu.Neg().Mul(d.logScale()).Sub(over(nu, 2).Mvlgamma(p))
		excess := d.excess()
		_, logDet := value.Slogdet()
		log = log.Add(excess.Mul(logDet))
		trace := diagonal(value.CholeskySolve(d.covariance.tril)).Sum(torch.Dim(-1))
		return log.Sub(over(trace, 2))
	})
}

// logScale returns p log(2) / 2 plus half the logarithm of the scale matrix's determinant.
func (d *Wishart) logScale() *torch.Tensor {
	return plus(float64(d.event[0])*math.Ln2/2, d.covariance.halfLogDet())
}

// excess returns (df - p - 1) / 2.
func (d *Wishart) excess() *torch.Tensor {
	return d.df.SubScalar(d.event[0]).SubScalar(1).DivScalar(2)
}

// Entropy returns the entropy of each distribution in the batch; see [Distribution].
func (d *Wishart) Entropy() *torch.Tensor {
	return compute(d, "Entropy", func() *torch.Tensor {
		nu, p := d.df, d.event[0]
		h := times(p+1, d.logScale()).Add(over(nu, 2).Mvlgamma(p))
		excess := d.excess()
		half := over(nu, 2)
		digamma := half.Unsqueeze(-1).Sub(over(upTo(p, half), 2)).Digamma().Sum(torch.Dim(-1))
		return h.Sub(excess.Mul(digamma)).Add(over(times(nu, p), 2))
	})
}

// Expand returns the distribution with its batch expanded to batchShape; see [Distribution].
func (d *Wishart) Expand(batchShape torch.Shape) Distribution {
	n := &Wishart{}
	expand(d, n, batchShape, func(b *base, grow func(*torch.Tensor) *torch.Tensor) {
		n.df = grow(d.df)
		n.covariance.grow(b, &d.covariance, grow)
		n.bartlett(b)
	})
	return n
}

// Close frees the tensors that the distribution made; see [Distribution].
func (d *Wishart) Close() error { return closeAll(d) }
