package torch

import (
	"fmt"

	"github.com/gotorch/gotorch/cgotorch/aten"
)

// This file has reductions of segments, and histograms in several dimensions.

type (
	lengths struct{ t *Tensor }
	offsets struct{ t *Tensor }
	initial struct{ v any }
)

// Axis is the dimension whose segments are reduced. The default is 0. It is
// axis in Python.
type Axis int64

// Lengths sets the number of elements of each segment, along its last dimension.
// Lengths(nil) leaves the option out. It is lengths in Python.
func Lengths(t *Tensor) SegmentReduceOption { return lengths{t} }

// Offsets sets, along its last dimension, the position where each segment begins,
// followed by the position where the last segment ends. Offsets(nil) leaves the option
// out. It is offsets in Python.
func Offsets(t *Tensor) SegmentReduceOption { return offsets{t} }

// Initial is the number with which the reduction of each segment starts, and the result
// for an empty segment. Initial(nil) leaves the option out. The name in Python is
// initial.
func Initial(v any) SegmentReduceOption { return initial{v} }

// A SegmentReduceOption is an option of [SegmentReduce]: [Lengths], [Offsets],
// [Axis] or [Initial].
//
//gotorch:options Axis lengths offsets initial
type SegmentReduceOption interface{ segmentReduceOption() }

// SegmentReduce reduces each segment of data to one element. The operation, reduce, is
// sum, mean, max, min or prod. Exactly one of [Lengths] and [Offsets] must be given.
// Gradients flow back. It panics with ErrValue for an unknown operation, for neither or
// both of Lengths and Offsets, and for segments that do not cover data. It panics with
// ErrShape, ErrIndex or ErrRuntime for an Axis or shapes that do not match, with ErrType
// for an Initial that is not a number, and with ErrDType for integers. Follows
// torch.segment_reduce.
func SegmentReduce(data *Tensor, reduce Reduce, opts ...SegmentReduceOption) *Tensor {
	const op = "SegmentReduce(data, lengths, offsets)"
	h := data.handle(op, 0)
	l, o, axis, start := readOptions4(op, opts, lengths{}, offsets{}, Axis(0), initial{})
	switch reduce {
	case "sum", "mean", "max", "min", "prod":
	default:
		panic(argError(op, ErrValue, "reduce",
			fmt.Sprintf("expected sum, mean, max, min or prod, got %q", string(reduce))))
	}
	ls, os := unseen(l.t), unseen(o.t)
	if (ls == nil) == (os == nil) {
		panic(argError(op, ErrValue, "opts", "expected exactly one of Lengths and Offsets"))
	}
	hl, ho := ls.OptionalHandleFor(op, 1), os.OptionalHandleFor(op, 2)
	v := ScalarOf(op, "Initial", start.v)
	r := BeginRaw(op, data, ls, os)
	return r.Tensor(aten.SegmentReduce(r.Ctx, h, string(reduce), hl, 0, ho, int64(axis), false, v))
}

// Ranges are the lowest and the highest edge of each dimension, as in Ranges{0,
// 1, 0, 5}. The default, an empty list, is the range of the elements. It is
// range in Python.
type Ranges []float64

// A HistogramddOption is an option of [Tensor.Histogramdd]: [Weight], [Density]
// or [Ranges].
//
//gotorch:options Density WeightOption Ranges
type HistogramddOption interface{ histogramddOption() }

// Histogramdd counts vectors, which are t's last dimension, in a grid with bins[i]
// intervals along dimension i. It returns the counts and the edges of each dimension. It
// panics with ErrShape or ErrRuntime unless bins has a number for each dimension, with
// ErrValue or ErrRuntime for numbers below 1 and invalid Ranges, with ErrShape for a
// weight of a different shape, and with ErrDType for integers. Follows torch.histogramdd.
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
