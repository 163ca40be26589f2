package opt

// Interpolation is how new pixels are computed.
type Interpolation string

func (Interpolation) ResizeFamily()            {}
func (Interpolation) ResizedCropFamily()       {}
func (Interpolation) RandomResizedCropFamily() {}
func (Interpolation) RotateFamily()            {}
func (Interpolation) AffineFamily()            {}
func (Interpolation) RandomAffineFamily()      {}
func (Interpolation) WarpFamily()              {}
func (Interpolation) RandomPerspectiveFamily() {}
func (Interpolation) ElasticFamily()           {}
func (Interpolation) AutoAugmentFamily()       {}
func (Interpolation) RandAugmentFamily()       {}
func (Interpolation) TrivialAugmentFamily()    {}
func (Interpolation) AugMixFamily()            {}

// Antialias smooths when sizes shrink.
type Antialias bool

func (Antialias) ResizeFamily()            {}
func (Antialias) ResizedCropFamily()       {}
func (Antialias) RandomResizedCropFamily() {}

// MaxSize is the largest size of the longer side.
type MaxSize int64

func (MaxSize) ResizeFamily() {}

// Fill is the value of new pixels.
type Fill float64

func (Fill) PadFamily()               {}
func (Fill) RandomCropFamily()        {}
func (Fill) RotateFamily()            {}
func (Fill) AffineFamily()            {}
func (Fill) RandomAffineFamily()      {}
func (Fill) WarpFamily()              {}
func (Fill) RandomPerspectiveFamily() {}
func (Fill) ElasticFamily()           {}
func (Fill) AutoAugmentFamily()       {}
func (Fill) RandAugmentFamily()       {}
func (Fill) TrivialAugmentFamily()    {}
func (Fill) AugMixFamily()            {}

// Fills is the value of new pixels in each channel.
type Fills []float64

func (Fills) PadFamily()               {}
func (Fills) RandomCropFamily()        {}
func (Fills) RotateFamily()            {}
func (Fills) AffineFamily()            {}
func (Fills) RandomAffineFamily()      {}
func (Fills) WarpFamily()              {}
func (Fills) RandomPerspectiveFamily() {}
func (Fills) ElasticFamily()           {}
func (Fills) AutoAugmentFamily()       {}
func (Fills) RandAugmentFamily()       {}
func (Fills) TrivialAugmentFamily()    {}
func (Fills) AugMixFamily()            {}

// PaddingMode is what new pixels at the border hold.
type PaddingMode string

func (PaddingMode) PadFamily()        {}
func (PaddingMode) RandomCropFamily() {}

// Padding is what is added at each side.
type Padding int64

func (Padding) RandomCropFamily() {}

// Paddings is what is added at the sides.
type Paddings []int64

func (Paddings) RandomCropFamily() {}

// PadIfNeeded pads images that are smaller than the crop.
type PadIfNeeded bool

func (PadIfNeeded) RandomCropFamily() {}

// Expand makes the result as large as the turned image.
type Expand bool

func (Expand) RotateFamily() {}

// VerticalFlip flips upside down instead of left to right.
type VerticalFlip bool

func (VerticalFlip) TenCropFamily() {}

// Shear is the largest angle of a shear.
type Shear float64

func (Shear) RandomAffineFamily() {}

// Shears are where angles of shears are drawn from.
type Shears []float64

func (Shears) RandomAffineFamily() {}

// DistortionScale is how far corners move.
type DistortionScale float64

func (DistortionScale) RandomPerspectiveFamily() {}

// Center is a point in pixels.
type Center struct{ X, Y float64 }

func (Center) RotateFamily()       {}
func (Center) AffineFamily()       {}
func (Center) RandomAffineFamily() {}

// Scale is a range of scales.
type Scale struct{ Min, Max float64 }

func (Scale) RandomResizedCropFamily() {}
func (Scale) RandomAffineFamily()      {}
func (Scale) ErasingFamily()           {}

// Ratio is a range of ratios.
type Ratio struct{ Min, Max float64 }

func (Ratio) RandomResizedCropFamily() {}
func (Ratio) ErasingFamily()           {}

// Translate is how far to move, in sizes of the image.
type Translate struct{ X, Y float64 }

func (Translate) RandomAffineFamily() {}

// The words of options.
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
