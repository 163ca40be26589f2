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

// ViewDense calls fn with a matrix over x's own memory: nothing is copied, and what fn
// writes is in x. The memory is there until fn returns, whoever closes x meanwhile; then m
// is emptied. What fn takes out of m, such as a slice, a RawRowView or a tensor over it, must not
// be kept: it would be over memory that is not there any more.
// Autograd does not notice the writes, as it does not in Python.
//
// x is a float64 tensor of two dimensions on the CPU whose rows are contiguous and lie
// behind each other; any distance between them will do. ViewDense returns what fn returns.
// It panics as [ToDense] does, with ErrDType for another dtype, ErrDevice for another device,
// ErrNil for a nil fn, and ErrValue for other strides and for negated views: x.Contiguous()
// and x.ResolveNeg() help. Follows Tensor.numpy.
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

// ViewCDense is [ViewDense] for a complex128 tensor. Conjugate views are ErrValue;
// x.ResolveConj() helps.
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

// ViewVecDense is [ViewDense] for a tensor of one dimension; any distance between its
// elements but 0 will do.
func ViewVecDense(x *torch.Tensor, fn func(v *mat.VecDense) error) error {
	const op = "gonum.ViewVecDense"
	v := &mat.VecDense{}
	l := borrow(op, x, 1, torch.Float64, fn != nil)
	defer l.giveBack(func() { v.SetRawVector(blas64.Vector{}) })
	if !l.empty() {
		if l.down == 0 && l.rows > 1 {
			panic(torch.NewError(op, torch.ErrValue, "x", "its elements are one and the same; use x.Contiguous()"))
		}
		v.SetRawVector(blas64.Vector{N: l.rows, Inc: max(l.down, 1), Data: memory[float64](l)})
	}
	return fn(v)
}

// ViewMatrix calls fn with a matrix to read from, over x's own memory, with no demands on
// its strides: x may be transposed, expanded or a part of another. It is float64 or float32.
// Rows or columns of float64 that are contiguous make a *mat.Dense or the transpose of one,
// which gonum works on directly; of others it asks for one element after the other. fn must
// not write into it.
//
// The memory is there until fn returns; the matrix has no elements then. ViewMatrix returns
// what fn returns, and panics as [ViewDense] does for other reasons than strides.
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

// loan is a tensor's memory while a function has it.
type loan struct {
	all          *torch.Tensor // one dimension, from the first element to the last; it holds the memory
	rows, cols   int           // a vector has one column
	down, across int           // from a row to the next, and from a column to the next
}

// borrow panics for a tensor that cannot be lent.
func borrow(op string, x *torch.Tensor, dims int, dtype torch.DType, called bool) *loan {
	if !called {
		panic(torch.NilFunc(op, "fn"))
	}
	shape := checkDense(op, x, dims)
	checkDType(op, x, x.DType() == dtype, dtype.String())
	switch {
	case !x.Device().IsCPU():
		panic(torch.NewError(op, torch.ErrDevice, "x", fmt.Sprintf("expected memory of the CPU, got %v", x.Device())))
	case x.IsNeg() || x.IsConj():
		panic(torch.NewError(op, torch.ErrValue, "x", "a negated or conjugate view has other numbers than its memory; use x.ResolveNeg() and x.ResolveConj()"))
	case x.Numel() > 0 && x.DataPtr() == 0:
		panic(torch.NewError(op, torch.ErrValue, "x", "its elements have no memory: the storage was freed, or they are known to be zero; use a Clone"))
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

// giveBack empties the matrix and then lets the memory go.
func (l *loan) giveBack(empty func()) {
	empty()
	_ = l.all.Close() // never fails
}

func (l *loan) empty() bool { return l.rows == 0 || l.cols == 0 }

func (l *loan) transposed() *loan {
	return &loan{all: l.all, rows: l.cols, cols: l.rows, down: l.across, across: l.down}
}

// rowStride is how far apart rows are, if gonum can have them so.
func (l *loan) rowStride() (stride int, ok bool) {
	if l.cols > 1 && l.across != 1 {
		return 0, false
	}
	if l.rows == 1 {
		return l.cols, true
	}
	return l.down, l.down >= l.cols
}

// byRows panics where gonum cannot have the rows as they are.
func (l *loan) byRows(op string) int {
	stride, ok := l.rowStride()
	if !ok {
		panic(torch.NewError(op, torch.ErrValue, "x", fmt.Sprintf("expected contiguous rows behind each other, got strides of %d and %d; use x.Contiguous()", l.down, l.across)))
	}
	return stride
}

// memory is all that was lent.
func memory[E any](l *loan) []E {
	b := mapped.Memory(l.all)
	var e E
	return unsafe.Slice((*E)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/int(unsafe.Sizeof(e)))
}
