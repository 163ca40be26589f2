package data

import (
	"bytes"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"
	"io"
	"os"

	"github.com/gotorch/gotorch/internal/fileerr"
	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/torch"
)

type (
	// A PNGOption is an argument of [EncodePNG] and [WritePNG] that Python takes by
	// keyword: [CompressionLevel].
	//
	//gotorch:options CompressionLevel
	PNGOption interface{ pngOption() }
	// A JPEGOption is an argument of [EncodeJPEG] and [WriteJPEG] that Python takes by
	// keyword: [Quality], or an [Encoder].
	//
	//gotorch:options Quality Encoder
	JPEGOption interface{ jpegOption() }
)

// CompressionLevel is the compression level of a PNG, from 0 (uncompressed) to 9. The
// default is 6. Package png has only four levels, so 1 to 3 give the same result, and so
// do 4 to 8. Any other number panics with ErrValue. It is compression_level in
// torchvision.
type CompressionLevel int

// Quality is the quality of a JPEG, from 1 to 100; quality in torchvision. The default is
// 75. Any other number panics with ErrValue.
type Quality int

// An Encoder encodes an image as a JPEG of the given quality. pixels are the rows of the
// image, each of width times channels bytes; channels is 1 or 3. As an option, an Encoder
// replaces the default encoder; nil means the default. The default is the encoder of
// package image/jpeg. The files of image/jpeg decode to nearly, but not exactly, the same
// pixels as libjpeg's. Package codecs/turbojpeg has an encoder that writes the same bytes
// as torchvision.
type Encoder func(pixels []byte, height, width, channels, quality int) ([]byte, error)

// EncodePNG returns an image as a PNG file. The image is a uint8 tensor of any strides,
// of shape (channels, height, width) with 1 or 3 channels, or of shape (height, width).
// It panics with ErrDType, ErrShape or ErrDevice for any other tensor, with ErrNil for
// nil and with ErrClosed for a closed tensor. Follows torchvision.io.encode_png.
func EncodePNG(x *torch.Tensor, opts ...PNGOption) []byte {
	return encodePNG("data.EncodePNG", x, opts)
}

// WritePNG writes an image to a PNG file; see [EncodePNG]. It returns a *FileError if the
// file cannot be written. Follows torchvision.io.write_png.
func WritePNG(x *torch.Tensor, path string, opts ...PNGOption) error {
	return writeImage(path, encodePNG("data.WritePNG", x, opts))
}

// EncodeJPEG returns an image as a JPEG file, with chroma at half the resolution, as
// torchvision writes it. It accepts the same images and panics in the same cases as
// [EncodePNG]. It also panics with ErrValue for a side of more than 65,535 pixels, which
// JPEG does not support, and with the error of an [Encoder]. Follows
// torchvision.io.encode_jpeg.
func EncodeJPEG(x *torch.Tensor, opts ...JPEGOption) []byte {
	return encodeJPEG("data.EncodeJPEG", x, opts)
}

// WriteJPEG writes an image to a JPEG file; see [EncodeJPEG]. It returns a *FileError if
// the file cannot be written. Follows torchvision.io.write_jpeg.
func WriteJPEG(x *torch.Tensor, path string, opts ...JPEGOption) error {
	return writeImage(path, encodeJPEG("data.WriteJPEG", x, opts))
}

func writeImage(path string, b []byte) error {
	if err := os.WriteFile(path, b, 0o666); err != nil { //nolint:gosec // the usual mode of new files
		return &FileError{Path: path, Detail: "cannot be written", Err: fileerr.WithoutPath(err)}
	}
	return nil
}

func encodePNG(op string, x *torch.Tensor, opts []PNGOption) []byte {
	level := opt.Read(op, opts, CompressionLevel(6))
	e := png.Encoder{}
	switch {
	case level < 0 || level > 9:
		panic(torch.NewError(op, torch.ErrValue, "CompressionLevel", fmt.Sprintf("expected 0 to 9, got %d", level)))
	case level == 0:
		e.CompressionLevel = png.NoCompression
	case level < 4:
		e.CompressionLevel = png.BestSpeed
	case level == 9:
		e.CompressionLevel = png.BestCompression
	}
	return pixelsOf(op, x).encode(op, e.Encode)
}

func encodeJPEG(op string, x *torch.Tensor, opts []JPEGOption) []byte {
	quality, encode := opt.Read2(op, opts, Quality(75), Encoder(nil))
	if quality < 1 || quality > 100 {
		panic(torch.NewError(op, torch.ErrValue, "Quality", fmt.Sprintf("expected 1 to 100, got %d", quality)))
	}
	p := pixelsOf(op, x)
	const most = 1<<16 - 1
	if p.height > most || p.width > most {
		panic(torch.NewError(op, torch.ErrValue, "x", fmt.Sprintf("an image of %d x %d pixels is too large; a side "+
			"of a JPEG has at most %d", p.width, p.height, most)))
	}
	if encode != nil {
		b, err := encode(p.rows, p.height, p.width, p.channels, int(quality))
		if err != nil {
			panic(torch.WrapError(op, err))
		}
		return b
	}
	return p.encode(op, func(w io.Writer, img image.Image) error {
		return jpeg.Encode(w, img, &jpeg.Options{Quality: int(quality)})
	})
}

// imagePixels holds the pixels of an image, row after row.
type imagePixels struct {
	rows                    []byte
	height, width, channels int
}

func pixelsOf(op string, x *torch.Tensor) imagePixels {
	torch.Handles(op+"(x)", []*torch.Tensor{x}, false) // only to panic for nil and closed tensors
	shape := x.Shape()
	if len(shape) == 2 {
		shape = append(torch.Shape{1}, shape...)
	}
	switch {
	case x.DType() != torch.Uint8:
		panic(torch.NewError(op, torch.ErrDType, "x", fmt.Sprintf("expected uint8, got %v", x.DType())))
	case len(shape) != 3 || shape[0] != 1 && shape[0] != 3 || shape[1] < 1 || shape[2] < 1:
		panic(torch.NewError(op, torch.ErrShape, "x",
			fmt.Sprintf("expected 1 or 3 channels, height and width, got %v", x.Shape())))
	case x.Device().Type() != torch.CPU.Type():
		panic(torch.NewError(op, torch.ErrDevice, "x",
			fmt.Sprintf("expected an image on the CPU, got one on %v", x.Device())))
	}
	p := imagePixels{height: int(shape[1]), width: int(shape[2]), channels: int(shape[0])}
	torch.Scope(func() { p.rows = x.Reshape(shape...).Permute(1, 2, 0).Contiguous().Uint8s() })
	return p
}

// encode returns the bytes that the function write writes for the image.
func (p imagePixels) encode(op string, write func(io.Writer, image.Image) error) []byte {
	r := image.Rect(0, 0, p.width, p.height)
	var img image.Image = &image.Gray{Pix: p.rows, Stride: p.width, Rect: r}
	if p.channels == 3 {
		// RGBA, because packages png and jpeg write no alpha channel for opaque images
		colours := image.NewRGBA(r)
		for i := range p.height * p.width {
			copy(colours.Pix[4*i:], p.rows[3*i:3*i+3])
			colours.Pix[4*i+3] = 0xff
		}
		img = colours
	}
	var b bytes.Buffer
	if err := write(&b, img); err != nil { // for example, the image is too large for the format
		panic(torch.WrapError(op, err))
	}
	return b.Bytes()
}
