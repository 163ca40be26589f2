package opt

// Interpolation is how new pixels are computed from the image's pixels.
type Interpolation string

// Antialias controls whether images are smoothed when they shrink.
type Antialias bool

// MaxSize is the largest size of the longer side.
type MaxSize int64

// Fill is the value of new pixels.
type Fill float64

// Fills is the value of new pixels: one number for each channel, or one number for all
// channels.
type Fills []float64

// PaddingMode is how the values of new border pixels are determined.
type PaddingMode string

// Padding is the number of pixels added at each side.
type Padding int64

// Paddings is the number of pixels added at the sides: one, two or four numbers.
type Paddings []int64

// PadIfNeeded (true) pads images that are smaller than the crop.
type PadIfNeeded bool

// Expand (true) makes the result large enough for the whole rotated image.
type Expand bool

// VerticalFlip (true) flips images upside down instead of left to right.
type VerticalFlip bool

// Shear is the largest angle by which images are sheared, in degrees.
type Shear float64

// Shears is the range of shear angles along x, optionally followed by the range along y.
type Shears []float64

// DistortionScale is how far corners may move, as a fraction of the distance to the center.
type DistortionScale float64

// Center is a point in an image, in pixels from the upper left corner.
type Center struct{ X, Y float64 }

// Scale is the range from which a scale is drawn.
type Scale struct{ Min, Max float64 }

// Ratio is the range from which an aspect ratio is drawn.
type Ratio struct{ Min, Max float64 }

// Translate is the largest translation, relative to the image's size.
type Translate struct{ X, Y float64 }

// These are the values of the string options.
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
