package torch

import (
	"github.com/gotorch/gotorch/cgotorch/aten"
)

// Sorting. NaN counts as larger than any number. Without [Dim] the last
// dimension is sorted. Functions with a dimension panic with ErrIndex if there
// is no such one. Results are new tensors.

// Descending puts the largest elements first. descending in Python, False
// unless given.
type Descending bool

// Stable leaves equal elements in their order. stable in Python, False unless
// given.
type Stable bool

// A SortOption says how elements are sorted: [Dim], [Descending], [Stable].
//
//gotorch:options Dim Descending Stable
type SortOption interface{ sortOption() }

func readSort(op string, opts []SortOption) (dim int64, descending, stable bool) {
	dim = -1
	for _, o := range opts {
		switch o := o.(type) {
		case Dim:
			dim = int64(o)
		case Descending:
			descending = bool(o)
		case Stable:
			stable = bool(o)
		default:
			panic(badOption(op, o))
		}
	}
	return dim, descending, stable
}

// Sort returns the elements sorted along [Dim] and the int64 indices they had.
// The order of equal elements is not defined unless [Stable] is given. Both
// results are new tensors, owned by the innermost scope, else by the collector.
// It panics with ErrNil or ErrClosed for a tensor that is nil or closed, with
// ErrIndex if there is no such dimension, and with ErrDType for complex
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

// ArgSort returns the int64 indices that sort t along [Dim]. The result is a
// new tensor, owned by the innermost scope, else by the collector. It panics
// with ErrNil or ErrClosed for a tensor that is nil or closed, with ErrIndex if
// there is no such dimension, and with ErrDType for complex numbers.
// Follows torch.argsort.
func (t *Tensor) ArgSort(opts ...SortOption) *Tensor {
	const op = "ArgSort(self)"
	h := t.handle(op, 0)
	dim, descending, stable := readSort(op, opts)
	r := BeginRaw(op, t)
	return r.Tensor(aten.ArgsortStable(r.Ctx, h, stable, dim, descending))
}

// Msort returns the elements sorted along the first dimension. The result is a
// new tensor, owned by the innermost scope, else by the collector. It panics
// with ErrNil or ErrClosed for a tensor that is nil or closed, and with
// ErrDType for complex numbers. Follows torch.msort.
func (t *Tensor) Msort() *Tensor { return unary("Msort(self)", aten.Msort, t) }

// Largest chooses between the largest elements and, with false, the smallest.
// largest in Python, True unless given.
type Largest bool

// Sorted says that results come in order. sorted in Python, True unless given.
type Sorted bool

// A TopKOption says which elements are chosen: [Dim], [Largest], [Sorted].
//
//gotorch:options Dim Largest Sorted
type TopKOption interface{ topkOption() }

// TopK returns the k largest elements along [Dim], the last dimension unless
// given, or with Largest(false) the smallest, in order, and their int64
// indices. Both results are new tensors, owned by the innermost scope, else by
// the collector. It panics with ErrNil or ErrClosed for a tensor that is nil or
// closed, with ErrIndex if k is out of range or there is no such dimension, and
// with ErrDType for complex numbers. Follows torch.topk.
func (t *Tensor) TopK(k int64, opts ...TopKOption) (values, indices *Tensor) {
	const op = "TopK(self)"
	h := t.handle(op, 0)
	dim, largest, sorted := int64(-1), true, true
	for _, o := range opts {
		switch o := o.(type) {
		case Dim:
			dim = int64(o)
		case Largest:
			largest = bool(o)
		case Sorted:
			sorted = bool(o)
		default:
			panic(badOption(op, o))
		}
	}
	r := BeginRaw(op, t)
	res, st := aten.Topk(r.Ctx, h, k, dim, largest, sorted)
	r.Status(st)
	return r.Wrap(res[0]), r.Wrap(res[1])
}
