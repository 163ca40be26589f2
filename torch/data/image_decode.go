package data

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"image/png" // importing png and jpeg also registers their decoders with package image

	"github.com/gotorch/gotorch/torch"
)

const pngMagic = "\x89PNG\r\n\x1a\n"

// decodeRegistered is the default Decoder. It decodes the formats that are registered with
// package image.
func decodeRegistered(b []byte, s ImageSettings) (*torch.Tensor, error) {
	cfg, format, err := image.DecodeConfig(bytes.NewReader(b))
	if err != nil {
		return nil, explain(err)
	}
	if err := s.CheckSize(int64(cfg.Width), int64(cfg.Height)); err != nil {
		return nil, err
	}
	if err := s.checkCost(cfg, format, b); err != nil {
		return nil, err
	}
	img, _, err := image.Decode(bytes.NewReader(b))
	if err != nil {
		return nil, explain(err)
	}
	w, h := img.Bounds().Dx(), img.Bounds().Dy()
	if err := s.CheckSize(int64(w), int64(h)); err != nil {
		return nil, err
	}
	src := sourceOf(img, format, b)
	channels := src.channels(s.Mode)
	shape := torch.Shape{int64(h), int64(w), int64(channels)}
	if src.is16Bit {
		pix := make([]uint16, h*w*channels)
		src.fill16(pix, channels)
		return planes(pix, shape), nil
	}
	pix := make([]uint8, h*w*channels)
	src.fill8(pix, channels, s.Mode)
	return planes(pix, shape), nil
}

// planes returns pixels as a tensor without copying them. shape is (height, width,
// channels).
func planes(pix any, shape torch.Shape) *torch.Tensor {
	return torch.Tidy(func() *torch.Tensor { return torch.FromSliceShared(pix, shape...).Permute(2, 0, 1) })
}

// explain adds advice to the error for an unknown format. If an image is truncated, it
// gives the error the kind ErrTruncated.
func explain(err error) error {
	if errors.Is(err, jpeg.FormatError("short Huffman data")) || errors.Is(err,
		png.FormatError("not enough pixel data")) {
		return fmt.Errorf("%w: %w", torch.ErrTruncated, err)
	}
	if errors.Is(err, image.ErrFormat) {
		return fmt.Errorf("%w: the image's format is not registered with package image; import the "+
			"format's package", torch.ErrFormat)
	}
	return err
}

// decodedImage is a decoded image with information from its file.
type decodedImage struct {
	img     image.Image
	native  int  // the number of channels in the file, by torchvision's count
	is16Bit bool // 16 bits per channel
	isGray  bool // true if red, green and blue are equal in every pixel
}

// sourceOf finds out what the file contains from the image's type and, for PNG, from the
// header. The type is not enough: package png returns gray with alpha as color, and color
// with one transparent value as color with alpha.
func sourceOf(img image.Image, format string, b []byte) *decodedImage {
	s := &decodedImage{img: img, native: 4}
	switch img := img.(type) {
	case *image.Gray:
		s.native, s.isGray = 1, true
	case *image.Gray16:
		s.native, s.isGray, s.is16Bit = 1, true, true
	case *image.YCbCr:
		s.native = 3
	case *image.Paletted:
		s.native = 1
	case *image.NRGBA64, *image.RGBA64:
		s.is16Bit = true
	case *image.RGBA:
		if img.Opaque() {
			s.native = 3
		}
	}
	const colour = len(pngMagic) + 8 + 9 // the index of the header byte that holds the color type
	if format == "png" && len(b) > colour {
		switch b[colour] {
		case 0:
			s.native, s.isGray = 1, true
		case 2:
			s.native = 3
		case 4:
			s.native, s.isGray = 2, true
		}
	}
	return s
}

// channels returns the number of channels that the decoded image has in the given mode.
func (s *decodedImage) channels(mode ImageReadMode) int {
	switch mode {
	case ImageReadModeGray:
		return 1
	case ImageReadModeGrayAlpha:
		return 2
	case ImageReadModeRGB:
		return 3
	case ImageReadModeRGBAlpha:
		return 4
	default:
		return s.native
	}
}

// fill8 writes the image's pixels to pix, row by row, with interleaved channels of 8 bits.
func (s *decodedImage) fill8(pix []uint8, channels int, mode ImageReadMode) {
	b := s.img.Bounds()
	stride := b.Dx() * channels
	var direct func(dst []uint8, y int)
	switch img := s.img.(type) {
	case *image.YCbCr:
		switch channels {
		case 1: // the channel is the luminance
			direct = func(dst []uint8, y int) { copy(dst, img.Y[img.YOffset(b.Min.X, y):]) }
		case 3:
			direct = func(dst []uint8, y int) { ycbcrRow(dst, img, y, 3) }
		}
	case *image.Gray:
		if channels == 1 {
			direct = func(dst []uint8, y int) { copy(dst, img.Pix[img.PixOffset(b.Min.X, y):]) }
		}
	case *image.Paletted:
		if mode == ImageReadModeUnchanged {
			direct = func(dst []uint8, y int) { copy(dst, img.Pix[img.PixOffset(b.Min.X, y):]) }
		}
	case *image.CMYK:
		if mode == ImageReadModeUnchanged {
			direct = func(dst []uint8, y int) { storedCMYK(dst, img.Pix[img.PixOffset(b.Min.X, y):]) }
		}
	}
	if direct == nil {
		rgba, gray := rows8(s.img), grays8
		if s.isGray {
			gray = reds8
		}
		if _, inks := s.img.(*image.CMYK); inks {
			gray = grays8OfInks
		}
		row := make([]uint8, 4*b.Dx())
		direct = func(dst []uint8, y int) {
			rgba(row, y)
			pack8(dst, row, channels, gray)
		}
	}
	for y := range b.Dy() {
		direct(pix[y*stride:][:stride], b.Min.Y+y)
	}
}

// fill16 is fill8 for channels of 16 bits.
func (s *decodedImage) fill16(pix []uint16, channels int) {
	b := s.img.Bounds()
	stride := b.Dx() * channels
	rgba, row := rows16(s.img), make([]uint16, 4*b.Dx())
	for y := range b.Dy() {
		rgba(row, b.Min.Y+y)
		pack16(pix[y*stride:][:stride], row, channels, s.isGray)
	}
}
