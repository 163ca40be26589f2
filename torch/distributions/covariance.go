package distributions

import (
	"fmt"
	"slices"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributions/constraints"
)

// A CovarianceOption is an option of [NewMultivariateNormal] and [NewWishart]: exactly
// one of [CovarianceMatrix], [PrecisionMatrix] and [ScaleTril], and [ValidateArgs].
//
//gotorch:options ValidateArgs MatrixOption
type CovarianceOption interface{ covarianceOption() }

// A MatrixOption is the result of [CovarianceMatrix], [PrecisionMatrix] or [ScaleTril].
type MatrixOption struct {
	form   matrixForm
	matrix *torch.Tensor
}

// A matrixForm is a form of a covariance.
type matrixForm int

const (
	byCovariance matrixForm = iota
	byPrecision
	byScaleTril
	matrixForms
)

// name returns Python's name of the form.
func (f matrixForm) name() string {
	return [...]string{"covariance_matrix", "precision_matrix", "scale_tril"}[f]
}

// CovarianceMatrix is the covariance, a positive definite matrix. A nil matrix leaves
// the option out. covariance_matrix in Python.
func CovarianceMatrix(m *torch.Tensor) MatrixOption { return MatrixOption{byCovariance, m} }

// PrecisionMatrix is the inverse of the covariance, a positive definite matrix. A nil
// matrix leaves the option out. precision_matrix in Python.
func PrecisionMatrix(m *torch.Tensor) MatrixOption { return MatrixOption{byPrecision, m} }

// ScaleTril is the Cholesky factor of the covariance, lower triangular with a positive
// diagonal; the other forms are converted to it. A nil matrix leaves the option out.
// scale_tril in Python.
func ScaleTril(m *torch.Tensor) MatrixOption { return MatrixOption{byScaleTril, m} }

// A covariance holds a covariance in the form that the caller passed, and its Cholesky factor.
type covariance struct {
	base  *base
	form  matrixForm
	given *torch.Tensor // the matrix that the caller passed, expanded to the batch
	tril  *torch.Tensor // the Cholesky factor, which may have fewer dimensions than the batch
	other [matrixForms]lazy
}

// readCovarianceOptions returns the settings and the matrix in opts.
func readCovarianceOptions(op string, opts []CovarianceOption) (settings, MatrixOption) {
	s := defaults()
	var given [matrixForms]*torch.Tensor
	for _, o := range opts {
		switch o := o.(type) {
		case ValidateArgs:
			s.validate = bool(o)
		case MatrixOption:
			given[o.form] = o.matrix
		default:
			panic(torch.BadOption(op, o))
		}
	}
	var list []MatrixOption
	for f, m := range given {
		if m != nil {
			list = append(list, MatrixOption{matrixForm(f), m})
		}
	}
	if len(list) != 1 {
		panic(&torch.Error{Op: op, Kind: torch.ErrValue, Message: fmt.Sprintf("expected exactly one of the options "+
			"CovarianceMatrix, PrecisionMatrix and ScaleTril, got %d", len(list))})
	}
	m := list[0]
	m.matrix.HandleFor(op+"("+argument(m.form.name())+")", 0)
	shape := m.matrix.Shape()
	if n := len(shape); n < 2 || shape[n-1] != shape[n-2] {
		panic(torch.NewError(op, torch.ErrShape, argument(m.form.name()),
			fmt.Sprintf("expected square matrices after the batch dimensions, got shape %v", shape)))
	}
	return s, m
}

// checkEarly checks the parameters of d before a matrix is factored, because factoring
// would fail with a less helpful error. The caller builds the base with settings{}, so
// that build does not check again, and sets validate afterwards.
func (b *base) checkEarly(d core, s settings) {
	if s.validate {
		op := "distributions.New" + b.name
		b.self = d
		b.checkParameters(op)
	}
}

// set stores the matrix, expanded to batch.
func (c *covariance) set(b *base, m MatrixOption, batch torch.Shape) {
	n := m.matrix.Size(-1)
	c.base, c.form, c.given = b, m.form, b.keep(m.matrix.Expand(slices.Concat(batch, torch.Shape{n, n})...))
}

