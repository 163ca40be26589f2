package aoti

import (
	"fmt"

	"github.com/gotorch/gotorch/internal/fileerr"
	"github.com/gotorch/gotorch/torch"
)

// format is the name of the file format in error messages.
const format = "pt2"

// fail returns a FileError without an offset.
func fail(path string, kind error, text string, args ...any) *torch.FileError {
	return &torch.FileError{
		Format: format, Path: path, Offset: fileerr.NoOffset, Kind: kind,
		Detail: fmt.Sprintf(text, args...),
	}
}

// because returns a FileError that wraps err and has no offset.
func because(path string, kind, err error, detail string) *torch.FileError {
	return &torch.FileError{Format: format, Path: path, Offset: fileerr.NoOffset, Kind: kind, Detail: detail, Err: err}
}
