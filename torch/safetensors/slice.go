package safetensors

import (
	"reflect"

	"github.com/gotorch/gotorch/internal/mapped"
	"github.com/gotorch/gotorch/torch"
)

// plain reports whether all indices are integers, ranges, Ellipsis or NewAxis, for which
// Index returns a view.
func plain(indices []any) bool {
	for _, i := range indices {
		switch i.(type) {
		case torch.IndexRange, nil:
			continue
		}
		if v := reflect.ValueOf(i); !v.CanInt() && !v.CanUint() {
			return false
		}
	}
	return true
}

// span reads a part of a tensor. It reads the bytes from the first element of the part to
// the last element.
func (f *File) span(op, name string, indices []any) (*torch.Tensor, error) {
	info, err := f.info(name)
	if err != nil {
		return nil, err
	}
	meta, err := f.Meta(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = meta.Close() }()
	view, err := mapped.Try(func() *torch.Tensor { return meta.Index(indices...) })
	if err != nil {
		return nil, err
	}
	defer func() { _ = view.Close() }()
	shape, strides := view.Shape(), view.Stride()
	n := min(view.Numel(), 1)
	for d, size := range shape {
		if n > 0 {
			n += (size - 1) * strides[d]
		}
	}
	size := info.DType.Size()
	part := *info
	part.Shape, part.Bytes = torch.Shape{n * codes[info.code].pack}, n*size
	f.mu.Lock()
	closed, file := f.closed, f.file
	f.mu.Unlock()
	if closed {
		return nil, usedAfterClose(op)
	}
	line, err := f.readAt(op, file, &part, info.Offset+view.StorageOffset()*size)
	if err != nil {
		return nil, err
	}
	defer func() { _ = line.Close() }()
	return mapped.Try(func() *torch.Tensor {
		return torch.Tidy(func() *torch.Tensor {
			x := line.AsStrided(shape, strides, 0)
			if n != x.Numel() {
				// otherwise the result would keep the memory of the elements that are not
				// in the part
				x = x.Clone()
			}
			return x.To(f.device)
		})
	})
}
