package jit

import (
	"errors"
	"io"
	"io/fs"

	native "github.com/gotorch/gotorch/cgotorch/jit"
	"github.com/gotorch/gotorch/internal/fileerr"
	"github.com/gotorch/gotorch/internal/wholefile"
	"github.com/gotorch/gotorch/torch"
)

// Save writes the module to a file that torch.jit.load reads in Go, Python and C++. It
// replaces the file atomically. The archive is built in memory. The error is a
// [*torch.FileError], which wraps the system's error, or a *torch.Error for a module with
// attributes that cannot be saved. Save panics with ErrNil, ErrValue or ErrClosed for
// invalid arguments. Follows torch.jit.save.
func (m *Module) Save(path string, opts ...SaveOption) error {
	data, err := m.save("jit.Module.Save", path, opts)
	if err != nil {
		return err
	}
	return written(path, wholefile.Write(path, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	}))
}

// SaveTo is like [Module.Save], but writes to w. A nil w gives a *torch.Error of kind ErrNil.
func (m *Module) SaveTo(w io.Writer, opts ...SaveOption) error {
	const op = "jit.Module.SaveTo"
	if w == nil {
		return torch.NewError(op, torch.ErrNil, "w", "a nil writer")
	}
	data, err := m.save(op, "", opts)
	if err != nil {
		return err
	}
	_, err = w.Write(data)
	return written("", err)
}

func (m *Module) save(op, path string, opts []SaveOption) (data []byte, err error) {
	text, lengths := readSaving(op, opts)
	m.enter(op, true)
	defer m.leave(true)
	if err := torch.Try(func() {
		r := torch.BeginRaw(op)
		got, st := native.Save(r.Ctx, m.h, text, lengths)
		r.Status(st)
		data = got
	}); err != nil {
		return nil, &torch.FileError{
			Format: format, Path: path, Offset: fileerr.NoOffset, Kind: torch.ErrUnsupported,
			Detail: "the module cannot be saved", Err: err,
		}
	}
	return data, nil
}

// written converts a system error from writing the file at path to a *FileError.
func written(path string, err error) error {
	if err == nil {
		return nil
	}
	var pe *fs.PathError
	if path == "" && errors.As(err, &pe) {
		path = pe.Path
	}
	return &torch.FileError{Format: format, Path: path, Offset: fileerr.NoOffset, Err: err}
}
