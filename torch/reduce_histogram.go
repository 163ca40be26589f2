package torch

import "github.com/gotorch/gotorch/cgotorch/aten"

// Counts of elements. Results are new tensors.

// Bins is how many bins there are. bins in Python, 100 unless given.
type Bins int64

// Min is the smallest value that counts. min in Python.
type Min float64

// Max is the largest value that counts. max in Python.
type Max float64

// A HistcOption says what is counted: [Bins], [Min], [Max].
//
//gotorch:options Bins Min Max
type HistcOption interface{ histcOption() }

// Histc counts the elements in [Bins] of equal width, 100 unless given, between
// [Min] and [Max], both 0 unless given; elements outside are left out. If both
// are the same the range is that of the elements. The counts have t's dtype.
// The result is a new tensor, owned by the innermost scope, else by the
// collector. It panics with ErrNil or ErrClosed for a tensor that is nil or
// closed, with ErrDType for integers, and with ErrValue if Bins is not positive
// or Max is below Min. Follows torch.histc.
func (t *Tensor) Histc(opts ...HistcOption) *Tensor {
	const op = "Histc(self)"
	h := t.handle(op, 0)
	bins, low, high := int64(100), 0.0, 0.0
	for _, o := range opts {
		switch o := o.(type) {
		case Bins:
			bins = int64(o)
		case Min:
			low = float64(o)
		case Max:
			high = float64(o)
		default:
			panic(badOption(op, o))
		}
	}
	if bins <= 0 {
		panic(argError(op, ErrValue, "Bins", "expected a positive number of bins"))
	}
	r := BeginRaw(op, t)
	return r.Tensor(aten.Histc(r.Ctx, h, bins, wholeScalar(low), wholeScalar(high)))
}

// Density scales counts to an integral of 1. density in Python, False unless
// given.
type Density bool

// WeightOption is what [Weight] returns.
type WeightOption struct{ t *Tensor }

// Weight is how much each element counts, in the shape of the elements.
// Weight(nil) is None in Python, 1 for each. weight in Python.
func Weight(t *Tensor) WeightOption { return WeightOption{t} }

// A HistogramOption says how elements are counted: [Weight], [Density].
//
//gotorch:options Density WeightOption
type HistogramOption interface{ histogramOption() }

// Histogram counts the elements between the given edges, an ascending tensor of
// one dimension, and returns the counts and the edges. Both results are new
// tensors, owned by the innermost scope, else by the collector. It panics with
// ErrNil or ErrClosed for a tensor that is nil or closed, with ErrShape for a
// [Weight] of another shape and with ErrDType if edges has another dtype than
// t. Follows torch.histogram.
func (t *Tensor) Histogram(edges *Tensor, opts ...HistogramOption) (counts, binEdges *Tensor) {
	const op = "Histogram(self, edges, weight)"
	h, e := t.handle(op, 0), edges.handle(op, 1)
	var w *Tensor
	density := false
	for _, o := range opts {
		switch o := o.(type) {
		case Density:
			density = bool(o)
		case WeightOption:
			w = unseen(o.t)
		default:
			panic(badOption(op, o))
		}
	}
	hw := w.OptionalHandleFor(op, 2)
	r := BeginRaw(op, t, edges, w)
	res, st := aten.HistogramBinsTensor(r.Ctx, h, e, hw, density)
	r.Status(st)
	return r.Wrap(res[0]), r.Wrap(res[1])
}

// MinLength is the smallest number of elements of a result. minlength in
// Python, 0 unless given.
type MinLength int64

type weights struct{ t *Tensor }

// Weights are what is added up instead of ones, as many as there are elements.
// Weights(nil) is None in Python, ones. weights in Python.
func Weights(t *Tensor) BinCountOption { return weights{t} }

// A BinCountOption says what is counted: [Weights], [MinLength].
//
//gotorch:options MinLength weights
type BinCountOption interface{ bincountOption() }

// BinCount counts how often each whole number from 0 on occurs in a tensor of
// one dimension; the result has at least [MinLength] elements. With [Weights]
// it adds those up instead. The result is a new tensor, owned by the innermost
// scope, else by the collector. It panics with ErrNil or ErrClosed for a tensor
// that is nil or closed, with ErrDType for another shape, floating-point or
// negative elements, with ErrShape for weights of another length and with
// ErrValue for a negative MinLength. Follows torch.bincount.
func (t *Tensor) BinCount(opts ...BinCountOption) *Tensor {
	const op = "BinCount(self, weights)"
	h := t.handle(op, 0)
	var w *Tensor
	least := int64(0)
	for _, o := range opts {
		switch o := o.(type) {
		case MinLength:
			least = int64(o)
		case weights:
			w = unseen(o.t)
		default:
			panic(badOption(op, o))
		}
	}
	hw := w.OptionalHandleFor(op, 1)
	r := BeginRaw(op, t, w)
	return r.Tensor(aten.Bincount(r.Ctx, h, hw, least))
}
