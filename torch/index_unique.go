package torch

import (
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
)

// A UniqueOption is an option of [Tensor.Unique]. [Dim] compares slices along a
// dimension instead of elements; Sorted(false) leaves the order undefined.
//
//gotorch:options Dim Sorted
type UniqueOption interface{ uniqueOption() }

// unique calls the operator that the options choose. If more is false, the
// inverse and the counts are empty or incomplete.
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

// Unique returns the distinct elements as a vector, or with [Dim] the distinct
// slices along it, in ascending order. It panics with ErrIndex for a dimension
// out of range, and with ErrDType for complex numbers. Follows torch.unique.
func (t *Tensor) Unique(opts ...UniqueOption) *Tensor {
	values, inverse, counts := unique("Unique(self)", t, opts, false)
	_, _ = inverse.Close(), counts.Close()
	return values
}

// UniqueCounts returns the values of [Tensor.Unique], the Int64 position of
// each element or slice of t among these values, and how often each value
// occurs. It panics as Unique does. Follows torch.unique with return_inverse
// and return_counts.
func (t *Tensor) UniqueCounts(opts ...UniqueOption) (values, inverse, counts *Tensor) {
	return unique("UniqueCounts(self)", t, opts, true)
}

// UniqueConsecutive returns the flattened elements, or with a [Dim] the slices
// along it, without consecutive repetitions. It also returns, for each element
// or slice of t, its position in the first result, and the length of each run.
// It panics with ErrIndex for a dimension out of range, and with ErrDType for
// complex numbers. Follows torch.unique_consecutive with return_inverse and
// return_counts.
func (t *Tensor) UniqueConsecutive(dim ...Dim) (values, inverse, counts *Tensor) {
	const op = "UniqueConsecutive(self)"
	h, o := t.handle(op, 0), alongOne(dim)
	r := BeginRaw(op, t)
	res, st := aten.UniqueConsecutive(r.Ctx, h, true, true, o.single())
	r.Status(st)
	return r.Wrap(res[0]), r.Wrap(res[1]), r.Wrap(res[2])
}
