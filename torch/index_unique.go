package torch

import (
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
)

// Distinct values. Results are new tensors.

// A UniqueOption says what is compared: [Dim] for slices along it, elements
// without; Sorted(false) leaves the order open.
//
//gotorch:options Dim Sorted
type UniqueOption interface{ uniqueOption() }

// unique calls the operator that the options choose. more asks for the inverse
// and the counts, which are empty or incomplete without.
func unique(op string, t *Tensor, opts []UniqueOption, more bool) (values, inverse, counts *Tensor) {
	h := t.handle(op, 0)
	a, sorted := along{}, true
	for _, o := range opts {
		if s, ok := o.(Sorted); ok {
			sorted = bool(s)
		} else if !a.take(o) {
			panic(badOption(op, o))
		}
	}
	var res [3]abi.Tensor
	var st abi.Status
	r := BeginRaw(op, t)
	if a.one {
		res, st = aten.UniqueDim(r.Ctx, h, a.dim[0], sorted, more, more)
	} else {
		res, st = aten.UnderUnique2(r.Ctx, h, sorted, more, more)
	}
	r.Status(st)
	return r.Wrap(res[0]), r.Wrap(res[1]), r.Wrap(res[2])
}

// Unique returns the distinct elements in ascending order, in one dimension, or
// with [Dim] the distinct slices along it. The result is a new tensor, owned by
// the innermost scope, else by the collector. It panics with ErrNil or
// ErrClosed for a tensor that is nil or closed, with ErrIndex if there is no
// such dimension, and with ErrDType for complex numbers. Follows torch.unique.
func (t *Tensor) Unique(opts ...UniqueOption) *Tensor {
	values, inverse, counts := unique("Unique(self)", t, opts, false)
	_, _ = inverse.Close(), counts.Close()
	return values
}

// UniqueCounts returns what [Tensor.Unique] does, where each element or slice
// of t stands among the values (int64, in t's shape or along the dimension),
// and how often each occurs. The results are new tensors, owned by the
// innermost scope, else by the collector. It panics as Unique does.
// Follows torch.unique with return_inverse and return_counts.
func (t *Tensor) UniqueCounts(opts ...UniqueOption) (values, inverse, counts *Tensor) {
	return unique("UniqueCounts(self)", t, opts, true)
}

// UniqueConsecutive returns the flattened elements, or with [Dim] the slices
// along it, without repetitions of the one before, where each of t stands among
// them, and the lengths of the runs. The results are new tensors, owned by the
// innermost scope, else by the collector. It panics with ErrNil or ErrClosed
// for a tensor that is nil or closed, with ErrIndex if there is no such
// dimension, and with ErrDType for complex numbers.
// Follows torch.unique_consecutive with return_inverse and return_counts.
func (t *Tensor) UniqueConsecutive(dim ...Dim) (values, inverse, counts *Tensor) {
	const op = "UniqueConsecutive(self)"
	h, o := t.handle(op, 0), alongOne(dim)
	r := BeginRaw(op, t)
	res, st := aten.UniqueConsecutive(r.Ctx, h, true, true, o.single())
	r.Status(st)
	return r.Wrap(res[0]), r.Wrap(res[1]), r.Wrap(res[2])
}
