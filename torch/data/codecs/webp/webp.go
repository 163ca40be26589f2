// Package webp decodes WebP with libwebp, which is included, to the same pixels as Pillow
// and torchvision:
//
//	set, err := data.NewImageFolder(dir, data.Decoder(webp.Decode))
package webp

import (
	"bytes"
	"fmt"

	"github.com/chai2010/webp"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data"
)

// checkCost returns an error for an image that takes more memory to decode than [data.MaxPixels]
// allows, which is 8 bytes for each of its pixels. libwebp decodes to 4 bytes, and the result exists
// twice for a while, in C and in Go.
func checkCost(w, h int64, s data.ImageSettings) error {
	const allowed, needed = 8, 12
	if w > s.MaxPixels/needed*allowed/h {
		return fmt.Errorf("%w: an image of %d x %d pixels needs %d bytes per pixel to decode; MaxPixels allows %d for "+
			"%d pixels", torch.ErrFormat, w, h, needed, allowed, s.MaxPixels)
	}
	return nil
}

// Decode is a [data.Decoder]: it returns a new uint8 tensor (channels, height, width) with
// memory layout (height, width, channels). In mode unchanged an image has 3 channels, or 4
// if it has transparency. A gray mode is an error; torchvision instead warns and returns a
// color image. Input that is not WebP goes to the default decoder. Errors wrap
// [torch.ErrFormat]; libwebp does not distinguish damaged from truncated images. Decode is
// safe for use by several goroutines.
func Decode(b []byte, s data.ImageSettings) (*torch.Tensor, error) {
	if len(b) < 12 || !bytes.HasPrefix(b, []byte("RIFF")) || string(b[8:12]) != "WEBP" {
		return data.DecodeImage(b, s.Mode, data.MaxPixels(s.MaxPixels))
	}
	w, h, alpha, err := webp.GetInfo(b)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", torch.ErrFormat, err)
	}
	if err := s.CheckSize(int64(w), int64(h)); err != nil {
		return nil, err
	}
	if err := checkCost(int64(w), int64(h), s); err != nil {
		return nil, err
	}
	switch s.Mode {
	case data.ImageReadModeUnchanged:
	case data.ImageReadModeRGB:
		alpha = false
	case data.ImageReadModeRGBA, data.ImageReadModeRGBAlpha:
		alpha = true
	default:
		return nil, fmt.Errorf("%w: WebP does not support mode %s", torch.ErrFormat, s.Mode)
	}
	var pix []byte
	channels := int64(3)
	if alpha {
		channels = 4
		m, err := webp.DecodeRGBA(b)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", torch.ErrFormat, err)
		}
		pix = m.Pix
	} else {
		m, err := webp.DecodeRGB(b)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", torch.ErrFormat, err)
		}
		pix = m.XPix
	}
	return torch.Tidy(func() *torch.Tensor {
		return torch.FromSliceShared(pix, int64(h), int64(w), channels).Permute(2, 0, 1)
	}), nil
}
