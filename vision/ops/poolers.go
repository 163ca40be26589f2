package ops

import (
	"fmt"
	"math"
	"strings"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

// MultiScaleRoIAlign is [ApplyRoIAlign] for several feature maps of the same images. Each box is pooled
// from the map whose scale suits the size of the box. Follows torchvision.ops.MultiScaleRoIAlign.
type MultiScaleRoIAlign struct {
	nn.Base
	FeatmapNames   []string
	OutputSize     [2]int64 // height and width
	SamplingRatio  int64
	CanonicalScale int64
	CanonicalLevel int64
}

// A MultiScaleRoIAlignOption is [CanonicalScale] or [CanonicalLevel].
//
//gotorch:options CanonicalScale CanonicalLevel
type MultiScaleRoIAlignOption interface{ multiScaleRoIAlignOption() }

type (
	// CanonicalScale is the side of the boxes that are pooled from the map of [CanonicalLevel],
	// canonical_scale in Python. The default is 224.
	CanonicalScale int64
	// CanonicalLevel is the level of the map for boxes of the size [CanonicalScale],
	// canonical_level in Python: 2 to the power of the level is the stride of the map. The default
	// is 4.
	CanonicalLevel int64
)

// NewMultiScaleRoIAlign returns a MultiScaleRoIAlign that uses the maps with the given names.
// outputSize is an int, or a slice of height and width. It panics with ErrType or ErrValue for another
// outputSize or a [CanonicalScale] below 1, and with ErrNil for a nil option.
func NewMultiScaleRoIAlign(featmapNames []string, outputSize any, samplingRatio int64,
	opts ...MultiScaleRoIAlignOption,
) *MultiScaleRoIAlign {
	const op = "ops.NewMultiScaleRoIAlign"
	l := &MultiScaleRoIAlign{
		FeatmapNames: featmapNames, OutputSize: twoSizes(op, outputSize), SamplingRatio: samplingRatio,
		CanonicalScale: 224, CanonicalLevel: 4,
	}
	for _, o := range opts {
		switch o := o.(type) {
		case CanonicalScale:
			l.CanonicalScale = int64(o)
		case CanonicalLevel:
			l.CanonicalLevel = int64(o)
		default:
			panic(torch.BadOption(op, o))
		}
	}
	if l.CanonicalScale < 1 {
		panic(torch.NewError(op, torch.ErrValue, "CanonicalScale",
			fmt.Sprintf("expected a positive number, got %d", l.CanonicalScale)))
	}
	l.Init(l)
	return l
}

// Forward takes feature maps, the largest first, each of shape (N, C, H, W); those with other names are
// left out. boxes contains the boxes of each image, of shape (L, 4) and [FmtXYXY], and imageShapes the
// height and width of each image. The result has shape (K, C, height, width), where K is the number of
// all boxes. The scales of the maps are computed in each call; torchvision keeps those of the first
// call. It panics with ErrValue without images or maps, and as [ApplyRoIAlign] does.
func (l *MultiScaleRoIAlign) Forward(x []nn.NamedTensor, boxes []*torch.Tensor, imageShapes [][2]int64) *torch.Tensor {
	const op = "ops.MultiScaleRoIAlign.Forward"
	var in []*torch.Tensor
	for _, f := range x {
		for _, name := range l.FeatmapNames {
			if f.Name == name {
				f.Tensor.HandleFor(op+"(x)", 0)
				in = append(in, f.Tensor)
				break
			}
		}
	}
	if len(in) == 0 || len(imageShapes) == 0 || len(boxes) != len(imageShapes) {
		panic(torch.NewError(op, torch.ErrValue, "x", fmt.Sprintf(
			"expected feature maps, and boxes for each image, got %d maps, boxes of %d images, and %d images", len(in),
			len(boxes), len(imageShapes))))
	}
	for i, f := range in {
		if f.Dim() != 4 || f.Size(2) == 0 {
			panic(torch.NewError(op, torch.ErrShape, "x",
				fmt.Sprintf("map %d: expected (N, C, H, W), got %v", i, f.Shape())))
		}
	}
	n := len(in)
	return l.CallN(append(in, boxes...), func(in []*torch.Tensor) []*torch.Tensor {
		return []*torch.Tensor{torch.Tidy(func() *torch.Tensor { return l.pool(in[:n], in[n:], imageShapes) })}
	})[0]
}

func (l *MultiScaleRoIAlign) pool(x, boxes []*torch.Tensor, imageShapes [][2]int64) *torch.Tensor {
	const op = "ops.MultiScaleRoIAlign.Forward(x, boxes)"
	height := int64(0)
	for _, s := range imageShapes {
		height = max(height, s[0])
	}
	scales := make([]float64, len(x))
	for i, f := range x {
		scales[i] = scaleOf(f.Size(2), height)
	}
	rois := RoIs(boxes)
	at := func(i int) *RoIAlign {
		return &RoIAlign{OutputSize: l.OutputSize, SpatialScale: scales[i], SamplingRatio: l.SamplingRatio}
	}
	if len(x) == 1 {
		return at(0).apply(op, x[0], rois)
	}
	levels := l.levels(boxes, scales)
	result := torch.Zeros(torch.Shape{rois.Size(0), x[0].Size(1), l.OutputSize[0], l.OutputSize[1]}, x[0].DType(),
		x[0].Device())
	for i, f := range x {
		own := where(levels.EqScalar(i))
		result.SetIndex(at(i).apply(op, f, rois.IndexSelect(0, own)).To(result.DType()), own)
	}
	return result
}

// scaleOf returns the scale of a feature map, which is a power of 2.
func scaleOf(size, original int64) float64 {
	ratio := float32(float64(size) / float64(original))
	return math.Exp2(math.RoundToEven(float64(float32(math.Log2(float64(ratio))))))
}

// levels returns for each box the index of the map from which it is pooled.
func (l *MultiScaleRoIAlign) levels(boxes []*torch.Tensor, scales []float64) *torch.Tensor {
	sizes := make([]*torch.Tensor, len(boxes))
	for i, b := range boxes {
		sizes[i] = areas(b, FmtXYXY)
	}
	s := torch.Cat(sizes).Sqrt()
	lowest, highest := int64(-math.Log2(scales[0])), int64(-math.Log2(scales[len(scales)-1]))
	level := s.DivScalar(l.CanonicalScale).Log2().AddScalar(l.CanonicalLevel).AddScalar(1e-6).Floor()
	return level.Clamp(lowest, highest).To(torch.Int64).SubScalar(lowest)
}

// String returns the layer with its settings, formatted as in Python.
func (l *MultiScaleRoIAlign) String() string {
	return fmt.Sprintf("%s(featmap_names=['%s'], output_size=(%d, %d), sampling_ratio=%d)", l.TypeName(),
		strings.Join(l.FeatmapNames, "', '"), l.OutputSize[0], l.OutputSize[1], l.SamplingRatio)
}
