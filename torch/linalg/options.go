package linalg

import "github.com/gotorch/gotorch/torch"

// These are options of package torch, under the same names.
type (
	// Adjoint solves for the conjugate transpose. The name in Python is adjoint; the
	// default is False.
	Adjoint = torch.Adjoint
	// ATol is the threshold below which singular values count as 0. atol in Python; the
	// default is 0.
	ATol = torch.ATol
	// Dim is the dimension to work along; a negative one counts from the end.
	Dim = torch.Dim
	// Dim1 is the first of two dimensions; the default is -2.
	Dim1 = torch.Dim1
	// Dim2 is the second of two dimensions; the default is -1.
	Dim2 = torch.Dim2
	// Dims are the dimensions to work along, for example Dims{0, -1}.
	Dims = torch.Dims
	// Driver is the algorithm of the underlying library. driver in Python.
	Driver = torch.Driver
	// FullMatrices makes both matrices of singular vectors square. full_matrices in
	// Python; the default is True.
	FullMatrices = torch.FullMatrices
	// Hermitian says whether matrices are symmetric, or Hermitian if complex. The name in
	// Python is hermitian; the default is False.
	Hermitian = torch.Hermitian
	// KeepDim keeps reduced dimensions with size 1. keepdim in Python; the default is False.
	KeepDim = torch.KeepDim
	// Left selects the side of the unknown on which the matrix stands. The name in
	// Python is left; the default is True.
	Left = torch.Left
	// Mode selects what [QR] returns. mode in Python; the default is ModeReduced.
	Mode = torch.Mode
	// N is the number of powers that [Vander] computes, one per column. It is N in
	// Python.
	N = torch.N
	// Offset is the distance of a diagonal above the main diagonal. offset in Python; the
	// default is 0.
	Offset = torch.Offset
	// Pivot selects whether rows are exchanged for stability. pivot in Python; the
	// default is True.
	Pivot = torch.Pivot
	// RCond is the threshold, relative to the largest singular value, below which
	// singular values count as 0. rcond in Python.
	RCond = torch.RCond
	// RTol is the threshold, relative to the largest singular value, below which singular
	// values count as 0. rtol in Python.
	RTol = torch.RTol
	// Unitriangular says whether the diagonal counts as 1 and is not read. The name in
	// Python is unitriangular; the default is False.
	Unitriangular = torch.Unitriangular
	// UPLO selects the triangle of a matrix that is read. UPLO in Python; the default is
	// UPLOL.
	UPLO = torch.UPLO
	// Upper says whether a matrix is, or should be, upper triangular. The name in Python
	// is upper; the default is False.
	Upper = torch.Upper
)

// These are values of options; see package torch.
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

// CheckErrors makes a function whose name ends in Ex panic with ErrLinAlg, like its
// counterpart. check_errors in Python; the default is False.
type CheckErrors bool

// A CholeskyExOption configures [CholeskyEx]: [Upper], [CheckErrors].
//
//gotorch:options CheckErrors
type CholeskyExOption interface{ CholeskyExFunc() }

// An LUFactorExOption configures [LUFactorEx]: [Pivot], [CheckErrors].
//
//gotorch:options CheckErrors
type LUFactorExOption interface{ LUFactorExFunc() }

// An LDLOption describes the matrices: [Hermitian].
type LDLOption interface{ LDLFunc() }

// An LDLFactorExOption configures [LDLFactorEx]: [Hermitian], [CheckErrors].
//
//gotorch:options CheckErrors
type LDLFactorExOption interface{ LDLFactorExFunc() }

// An InvExOption configures [InvEx]: [CheckErrors].
//
//gotorch:options CheckErrors
type InvExOption interface{ InvExFunc() }

// A SolveExOption configures [SolveEx]: [Left], [CheckErrors].
//
//gotorch:options CheckErrors
type SolveExOption interface{ SolveExFunc() }

// The methods CholeskyExFunc etc. mark the functions that take an option.

// LUFactorExFunc marks the option as one of [LUFactorEx].

// LDLFactorExFunc marks the option as one of [LDLFactorEx].

// InvExFunc marks the option as one of [InvEx].

// SolveExFunc marks the option as one of [SolveEx].

// settings holds the values of the options.
type settings struct {
	upper, pivot, hermitian, left, check bool
}

// read reads the options of op. Its type parameter is the interface of the option family.
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
