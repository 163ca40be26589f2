package opt

import (
	"strconv"

	"github.com/gotorch/gotorch/torch"
)

// Convolutions and poolings.

// Stride is the step between windows, the same in all directions.
type Stride int64

func (Stride) ConvFunc()          {}
func (Stride) ConvTransposeFunc() {}
func (Stride) MaxPoolFunc()       {}
func (Stride) AvgPoolFunc()       {}
func (Stride) ConvLayer()         {}
func (Stride) MaxPoolLayer()      {}
func (Stride) AvgPoolLayer()      {}

// Strides is the step between windows in each direction.
type Strides []int64

func (Strides) ConvFunc()          {}
func (Strides) ConvTransposeFunc() {}
func (Strides) MaxPoolFunc()       {}
func (Strides) AvgPoolFunc()       {}
func (Strides) ConvLayer()         {}
func (Strides) MaxPoolLayer()      {}
func (Strides) AvgPoolLayer()      {}

// Padding is what is added at both ends of all directions.
type Padding int64

func (Padding) ConvFunc()          {}
func (Padding) ConvTransposeFunc() {}
func (Padding) MaxPoolFunc()       {}
func (Padding) AvgPoolFunc()       {}
func (Padding) ConvLayer()         {}
func (Padding) MaxPoolLayer()      {}
func (Padding) AvgPoolLayer()      {}

// Paddings is what is added at both ends of each direction.
type Paddings []int64

func (Paddings) ConvFunc()          {}
func (Paddings) ConvTransposeFunc() {}
func (Paddings) MaxPoolFunc()       {}
func (Paddings) AvgPoolFunc()       {}
func (Paddings) ConvLayer()         {}
func (Paddings) MaxPoolLayer()      {}
func (Paddings) AvgPoolLayer()      {}

// PaddingWord is a padding that PyTorch says by a word.
type PaddingWord string

func (PaddingWord) ConvFunc()  {}
func (PaddingWord) ConvLayer() {}

// Dilation is the distance between the elements of a window.
type Dilation int64

func (Dilation) ConvFunc()          {}
func (Dilation) ConvTransposeFunc() {}
func (Dilation) MaxPoolFunc()       {}
func (Dilation) ConvLayer()         {}
func (Dilation) MaxPoolLayer()      {}

// Dilations is Dilation for each direction.
type Dilations []int64

func (Dilations) ConvFunc()          {}
func (Dilations) ConvTransposeFunc() {}
func (Dilations) MaxPoolFunc()       {}
func (Dilations) ConvLayer()         {}
func (Dilations) MaxPoolLayer()      {}

// OutputPadding is added to one end of the result in all directions.
type OutputPadding int64

func (OutputPadding) ConvTransposeFunc() {}

// OutputPaddings is OutputPadding for each direction.
type OutputPaddings []int64

func (OutputPaddings) ConvTransposeFunc() {}

// Groups is into how many parts the channels are split.
type Groups int64

func (Groups) ConvFunc()          {}
func (Groups) ConvTransposeFunc() {}
func (Groups) ConvLayer()         {}

// CeilMode rounds the size of the result up.
type CeilMode bool

func (CeilMode) MaxPoolFunc()  {}
func (CeilMode) AvgPoolFunc()  {}
func (CeilMode) MaxPoolLayer() {}
func (CeilMode) AvgPoolLayer() {}

// CountIncludePad counts padding as elements of the mean.
type CountIncludePad bool

func (CountIncludePad) AvgPoolFunc()  {}
func (CountIncludePad) AvgPoolLayer() {}

// DivisorOverride is what the sum of a window is divided by.
type DivisorOverride int64

func (DivisorOverride) AvgPoolFunc()  {}
func (DivisorOverride) AvgPoolLayer() {}

// PaddingMode is what padding holds.
type PaddingMode string

func (PaddingMode) ConvLayer()      {}
func (PaddingMode) GridSampleFunc() {}

// A Window is the options that convolutions and poolings share, read.
type Window struct {
	Stride, Padding, Dilation Dims
	Word                      PaddingWord // instead of Padding, or ""

	// What was given as a list, which Python prints as such.
	StrideList, PaddingList, DilationList bool
}

// Take reads one option about windows in n directions, and reports whether it is
// one. It panics with ErrValue for a list of another length and for a word that is
// none.
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
		switch o { // a word that is stored itself would take the options to the heap
		case PaddingSame:
			w.Word = PaddingSame
		case PaddingValid:
			w.Word = PaddingValid
		default:
			panic(torch.NewError(op, torch.ErrValue, "PaddingWord", "expected same or valid, got "+strconv.Quote(string(o))))
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
