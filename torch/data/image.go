package data

import (
	"errors"
	"fmt"
	"io"

	"github.com/gotorch/gotorch/internal/fileerr"
	"github.com/gotorch/gotorch/internal/files"
	"github.com/gotorch/gotorch/torch"
)

// DecodeImage returns the image in b as a new CPU tensor of shape (channels, height,
// width): uint16 for a PNG with 16 bits per channel, else uint8. Its memory format is
// channels_last, as in torchvision. The tensor does not share memory with b.
//
// It returns a *FileError: ErrFormat for data that is not an image, is damaged or is
// larger than [MaxPixels] allows, and ErrTruncated for an image that ends too early.
// Invalid options panic. Follows torchvision.io.decode_image.
func DecodeImage(b []byte, opts ...ImageOption) (*torch.Tensor, error) {
	return readImaging("data.DecodeImage", opts).image(b, "image")
}

// ReadImage is [DecodeImage] for a file. Follows torchvision.io.decode_image.
func ReadImage(path string, opts ...ImageOption) (*torch.Tensor, error) {
	return readImaging("data.ReadImage", opts).file(path)
}

// ReadImageFrom is [DecodeImage] for a reader, which it reads to the end. name is the
// file's name in errors. A nil reader gives a *FileError that wraps ErrNil.
func ReadImageFrom(r io.Reader, name string, opts ...ImageOption) (*torch.Tensor, error) {
	const op = "data.ReadImageFrom"
	im := readImaging(op, opts)
	if r == nil {
		return nil, &FileError{
			Path: name, Detail: "cannot be read",
			Err: torch.NewError(op, torch.ErrNil, "r", "a nil reader"),
		}
	}
	most := im.maxBytes()
	b, err := io.ReadAll(io.LimitReader(r, most+1))
	if err != nil {
		return nil, &FileError{
			Path: name, Detail: fmt.Sprintf("cannot be read after %d bytes", len(b)),
			Err: fileerr.WithoutPath(err),
		}
	}
	if int64(len(b)) > most {
		return nil, &FileError{
			Path: name, Kind: torch.ErrFormat,
			Detail: fmt.Sprintf("the file has more than the %d bytes that MaxPixels allows", most),
		}
	}
	return im.image(b, name)
}

func (im imageSettings) file(path string) (*torch.Tensor, error) {
	b, err := files.Read(path, im.maxBytes())
	if err != nil {
		fe := openError(path, err)
		if errors.As(err, new(*files.TooLargeError)) {
			fe.Detail += ", which MaxPixels allows"
		}
		return nil, fe
	}
	return im.image(b, path)
}

// maxBytes is the largest file size allowed: the size of the largest uncompressed image.
func (im imageSettings) maxBytes() int64 { return 1<<20 + bytesOfPixel*min(im.MaxPixels, 1<<50) }

// image decodes an image and applies its orientation. It frees all tensors except its
// result.
func (im imageSettings) image(b []byte, name string) (out *torch.Tensor, err error) {
	if len(b) == 0 {
		return nil, &FileError{Path: name, Kind: torch.ErrTruncated, Detail: "empty"}
	}
	if err := im.checkScans(b); err != nil {
		return nil, imageError(name, err)
	}
	out = torch.Tidy(func() *torch.Tensor {
		var t *torch.Tensor
		if t, err = im.decode(b, im.ImageSettings); err != nil {
			return nil
		}
		if im.orient {
			t = orient(t, exifOrientation(b))
		}
		return t
	})
	switch {
	case err != nil:
		return nil, imageError(name, err)
	case out == nil:
		return nil, &FileError{Path: name, Kind: torch.ErrFormat, Detail: "the decoder returned no tensor"}
	}
	return out, nil
}

// imageError adds the name of the file to an error of a decoder.
func imageError(name string, err error) error {
	var fe *FileError
	if errors.As(err, &fe) {
		named := *fe
		named.Path = name
		return &named
	}
	kind := torch.ErrFormat
	switch {
	case errors.Is(err, torch.ErrOutOfMemory):
		kind = nil // memory was short; the file is not damaged
	case errors.Is(err, torch.ErrTruncated) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF):
		kind = torch.ErrTruncated
	}
	return &FileError{Path: name, Kind: kind, Detail: "not decoded", Err: err}
}
