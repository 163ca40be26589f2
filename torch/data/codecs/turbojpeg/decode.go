package turbojpeg

/*
#cgo pkg-config: libjpeg
#cgo CFLAGS: -O2 -Wall -Wextra
#include "decode.h"
*/
import "C"

import (
	"bytes"
	"fmt"
	"runtime"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data"
)

// Decode is a [data.Decoder]: it returns a new uint8 tensor (channels, height, width).
// Its memory layout is (height, width, channels), into which the library writes directly.
// Input that is not JPEG goes to the default decoder, so a directory may mix formats.
//
// In mode unchanged an image has 1 or 3 channels, or 4 for CMYK. In modes with alpha,
// which torchvision refuses for JPEG, alpha is 255. Errors wrap [torch.ErrTruncated],
// [torch.ErrFormat] or [torch.ErrOutOfMemory]. Damage for which the library only warns is
// not an error, as in Pillow and torchvision. Decode is safe for use by several
// goroutines.
func Decode(b []byte, s data.ImageSettings) (*torch.Tensor, error) {
	if !bytes.HasPrefix(b, []byte("\xff\xd8")) {
		return data.DecodeImage(b, s.Mode, data.MaxPixels(s.MaxPixels))
	}
	if s.Mode == data.ImageReadModeGrayAlpha {
		return withAlpha(b, s)
	}
	// The decoder keeps the address of b's bytes between the C calls, so they must not
	// move.
	var pin runtime.Pinner
	defer pin.Unpin()
	pin.Pin(&b[0])
	var failure C.int
	d := C.gotorch_jpeg_open((*C.uint8_t)(&b[0]), C.size_t(len(b)), modeOf(s.Mode), &failure)
	if d == nil {
		return nil, fmt.Errorf("%w: there is no memory for a JPEG decoder", torch.ErrOutOfMemory)
	}
	defer C.gotorch_jpeg_close(d)
	if failure != C.GOTORCH_JPEG_OK {
		return nil, failed(d, failure)
	}
	var w, h C.int64_t
	var channels C.int
	C.gotorch_jpeg_size(d, &w, &h, &channels)
	if err := s.CheckSize(int64(w), int64(h)); err != nil {
		return nil, err
	}
	var out *torch.Tensor
	err := torch.Try(func() {
		out = torch.Empty(torch.Shape{int64(h), int64(w), int64(channels)}, torch.Uint8, torch.CPU)
	})
	if err != nil {
		return nil, err
	}
	defer out.Close() // the result is a view that keeps the memory of out
	// A progressive image takes memory for its coefficients too.
	const allowed = 8 // bytes for each of MaxPixels
	left := allowed*min(s.MaxPixels, 1<<50) - out.NBytes()
	failure = C.gotorch_jpeg_read(d, C.uintptr_t(out.DataPtr()), C.int64_t(max(left, 1<<20)))
	runtime.KeepAlive(out)
	if failure != C.GOTORCH_JPEG_OK {
		return nil, failed(d, failure)
	}
	return out.Permute(2, 0, 1), nil
}

// withAlpha decodes to gray and adds an alpha channel of 255, because the library has no
// format for gray with alpha.
func withAlpha(b []byte, s data.ImageSettings) (*torch.Tensor, error) {
	s.Mode = data.ImageReadModeGray
	gray, err := Decode(b, s)
	if err != nil {
		return nil, err
	}
	return torch.Tidy(func() *torch.Tensor {
		defer gray.Close()
		return torch.Cat([]*torch.Tensor{gray, torch.FullLike(gray, 255)}, 0)
	}), nil
}

func modeOf(m data.ImageReadMode) C.int {
	switch m {
	case data.ImageReadModeGray:
		return C.GOTORCH_JPEG_GRAY
	case data.ImageReadModeRGB:
		return C.GOTORCH_JPEG_RGB
	case data.ImageReadModeRGBA, data.ImageReadModeRGBAlpha:
		return C.GOTORCH_JPEG_RGBA
	default:
		return C.GOTORCH_JPEG_UNCHANGED
	}
}

// failed returns an error with the decoder's last message.
func failed(d *C.gotorch_jpeg, failure C.int) error {
	text := C.GoString(C.gotorch_jpeg_message(d))
	switch failure {
	case C.GOTORCH_JPEG_TRUNCATED:
		return fmt.Errorf("%w: %s", torch.ErrTruncated, text)
	case C.GOTORCH_JPEG_MEMORY:
		return fmt.Errorf("%w: %s", torch.ErrOutOfMemory, text)
	default:
		return fmt.Errorf("%w: %s", torch.ErrFormat, text)
	}
}
