package gonum

import (
	"fmt"
	"unsafe"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/blas/cblas128"
	"gonum.org/v1/gonum/mat"

	"github.com/gotorch/gotorch/internal/mapped"
	"github.com/gotorch/gotorch/torch"
)

// ViewDense calls fn with a matrix m over x's own memory and returns the result of fn.
// Nothing is copied: what fn writes to m is in x. The memory is valid until fn returns,
// even if x is closed; then m is emptied. Do not keep parts of m, such as a slice, a
// RawRowView or a tensor over it, because the memory may be freed. As in Python, autograd
// does not notice the writes.
//
// x is a float64 CPU tensor with two dimensions whose rows are contiguous and do not
// overlap. ViewDense panics like [ToDense], with ErrDType for any other dtype, ErrDevice
// for any other device, ErrNil for a nil fn, and ErrValue for other strides (use
// x.Contiguous()) and for negated views (use x.ResolveNeg()). Follows Tensor.numpy.
func ViewDense(x *torch.Tensor, fn func(m *mat.Dense) error) error {
	const op = "gonum.ViewDense"
	m := &mat.Dense{}
	l := borrow(op, x, 2, torch.Float64, fn != nil)
	defer l.giveBack(func() { m.SetRawMatrix(blas64.General{}) })
	if !l.empty() {
		m.SetRawMatrix(blas64.General{Rows: l.rows, Cols: l.cols, Stride: l.byRows(op), Data: memory[float64](l)})
	}
	return fn(m)
}

// ViewCDense is [ViewDense] for a complex128 tensor. It panics with ErrValue for a
// conjugate view; use x.ResolveConj().
func ViewCDense(x *torch.Tensor, fn func(m *mat.CDense) error) error {
	const op = "gonum.ViewCDense"
	m := &mat.CDense{}
	l := borrow(op, x, 2, torch.Complex128, fn != nil)
	defer l.giveBack(func() { m.SetRawCMatrix(cblas128.General{}) })
	if !l.empty() {
		m.SetRawCMatrix(cblas128.General{Rows: l.rows, Cols: l.cols, Stride: l.byRows(op), Data: memory[complex128](l)})
	}
	return fn(m)
}

// ViewVecDense is [ViewDense] for a tensor with one dimension and any stride other than
// 0.
func ViewVecDense(x *torch.Tensor, fn func(v *mat.VecDense) error) error {
	const op = "gonum.ViewVecDense"
	v := &mat.VecDense{}
	l := borrow(op, x, 1, torch.Float64, fn != nil)
	defer l.giveBack(func() { v.SetRawVector(blas64.Vector{}) })
	if !l.empty() {
		if l.down == 0 && l.rows > 1 {
			panic(torch.NewError(op, torch.ErrValue, "x",
				"all elements are the same memory location; use x.Contiguous()"))
		}
		v.SetRawVector(blas64.Vector{N: l.rows, Inc: max(l.down, 1), Data: memory[float64](l)})
	}
	return fn(v)
}

// ViewMatrix calls fn with a read-only matrix m over x's own memory and returns the
// result of fn. x is float64 or float32 and may have any strides: it may be transposed,
// expanded or a part of another tensor. If x is float64 and its rows or columns are
// contiguous, m is a *mat.Dense or its transpose, which gonum processes directly.
// Otherwise gonum reads one element at a time. fn must not write to m.
//
// The memory is valid until fn returns; then m has no elements. ViewMatrix panics like
// [ViewDense], but accepts any strides.
func ViewMatrix(x *torch.Tensor, fn func(m mat.Matrix) error) error {
	const op = "gonum.ViewMatrix"
	if x != nil && !x.IsClosed() && x.DType() == torch.Float32 {
		l := borrow(op, x, 2, torch.Float32, fn != nil)
		return readStrided[float32](l, fn)
	}
	l := borrow(op, x, 2, torch.Float64, fn != nil)
	rowStride, byRows := l.rowStride()
	colStride, byCols := l.transposed().rowStride()
	switch m := (&mat.Dense{}); {
	case l.empty():
		defer l.giveBack(func() {})
		return fn(m)
	case byRows:
		defer l.giveBack(func() { m.SetRawMatrix(blas64.General{}) })
		m.SetRawMatrix(blas64.General{Rows: l.rows, Cols: l.cols, Stride: rowStride, Data: memory[float64](l)})
		return fn(m)
	case byCols:
		defer l.giveBack(func() { m.SetRawMatrix(blas64.General{}) })
		m.SetRawMatrix(blas64.General{Rows: l.cols, Cols: l.rows, Stride: colStride, Data: memory[float64](l)})
		return fn(m.T())
	}
	return readStrided[float64](l, fn)
}

