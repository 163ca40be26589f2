package torch

import "github.com/gotorch/gotorch/cgotorch/aten"

// Bins is the number of bins of [Tensor.Histc]. The default is 100. It is bins
// in Python.
type Bins int64

// Min is the lower end of the range of [Tensor.Histc]. The default is 0. It is
// min in Python.
type Min float64

// Max is the upper end of the range of [Tensor.Histc]. The default is 0. It is
// max in Python.
type Max float64

// A HistcOption is an option of [Tensor.Histc]: [Bins], [Min] or [Max].
//
//gotorch:options Bins Min Max
type HistcOption interface{ histcOption() }

// Histc counts the elements in [Bins] (default 100) bins of equal width between [Min] and
// [Max], and ignores elements outside. If Min equals Max, as by default, the range is
// from the smallest to the largest element. The counts have t's dtype. It panics with
// ErrDType for integers, and with ErrValue if Bins is not positive or Max is below Min.
// Follows torch.histc.
func (t *Tensor) Histc(opts ...HistcOption) *Tensor {
	const op = "Histc(self)"
	h := t.handle(op, 0)
	bins, low, high := readOptions3(op, opts, Bins(100), Min(0), Max(0))
	if bins <= 0 {
		panic(argError(op, ErrValue, "Bins", "expected a positive number of bins"))
	}
	r := BeginRaw(op, t)
	return r.Tensor(aten.Histc(r.Ctx, h, int64(bins), wholeScalar(float64(low)), wholeScalar(float64(high))))
}

// Density scales the counts to an integral of 1. The default is false. The
// name in Python is density.
type Density bool

// WeightOption holds the tensor passed to [Weight].
type WeightOption struct{ t *Tensor }

// Weight sets the weight of each element, in the elements' shape. Weight(nil),
// the default, means 1 for each. It is weight in Python.
func Weight(t *Tensor) WeightOption { return WeightOption{t} }

// A HistogramOption is an option of [Tensor.Histogram]: [Weight] or [Density].
//
//gotorch:options Density WeightOption
type HistogramOption interface{ histogramOption() }

// Histogram counts the elements between the given edges, an ascending vector, and returns
// the counts and the edges. It panics with ErrShape for a [Weight] of a different shape,
// and with ErrDType if edges and t differ in dtype. Follows torch.histogram.
func (t *Tensor) Histogram(edges *Tensor, opts ...HistogramOption) (counts, binEdges *Tensor) {
	const op = "Histogram(self, edges, weight)"
	h, e := t.handle(op, 0), edges.handle(op, 1)
	density, weight := readOptions2(op, opts, Density(false), WeightOption{})
	w := unseen(weight.t)
	hw := w.OptionalHandleFor(op, 2)
	r := BeginRaw(op, t, edges, w)
	res, st := aten.HistogramBinsTensor(r.Ctx, h, e, hw, bool(density))
	r.Status(st)
	return r.Wrap(res[0]), r.Wrap(res[1])
}

// MinLength is the smallest number of elements of the result of
// [Tensor.BinCount]. The default is 0. It is minlength in Python.
type MinLength int64

type weights struct{ t *Tensor }

// Weights sets the weight that each element adds to its count. Weights(nil),
// the default, means 1 for each. It is weights in Python.
func Weights(t *Tensor) BinCountOption { return weights{t} }

// A BinCountOption is an option of [Tensor.BinCount]: [Weights] or [MinLength].
//
//gotorch:options MinLength weights
type BinCountOption interface{ bincountOption() }

// BinCount counts how often each integer from 0 on occurs in a vector. The result has at
// least [MinLength] elements. With [Weights] it adds up the weights instead. It panics
// with ErrDType unless t is a vector of integers that are not negative, with ErrShape for
// weights of a different length, and with ErrValue for a negative MinLength.
// Follows torch.bincount.
func (t *Tensor) BinCount(opts ...BinCountOption) *Tensor {
	const op = "BinCount(self, weights)"
	h := t.handle(op, 0)
	least, weight := readOptions2(op, opts, MinLength(0), weights{})
	w := unseen(weight.t)
	hw := w.OptionalHandleFor(op, 1)
	r := BeginRaw(op, t, w)
	return r.Tensor(aten.Bincount(r.Ctx, h, hw, int64(least)))
}
