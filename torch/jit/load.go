package jit

import (
	"errors"
	"io"

	native "github.com/gotorch/gotorch/cgotorch/jit"
	"github.com/gotorch/gotorch/internal/fileerr"
	"github.com/gotorch/gotorch/torch"
)

// Load reads a module written by torch.jit.save. The module is in the mode in which it
// was saved: call Eval before inference. Its tensors belong to no scope.
//
// An archive contains a program: load only archives that you trust. Most of its code runs
// only when you call it, but the __setstate__ methods of its classes run in Load. Load
// checks the whole archive, including its checksums, before libtorch reads it, and
// returns an error for a damaged one. The error is a [*torch.FileError], or a
// *torch.Error of kind ErrDevice for an unavailable [MapLocation]. Invalid options panic
// with a *torch.Error of kind ErrNil or ErrValue. Follows torch.jit.load.
func Load(path string, opts ...LoadOption) (*Module, error) {
	const op = "jit.Load"
	l, err := readLoading(op, opts)
	if err != nil {
		return nil, err
	}
	a := &archive{path: path}
	f, size, err := fileerr.Open(format, path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // the file was only read, so closing it loses no data
	a.r, a.size = f, size
	return a.load(op, l, f.Fd(), nil)
}

// LoadFrom is like [Load] for the first size bytes of r, which it reads into memory. A
// nil r gives a *torch.Error of kind ErrNil.
func LoadFrom(r io.ReaderAt, size int64, opts ...LoadOption) (*Module, error) {
	const op = "jit.LoadFrom"
	if r == nil {
		return nil, torch.NewError(op, torch.ErrNil, "r", "a nil reader")
	}
	l, err := readLoading(op, opts)
	if err != nil {
		return nil, err
	}
	a := &archive{}
	data, err := io.ReadAll(io.NewSectionReader(r, 0, max(size, 0)))
	if err != nil {
		return nil, a.wrap("", err)
	}
	a.r, a.size = memory(data), int64(len(data))
	return a.load(op, l, 0, data)
}

// load loads an archive from a file descriptor or from memory.
func (a *archive) load(op string, l loading, fd uintptr, data []byte) (m *Module, err error) {
	if err := a.check(); err != nil {
		return nil, a.wrap("a damaged archive", err)
	}
	device := int32(-1)
	if l.device != 0 {
		device = l.device.Code()
	}
	if err := torch.Try(func() {
		r := torch.BeginRaw(op)
		h, st := native.Load(r.Ctx&^modes, fd, data, a.size, device)
		r.Status(st)
		m = newModule(op, h)
	}); err != nil {
		return nil, a.wrap("libtorch cannot load the file as a module", err)
	}
	if err := a.extras(l.extra); err != nil {
		return nil, errors.Join(a.wrap("", err), m.Close())
	}
	return m, nil
}
