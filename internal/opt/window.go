package opt

import (
	"strconv"

	"github.com/gotorch/gotorch/torch"
)

// Options of convolutions and poolings.

// Stride is the step between windows in all directions.
type Stride int64

// Strides are the steps between windows, one for each direction.
type Strides []int64

// Padding is the padding at both ends of every dimension.
type Padding int64

// Paddings is the padding at both ends of each dimension.
type Paddings []int64

// PaddingWord is a padding that is a string in PyTorch, such as "same".
type PaddingWord string

// Dilation is the distance between the elements of a window.
type Dilation int64

// Dilations has one Dilation for each dimension.
type Dilations []int64

// OutputPadding is added to one end of the result in all directions.
type OutputPadding int64

// OutputPaddings is OutputPadding for each direction.
type OutputPaddings []int64

// Groups is the number of channel groups.
type Groups int64

// CeilMode says whether the size of the result is rounded up.
type CeilMode bool

// CountIncludePad says whether the mean includes padding.
type CountIncludePad bool

// DivisorOverride is the divisor of a window's sum. It replaces the number of elements.
type DivisorOverride int64

// PaddingMode selects the values that a convolution pads with, such as zeros.
type PaddingMode string

// A Window contains the parsed options that convolution and pooling share.
type Window struct {
	Stride, Padding, Dilation Dims
	Word                      PaddingWord // instead of Padding, or ""

	// Whether the values were given as a list. Layers print them as given, as in Python.
	StrideList, PaddingList, DilationList bool
}

// Take parses an option for windows with n dimensions. It returns false for any other
// option. It panics with ErrValue for a list of the wrong length and for an unknown word.
func (w *Window) Take(op string, n int, o any) bool {
	switch o := o.(type) {
	case Stride:
		w.Stride.Set(n, int64(o))
		w.StrideList = false
	case Strides:
		w.Stride.SetAll(op, "Strides", n, o)
		w.StrideList = true
	case Padding:
		w.Padding.Set(n, int64(o))
		w.PaddingList = false
		w.Word = ""
	case Paddings:
		w.Padding.SetAll(op, "Paddings", n, o)
		w.PaddingList = true
		w.Word = ""
	case PaddingWord:
		w.Padding = Dims{}
		switch o { // use constants, because storing o would move the options to the heap
		case PaddingSame:
			w.Word = PaddingSame
		case PaddingValid:
			w.Word = PaddingValid
		default:
			panic(torch.NewError(op, torch.ErrValue, "PaddingWord",
				"expected same or valid, got "+strconv.Quote(string(o))))
		}
	case Dilation:
		w.Dilation.Set(n, int64(o))
		w.DilationList = false
	case Dilations:
		w.Dilation.SetAll(op, "Dilations", n, o)
		w.DilationList = true
	default:
		return false
	}
	return true
}
