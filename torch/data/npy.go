package data

import (
	"errors"
	"fmt"
	"slices"

	"github.com/gotorch/gotorch/internal/npy"
	"github.com/gotorch/gotorch/torch"
)

// numpyArray makes a tensor of a NumPy file, with the array's dtype and shape, contiguous.
func numpyArray(b []byte) (*torch.Tensor, error) {
	h, err := npy.Parse(b)
	if err != nil {
		return nil, numpyError(err)
	}
	dtype, ok := numpyDType(h)
	if !ok {
		return nil, fmt.Errorf("%w: no tensor holds the dtype %s", ErrFormat, h.Descr)
	}
	raw, err := h.Data(b)
	if err != nil {
		return nil, numpyError(err)
	}
	if part := int(h.Size); h.BigEndian && part > 1 {
		if h.Kind == npy.Complex {
			part /= 2
		}
		raw = slices.Clone(raw)
		for number := range slices.Chunk(raw, part) {
			slices.Reverse(number)
		}
	}
	shape := torch.Shape(slices.Clone(h.Shape))
	if h.Fortran {
		slices.Reverse(shape)
	}
	if len(raw) == 0 {
		var x *torch.Tensor
		if err := torch.Try(func() { x = torch.Empty(torch.Shape(h.Shape), dtype, torch.CPU) }); err != nil {
			return nil, fmt.Errorf("%w: no tensor has the shape %v: %w", ErrFormat, torch.Shape(h.Shape), err) // its strides are too large
		}
		return x, nil
	}
	return torch.Tidy(func() *torch.Tensor {
		x := torch.FromSliceWith(raw, torch.Shape{int64(len(raw))}, torch.CPU)
		if dtype == torch.Bool {
			x = x.NeScalar(0) // any other byte is true
		} else {
			x = x.ViewDType(dtype)
		}
		x = x.Reshape(shape...)
		if h.Fortran {
			x = x.Permute(backwards(len(shape))...).Contiguous()
		}
		return x
	}), nil
}

func backwards(n int) []int64 {
	out := make([]int64, n)
	for i := range out {
		out[i] = int64(n - 1 - i)
	}
	return out
}

func numpyError(err error) error {
	if errors.Is(err, npy.ErrTruncated) {
		return fmt.Errorf("%w: %w", ErrTruncated, err)
	}
	return fmt.Errorf("%w: %w", ErrFormat, err)
}

func numpyDType(h npy.Header) (torch.DType, bool) {
	type of struct {
		kind npy.Kind
		size int64
	}
	d, ok := map[of]torch.DType{
		{npy.Bool, 1}: torch.Bool,
		{npy.Int, 1}:  torch.Int8, {npy.Int, 2}: torch.Int16, {npy.Int, 4}: torch.Int32, {npy.Int, 8}: torch.Int64,
		{npy.Uint, 1}: torch.Uint8, {npy.Uint, 2}: torch.Uint16, {npy.Uint, 4}: torch.Uint32, {npy.Uint, 8}: torch.Uint64,
		{npy.Float, 2}: torch.Float16, {npy.Float, 4}: torch.Float32, {npy.Float, 8}: torch.Float64,
		{npy.Complex, 8}: torch.Complex64, {npy.Complex, 16}: torch.Complex128,
	}[of{h.Kind, h.Size}]
	return d, ok
}