// factor computes the Cholesky factor of the covariance from m, which has been checked.
func (c *covariance) factor(b *base, m *torch.Tensor) {
	switch c.form {
	case byScaleTril:
		c.tril = m
	case byCovariance:
		c.tril = b.keep(m.Cholesky())
	case byPrecision:
		// Compute the Cholesky factor of the inverse of m without inverting m: flip m in both
		// dimensions, factor it, flip the factor back and solve a triangular system.
		turned := m.Flip(-2, -1).Cholesky().Flip(-2, -1).Transpose(-2, -1)
		c.tril = b.keep(turned.SolveTriangular(torch.Eye(m.Size(-1), m.DType(), m.Device()), false))
	}
}

// grow sets the matrices of c: it expands from's matrices with the function grow.
func (c *covariance) grow(b *base, from *covariance, grow func(*torch.Tensor) *torch.Tensor) {
	c.base, c.form, c.given, c.tril = b, from.form, grow(from.given), b.keep(alias(from.tril))
	for form := range from.other {
		if m := from.other[form].value(); m != nil {
			c.other[form].set(grow(m))
		}
	}
}

// list returns the matrix that the caller passed with its constraint, and the other
// forms without values.
func (c *covariance) list() []parameter {
	var list []parameter
	for _, form := range []matrixForm{byCovariance, byPrecision, byScaleTril} {
		p := parameter{name: form.name(), constraint: constraints.PositiveDefinite, instead: form != c.form}
		if form == byScaleTril {
			p.constraint = constraints.LowerCholesky
		}
		if form == c.form {
			p.value = c.given
		}
		list = append(list, p)
	}
	return list
}

// matrix returns the matrix in the given form, with the shape of the matrix that the caller
// passed. inverse computes the precision from the Cholesky factor of the covariance.
func (c *covariance) matrix(form matrixForm, inverse func(tril *torch.Tensor) *torch.Tensor) *torch.Tensor {
	if form == c.form {
		return c.given
	}
	return c.other[form].of(c.base, func() *torch.Tensor {
		m := c.tril
		switch form {
		case byCovariance:
			m = m.MatMul(m.MT())
		case byPrecision:
			m = inverse(m)
		}
		return m.Expand(c.given.Shape()...)
	})
}

// halfLogDet returns half the logarithm of the determinant.
func (c *covariance) halfLogDet() *torch.Tensor { return logDiagonal(c.tril) }

// logDiagonal returns the sum of the logarithms of the diagonal.
func logDiagonal(l *torch.Tensor) *torch.Tensor { return diagonal(l).Log().Sum(torch.Dim(-1)) }

// batchMV returns the product of each matrix in m with its vector in v.
func batchMV(m, v *torch.Tensor) *torch.Tensor { return m.MatMul(v.Unsqueeze(-1)).Squeeze(-1) }

// batchMahalanobis returns the squared length of L^-1 x. The batch of L may have fewer
// dimensions than the batch of x, or dimensions of size 1. x is then rearranged so that each L
// solves for all its vectors at once.
func batchMahalanobis(l, x *torch.Tensor) *torch.Tensor {
	n := x.Size(-1)
	xs, ls := x.Shape(), l.Shape()
	batch, lBatch := xs[:len(xs)-1], ls[:len(ls)-2]
	outer := len(batch) - len(lBatch)

	// Split each dimension of x that corresponds to a batch dimension of L of size l
	// into two, of sizes size/l and l. Then move all dimensions of size l behind the
	// others, before the vectors.
	split := slices.Clone(batch[:outer])
	order := make([]int64, 0, outer+2*len(lBatch)+1)
	back := make([]int64, 0, outer+2*len(lBatch))
	for i := range outer {
		order, back = append(order, int64(i)), append(back, int64(i))
	}
	for i, size := range lBatch {
		split = append(split, batch[outer+i]/size, size)
		order = append(order, int64(outer+2*i))
		back = append(back, int64(outer+i), int64(outer+len(lBatch)+i))
	}
	for i := range lBatch {
		order = append(order, int64(outer+2*i+1))
	}
	order = append(order, int64(outer+2*len(lBatch)))
	x = x.Reshape(append(split, n)...).Permute(order...)

	flatL := l.Reshape(-1, n, n)
	flatX := x.Reshape(-1, flatL.Size(0), n).Permute(1, 2, 0)
	m := flatL.SolveTriangular(flatX, false).PowScalar(2).Sum(torch.Dim(-2)).T()
	shape := x.Shape()
	return m.Reshape(shape[:len(shape)-1]...).Permute(back...).Reshape(batch...)
}
