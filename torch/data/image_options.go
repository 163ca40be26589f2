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

// ImageReadMode says which channels a decoded image has; mode in torchvision, where
// the words belong to an enum of this name. The default is
// [ImageReadModeUnchanged], for an image folder [ImageReadModeRGB].
type ImageReadMode string

// The modes, under torchvision's names.
const (
	ImageReadModeUnchanged ImageReadMode = "UNCHANGED"  // the channels that the file has
	ImageReadModeGray      ImageReadMode = "GRAY"       // one
	ImageReadModeGrayAlpha ImageReadMode = "GRAY_ALPHA" // two
	ImageReadModeRGB       ImageReadMode = "RGB"        // three
	ImageReadModeRGBAlpha  ImageReadMode = "RGB_ALPHA"  // four
	ImageReadModeRGBA      ImageReadMode = "RGBA"       // the same
)

// ApplyEXIFOrientation turns the image as its EXIF data say; apply_exif_orientation in
// torchvision. The default is false.
type ApplyEXIFOrientation bool

// MaxPixels is how many pixels an image may have. One that claims more is refused
// before memory is taken for it, since a small file can claim any size. So is one that
// takes more than 8 bytes of memory for each of so many pixels while it is decoded, such as
// one of 16 bits a channel or a progressive JPEG of more than about half as many; a JPEG whose
// scans go over more than 8 times as many samples; and a file of more than 8 bytes for each and
// a mebibyte. The default is [DefaultMaxPixels]; less than 1 is ErrValue. Follows
// PIL.Image.MAX_IMAGE_PIXELS.
type MaxPixels int64

// DefaultMaxPixels is where Pillow refuses an image: twice its MAX_IMAGE_PIXELS.
const DefaultMaxPixels = 2 * 89478485

// A Decoder turns the bytes of an image file into a new tensor of shape (channels,
// height, width), uint8 or, for 16 bits a channel, uint16. The channels are those that
// s.Mode asks for; the orientation is not the decoder's task. The error says what is
// wrong with the bytes: around [ErrTruncated] if they end too early, around
// [ErrFormat] if they are something else; the reader adds the name of the file.
//
// As an option it takes the place of the default decoder, and nil stands for that. The
// default reads what is registered with Go's package image: JPEG and PNG, and what
// else the program imports for it ("_ image/gif", "_ golang.org/x/image/bmp"). PNG has
// torchvision's pixels, and JPEG has not: package codecs/turbojpeg decodes it as torchvision
// and Pillow do, bit by bit, and several times as fast.
type Decoder func(b []byte, s ImageSettings) (*torch.Tensor, error)

// ImageSettings is what a [Decoder] is asked for.
type ImageSettings struct {
	Mode      ImageReadMode
	MaxPixels int64
}

// String shows the settings as Go writes them.
func (s ImageSettings) String() string {
	return fmt.Sprintf("ImageSettings(mode=%s, max_pixels=%d)", s.Mode, s.MaxPixels)
}

// CheckSize returns an error around [ErrFormat] for an image without pixels or with
// more than MaxPixels. Decoders call it once they know the size, before they take
// memory.
func (s ImageSettings) CheckSize(width, height int64) error {
	switch {
	case width < 1 || height < 1:
		return fmt.Errorf("%w: an image of %d x %d pixels", ErrFormat, width, height)
	case width > s.MaxPixels/height:
		return fmt.Errorf("%w: an image of %d x %d pixels, more than the %d that MaxPixels allows", ErrFormat, width, height, s.MaxPixels)
	}
	return nil
}

// imaging is a list of ImageOptions, read.
type imaging struct {
	ImageSettings
	orient bool
	decode Decoder
}

func newImaging() imaging {
	return imaging{ImageSettings: ImageSettings{Mode: ImageReadModeUnchanged, MaxPixels: DefaultMaxPixels}, decode: registered}
}

func readImaging(op string, opts []ImageOption) imaging {
	im := newImaging()
	for _, o := range opts {
		im.read(op, o)
	}
	return im
}

// read takes one option.
func (im *imaging) read(op string, o any) {
	switch o := o.(type) {
	case ImageReadMode:
		im.Mode = o
		switch o {
		case ImageReadModeUnchanged, ImageReadModeGray, ImageReadModeGrayAlpha, ImageReadModeRGB, ImageReadModeRGBAlpha:
		case ImageReadModeRGBA:
			im.Mode = ImageReadModeRGBAlpha
		default:
			panic(torch.NewError(op, torch.ErrValue, "ImageReadMode", fmt.Sprintf("expected UNCHANGED, GRAY, GRAY_ALPHA, RGB, RGB_ALPHA or RGBA, got %q", string(o))))
		}
	case ApplyEXIFOrientation:
		im.orient = bool(o)
	case Decoder:
		im.decode = o
		if o == nil {
			im.decode = registered
		}
	case MaxPixels:
		im.MaxPixels = positive(op, "MaxPixels", int64(o))
	default:
		panic(torch.BadOption(op, o))
	}
}
