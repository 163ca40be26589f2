package turbojpeg

/*
#include "encode.h"
*/
import "C"

import (
	"errors"
	"fmt"
	"math"
	"unsafe"

	"github.com/gotorch/gotorch/torch"
)

// Encode is a [data.Encoder]: it returns the JPEG that torchvision.io.encode_jpeg writes.
// pixels are rows of width pixels with 1 or 3 bytes each. Errors wrap [torch.ErrValue]
// and say which argument is wrong. Encode is safe for use by several goroutines.
func Encode(pixels []byte, height, width, channels, quality int) ([]byte, error) {
	switch {
	case channels != 1 && channels != 3:
		return nil, wrong("channels", fmt.Sprintf("expected 1 or 3, got %d", channels))
	case quality < 1 || quality > 100:
		return nil, wrong("quality", fmt.Sprintf("expected 1 to 100, got %d", quality))
	case height < 1 || width < 1 || height > math.MaxUint16 || width > math.MaxUint16 ||
		len(pixels) != height*width*channels:
		return nil, wrong("pixels",
			fmt.Sprintf("%d bytes do not fit %d x %d pixels of %d channels", len(pixels), width, height,
				channels))
	}
	var out *C.uchar
	var n C.ulong
	var message [200]C.char
	room := C.size_t(len(message))
	status := C.gotorch_jpeg_encode((*C.uint8_t)(&pixels[0]), C.int(height), C.int(width), C.int(channels),
		C.int(quality), &out, &n, &message[0], room) //nolint:gocritic // code that cgo generates
	if status != 0 {
		return nil, errors.New("turbojpeg: " + C.GoString(&message[0]))
	}
	defer C.gotorch_jpeg_free(out)
	if n > math.MaxInt32 {
		return nil, fmt.Errorf("%w: there is no memory for a JPEG of %d bytes", torch.ErrOutOfMemory, n)
	}
	return C.GoBytes(unsafe.Pointer(out), C.int(n)), nil
}

func wrong(argument, detail string) error {
	return torch.NewError("turbojpeg.Encode", torch.ErrValue, argument, detail)
}
