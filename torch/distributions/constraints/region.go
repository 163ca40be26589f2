package constraints

import "github.com/gotorch/gotorch/torch"

// A Region is a constraint without arguments: one of the constants of this package.
// Methods of any other value panic with ErrValue.
type Region int

// These are the regions without arguments.
const (
	_ Region = iota

	Real               // all numbers and infinities, but not NaN; the name in Python is real
	RealVector         // vectors of Real; the name in Python is real_vector
	Positive           // x > 0; the name in Python is positive
	NonNegative        // x >= 0; the name in Python is nonnegative
	UnitInterval       // 0 <= x <= 1; the name in Python is unit_interval
	Boolean            // 0 and 1; the name in Python is boolean
	OneHot             // vectors with one 1 and zeros elsewhere; the name in Python is one_hot
	NonNegativeInteger // 0, 1, 2, and so on; the name in Python is nonnegative_integer
	PositiveInteger    // 1, 2, 3, and so on; the name in Python is positive_integer

	// Simplex is the set of vectors of non-negative numbers that add up to 1, within
	// 1e-6. The name in Python is simplex.
	Simplex

	LowerTriangular // matrices with zeros above the diagonal; the name in Python is lower_triangular
	LowerCholesky   // LowerTriangular with a positive diagonal; the name in Python is lower_cholesky

	// CorrCholesky is the set of Cholesky factors of correlation matrices: LowerCholesky
	// with rows of length 1. The name in Python is corr_cholesky.
	CorrCholesky

	Square               // matrices with as many rows as columns; the name in Python is square
	Symmetric            // Square matrices that equal their transpose; the name in Python is symmetric
	PositiveSemidefinite // Symmetric matrices without negative eigenvalues; the name in Python is positive_semidefinite
	PositiveDefinite     // Symmetric matrices with a Cholesky factor; the name in Python is positive_definite
)

// regionFacts describes a Region.
type regionFacts struct {
	repr     string
	discrete bool
	eventDim int64
	check    func(value *torch.Tensor) *torch.Tensor
}

// facts returns the properties of r; op is the called function, for errors.
func (r Region) facts(op string) regionFacts {
	switch r {
	case Real:
		return regionFacts{"Real()", false, 0, func(x *torch.Tensor) *torch.Tensor { return x.Eq(x) }}
	case RealVector:
		return regionFacts{"IndependentConstraint(Real(), 1)", false, 1, func(x *torch.Tensor) *torch.Tensor {
			return x.Eq(x).All(torch.Dim(-1))
		}}
	case Positive:
		return regionFacts{"GreaterThan(lower_bound=0.0)", false, 0, func(x *torch.Tensor) *torch.Tensor {
			return x.GtScalar(0)
		}}
	case NonNegative:
		return regionFacts{"GreaterThanEq(lower_bound=0.0)", false, 0, func(x *torch.Tensor) *torch.Tensor {
			return x.GeScalar(0)
		}}
	case UnitInterval:
		return regionFacts{"Interval(lower_bound=0.0, upper_bound=1.0)", false, 0, func(x *torch.Tensor) *torch.Tensor {
			return x.GeScalar(0).LogicalAnd(x.LeScalar(1))
		}}
	case Boolean:
		return regionFacts{"Boolean()", true, 0, isBoolean}
	case OneHot:
		return regionFacts{"OneHot()", true, 1, func(x *torch.Tensor) *torch.Tensor {
			return isBoolean(x).All(torch.Dim(-1)).LogicalAnd(x.Sum(torch.Dim(-1)).EqScalar(1))
		}}
	case NonNegativeInteger:
		return regionFacts{"IntegerGreaterThan(lower_bound=0)", true, 0, func(x *torch.Tensor) *torch.Tensor {
			return isWhole(x).LogicalAnd(x.GeScalar(0))
		}}
	case PositiveInteger:
		return regionFacts{"IntegerGreaterThan(lower_bound=1)", true, 0, func(x *torch.Tensor) *torch.Tensor {
			return isWhole(x).LogicalAnd(x.GeScalar(1))
		}}
	case Simplex:
		return regionFacts{"Simplex()", false, 1, func(x *torch.Tensor) *torch.Tensor {
			return x.GeScalar(0).All(torch.Dim(-1)).LogicalAnd(x.Sum(torch.Dim(-1)).SubScalar(1).Abs().LtScalar(1e-6))
		}}
	case LowerTriangular:
		return regionFacts{"LowerTriangular()", false, 2, isLowerTriangular}
	case LowerCholesky:
		return regionFacts{"LowerCholesky()", false, 2, isLowerCholesky}
	case CorrCholesky:
		return regionFacts{"CorrCholesky()", false, 2, isCorrCholesky}
	case Square:
		return regionFacts{"Square()", false, 2, isSquare}
	case Symmetric:
		return regionFacts{"Symmetric()", false, 2, func(x *torch.Tensor) *torch.Tensor { return ifSymmetric(x, nil) }}
	case PositiveSemidefinite:
		return regionFacts{"PositiveSemidefinite()", false, 2, func(x *torch.Tensor) *torch.Tensor {
			return ifSymmetric(x, hasNoNegativeEigenvalue)
		}}
	case PositiveDefinite:
		return regionFacts{"PositiveDefinite()", false, 2, func(x *torch.Tensor) *torch.Tensor {
			return ifSymmetric(x, hasCholesky)
		}}
	}
	panic(torch.NewError(op, torch.ErrValue, "r", "is not one of the constants of the package"))
}

// String formats the constraint as Python does.
func (r Region) String() string { return r.facts("constraints.Region.String").repr }

// IsDiscrete reports whether the region is discrete.
func (r Region) IsDiscrete() bool { return r.facts("constraints.Region.IsDiscrete").discrete }

// EventDim returns the number of trailing dimensions of a value that make up one event.
func (r Region) EventDim() int64 { return r.facts("constraints.Region.EventDim").eventDim }

// Check reports, for each event of value, whether it is in the region; see [Constraint].
func (r Region) Check(value *torch.Tensor) *torch.Tensor {
	const op = "constraints.Region.Check"
	f := r.facts(op)
	need(op, value, f.eventDim)
	return torch.Tidy(func() *torch.Tensor { return f.check(value) })
}

func isBoolean(x *torch.Tensor) *torch.Tensor { return x.EqScalar(0).LogicalOr(x.EqScalar(1)) }

func isWhole(x *torch.Tensor) *torch.Tensor { return x.RemainderScalar(1).EqScalar(0) }
