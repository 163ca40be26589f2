package gguf

import (
	"bytes"
	"unsafe"

	"github.com/gotorch/gotorch/internal/mapped"
	"github.com/gotorch/gotorch/torch"
)

// Load reads a tensor and converts it to float32, or to the dtype of the option [DType].
// Each call reads it again and returns a new tensor, which belongs to the innermost scope or
// else to the garbage collector.
//
// If the file stores the tensor with the requested dtype, Load copies nothing: the tensor's
// memory is the mapping, and writing to it changes only this process's copy of the pages.
// Otherwise several threads convert the elements. Conversions from quantized types to
// torch.BFloat16 and torch.Float16 need no memory for float32 values.
//
// The error is a [*torch.FileError]: ErrNotFound, ErrUnsupported for a type that is not
// [Type.Convertible], or ErrTruncated if the file has been truncated. It may also be a
// *torch.Error: ErrClosed after Close, ErrDevice for an unavailable device, or an error of
// libtorch, such as ErrOutOfMemory. Invalid options panic. Follows gguf.dequantize.
func (f *File) Load(name string, opts ...LoadOption) (*torch.Tensor, error) {
	const op = "gguf.File.Load"
	f.must(op)
	l, err := readLoading(op, opts)
	if err != nil {
		return nil, err
	}
	return f.load(op, name, l)
}

func (f *File) load(op, name string, l loading) (*torch.Tensor, error) {
	info, err := f.info(name)
	if err != nil {
		return nil, err
	}
	if !info.Type.Convertible() {
		return nil, of(name, fault(f.path, torch.ErrUnsupported, info.Offset, "cannot convert the type %v; use Raw",
			info.Type))
	}
	t, err := f.cpu(op, info, l.dtype)
	if err != nil || l.device == torch.CPU && t.DType() == l.dtype {
		return t, err
	}
	defer func() { _ = t.Close() }()
	return mapped.Try(func() *torch.Tensor {
		return torch.Tidy(func() *torch.Tensor { return t.To(l.dtype).To(l.device) })
	})
}

// cpu returns a CPU tensor with the elements of one of the file's tensors. Its dtype is the
// file's, if libtorch has it. Otherwise it is the requested dtype or float32.
func (f *File) cpu(op string, info *Info, dtype torch.DType) (*torch.Tensor, error) {
	native := info.Type.DType()
	if native != 0 {
		if info.Offset%native.Size() == 0 {
			return f.view(op, info, info.Shape, native)
		}
		return f.filled(op, info, native, func(dst, src []byte) { copy(dst, src) })
	}
	read := layouts[info.Type].read
	switch dtype {
	case torch.BFloat16:
		return f.filled(op, info, dtype, func(dst, src []byte) { narrow(dst, src, info.Type, toBrain) })
	case torch.Float16:
		return f.filled(op, info, dtype, func(dst, src []byte) { narrow(dst, src, info.Type, toHalf) })
	}
	return f.filled(op, info, torch.Float32, func(dst, src []byte) { read(of32(dst), src) })
}

// filled returns a new tensor. It calls fill with parts of its memory and the blocks for
// them, from several goroutines.
func (f *File) filled(op string, info *Info, dtype torch.DType, fill func(dst, src []byte)) (*torch.Tensor, error) {
	src, err := f.bytes(op, info)
	if err != nil {
		return nil, err
	}
	defer func() { _ = src.Close() }() // until then, closing f does not remove the mapping
	t, err := mapped.Try(func() *torch.Tensor { return torch.Empty(info.Shape, dtype, torch.CPU) })
	if err != nil {
		return nil, err
	}
	l := layouts[info.Type]
	from, to := mapped.Memory(src), mapped.Memory(t)
	blockTo := l.block * dtype.Size()
	inParts(info.Bytes/l.bytes, l, func(lo, hi int64) {
		fill(to[lo*blockTo:hi*blockTo], from[lo*l.bytes:hi*l.bytes])
	})
	return t, nil
}

// Raw returns a copy of a tensor's bytes in the file: its blocks, if it is quantized. The
// errors are those of [File.Load], without ErrUnsupported.
func (f *File) Raw(name string) ([]byte, error) {
	const op = "gguf.File.Raw"
	f.must(op)
	t, err := f.raw(op, name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = t.Close() }()
	return bytes.Clone(mapped.Memory(t)), nil
}

// RawTensor returns a tensor's bytes in the file as a tensor of torch.Uint8 with one
// dimension. Nothing is copied: its memory is the mapping. The errors are those of
// [File.Raw].
func (f *File) RawTensor(name string) (*torch.Tensor, error) {
	const op = "gguf.File.RawTensor"
	f.must(op)
	return f.raw(op, name)
}

func (f *File) raw(op, name string) (*torch.Tensor, error) {
	info, err := f.info(name)
	if err != nil {
		return nil, err
	}
	return f.bytes(op, info)
}

// of32 returns the memory of float32 elements as such.
func of32(b []byte) []float32 {
	if len(b) == 0 {
		return nil
	}
	return unsafe.Slice((*float32)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/4)
}
