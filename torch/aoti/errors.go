package aoti

import (
	"fmt"

	"github.com/gotorch/gotorch/internal/fileerr"
	"github.com/gotorch/gotorch/torch"
)

// format is the name of the format in errors.
const format = "pt2"

// fail returns a FileError without a byte.
func fail(path string, kind error, text string, args ...any) *torch.FileError {
	return &torch.FileError{
		Format: format, Path: path, Offset: fileerr.NoOffset, Kind: kind,
		Detail: fmt.Sprintf(text, args...),
	}
}

// because is fail with a cause.
func because(path string, kind, err error, detail string) *torch.FileError {
	return &torch.FileError{Format: format, Path: path, Offset: fileerr.NoOffset, Kind: kind, Detail: detail, Err: err}
}
