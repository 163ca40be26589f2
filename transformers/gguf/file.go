package gguf

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"

	"github.com/gotorch/gotorch/internal/fileerr"
	"github.com/gotorch/gotorch/internal/mapped"
	"github.com/gotorch/gotorch/torch"
)

// File is an open file. [Open] returns it. Methods of nil and of the zero File panic
// with a *torch.Error of kind ErrNil. A File is safe for use by several goroutines.
type File struct {
	path string
	head *header

	mu     sync.Mutex // guards the fields below
	file   *os.File
	mapped *mapped.File
	closed bool
}

// Open opens a file, reads its header and maps the file. Close the file when you need no
// more tensors from it; tensors already read stay valid.
//
// The error is a [*torch.FileError]: ErrFormat, ErrTruncated or ErrUnsupported for a
// damaged file or a file in a different format, fs.ErrNotExist for a missing file, or an
// error of the system. Follows gguf.GGUFReader.
func Open(path string) (*File, error) {
	file, size, err := fileerr.Open(formatName, path)
	if err != nil {
		return nil, err
	}
	f := &File{path: path, file: file}
	if f.head, err = readHeader(path, file, size); err == nil {
		f.mapped, err = mapped.Map(file, size)
		switch {
		case errors.Is(err, io.ErrUnexpectedEOF): // the file has been truncated since it was opened
			err = &torch.FileError{
				Format: formatName, Path: path, Offset: fileerr.NoOffset, Kind: torch.ErrTruncated, Err: err,
			}
		case err != nil:
			err = ioFault(path, "cannot be mapped", err)
		}
	}
	if err != nil {
		_ = file.Close() // only the first error is returned
		return nil, err
	}
	return f, nil
}

// must panics unless Open returned f.
func (f *File) must(op string) {
	if f == nil || f.head == nil {
		panic(torch.NewError(op, torch.ErrNil, "f", "was not returned by Open"))
	}
}

// Close closes the file. Its tensors stay valid; if they use the mapping, the mapping stays
// too. Methods that use only the header, such as Metadata and Names, still work. Closing
// twice, or closing nil, does nothing.
func (f *File) Close() error {
	if f == nil {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed || f.file == nil {
		return nil
	}
	f.closed = true
	f.mapped.Close()
	if err := f.file.Close(); err != nil {
		return ioFault(f.path, "", err)
	}
	return nil
}

// Path returns the path passed to Open.
func (f *File) Path() string {
	f.must("gguf.File.Path")
	return f.path
}

// Version returns the version of the format, 2 or 3.
func (f *File) Version() int {
	f.must("gguf.File.Version")
	return int(f.head.version)
}

// Names returns the names of the tensors in the order of the file's header.
func (f *File) Names() []string {
	f.must("gguf.File.Names")
	names := make([]string, len(f.head.infos))
	for i := range f.head.infos {
		names[i] = f.head.infos[i].Name
	}
	return names
}

// Tensor describes a tensor. For a missing tensor it returns a [*torch.FileError] of kind
// ErrNotFound. It does not read the tensor; [File.Load] does.
func (f *File) Tensor(name string) (Info, error) {
	f.must("gguf.File.Tensor")
	i, err := f.info(name)
	if err != nil {
		return Info{}, err
	}
	info := *i
	info.Shape = slices.Clone(i.Shape)
	return info, nil
}

func (f *File) info(name string) (*Info, error) {
	i, ok := f.head.byName[name]
	if !ok {
		return nil, of(name, fault(f.path, torch.ErrNotFound, -1, "the file has no such tensor"))
	}
	return &f.head.infos[i], nil
}

// bytes returns a tensor of a tensor's bytes, which are in the mapping.
func (f *File) bytes(op string, info *Info) (*torch.Tensor, error) {
	return f.view(op, info, torch.Shape{info.Bytes}, torch.Uint8)
}

// view returns a tensor whose memory is a tensor's bytes in the mapping.
func (f *File) view(op string, info *Info, shape torch.Shape, dtype torch.DType) (*torch.Tensor, error) {
	f.mu.Lock()
	closed, m, file := f.closed, f.mapped, f.file
	f.mu.Unlock()
	if closed {
		return nil, usedAfterClose(op)
	}
	end := info.Offset + info.Bytes
	n, err := mapped.Missing(file, end)
	switch {
	case errors.Is(err, os.ErrClosed): // another goroutine has closed the file
		return nil, usedAfterClose(op)
	case err != nil:
		return nil, ioFault(f.path, "", err)
	case n > 0:
		return nil, of(info.Name, fault(f.path, torch.ErrTruncated, end-n, "the file ends %d bytes early; was it "+
			"truncated?", n))
	}
	return mapped.Try(func() *torch.Tensor { return m.Tensor(op, info.Offset, shape, dtype) })
}

func usedAfterClose(op string) error {
	return torch.NewError(op, torch.ErrClosed, "f", "used after Close")
}

// describe describes a value of the metadata, for errors.
func describe(v any) string {
	s := fmt.Sprintf("%T %v", v, v)
	if len(s) > 100 {
		s = s[:100] + "…"
	}
	return s
}
