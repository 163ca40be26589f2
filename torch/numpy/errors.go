package numpy

import (
	"errors"
	"fmt"
	"io"

	"github.com/gotorch/gotorch/internal/fileerr"
	"github.com/gotorch/gotorch/torch"
)

// place identifies the array that is read or written, for errors.
type place struct {
	format string // "npy", or "npz" for an array of an archive
	path   string
	name   string // the name of the array if it is in an archive
}

// fault returns a FileError with a byte offset. For an array in an archive it leaves out
// the offset, because the array may be compressed.
func (p place) fault(kind error, offset int64, format string, args ...any) *torch.FileError {
	if p.format == formatNpz && p.name != "" {
		offset = fileerr.NoOffset
	}
	return &torch.FileError{
		Format: p.format, Path: p.path, Tensor: p.name, Offset: offset, Kind: kind,
		Detail: fmt.Sprintf(format, args...),
	}
}

// caused returns a FileError that wraps err.
func (p place) caused(kind error, detail string, err error) *torch.FileError {
	return &torch.FileError{
		Format: p.format, Path: p.path, Tensor: p.name, Offset: fileerr.NoOffset, Kind: kind,
		Detail: detail, Err: err,
	}
}

const (
	formatNpy = "npy"
	formatNpz = "npz"
)

// ended reports whether an error means that the input ended too early.
func ended(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
}
