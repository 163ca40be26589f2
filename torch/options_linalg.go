package torch

import "fmt"

// Options of linear algebra.

// Upper says that a matrix is, or is to be, upper triangular instead of lower.
// upper in Python, False unless given.
type Upper bool

// Unitriangular says that the diagonal of a triangular matrix counts as 1 and is
// not read. unitriangular in Python, False unless given.
type Unitriangular bool

// Left says on which side of the unknown the matrix stands: A @ X = B, and with
// false X @ A = B. left in Python, True unless given.
type Left bool

// Adjoint solves for the conjugate transpose of the matrix. adjoint in Python,
// False unless given.
type Adjoint bool

// FullMatrices makes both factors of singular vectors square; with false they
// have as many vectors as there are singular values. full_matrices in Python,
// True unless given.
type FullMatrices bool

// Hermitian says that matrices are symmetric, or Hermitian if complex, which is
// faster; only their lower triangle is read. hermitian in Python, False unless
// given.
type Hermitian bool

// Pivot says whether rows are exchanged for stability. Without it a
// decomposition needs a GPU. pivot in Python, True unless given.
type Pivot bool

// Mode says what [Tensor.QR] returns, mode in Python. The default is
// ModeReduced.
type Mode string

// What [Tensor.QR] returns.
const (
	ModeReduced  Mode = "reduced"  // a Q with as many columns as R has rows
	ModeComplete Mode = "complete" // a square Q
	ModeR        Mode = "r"        // R alone, with an empty Q and without gradients
)

// UPLO says which triangle of a symmetric or Hermitian matrix is read, UPLO in
// Python. The default is UPLOL.
type UPLO string

// Triangles of a matrix.
const (
	UPLOL UPLO = "L" // the lower
	UPLOU UPLO = "U" // the upper
)

// Driver is the algorithm of a library underneath, driver in Python. The
// function says which it takes and what it does without one.
type Driver string

// Algorithms for [Tensor.LstSq], of which a GPU has DriverGELS alone, and for
// [Tensor.SVD] on a GPU.
const (
	DriverGELSY  Driver = "gelsy"  // QR with pivoting
	DriverGELS   Driver = "gels"   // QR, for matrices of full rank
	DriverGELSD  Driver = "gelsd"  // SVD by divide and conquer
	DriverGELSS  Driver = "gelss"  // SVD
	DriverGESVD  Driver = "gesvd"  // QR iterations
	DriverGESVDJ Driver = "gesvdj" // Jacobi's rotations
	DriverGESVDA Driver = "gesvda" // approximate, for tall matrices
)

// RCond is how small a singular value counts as 0, as a part of the largest.
// rcond in Python; without it the precision of the dtype times the larger side
// of the matrix.
type RCond float64

// A CholeskyOption says which triangle holds the factor: [Upper].
//
//gotorch:options Upper
type CholeskyOption interface{ choleskyOption() }

// A QROption says what [Tensor.QR] returns: [Mode].
//
//gotorch:options Mode
type QROption interface{ qrOption() }

// An SVDOption says what [Tensor.SVD] returns and how: [FullMatrices],
// [Driver].
//
//gotorch:options FullMatrices Driver
type SVDOption interface{ svdOption() }

// An SVDValsOption says how singular values are found: [Driver].
//
//gotorch:options Driver
type SVDValsOption interface{ svdValsOption() }

// An EighOption says which triangle is read: [UPLO].
//
//gotorch:options UPLO
type EighOption interface{ eighOption() }

// An LUOption says how a matrix is decomposed: [Pivot].
//
//gotorch:options Pivot
type LUOption interface{ luOption() }

// A SolveOption says how [Tensor.Solve] understands its arguments: [Left].
//
//gotorch:options Left
type SolveOption interface{ solveOption() }

// A TriangularOption says how [Tensor.SolveTriangular] understands its
// arguments: [Left], [Unitriangular].
//
//gotorch:options Left Unitriangular
type TriangularOption interface{ triangularOption() }

