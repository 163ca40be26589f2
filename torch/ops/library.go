package ops

import (
	"path/filepath"
	"strings"

	native "github.com/gotorch/gotorch/cgotorch/export"
	"github.com/gotorch/gotorch/internal/fileerr"
	"github.com/gotorch/gotorch/torch"
)

// LoadLibrary loads a shared library, which registers its operators. It must be built for
// the libtorch that the program uses. The library stays loaded until the process ends, and
// loading it again does nothing.
//
// The error is a [*torch.FileError]: ErrFormat for a file that cannot be loaded, such as one
// for another libtorch; the message is the system's. For a missing file, errors.Is reports
// fs.ErrNotExist. Follows torch.ops.load_library.
func LoadLibrary(path string) error {
	const op = "ops.LoadLibrary"
	f, _, err := fileerr.Open("library", path)
	if err != nil {
		return err
	}
	_ = f.Close() // it was not written
	full, err := filepath.Abs(path)
	if err != nil || strings.ContainsRune(path, 0) {
		return refused(path, err)
	}
	if err := torch.Try(func() {
		r := torch.BeginRaw(op)
		st := native.LoadLibrary(full)
		r.Status(st)
	}); err != nil {
		return refused(path, err)
	}
	return nil
}

func refused(path string, err error) *torch.FileError {
	return &torch.FileError{
		Format: "library", Path: path, Offset: fileerr.NoOffset, Kind: torch.ErrFormat,
		Detail: "it cannot be loaded", Err: err,
	}
}