// loan is the memory of a tensor while a function uses it.
type loan struct {
	all          *torch.Tensor // the elements from the first to the last, as one dimension; keeps the memory alive
	rows, cols   int           // the size of the matrix; a vector has one column
	down, across int           // the distances between rows and between columns, in elements
}

// borrow returns the memory of a tensor, and panics if the tensor cannot be lent.
func borrow(op string, x *torch.Tensor, dims int, dtype torch.DType, called bool) *loan {
	if !called {
		panic(torch.NilFunc(op, "fn"))
	}
	shape := checkDense(op, x, dims)
	checkDType(op, x, x.DType() == dtype, dtype.String())
	switch {
	case !x.Device().IsCPU():
		panic(torch.NewError(op, torch.ErrDevice, "x", fmt.Sprintf("expected a CPU tensor, got %v", x.Device())))
	case x.IsNeg() || x.IsConj():
		panic(torch.NewError(op, torch.ErrValue, "x",
			"the memory of a negated or conjugate view has different values; use x.ResolveNeg() and x.ResolveConj()"))
	case x.Numel() > 0 && x.DataPtr() == 0:
		panic(torch.NewError(op, torch.ErrValue, "x", "the elements are not in memory: the storage was freed, or x "+
			"is a zero tensor without storage; use a Clone"))
	}
	stride := x.Stride()
	l := &loan{rows: int(shape[0]), cols: 1, down: int(stride[0])}
	if dims == 2 {
		l.cols, l.across = int(shape[1]), int(stride[1])
	}
	span := int64(0)
	if !l.empty() {
		span = 1 + (shape[0]-1)*stride[0] + int64(l.cols-1)*int64(l.across)
	}
	l.all = x.AsStrided([]int64{span}, []int64{1}, x.StorageOffset())
	return l
}

// giveBack empties the matrix and then releases the memory.
func (l *loan) giveBack(empty func()) {
	empty()
	_ = l.all.Close() // never fails
}

func (l *loan) empty() bool { return l.rows == 0 || l.cols == 0 }

func (l *loan) transposed() *loan {
	return &loan{all: l.all, rows: l.cols, cols: l.rows, down: l.across, across: l.down}
}

// rowStride returns the distance between rows, and whether gonum supports the layout.
func (l *loan) rowStride() (stride int, ok bool) {
	if l.cols > 1 && l.across != 1 {
		return 0, false
	}
	if l.rows == 1 {
		return l.cols, true
	}
	return l.down, l.down >= l.cols
}

// byRows returns the row stride, and panics if gonum does not support the layout.
func (l *loan) byRows(op string) int {
	stride, ok := l.rowStride()
	if !ok {
		panic(torch.NewError(op, torch.ErrValue, "x", fmt.Sprintf("expected contiguous rows that do not overlap, "+
			"got strides of %d and %d; use x.Contiguous()", l.down, l.across)))
	}
	return stride
}

// memory returns all lent elements.
func memory[E any](l *loan) []E {
	b := mapped.Memory(l.all)
	var e E
	return unsafe.Slice((*E)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/int(unsafe.Sizeof(e)))
}
