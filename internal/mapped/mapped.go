// Package mapped creates tensors in files. Their memory is a mapping of the file, so that
// nothing is copied and unread parts are never loaded. The readers of tensor files use
// it.
//
// A mapping is private and copied on write: writing to a tensor changes neither the file
// nor the memory of other processes. The mapping is not allocated by libtorch, and the
// allocator's statistics do not count it.
//
// If a file becomes shorter while it is mapped, the system ends a process that reads the
// missing part (SIGBUS). So readers map files only if the program asks for it, and call
// [Missing] before they create a tensor. A signal handler could keep the process alive,
// but only by replacing the missing bytes with zeros. Operators on other threads would
// compute with these zeros, and nobody could tell which results are wrong.
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

// live is the number of mappings that exist.
var live atomic.Int64

// Live returns the number of mappings that exist, for tests.
func Live() int64 {
	callback.Sweep()
	return live.Load()
}

// File is a mapped file. The mapping exists until the File has been closed or collected
// and the last tensor in it has been freed. It is safe for concurrent use.
type File struct {
	m       *mapping
	closed  atomic.Bool
	cleanup runtime.Cleanup
}

// mapping is the memory that a File and its tensors share. It is unmapped when the last
// of them is gone.
type mapping struct {
	data []byte
	refs atomic.Int64
}

// Map maps the first size bytes of a file. The file may be closed afterwards. An empty
// file has no mapping. If the file has become shorter, the error is io.ErrUnexpectedEOF.
func Map(f *os.File, size int64) (*File, error) {
	if size < 0 || size > math.MaxInt {
		return nil, fmt.Errorf("mmap of %d bytes: %w", size, syscall.EFBIG)
	}
	if n, err := Missing(f, size); err != nil {
		return nil, err
	} else if n > 0 {
		return nil, fmt.Errorf("the file has %d bytes, but had %d before: %w", size-n, size, io.ErrUnexpectedEOF)
	}
	m := &mapping{}
	if size > 0 {
		// Without NORESERVE the system refuses a file that is larger than the machine's
		// memory, because the process could write to each page.
		data, err := syscall.Mmap(int(f.Fd()), 0, int(size), syscall.PROT_READ|syscall.PROT_WRITE,
			syscall.MAP_PRIVATE|syscall.MAP_NORESERVE)
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

// Missing returns how many of the first size bytes of f do not exist now. It returns 0 if
// f is not a regular file.
func Missing(f *os.File, size int64) (int64, error) {
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return 0, err
	}
	return max(size-info.Size(), 0), nil
}

// Size returns the number of mapped bytes.
func (f *File) Size() int64 { return int64(len(f.m.data)) }

// Close unmaps the file as soon as no tensor uses the mapping. It may be called twice.
func (f *File) Close() {
	if f.closed.CompareAndSwap(false, true) {
		f.cleanup.Stop()
		f.m.Release()
	}
	runtime.KeepAlive(f)
}

// Tensor returns a contiguous CPU tensor on the bytes that start at offset. The innermost
// scope owns it, or else the garbage collector. The offset must be a multiple of the
// element size. Tensor panics with an *Error of kind ErrClosed after Close, and of kind
// ErrValue for bytes outside the file.
func (f *File) Tensor(op string, offset int64, shape torch.Shape, dtype torch.DType) *torch.Tensor {
	defer runtime.KeepAlive(f)
	n, ok := Bytes(shape, dtype.Size())
	switch {
	case f.closed.Load() || !f.m.use():
		panic(torch.NewError(op, torch.ErrClosed, "file", "used after Close"))
	case !ok || offset < 0 || offset > f.Size() || n > f.Size()-offset || dtype.Size() == 0 || offset%dtype.Size() != 0:
		f.m.Release()
		panic(torch.NewError(op, torch.ErrValue, "offset", fmt.Sprintf("%v of %v at byte %d of %d", dtype, shape,
			offset, f.Size())))
	case n == 0:
		f.m.Release()
		return torch.Empty(shape, dtype, torch.CPU)
	}
	return f.m.tensor(op, offset, shape, dtype)
}

// tensor creates a tensor that owns one reference to m, which the caller has added.
func (m *mapping) tensor(op string, offset int64, shape torch.Shape, dtype torch.DType) *torch.Tensor {
	id := callback.RegisterAs(named.Shared, m)
	var begun bool
	defer callback.DropUnless(&begun, id)
	at := uintptr(unsafe.Pointer(&m.data[offset]))
	r := torch.BeginRaw(op)
	begun = true
	return r.Tensor(cgotorch.FromShared(r.Ctx, at, shape, dtype.Code(), id))
}

// use adds a reference and returns true. It returns false if the last reference is
// already gone.
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

// Release drops a reference. It implements callback.Releaser, and is called when libtorch
// frees a tensor.
func (m *mapping) Release() {
	if m.refs.Add(-1) != 0 {
		return
	}
	if m.data != nil {
		if err := syscall.Munmap(m.data); err != nil {
			// Cannot happen, because data is a mapping of this package.
			panic(fmt.Sprintf("mapped: munmap: %v", err))
		}
		m.data = nil
	}
	live.Add(-1)
}

// Bytes returns the size of a tensor's elements in bytes, and false if it overflows 64
// bits. The overflow check counts dimensions of size zero as one, because libtorch
// computes strides in this way.
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

// errNotPlain is the value of Memory's panic for other tensors. Callers must check first.
var errNotPlain = errors.New("mapped: a tensor that is not contiguous on the CPU")

// Memory returns the memory of a contiguous CPU tensor. The caller must keep the tensor
// open.
func Memory(t *torch.Tensor) []byte {
	n := t.NBytes()
	if n == 0 {
		return nil
	}
	if !t.Device().IsCPU() || !t.IsContiguous() {
		panic(errNotPlain)
	}
	at := t.DataPtr()
	// The address is safe to use, because libtorch allocated the memory and Go does not
	// move it.
	return unsafe.Slice((*byte)(*(*unsafe.Pointer)(unsafe.Pointer(&at))), n)
}

// Storage returns a number that identifies a tensor's storage while a tensor over it is open, or 0 if
// the tensor has none. Two tensors share a storage if their numbers are equal and not 0.
func Storage(t *torch.Tensor) uintptr {
	info, _ := cgotorch.Storage(t.HandleFor("mapped.Storage(t)", 0)) // an error means that there is no storage
	runtime.KeepAlive(t)
	return info.Storage
}

// Try calls fn, which creates a tensor. If libtorch panics, Try returns the panic as an
// error.
func Try(fn func() *torch.Tensor) (t *torch.Tensor, err error) {
	err = torch.Try(func() { t = fn() })
	return t, err
}
