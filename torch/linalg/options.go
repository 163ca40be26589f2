package linalg

import "github.com/gotorch/gotorch/torch"

// Options of package torch, under the names that they have there.
type (
	// Adjoint solves for the conjugate transpose. adjoint in Python, False unless
	// given.
	Adjoint = torch.Adjoint
	// ATol is how small a singular value counts as 0. atol in Python, 0 unless
	// given.
	ATol = torch.ATol
	// Dim is the dimension to work along; a negative one counts from the end.
	Dim = torch.Dim
	// Dim1 is the first of two dimensions, -2 unless given.
	Dim1 = torch.Dim1
	// Dim2 is the second of two dimensions, -1 unless given.
	Dim2 = torch.Dim2
	// Dims are the dimensions to work along, with braces: Dims{0, -1}.
	Dims = torch.Dims
	// Driver is the algorithm of a library underneath. driver in Python.
	Driver = torch.Driver
	// FullMatrices makes both factors of singular vectors square. full_matrices in
	// Python, True unless given.
	FullMatrices = torch.FullMatrices
	// Hermitian says that matrices are symmetric, or Hermitian if complex.
	// hermitian in Python, False unless given.
	Hermitian = torch.Hermitian
	// KeepDim says whether the dimensions that are reduced stay, with size 1. keepdim in
	// Python, False unless given.
	KeepDim = torch.KeepDim
	// Left says on which side of the unknown the matrix stands. left in Python,
	// True unless given.
	Left = torch.Left
	// Mode says what [QR] returns. mode in Python, ModeReduced unless given.
	Mode = torch.Mode
	// N is the number of powers of [Vander]. N in Python.
	N = torch.N
	// Offset is how far a diagonal lies above the main one. offset in Python, 0
	// unless given.
	Offset = torch.Offset
	// Pivot says whether rows are exchanged for stability. pivot in Python, True
	// unless given.
	Pivot = torch.Pivot
	// RCond is how small a singular value counts as 0, as a part of the largest.
	// rcond in Python.
	RCond = torch.RCond
	// RTol is how small a singular value counts as 0, as a part of the largest.
	// rtol in Python.
	RTol = torch.RTol
	// Unitriangular says that the diagonal counts as 1 and is not read.
	// unitriangular in Python, False unless given.
	Unitriangular = torch.Unitriangular
	// UPLO says which triangle of a matrix is read. UPLO in Python, UPLOL unless
	// given.
	UPLO = torch.UPLO
	// Upper says that a matrix is, or is to be, upper triangular. upper in Python,
	// False unless given.
	Upper = torch.Upper
)

// Words of options; see package torch.
const (
	ModeReduced  = torch.ModeReduced
	ModeComplete = torch.ModeComplete
	ModeR        = torch.ModeR

	UPLOL = torch.UPLOL
	UPLOU = torch.UPLOU

	DriverGELSY  = torch.DriverGELSY
	DriverGELS   = torch.DriverGELS
	DriverGELSD  = torch.DriverGELSD
	DriverGELSS  = torch.DriverGELSS
	DriverGESVD  = torch.DriverGESVD
	DriverGESVDJ = torch.DriverGESVDJ
	DriverGESVDA = torch.DriverGESVDA
)

// CheckErrors makes a function that ends in Ex panic with ErrLinAlg as its twin
// does. check_errors in Python, False unless given.
type CheckErrors bool

// A CholeskyExOption says how [CholeskyEx] goes: [Upper], [CheckErrors].
//
//gotorch:options CheckErrors
type CholeskyExOption interface{ CholeskyExFunc() }

// An LUFactorExOption says how [LUFactorEx] goes: [Pivot], [CheckErrors].
//
//gotorch:options CheckErrors
type LUFactorExOption interface{ LUFactorExFunc() }

// An LDLOption says what is known of the matrices: [Hermitian].
type LDLOption interface{ LDLFunc() }

// An LDLFactorExOption says how [LDLFactorEx] goes: [Hermitian], [CheckErrors].
//
//gotorch:options CheckErrors
type LDLFactorExOption interface{ LDLFactorExFunc() }

// An InvExOption says how [InvEx] goes: [CheckErrors].
//
//gotorch:options CheckErrors
type InvExOption interface{ InvExFunc() }

// A SolveExOption says how [SolveEx] goes: [Left], [CheckErrors].
//
//gotorch:options CheckErrors
type SolveExOption interface{ SolveExFunc() }

// CholeskyExFunc and its like say which functions take the option.

// LUFactorExFunc says that [LUFactorEx] takes the option.

// LDLFactorExFunc says that [LDLFactorEx] takes the option.

// InvExFunc says that [InvEx] takes the option.

// SolveExFunc says that [SolveEx] takes the option.

// settings are options of the functions that package linalg alone has, read.
type settings struct {
	upper, pivot, hermitian, left, check bool
}

// read reads the options of op. Its type parameter is the interface of the
// family, which says at compile time which of them there can be.
func read[O any](op string, opts []O) settings {
	s := settings{pivot: true, left: true}
	for _, o := range opts {
		switch o := any(o).(type) {
		case Upper:
			s.upper = bool(o)
		case Pivot:
			s.pivot = bool(o)
		case Hermitian:
			s.hermitian = bool(o)
		case Left:
			s.left = bool(o)
		case CheckErrors:
			s.check = bool(o)
		default:
			panic(torch.BadOption(op, o))
		}
	}
	return s
}
