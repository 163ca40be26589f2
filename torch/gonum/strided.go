package gonum

import "gonum.org/v1/gonum/mat"

// strided is a read-only matrix over elements with arbitrary strides.
type strided[E float32 | float64] struct {
	data         []E
	rows, cols   int
	down, across int
}

var _ mat.Matrix = (*strided[float64])(nil)

// readStrided calls fn with a matrix over the loan's memory.
func readStrided[E float32 | float64](l *loan, fn func(m mat.Matrix) error) error {
	m := &strided[E]{rows: l.rows, cols: l.cols, down: l.down, across: l.across}
	defer l.giveBack(func() { *m = strided[E]{} })
	m.data = memory[E](l)
	return fn(m)
}

// Dims returns the numbers of rows and columns.
func (m *strided[E]) Dims() (r, c int) { return m.rows, m.cols }

// At returns an element. It panics as gonum's matrices do.
func (m *strided[E]) At(i, j int) float64 {
	if uint(i) >= uint(m.rows) {
		panic(mat.ErrRowAccess)
	}
	if uint(j) >= uint(m.cols) {
		panic(mat.ErrColAccess)
	}
	return float64(m.data[i*m.down+j*m.across])
}

// T returns the transpose, over the same memory.
func (m *strided[E]) T() mat.Matrix { return mat.Transpose{Matrix: m} }
