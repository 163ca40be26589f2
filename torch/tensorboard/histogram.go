package tensorboard

import (
	"fmt"
	"math"
	"slices"
	"sort"

	"github.com/gotorch/gotorch/internal/wire"
	"github.com/gotorch/gotorch/torch"
)

// AddHistogram adds the distribution of a tensor's values; add_histogram in Python. The
// tensor may have any shape, any real dtype or bool, and any device. Values outside the
// bins are not counted, but are included in the sum, minimum and maximum. The caller
// keeps the tensor; gradients are ignored.
//
// It returns ErrNil for a nil tensor, ErrDType for complex numbers, and ErrValue for an
// empty tensor, for values that are all outside the bins, and for an invalid option.
func (w *SummaryWriter) AddHistogram(tag string, values *torch.Tensor, step int, opts ...HistogramOption) error {
	const op = "tensorboard.SummaryWriter.AddHistogram"
	e, bins, most := event{now: true, step: step}, []float64(nil), math.MaxInt
	for _, o := range opts {
		switch o := o.(type) {
		case WallTime:
			e.wall, e.now = float64(o), false
		case Bins:
			bins = o
		case MaxBins:
			most = int(o)
		default:
			panic(torch.BadOption(op, o))
		}
	}
	if bins == nil {
		bins = tensorFlowBins()
	}
	wrong := func(arg, format string, args ...any) error {
		return torch.NewError(op, torch.ErrValue, arg, fmt.Sprintf(format, args...))
	}
	switch {
	case len(bins) < 2:
		return wrong("Bins", "expected two edges or more, got %d", len(bins))
	case !slices.IsSorted(bins) || slices.ContainsFunc(bins, math.IsNaN):
		return wrong("Bins", "expected increasing edges")
	case most < 1:
		return wrong("MaxBins", "expected a positive number, got %d", most)
	case values == nil:
		return torch.NewError(op, torch.ErrNil, "values", "expected a tensor, got nil")
	}
	var numbers []float64
	if err := torch.Try(func() { numbers = float64s(op, values) }); err != nil {
		return err
	}
	if len(numbers) == 0 {
		return wrong("values", "the tensor has no elements")
	}
	h := count(numbers, bins)
	h.join(most)
	if !h.trim() {
		return wrong("values", "none of the %d values is within the bins, from %g to %g", len(numbers), bins[0],
			bins[len(bins)-1])
	}
	return w.add(op, e, eventSummary, h.summary(tag))
}

// AddHistogramRaw adds a histogram that is already computed; add_histogram_raw in Python.
// Its arguments are the minimum, maximum, number, sum and sum of squares of the values,
// and for each bin its upper edge and count. It returns ErrValue for lists of different
// lengths.
func (w *SummaryWriter) AddHistogramRaw(tag string, least, greatest, num, sum, sumSquares float64,
	bucketLimits, bucketCounts []float64, step int, opts ...EventOption,
) error {
	const op = "tensorboard.SummaryWriter.AddHistogramRaw"
	e := readEvent(op, step, opts)
	if len(bucketLimits) != len(bucketCounts) {
		return torch.NewError(op, torch.ErrValue, "bucketCounts",
			fmt.Sprintf("expected one count for each of %d limits, got %d", len(bucketLimits), len(bucketCounts)))
	}
	h := histogram{
		least: least, greatest: greatest, num: num, sum: sum, squares: sumSquares, limits: bucketLimits,
		counts: bucketCounts,
	}
	return w.add(op, e, eventSummary, h.summary(tag))
}

func float64s(op string, t *torch.Tensor) (numbers []float64) {
	if t.DType().IsComplex() {
		panic(torch.NewError(op, torch.ErrDType, "values", fmt.Sprintf("expected real numbers, got %v", t.DType())))
	}
	torch.Scope(func() {
		torch.NoGrad(func() { numbers = t.Detach().To(torch.CPU, torch.Float64).Float64s() })
	})
	return numbers
}

// tensorFlowBins returns the bin edges of TensorFlow's histograms.
func tensorFlowBins() []float64 {
	var up []float64
	for v := 1e-12; v < 1e20; v *= 1.1 {
		up = append(up, v)
	}
	edges := make([]float64, 0, 2*len(up)+1)
	for _, v := range slices.Backward(up) {
		edges = append(edges, -v)
	}
	return append(append(edges, 0), up...)
}

// histogram is a HistogramProto. During counting, limits has one more element than
// counts: the lower edge of the first bin.
type histogram struct {
	least, greatest, num, sum, squares float64
	limits, counts                     []float64
}

// count counts the values in each bin as numpy.histogram does: an edge belongs to the bin
// above it, the last edge to the bin below.
func count(values, edges []float64) histogram {
	h := histogram{
		least: values[0], greatest: values[0], num: float64(len(values)),
		limits: edges, counts: make([]float64, len(edges)-1),
	}
	last := len(edges) - 1
	for _, v := range values {
		h.sum += v
		h.squares += v * v
		h.least, h.greatest = min(h.least, v), max(h.greatest, v)
		switch i := sort.Search(len(edges), func(i int) bool { return edges[i] > v }) - 1; {
		case v == edges[last]:
			h.counts[last-1]++
		case i >= 0 && i < last: // NaN is above all edges
			h.counts[i]++
		}
	}
	return h
}

// join merges neighboring bins, as Python does, until their number is about most.
func (h *histogram) join(most int) {
	bins := len(h.counts)
	if bins <= most {
		return
	}
	n := bins / most
	var counts, limits []float64
	for i := 0; i < bins; i += n {
		sum := 0.0
		for _, c := range h.counts[i:min(i+n, bins)] {
			sum += c
		}
		counts, limits = append(counts, sum), append(limits, h.limits[i])
	}
	h.counts, h.limits = counts, append(limits, h.limits[bins])
}

// trim removes empty bins at both ends, except one below, which marks the start of the
// lowest bin with values. It returns false if all are empty.
func (h *histogram) trim() bool {
	some := func(c float64) bool { return c > 0 }
	start := slices.IndexFunc(h.counts, some)
	if start < 0 {
		return false
	}
	end := len(h.counts)
	for h.counts[end-1] == 0 {
		end--
	}
	h.counts = append([]float64{0}, h.counts[start:end]...)
	h.limits = h.limits[start : end+1]
	return true
}

func (h *histogram) summary(tag string) []byte {
	var m []byte
	for i, v := range []float64{h.least, h.greatest, h.num, h.sum, h.squares} {
		if math.IsNaN(v) {
			v = math.Float64frombits(0x7ff8 << 48) // the bits of Python's NaN, which differ from Go's
		}
		if v != 0 || math.Signbit(v) {
			m = wire.AppendDouble(m, i+1, v)
		}
	}
	m = wire.AppendDoubles(m, 6, h.limits)
	m = wire.AppendDoubles(m, 7, h.counts)
	v := wire.AppendString(nil, valueTag, tag)
	return summaryOf(wire.AppendBytes(v, valueHisto, m))
}
