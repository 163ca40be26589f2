package safetensors

import (
	"fmt"

	"github.com/gotorch/gotorch/internal/fileerr"
	"github.com/gotorch/gotorch/torch"
)

// formatName is the name of the file format in error messages.
const formatName = "safetensors"

// fault returns a FileError for the safetensors format, with an offset in the file.
func fault(path string, kind error, offset int64, format string, args ...any) *torch.FileError {
	return &torch.FileError{
		Format: formatName, Path: path, Offset: offset, Kind: kind,
		Detail: fmt.Sprintf(format, args...),
	}
}

// of sets the name of the tensor in an error.
func of(tensor string, e *torch.FileError) *torch.FileError {
	e.Tensor = tensor
	return e
}

// ioFault returns a FileError for a system error.
func ioFault(path, detail string, err error) *torch.FileError {
	return &torch.FileError{Format: formatName, Path: path, Offset: fileerr.NoOffset, Detail: detail, Err: err}
}
