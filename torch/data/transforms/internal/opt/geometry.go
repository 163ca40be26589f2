package opt

// Interpolation is the way to compute new pixels.
type Interpolation string

// Antialias controls whether images are smoothed when they shrink.
type Antialias bool

// MaxSize is the largest size of the longer side.
type MaxSize int64

// Fill is the value of new pixels.
type Fill float64

// Fills is the value of new pixels in each channel.
type Fills []float64

// PaddingMode is the content of new border pixels.
type PaddingMode string

// Padding is the number of pixels added at each side.
type Padding int64

// Paddings is the number of pixels added at the sides.
type Paddings []int64

// PadIfNeeded pads images that are smaller than the crop.
type PadIfNeeded bool

// Expand makes the result large enough for the rotated image.
type Expand bool

// VerticalFlip flips upside down instead of left to right.
type VerticalFlip bool

// Shear is the largest angle of a shear.
type Shear float64

// Shears are the ranges of shear angles.
type Shears []float64

// DistortionScale is how far corners may move.
type DistortionScale float64

// Center is a point in pixels.
type Center struct{ X, Y float64 }

// Scale is a range of scales.
type Scale struct{ Min, Max float64 }

// Ratio is a range of ratios.
type Ratio struct{ Min, Max float64 }

// Translate is the largest translation, relative to the image's size.
type Translate struct{ X, Y float64 }

// The values of options that are strings.
const (
	InterpolationNearest      Interpolation = "nearest"
	InterpolationNearestExact Interpolation = "nearest-exact"
	InterpolationBilinear     Interpolation = "bilinear"
	InterpolationBicubic      Interpolation = "bicubic"

	PaddingModeConstant  PaddingMode = "constant"
	PaddingModeEdge      PaddingMode = "edge"
	PaddingModeReflect   PaddingMode = "reflect"
	PaddingModeSymmetric PaddingMode = "symmetric"

	ValueRandom ValueWord = "random"

	PolicyImageNet Policy = "imagenet"
	PolicyCIFAR10  Policy = "cifar10"
	PolicySVHN     Policy = "svhn"
)
