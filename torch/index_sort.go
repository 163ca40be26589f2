package torch

import (
	"github.com/gotorch/gotorch/cgotorch/aten"
)

// This file has functions that sort. NaN is larger than any number. Without [Dim] the
// last dimension is sorted.

// Descending sorts the largest elements first. The default is false. The
// name in Python is descending.
type Descending bool

// Stable keeps the order of equal elements. The default is false. The name in
// Python is stable.
type Stable bool

// A SortOption is an option of [Tensor.Sort]: [Dim], [Descending] or [Stable].
//
//gotorch:options Dim Descending Stable
type SortOption interface{ sortOption() }

func readSort(op string, opts []SortOption) (dim int64, descending, stable bool) {
	d, down, s := readOptions3(op, opts, Dim(-1), Descending(false), Stable(false))
	return int64(d), bool(down), bool(s)
}

// Sort returns the elements sorted along [Dim] and their Int64 indices in t.
// The order of equal elements is undefined unless [Stable] is given. It panics
// with ErrIndex for a dimension out of range, and with ErrDType for complex
// numbers. Follows torch.sort.
func (t *Tensor) Sort(opts ...SortOption) (values, indices *Tensor) {
	const op = "Sort(self)"
	h := t.handle(op, 0)
	dim, descending, stable := readSort(op, opts)
	r := BeginRaw(op, t)
	res, st := aten.SortStable(r.Ctx, h, &stable, dim, descending)
	r.Status(st)
	return r.Wrap(res[0]), r.Wrap(res[1])
}

// ArgSort returns the int64 indices that sort t along [Dim]. It panics with
// ErrIndex for a dimension out of range, and with ErrDType for complex numbers.
// Follows torch.argsort.
func (t *Tensor) ArgSort(opts ...SortOption) *Tensor {
	const op = "ArgSort(self)"
	h := t.handle(op, 0)
	dim, descending, stable := readSort(op, opts)
	r := BeginRaw(op, t)
	return r.Tensor(aten.ArgsortStable(r.Ctx, h, stable, dim, descending))
}

// Msort returns the elements sorted along the first dimension. It panics with
// ErrDType for complex numbers. Follows torch.msort.
func (t *Tensor) Msort() *Tensor { return unary("Msort(self)", aten.Msort, t) }

// Largest selects the largest elements; with false, the smallest. The default
// is true. The name in Python is largest.
type Largest bool

// Sorted returns results in sorted order. The default is true. The name in
// Python is sorted.
type Sorted bool

// A TopKOption is an option of [Tensor.TopK]: [Dim], [Largest] or [Sorted].
//
//gotorch:options Dim Largest Sorted
type TopKOption interface{ topkOption() }

// TopK returns the k largest elements along [Dim] (default the last), or the
// smallest with Largest(false), in order, and their Int64 indices. It panics
// with ErrIndex if k or the dimension is out of range, and with ErrDType for
// complex numbers. Follows torch.topk.
func (t *Tensor) TopK(k int64, opts ...TopKOption) (values, indices *Tensor) {
	const op = "TopK(self)"
	h := t.handle(op, 0)
	dim, largest, sorted := readOptions3(op, opts, Dim(-1), Largest(true), Sorted(true))
	r := BeginRaw(op, t)
	res, st := aten.Topk(r.Ctx, h, k, int64(dim), bool(largest), bool(sorted))
	r.Status(st)
	return r.Wrap(res[0]), r.Wrap(res[1])
}
