package gguf

import (
	"fmt"
	"strconv"

	"github.com/gotorch/gotorch/internal/fileerr"
	"github.com/gotorch/gotorch/torch"
)

// formatName is the name of the file format in error messages.
const formatName = "gguf"

// fault returns a FileError for the GGUF format, with an offset in the file.
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

// quote makes text from a file safe to print: it shortens and escapes it.
func quote(s string) string {
	const most = 100
	if len(s) > most {
		s = s[:most] + "…"
	}
	return strconv.Quote(s)
}
