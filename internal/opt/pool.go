package opt

import (
	"fmt"

	"github.com/gotorch/gotorch/torch"
)

// The families of functions and layers that work in windows or resize, beside those
// of families.go.
type (
	AvgPool1dFunc       interface{ AvgPool1dFunc() }
	LPPoolFunc          interface{ LPPoolFunc() }
	FractionalPoolFunc  interface{ FractionalPoolFunc() }
	MaxUnpoolFunc       interface{ MaxUnpoolFunc() }
	FoldFunc            interface{ FoldFunc() } // and Unfold
	ConvTransposeLayer  interface{ ConvTransposeLayer() }
	AvgPool1dLayer      interface{ AvgPool1dLayer() }
	LPPoolLayer         interface{ LPPoolLayer() }
	FractionalPoolLayer interface{ FractionalPoolLayer() }
	MaxUnpoolLayer      interface{ MaxUnpoolLayer() }
	FoldLayer           interface{ FoldLayer() }       // and Unfold
	UpsampleLayer       interface{ UpsampleLayer() }   // the general one
	UpsamplingLayer     interface{ UpsamplingLayer() } // those of one mode
)

func (AnyLayer) ConvTransposeLayer()  {}
func (AnyLayer) AvgPool1dLayer()      {}
func (AnyLayer) LPPoolLayer()         {}
func (AnyLayer) FractionalPoolLayer() {}
func (AnyLayer) MaxUnpoolLayer()      {}
func (AnyLayer) FoldLayer()           {}
func (AnyLayer) UpsampleLayer()       {}
func (AnyLayer) UpsamplingLayer()     {}

func (Stride) AvgPool1dFunc()       {}
func (Stride) LPPoolFunc()          {}
func (Stride) MaxUnpoolFunc()       {}
func (Stride) FoldFunc()            {}
func (Stride) ConvTransposeLayer()  {}
func (Stride) AvgPool1dLayer()      {}
func (Stride) LPPoolLayer()         {}
func (Stride) MaxUnpoolLayer()      {}
func (Stride) FoldLayer()           {}
func (Strides) AvgPool1dFunc()      {}
func (Strides) LPPoolFunc()         {}
func (Strides) MaxUnpoolFunc()      {}
func (Strides) FoldFunc()           {}
func (Strides) ConvTransposeLayer() {}
func (Strides) AvgPool1dLayer()     {}
func (Strides) LPPoolLayer()        {}
func (Strides) MaxUnpoolLayer()     {}
func (Strides) FoldLayer()          {}

func (Padding) AvgPool1dFunc()       {}
func (Padding) MaxUnpoolFunc()       {}
func (Padding) FoldFunc()            {}
func (Padding) ConvTransposeLayer()  {}
func (Padding) AvgPool1dLayer()      {}
func (Padding) MaxUnpoolLayer()      {}
func (Padding) FoldLayer()           {}
func (Paddings) AvgPool1dFunc()      {}
func (Paddings) MaxUnpoolFunc()      {}
func (Paddings) FoldFunc()           {}
func (Paddings) ConvTransposeLayer() {}
func (Paddings) AvgPool1dLayer()     {}
func (Paddings) MaxUnpoolLayer()     {}
func (Paddings) FoldLayer()          {}

func (Dilation) FoldFunc()            {}
func (Dilation) ConvTransposeLayer()  {}
func (Dilation) FoldLayer()           {}
func (Dilations) FoldFunc()           {}
func (Dilations) ConvTransposeLayer() {}
func (Dilations) FoldLayer()          {}

func (OutputPadding) ConvTransposeLayer()  {}
func (OutputPaddings) ConvTransposeLayer() {}
func (Groups) ConvTransposeLayer()         {}
func (Bias) ConvTransposeLayer()           {}
func (Device) ConvTransposeLayer()         {}
func (DType) ConvTransposeLayer()          {}

func (CeilMode) AvgPool1dFunc()         {}
func (CeilMode) LPPoolFunc()            {}
func (CeilMode) AvgPool1dLayer()        {}
func (CeilMode) LPPoolLayer()           {}
func (CountIncludePad) AvgPool1dFunc()  {}
func (CountIncludePad) AvgPool1dLayer() {}

// OutputSize is the size of the result in all directions.
type OutputSize int64

func (OutputSize) FractionalPoolFunc()  {}
func (OutputSize) FractionalPoolLayer() {}

// OutputSizes is the size of the result in each direction.
type OutputSizes []int64

func (OutputSizes) FractionalPoolFunc()  {}
func (OutputSizes) MaxUnpoolFunc()       {}
func (OutputSizes) FractionalPoolLayer() {}

// OutputRatio is the size of the result relative to that of the input.
type OutputRatio float64

func (OutputRatio) FractionalPoolFunc()  {}
func (OutputRatio) FractionalPoolLayer() {}

// OutputRatios is OutputRatio for each direction.
type OutputRatios []float64

func (OutputRatios) FractionalPoolFunc()  {}
func (OutputRatios) FractionalPoolLayer() {}

// RandomSamples holds the numbers that place the windows of a fractional pooling.
type RandomSamples struct{ t *torch.Tensor }

// NewRandomSamples returns the option for t.
func NewRandomSamples(t *torch.Tensor) RandomSamples { return RandomSamples{t} }

// Tensor returns what the option holds.
func (o RandomSamples) Tensor() *torch.Tensor { return hidden(o.t) }

func (RandomSamples) FractionalPoolFunc()  {}
func (RandomSamples) FractionalPoolLayer() {}

func (Mode) UpsampleLayer()                 {}
func (AlignCorners) UpsampleLayer()         {}
func (RecomputeScaleFactor) UpsampleLayer() {}
func (Size) UpsampleLayer()                 {}
func (Size) UpsamplingLayer()               {}
func (Sizes) UpsampleLayer()                {}
func (Sizes) UpsamplingLayer()              {}
func (ScaleFactor) UpsampleLayer()          {}
func (ScaleFactor) UpsamplingLayer()        {}
func (ScaleFactors) UpsampleLayer()         {}
func (ScaleFactors) UpsamplingLayer()       {}

// IsList reports whether sizes were given as a list, which Python prints as such,
// and not as one number.
func IsList(v any) bool {
	switch v.(type) {
	case int, int64:
		return false
	}
	return true
}

// ReadList returns n numbers that v holds as [Dims.Read] reads them, for any n, as
// a new slice. It panics with ErrType or ErrValue for anything else.
func ReadList(op, arg string, v any, n int) []int64 {
	var list []int64
	switch v := v.(type) {
	case int:
		list = []int64{int64(v)}
	case int64:
		list = []int64{v}
	case []int64:
		list = append(list, v...)
	case torch.Shape:
		list = append(list, v...)
	case []int:
		for _, x := range v {
			list = append(list, int64(x))
		}
	default:
		panic(torch.NewError(op, torch.ErrType, arg, fmt.Sprintf("expected an int or a slice of %d, got %s", n, typeName(v))))
	}
	switch len(list) {
	case n:
	case 1:
		for len(list) < n {
			list = append(list, list[0])
		}
	default:
		panic(torch.NewError(op, torch.ErrValue, arg, count(n, list)))
	}
	return list
}
