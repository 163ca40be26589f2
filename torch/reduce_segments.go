package torch

import (
	"fmt"

	"github.com/gotorch/gotorch/cgotorch/aten"
)

// Sums of segments, and counts in several dimensions.

type (
	lengths struct{ t *Tensor }
	offsets struct{ t *Tensor }
	initial struct{ v any }
)

// Axis is the dimension whose segments are reduced. axis in Python, 0 unless
// given.
type Axis int64

// Lengths gives the number of elements of each segment, along the last dimension
// of t. lengths in Python; Lengths(nil) is None.
func Lengths(t *Tensor) SegmentReduceOption { return lengths{t} }

// Offsets gives the places where segments begin, and behind the last where it
// ends, along the last dimension of t. offsets in Python; Offsets(nil) is None.
func Offsets(t *Tensor) SegmentReduceOption { return offsets{t} }

// Initial is where the reduction of each segment begins, any number: the result
// of an empty one. initial in Python; Initial(nil) is None.
func Initial(v any) SegmentReduceOption { return initial{v} }

// A SegmentReduceOption says what segments are and how they are reduced:
// [Lengths] or [Offsets], [Axis], [Initial].
//
//gotorch:options Axis lengths offsets initial
type SegmentReduceOption interface{ segmentReduceOption() }

// SegmentReduce reduces each segment of data to one element, as reduce says: sum,
// mean, max, min or prod. One of [Lengths] and [Offsets] is given. Gradients flow
// back. The result is a new tensor, owned by the innermost scope, else by the
// collector. It panics with ErrNil or ErrClosed for a tensor that is nil or
// closed, with ErrValue for another reduce, for neither or both of Lengths and
// Offsets and for segments that leave data, with ErrShape, ErrIndex or ErrRuntime
// for an Axis or shapes that do not fit, with ErrType for an Initial that is no
// number, and with ErrDType for integers. Follows torch.segment_reduce.
func SegmentReduce(data *Tensor, reduce Reduce, opts ...SegmentReduceOption) *Tensor {
	const op = "SegmentReduce(data, lengths, offsets)"
	h := data.handle(op, 0)
	var ls, os *Tensor
	var axis int64
	var start any
	for _, o := range opts {
		switch o := o.(type) {
		case lengths:
			ls = unseen(o.t)
		case offsets:
			os = unseen(o.t)
		case Axis:
			axis = int64(o)
		case initial:
			start = o.v
		default:
			panic(badOption(op, o))
		}
	}
	switch reduce {
	case "sum", "mean", "max", "min", "prod":
	default:
		panic(argError(op, ErrValue, "reduce", fmt.Sprintf("expected sum, mean, max, min or prod, got %q", string(reduce))))
	}
	if (ls == nil) == (os == nil) {
		panic(argError(op, ErrValue, "opts", "expected one of Lengths and Offsets"))
	}
	hl, ho := ls.OptionalHandleFor(op, 1), os.OptionalHandleFor(op, 2)
	v := ScalarOf(op, "Initial", start)
	r := BeginRaw(op, data, ls, os)
	return r.Tensor(aten.SegmentReduce(r.Ctx, h, string(reduce), hl, 0, ho, axis, false, v))
}

// Ranges are the lowest and the highest edge of each dimension, one after the
// other, as in Ranges{0, 1, 0, 5}. range in Python; without it those of the
// elements. An empty list is None.
type Ranges []float64

// A HistogramddOption says how elements are counted: [Weight], [Density],
// [Ranges].
//
//gotorch:options Density WeightOption Ranges
type HistogramddOption interface{ histogramddOption() }

// Histogramdd counts vectors, which lie along t's last dimension, in so many
// intervals of each of their dimensions as bins says, and returns the counts and
// the edges of each dimension. Results are new tensors, owned by the innermost scope,
// else by the collector. It panics with ErrNil or ErrClosed for a tensor that is
// nil or closed, with ErrShape or ErrRuntime unless bins has a number for each
// dimension, with ErrValue or ErrRuntime for numbers below 1 and for Ranges that do not
// fit, with ErrShape for a weight of another shape, and with ErrDType for
// integers. Follows torch.histogramdd.
func (t *Tensor) Histogramdd(bins []int64, opts ...HistogramddOption) (hist *Tensor, edges []*Tensor) {
	const op = "Histogramdd(self, weight)"
	h := t.handle(op, 0)
	var w *Tensor
	var ranges []float64
	density := false
	for _, o := range opts {
		switch o := o.(type) {
		case Density:
			density = bool(o)
		case WeightOption:
			w = unseen(o.t)
		case Ranges:
			if ranges = nil; len(o) > 0 {
				ranges = o
			}
		default:
			panic(badOption(op, o))
		}
	}
	hw := w.OptionalHandleFor(op, 1)
	r := BeginRaw(op, t, w)
	res, lists, st := aten.Histogramdd(r.Ctx, h, bins, ranges, hw, density)
	r.Status(st)
	return r.Wrap(res[0]), r.WrapAll(lists[0])
}
