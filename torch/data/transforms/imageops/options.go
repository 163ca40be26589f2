package imageops

import "github.com/gotorch/gotorch/torch/data/transforms/internal/opt"

// These are the options of geometric functions.
type (
	// Interpolation is how new pixels are computed from the image's pixels, for example
	// InterpolationBicubic. Each function documents its default, and panics with ErrValue
	// for a string that is not one of the constants. The name in Python is interpolation.
	Interpolation = opt.Interpolation
	// Antialias controls whether images are smoothed when they shrink. The default is
	// true. It only affects InterpolationBilinear and InterpolationBicubic. For example
	// Antialias(false).
	Antialias = opt.Antialias
	// MaxSize is the largest length of the longer side in pixels; max_size in Python. It
	// applies if the size is a single number or nil. By default, and with 0, there is no
	// limit. For example MaxSize(512).
	MaxSize = opt.MaxSize
	// Fill is the value of pixels outside the image. By default these pixels are 0, and the
	// image is blended with 0 at its edges. For example Fill(128).
	Fill = opt.Fill
	// Fills is Fill with one value for each channel, or one value for all channels. An
	// empty list, the default, is None in Python. For example Fills{124, 116, 104}.
	Fills = opt.Fills
	// PaddingMode is how the values of new border pixels are determined; padding_mode in
	// Python. The default is PaddingModeConstant. A string that is not one of the
	// constants causes ErrValue.
	PaddingMode = opt.PaddingMode
	// Expand makes the result large enough for the whole rotated image. The default is
	// false. For example Expand(true).
	Expand = opt.Expand
	// CenterOption is the type of [Center].
	CenterOption = opt.Center
	// VerticalFlip (true) flips the image upside down instead of left to right. The default
	// is false. For example VerticalFlip(true). It is vertical_flip in Python.
	VerticalFlip = opt.VerticalFlip
)

// Center is the point that stays fixed when the image is rotated, in pixels from the upper
// left corner. The default is the center of the image. For example Center(10, 20).
func Center(x, y float64) CenterOption { return CenterOption{X: x, Y: y} }

// These constants select how new pixels are computed.
const (
	InterpolationNearest = opt.InterpolationNearest // the nearest pixel
	// takes the nearest pixel, by Pillow's rule; only for Resize
	InterpolationNearestExact = opt.InterpolationNearestExact
	InterpolationBilinear     = opt.InterpolationBilinear // computes a pixel from two pixels per axis
	// computes a pixel from four pixels per axis; only for Resize
	InterpolationBicubic = opt.InterpolationBicubic
)

// These constants select how the values of new border pixels are determined.
const (
	PaddingModeConstant  = opt.PaddingModeConstant  // a number, Fill
	PaddingModeEdge      = opt.PaddingModeEdge      // the last pixel
	PaddingModeReflect   = opt.PaddingModeReflect   // mirrors the image, but does not repeat the border pixel
	PaddingModeSymmetric = opt.PaddingModeSymmetric // mirrors the image and repeats the border pixel
)

// The other options.
type (
	// NumOutputChannels is the number of channels of the result, 1 or 3;
	// num_output_channels in Python. The default is 1. For example NumOutputChannels(3).
	NumOutputChannels = opt.NumOutputChannels
	// Inplace changes the image itself. The default is false. For example
	// Inplace(true).
	Inplace = opt.Inplace
	// Gain is a number by which the result is multiplied. The default is 1. For example Gain(2).
	Gain = opt.Gain
	// Sigma is a standard deviation. For a blur it is in pixels and defaults to 0.15 times
	// the size of the kernel plus 0.35; for noise, 1 stands for the whole range of the
	// dtype, and the default is 0.1. For example Sigma(1.5).
	Sigma = opt.Sigma
	// Sigmas is Sigma for x and y. A single number applies to both. For example Sigmas{1, 2}.
	Sigmas = opt.Sigmas
	// Mean is the mean of noise, where 1 stands for the whole range of the dtype. The
	// default is 0. For example Mean(0.1).
	Mean = opt.Mean
	// Clip limits values to the range of the dtype. The default is true. For example Clip(false).
	Clip = opt.Clip
	// WithScale maps the range of the image's dtype to the range of the new dtype; scale in
	// Python. The default is false. For example WithScale(true).
	WithScale = opt.WithScale
)

// The families of options.
type (
	// A ResizeOption is an option of [Resize]: [Interpolation], [MaxSize] or [Antialias].
	ResizeOption interface{ opt.ResizeFamily }
	// A ResizedCropOption is an option of [ResizedCrop]: [Interpolation] or [Antialias].
	ResizedCropOption interface{ opt.ResizedCropFamily }
	// A PadOption is an option of [Pad]: [Fill], [Fills] or [PaddingMode].
	PadOption interface{ opt.PadFamily }
	// A RotateOption is an option of [Rotate]: [Interpolation], [Expand], [Center],
	// [Fill] or [Fills].
	RotateOption interface{ opt.RotateFamily }
	// An AffineOption is an option of [Affine]: [Interpolation], [Center], [Fill]
	// or [Fills].
	AffineOption interface{ opt.AffineFamily }
	// A WarpOption is an option of [Perspective] and [Elastic]: [Interpolation],
	// [Fill] or [Fills].
	WarpOption interface{ opt.WarpFamily }
	// A TenCropOption is an option of [TenCrop]: [VerticalFlip].
	TenCropOption interface{ opt.TenCropFamily }
	// A GrayscaleOption is an option of [RGBToGrayscale]: [NumOutputChannels].
	GrayscaleOption interface{ opt.GrayscaleFamily }
	// An InplaceOption is an option of [Normalize] and [Erase]: [Inplace].
	InplaceOption interface{ opt.InplaceFamily }
	// A GammaOption is [Gain].
	GammaOption interface{ opt.GammaFamily }
	// A BlurOption is an option of [GaussianBlur]: [Sigma] or [Sigmas].
	BlurOption interface{ opt.BlurFamily }
	// A NoiseOption is an option of [GaussianNoise]: [Mean], [Sigma] or [Clip].
	NoiseOption interface{ opt.NoiseFamily }
	// A ToDTypeOption is an option of [ToDType]: [WithScale].
	ToDTypeOption interface{ opt.ToDTypeFamily }
)