// An LUSolveOption says how [Tensor.LUSolve] understands its arguments: [Left],
// [Adjoint].
//
//gotorch:options Left Adjoint
type LUSolveOption interface{ luSolveOption() }

// An LstSqOption says how [Tensor.LstSq] computes: [RCond], [Driver].
//
//gotorch:options RCond Driver
type LstSqOption interface{ lstSqOption() }

// A TensorSolveOption says which dimensions of a tensor are moved to its end
// first: [Dims].
//
//gotorch:options Dims
type TensorSolveOption interface{ tensorSolveOption() }

// A RankOption says which singular values count as 0, [ATol] or [RTol], and what
// is known of the matrices: [Hermitian].
//
//gotorch:options ATol RTol Hermitian
type RankOption interface{ rankOption() }

// A MatrixNormOption says over which two dimensions matrices lie, [Dims], and
// what the result looks like: [KeepDim], a [DType].
//
//gotorch:options Dims KeepDim DType
type MatrixNormOption interface{ matrixNormOption() }

// A VanderOption says how many powers there are: [N].
//
//gotorch:options N
type VanderOption interface{ vanderOption() }

// arg is the driver as operators take it, nil if none was given.
func (d Driver) arg(given bool) *string {
	if !given {
		return nil
	}
	s := string(d)
	return &s
}

// needSVD panics unless the driver is one of singular values that t's device
// has.
func (d Driver) needSVD(op string, t *Tensor) {
	switch t.handle(op, 0); {
	case d != DriverGESVD && d != DriverGESVDJ && d != DriverGESVDA:
		panic(argError(op, ErrValue, "Driver", fmt.Sprintf("expected gesvd, gesvdj or gesvda, got %q", string(d))))
	case !t.IsCUDA():
		panic(argError(op, ErrValue, "Driver", fmt.Sprintf("expected none for a tensor on %v, got %q", t.Device(), string(d))))
	}
}

// readCholesky reads the options of op.
func readCholesky(op string, opts []CholeskyOption) (upper bool) {
	for _, o := range opts {
		switch o := o.(type) {
		case Upper:
			upper = bool(o)
		default:
			panic(badOption(op, o))
		}
	}
	return upper
}

// readEigh reads the options of op. Python takes small letters too.
func readEigh(op string, opts []EighOption) string {
	triangle := UPLOL
	for _, o := range opts {
		switch o := o.(type) {
		case UPLO:
			triangle = o
		default:
			panic(badOption(op, o))
		}
	}
	switch triangle {
	case UPLOL, UPLOU, "l", "u":
		return string(triangle)
	}
	panic(argError(op, ErrValue, "UPLO", fmt.Sprintf("expected L or U, got %q", string(triangle))))
}

// readLU reads the options of op.
func readLU(op string, opts []LUOption) bool {
	pivot := true
	for _, o := range opts {
		switch o := o.(type) {
		case Pivot:
			pivot = bool(o)
		default:
			panic(badOption(op, o))
		}
	}
	return pivot
}

// tolerances is a list of options about the rank of a matrix, read.
type tolerances struct {
	atol, rtol         float64
	haveATol, haveRTol bool
	hermitian          bool
}

func readRank(op string, opts []RankOption) (r tolerances) {
	for _, o := range opts {
		switch o := o.(type) {
		case ATol:
			r.atol, r.haveATol = float64(o), true
		case RTol:
			r.rtol, r.haveRTol = float64(o), true
		case Hermitian:
			r.hermitian = bool(o)
		default:
			panic(badOption(op, o))
		}
	}
	return r
}

// args returns the two tolerances, nil for one that was not given. The
// results are part of r.
func (r *tolerances) args() (atol, rtol *float64) {
	if r.haveATol {
		atol = &r.atol
	}
	if r.haveRTol {
		rtol = &r.rtol
	}
	return atol, rtol
}

// What package linalg takes too, in functions that it alone has.

func (Upper) CholeskyExFunc()      {}
func (Pivot) LUFactorExFunc()      {}
func (Hermitian) LDLFunc()         {}
func (Hermitian) LDLFactorExFunc() {}
func (Left) SolveExFunc()          {}
