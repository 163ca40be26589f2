// Package mapped has tensors that lie in files: their memory is a mapping of the file, so
// that what is never read is never loaded, and nothing is copied. It is what the readers
// of files of tensors share.
//
// A mapping is private and copied on write: whoever writes into a tensor changes neither
// the file nor what other processes see. libtorch has not allocated it, and the
// allocator's statistics do not count it.
//
// A file that gets shorter while it is mapped has no bytes to give any more: the system
// ends a process that reads there (SIGBUS). Readers therefore map only files that the
// program asks them to map, and read the others; before a tensor is taken they ask
// [Missing]. A handler of the signal would keep the process alive, but it can only put
// zeros where the bytes were: operators on other threads would compute with them, and
// nobody could tell which results are wrong.
package mapped

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"runtime"
	"sync/atomic"
	"syscall"
	"unsafe"

	"github.com/gotorch/gotorch/cgotorch"
	"github.com/gotorch/gotorch/internal/native/callback"
	"github.com/gotorch/gotorch/internal/native/named"
	"github.com/gotorch/gotorch/torch"
)

// live counts the mappings that are there.
var live atomic.Int64

// Live returns how many mappings there are. It is for tests.
func Live() int64 {
	callback.Sweep()
	return live.Load()
}

// File is a mapped file. The mapping is there until the File was closed, or collected, and
// the last tensor over it is gone. Methods may be called from several goroutines at once.
type File struct {
	m       *mapping
	closed  atomic.Bool
	cleanup runtime.Cleanup
}

// mapping is what File and tensors share. The last of them unmaps it.
type mapping struct {
	data []byte
	refs atomic.Int64
}

// Map maps the first size bytes of a file, which may be closed then. A file of no bytes
// needs no mapping, and has none. One that has become shorter is io.ErrUnexpectedEOF.
func Map(f *os.File, size int64) (*File, error) {
	if size < 0 || size > math.MaxInt {
		return nil, fmt.Errorf("mmap of %d bytes: %w", size, syscall.EFBIG)
	}
	if n, err := Missing(f, size); err != nil {
		return nil, err
	} else if n > 0 {
		return nil, fmt.Errorf("the file has %d bytes, it had %d: %w", size-n, size, io.ErrUnexpectedEOF)
	}
	m := &mapping{}
	if size > 0 {
		// Without NORESERVE the system refuses a file that is larger than its memory: each
		// page could be written to.
		data, err := syscall.Mmap(int(f.Fd()), 0, int(size), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_PRIVATE|syscall.MAP_NORESERVE)
		runtime.KeepAlive(f)
		if err != nil {
			return nil, os.NewSyscallError("mmap", err)
		}
		m.data = data
	}
	m.refs.Store(1)
	live.Add(1)
	file := &File{m: m}
	file.cleanup = runtime.AddCleanup(file, (*mapping).Release, m)
	return file, nil
}

// Missing returns how many of the first size bytes a file does not have now. What is no
// regular file is not asked.
func Missing(f *os.File, size int64) (int64, error) {
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return 0, err
	}
	return max(size-info.Size(), 0), nil
}

// Size returns how many bytes are mapped.
func (f *File) Size() int64 { return int64(len(f.m.data)) }

// Close gives the mapping back as soon as no tensor lies in it. It may be called twice.
func (f *File) Close() {
	if f.closed.CompareAndSwap(false, true) {
		f.cleanup.Stop()
		f.m.Release()
	}
	runtime.KeepAlive(f)
}

// Tensor returns a contiguous CPU tensor over the bytes from offset on, owned by the
// innermost scope, else by the collector. The offset has to be a multiple of the size of
// an element. It panics with an *Error of kind ErrClosed after Close, and of ErrValue for
// bytes that are not in the file.
func (f *File) Tensor(op string, offset int64, shape torch.Shape, dtype torch.DType) *torch.Tensor {
	defer runtime.KeepAlive(f)
	n, ok := Bytes(shape, dtype.Size())
	switch {
	case f.closed.Load() || !f.m.use():
		panic(torch.NewError(op, torch.ErrClosed, "file", "used after Close"))
	case !ok || offset < 0 || offset > f.Size() || n > f.Size()-offset || dtype.Size() == 0 || offset%dtype.Size() != 0:
		f.m.Release()
		panic(torch.NewError(op, torch.ErrValue, "offset", fmt.Sprintf("%v of %v at byte %d of %d", dtype, shape, offset, f.Size())))
	case n == 0:
		f.m.Release()
		return torch.Empty(shape, dtype, torch.CPU)
	}
	return f.m.tensor(op, offset, shape, dtype)
}

// tensor takes over a reference to the mapping.
func (m *mapping) tensor(op string, offset int64, shape torch.Shape, dtype torch.DType) *torch.Tensor {
	id := callback.RegisterAs(named.Shared, m)
	var begun bool
	defer callback.DropUnless(&begun, id)
	at := uintptr(unsafe.Pointer(&m.data[offset]))
	r := torch.BeginRaw(op)
	begun = true
	return r.Tensor(cgotorch.FromShared(r.Ctx, at, shape, dtype.Code(), id))
}

// use takes a reference, unless the last is gone.
func (m *mapping) use() bool {
	for {
		n := m.refs.Load()
		if n == 0 {
			return false
		}
		if m.refs.CompareAndSwap(n, n+1) {
			return true
		}
	}
}

// Release gives a reference back. It implements callback.Releaser: libtorch let go of a
// tensor.
func (m *mapping) Release() {
	if m.refs.Add(-1) != 0 {
		return
	}
	if m.data != nil {
		if err := syscall.Munmap(m.data); err != nil {
			panic(fmt.Sprintf("mapped: munmap: %v", err)) // of what this package mapped: cannot happen
		}
		m.data = nil
	}
	live.Add(-1)
}

// Bytes returns how many bytes the elements of a tensor take, and false if 64 bits cannot
// count them. Sizes of zero count as one for the question whether they can, since strides
// are computed from them.
func Bytes(shape torch.Shape, elementSize int64) (int64, bool) {
	n, empty := elementSize, false
	for _, d := range shape {
		if d < 0 {
			return 0, false
		}
		if d == 0 {
			empty = true
			continue
		}
		if n > math.MaxInt64/d {
			return 0, false
		}
		n *= d
	}
	if empty {
		return 0, true
	}
	return n, true
}

// errNotPlain is what Memory panics with: its callers have looked.
var errNotPlain = errors.New("mapped: a tensor that is not contiguous on the CPU")

// Memory returns the memory of a contiguous CPU tensor, valid while the tensor is open:
// the caller keeps it so.
func Memory(t *torch.Tensor) []byte {
	n := t.NBytes()
	if n == 0 {
		return nil
	}
	if !t.Device().IsCPU() || !t.IsContiguous() {
		panic(errNotPlain)
	}
	at := t.DataPtr()
	return unsafe.Slice((*byte)(*(*unsafe.Pointer)(unsafe.Pointer(&at))), n) // libtorch's memory, which Go does not move
}

// Try returns what libtorch refuses to make as an error: readers and writers return those.
func Try(fn func() *torch.Tensor) (t *torch.Tensor, err error) {
	err = torch.Try(func() { t = fn() })
	return t, err
}
