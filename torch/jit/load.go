package jit

import (
	"errors"
	"io"

	native "github.com/gotorch/gotorch/cgotorch/jit"
	"github.com/gotorch/gotorch/internal/fileerr"
	"github.com/gotorch/gotorch/torch"
)

// Load reads a module that torch.jit.save wrote. It is in the mode that it was saved in:
// call Eval before it is used for inference. Its tensors are in no scope.
//
// The archive is a program: load those that you trust. What it says runs when it is called;
// __setstate__ of its classes runs here. A damaged archive is an error: it is looked
// through, checksums and all, before libtorch gets it. The error is a [*FileError], or an
// *torch.Error of kind ErrDevice for a device of [MapLocation] that is not there. It panics
// with an *torch.Error of kind ErrNil or ErrValue for an option that is none. Follows
// torch.jit.load.
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
	defer func() { _ = f.Close() }() // it was only read
	a.r, a.size = f, size
	return a.load(op, l, f.Fd(), nil)
}

// LoadFrom is [Load] for the first size bytes of r, which it holds in memory meanwhile. It
// panics with an *torch.Error of kind ErrNil for a nil r.
func LoadFrom(r io.ReaderAt, size int64, opts ...LoadOption) (*Module, error) {
	const op = "jit.LoadFrom"
	if r == nil {
		panic(torch.NewError(op, torch.ErrNil, "r", "a reader is needed"))
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

// load reads an archive that is in a file of the system, or in memory.
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
		return nil, a.wrap("libtorch cannot make a module of it", err)
	}
	if err := a.extras(l.extra); err != nil {
		return nil, errors.Join(a.wrap("", err), m.Close())
	}
	return m, nil
}
