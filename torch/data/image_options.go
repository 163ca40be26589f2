package data

import (
	"fmt"

	"github.com/gotorch/gotorch/torch"
)

// An ImageOption is an argument of the functions that read an image:
// [ImageReadMode], [ApplyEXIFOrientation], [Decoder] or [MaxPixels].
//
//gotorch:options ImageReadMode ApplyEXIFOrientation Decoder MaxPixels
type ImageOption interface{ imageOption() }

// ImageReadMode says which channels a decoded image has; mode in torchvision, where the
// modes belong to an enum of this name. The default is [ImageReadModeUnchanged]; for an
// [ImageFolder] it is [ImageReadModeRGB].
type ImageReadMode string

// These are the modes. They have torchvision's names.
const (
	ImageReadModeUnchanged ImageReadMode = "UNCHANGED"  // decodes to the channels that the file has
	ImageReadModeGray      ImageReadMode = "GRAY"       // one channel
	ImageReadModeGrayAlpha ImageReadMode = "GRAY_ALPHA" // two channels
	ImageReadModeRGB       ImageReadMode = "RGB"        // three channels
	ImageReadModeRGBAlpha  ImageReadMode = "RGB_ALPHA"  // four channels
	ImageReadModeRGBA      ImageReadMode = "RGBA"       // another name of ImageReadModeRGBAlpha
)

// ApplyEXIFOrientation says whether to rotate and flip the image as its EXIF data say.
// The default is false. It is apply_exif_orientation in torchvision.
type ApplyEXIFOrientation bool

// MaxPixels is the largest number of pixels of an image. An image that claims to have more
// pixels is refused before memory is allocated for it, because a small file can claim any
// size. Files of these kinds are refused too:
//
//   - an image that needs more than 8 bytes per allowed pixel to decode, such as one with
//     16 bits per channel or a progressive JPEG of more than about half as many pixels;
//   - a JPEG whose scans cover more than 8 times as many samples;
//   - a file of more than 8 bytes per allowed pixel plus one mebibyte.
//
// The default is [DefaultMaxPixels]; a number below 1 panics with ErrValue. Follows
// PIL.Image.MAX_IMAGE_PIXELS.
type MaxPixels int64

// DefaultMaxPixels is the number of pixels above which Pillow refuses an image. It is twice
// Pillow's MAX_IMAGE_PIXELS.
const DefaultMaxPixels = 2 * 89478485

// A Decoder decodes the bytes of an image file to a new tensor of shape (channels,
// height, width): uint16 for 16 bits per channel, else uint8. It returns the channels
// that s.Mode asks for, and ignores the orientation. Its errors wrap [torch.ErrTruncated]
// for bytes that end too early and [torch.ErrFormat] for other invalid bytes; the reader
// adds the name of the file.
//
// As an option, a Decoder replaces the default decoder; nil means the default. The
// default reads the formats registered with Go's package image: JPEG and PNG, and those
// that the program imports ("_ image/gif", "_ golang.org/x/image/bmp"). The default
// decodes PNG to the same pixels as torchvision; the pixels of a JPEG differ slightly.
// Package codecs/turbojpeg decodes JPEG to the same pixels as torchvision and Pillow, and
// is several times as fast.
type Decoder func(b []byte, s ImageSettings) (*torch.Tensor, error)

// ImageSettings tells a [Decoder] which channels to return, and how large an image may be.
type ImageSettings struct {
	Mode      ImageReadMode
	MaxPixels int64
}

// String returns a string such as "ImageSettings(mode=RGB, max_pixels=178956970)".
func (s ImageSettings) String() string {
	return fmt.Sprintf("ImageSettings(mode=%s, max_pixels=%d)", s.Mode, s.MaxPixels)
}

// CheckSize returns an error that wraps [torch.ErrFormat] for an image without pixels or
// with more than MaxPixels. Decoders call it once they know the size, before they allocate
// memory.
func (s ImageSettings) CheckSize(width, height int64) error {
	switch {
	case width < 1 || height < 1:
		return fmt.Errorf("%w: the image has %d x %d pixels, expected at least 1 x 1", torch.ErrFormat, width, height)
	case width > s.MaxPixels/height:
		return fmt.Errorf("%w: the image has %d x %d pixels, more than the %d that MaxPixels allows", torch.ErrFormat,
			width, height, s.MaxPixels)
	}
	return nil
}

// imageSettings holds the values of ImageOptions.
type imageSettings struct {
	ImageSettings
	orient bool
	decode Decoder
}

func newImaging() imageSettings {
	return imageSettings{
		ImageSettings: ImageSettings{Mode: ImageReadModeUnchanged, MaxPixels: DefaultMaxPixels},
		decode:        decodeRegistered,
	}
}

func readImaging(op string, opts []ImageOption) imageSettings {
	im := newImaging()
	for _, o := range opts {
		im.read(op, o)
	}
	return im
}

func (im *imageSettings) read(op string, o any) {
	switch o := o.(type) {
	case ImageReadMode:
		im.Mode = o
		switch o {
		case ImageReadModeUnchanged, ImageReadModeGray, ImageReadModeGrayAlpha, ImageReadModeRGB, ImageReadModeRGBAlpha:
		case ImageReadModeRGBA:
			im.Mode = ImageReadModeRGBAlpha
		default:
			panic(torch.NewError(op, torch.ErrValue, "ImageReadMode",
				fmt.Sprintf("expected UNCHANGED, GRAY, GRAY_ALPHA, RGB, RGB_ALPHA or RGBA, got %q", string(o))))
		}
	case ApplyEXIFOrientation:
		im.orient = bool(o)
	case Decoder:
		im.decode = o
		if o == nil {
			im.decode = decodeRegistered
		}
	case MaxPixels:
		im.MaxPixels = mustBePositive(op, "MaxPixels", int64(o))
	default:
		panic(torch.BadOption(op, o))
	}
}
