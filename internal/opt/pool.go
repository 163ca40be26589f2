package opt

import (
	"fmt"

	"github.com/gotorch/gotorch/torch"
)

// The option families of convolution, pooling and resizing that are not in families.go.
type (
	//gotorch:options Stride Strides Padding Paddings CeilMode CountIncludePad
	AvgPool1dFunc interface{ avgPool1dFunc() }
	//gotorch:options Stride Strides CeilMode
	LPPoolFunc interface{ lpPoolFunc() }
	//gotorch:options OutputSize OutputSizes OutputRatio OutputRatios RandomSamples
	FractionalPoolFunc interface{ fractionalPoolFunc() }
	//gotorch:options Stride Strides Padding Paddings OutputSizes
	MaxUnpoolFunc interface{ maxUnpoolFunc() }
	//gotorch:options Stride Strides Padding Paddings Dilation Dilations
	FoldFunc interface{ foldFunc() } // and Unfold
	//gotorch:options AnyLayer Stride Strides Padding Paddings Dilation Dilations OutputPadding
	//gotorch:options OutputPaddings Groups Bias Device DType
	ConvTransposeLayer interface{ convTransposeLayer() }
	//gotorch:options AnyLayer Stride Strides Padding Paddings CeilMode CountIncludePad
	AvgPool1dLayer interface{ avgPool1dLayer() }
	//gotorch:options AnyLayer Stride Strides CeilMode
	LPPoolLayer interface{ lpPoolLayer() }
	//gotorch:options AnyLayer OutputSize OutputSizes OutputRatio OutputRatios RandomSamples
	FractionalPoolLayer interface{ fractionalPoolLayer() }
	//gotorch:options AnyLayer Stride Strides Padding Paddings
	MaxUnpoolLayer interface{ maxUnpoolLayer() }
	//gotorch:options AnyLayer Stride Strides Padding Paddings Dilation Dilations
	FoldLayer interface{ foldLayer() } // and Unfold
	//gotorch:options AnyLayer Mode AlignCorners RecomputeScaleFactor Size Sizes ScaleFactor ScaleFactors
	UpsampleLayer interface{ upsampleLayer() } // Upsample
	//gotorch:options AnyLayer Size Sizes ScaleFactor ScaleFactors
	UpsamplingLayer interface{ upsamplingLayer() } // UpsamplingNearest2d and UpsamplingBilinear2d
)

// OutputSize is the size of the result in all directions.
type OutputSize int64

// OutputSizes is the size of the result in each direction.
type OutputSizes []int64

// OutputRatio is the size of the result relative to the input in all directions.
type OutputRatio float64

// OutputRatios is OutputRatio for each direction.
type OutputRatios []float64

// RandomSamples holds the random numbers that select the windows of fractional pooling.
type RandomSamples struct{ t *torch.Tensor }

// NewRandomSamples returns the option for t.
func NewRandomSamples(t *torch.Tensor) RandomSamples { return RandomSamples{t} }

// Tensor returns the tensor in the option.
func (o RandomSamples) Tensor() *torch.Tensor { return hidden(o.t) }

// IsList reports whether sizes were given as a list, not as one number. Layers print them
// as given, as in Python.
func IsList(v any) bool {
	switch v.(type) {
	case int, int64:
		return false
	}
	return true
}

// ReadList returns a new slice of n numbers. It reads v as [Dims.Read] does, but n may be
// more than three. It panics with ErrType or ErrValue if v is invalid.
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
		panic(torch.NewError(op, torch.ErrType, arg, fmt.Sprintf("expected an int or a slice of %d, got %s", n,
			typeName(v))))
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
