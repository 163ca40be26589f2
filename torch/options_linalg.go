package torch

import "fmt"

// Upper makes a matrix upper triangular instead of lower. The default is false.
// The name in Python is upper.
type Upper bool

// Unitriangular assumes ones on the diagonal of a triangular matrix and does
// not read it. The default is false. The name in Python is unitriangular.
type Unitriangular bool

// Left solves A @ X = B; with false, X @ A = B. The default is true. The name
// in Python is left.
type Left bool

// Adjoint solves for the conjugate transpose of the matrix. The default is
// false. The name in Python is adjoint.
type Adjoint bool

// FullMatrices makes both matrices of singular vectors square; with false they have as
// many vectors as there are singular values. The default is true. It is full_matrices in
// Python.
type FullMatrices bool

// Hermitian assumes symmetric matrices, or Hermitian ones if complex. That is
// faster, and reads only the lower triangle. The default is false. The name
// in Python is hermitian.
type Hermitian bool

// Pivot exchanges rows for stability. Pivot(false) needs a GPU. The default is
// true. It is pivot in Python.
type Pivot bool

// Mode selects what [Tensor.QR] returns. The default is ModeReduced. It is mode
// in Python.
type Mode string

// What [Tensor.QR] returns.
const (
	ModeReduced  Mode = "reduced"  // Q has as many columns as R has rows
	ModeComplete Mode = "complete" // Q is square
	ModeR        Mode = "r"        // QR computes only R; Q is empty, and there are no gradients
)

// UPLO selects the triangle of a symmetric or Hermitian matrix that is read.
// The default is UPLOL. It is UPLO in Python.
type UPLO string

// Triangles of a matrix.
const (
	UPLOL UPLO = "L" // the lower triangle
	UPLOU UPLO = "U" // the upper triangle
)

// Driver is the LAPACK or cuSOLVER algorithm. Each function documents its
// drivers and its default. It is driver in Python.
type Driver string

// The first four drivers are for [Tensor.LstSq]; on a GPU it has only DriverGELS. The
// last three are for [Tensor.SVD] on a GPU.
const (
	DriverGELSY  Driver = "gelsy"  // QR with pivoting
	DriverGELS   Driver = "gels"   // QR, for matrices of full rank
	DriverGELSD  Driver = "gelsd"  // SVD by divide and conquer
	DriverGELSS  Driver = "gelss"  // SVD
	DriverGESVD  Driver = "gesvd"  // QR iterations
	DriverGESVDJ Driver = "gesvdj" // Jacobi rotations
	DriverGESVDA Driver = "gesvda" // approximate, for tall matrices
)

// RCond is the limit below which a singular value counts as 0, as a factor of the largest
// singular value. The default is the dtype's precision times the larger side of the
// matrix. It is rcond in Python.
type RCond float64

// A CholeskyOption is an option of [Tensor.Cholesky] and similar functions: [Upper].
//
//gotorch:options Upper
type CholeskyOption interface{ choleskyOption() }

// A QROption is an option of [Tensor.QR]: [Mode].
//
//gotorch:options Mode
type QROption interface{ qrOption() }

// An SVDOption is an option of [Tensor.SVD]: [FullMatrices] or [Driver].
//
//gotorch:options FullMatrices Driver
type SVDOption interface{ svdOption() }

// An SVDValsOption is an option of [Tensor.SVDVals]: [Driver].
//
//gotorch:options Driver
type SVDValsOption interface{ svdValsOption() }

// An EighOption is an option of [Tensor.Eigh] and [Tensor.Eigvalsh]: [UPLO].
//
//gotorch:options UPLO
type EighOption interface{ eighOption() }

// An LUOption is an option of [Tensor.LU] and [Tensor.LUFactor]: [Pivot].
//
//gotorch:options Pivot
type LUOption interface{ luOption() }

// A SolveOption is an option of [Tensor.Solve]: [Left].
//
//gotorch:options Left
type SolveOption interface{ solveOption() }

// A TriangularOption is an option of [Tensor.SolveTriangular]: [Left] or
// [Unitriangular].
//
//gotorch:options Left Unitriangular
type TriangularOption interface{ triangularOption() }

// An LUSolveOption is an option of [Tensor.LUSolve]: [Left] or [Adjoint].
//
//gotorch:options Left Adjoint
type LUSolveOption interface{ luSolveOption() }

// An LstSqOption is an option of [Tensor.LstSq]: [RCond] or [Driver].
//
//gotorch:options RCond Driver
type LstSqOption interface{ lstSqOption() }

// A TensorSolveOption is an option of [Tensor.TensorSolve]: [Dims].
//
//gotorch:options Dims
type TensorSolveOption interface{ tensorSolveOption() }

// A RankOption is an option of [Tensor.Pinverse] and [Tensor.MatrixRank]:
// [ATol], [RTol] or [Hermitian].
//
//gotorch:options ATol RTol Hermitian
type RankOption interface{ rankOption() }

// A MatrixNormOption is an option of [Tensor.MatrixNorm]: [Dims], [KeepDim] or
// a [DType].
//
//gotorch:options Dims KeepDim DType
type MatrixNormOption interface{ matrixNormOption() }

// A VanderOption is an option of [Tensor.Vander]: [N].
//
//gotorch:options N
type VanderOption interface{ vanderOption() }

// arg returns the driver's name for libtorch, or nil if no driver was given.
func (d Driver) arg(given bool) *string {
	if !given {
		return nil
	}
	s := string(d)
	return &s
}

// needSVD panics unless d is a driver of [Tensor.SVD] and t is on a GPU.
func (d Driver) needSVD(op string, t *Tensor) {
	switch t.handle(op, 0); {
	case d != DriverGESVD && d != DriverGESVDJ && d != DriverGESVDA:
		panic(argError(op, ErrValue, "Driver", fmt.Sprintf("expected gesvd, gesvdj or gesvda, got %q", string(d))))
	case !t.IsCUDA():
		panic(argError(op, ErrValue, "Driver",
			fmt.Sprintf("%q works only for tensors on a GPU, got a tensor on %v", string(d), t.Device())))
	}
}

func readCholesky(op string, opts []CholeskyOption) (upper bool) {
	return bool(readOption(op, opts, Upper(false)))
}

// readEigh reads the options of op. Like Python, it also accepts lower-case
// letters.
func readEigh(op string, opts []EighOption) string {
	triangle := readOption(op, opts, UPLOL)
	switch triangle {
	case UPLOL, UPLOU, "l", "u":
		return string(triangle)
	}
	panic(argError(op, ErrValue, "UPLO", fmt.Sprintf("expected L or U, got %q", string(triangle))))
}

func readLU(op string, opts []LUOption) bool {
	return bool(readOption(op, opts, Pivot(true)))
}

// tolerances holds the parsed options about the rank of a matrix.
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

// args returns the two tolerances, or nil for one that was not given. The
// results point into r.
func (r *tolerances) args() (atol, rtol *float64) {
	if r.haveATol {
		atol = &r.atol
	}
	if r.haveRTol {
		rtol = &r.rtol
	}
	return atol, rtol
}

// These methods mark options that functions of package linalg also accept.

func (Upper) CholeskyExFunc()      {}
func (Pivot) LUFactorExFunc()      {}
func (Hermitian) LDLFunc()         {}
func (Hermitian) LDLFactorExFunc() {}
func (Left) SolveExFunc()          {}
