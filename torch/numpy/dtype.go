package numpy

import (
	"slices"

	"github.com/gotorch/gotorch/internal/npy"
	"github.com/gotorch/gotorch/internal/plain"
	"github.com/gotorch/gotorch/torch"
)

// code is a dtype that both NumPy and libtorch have, with its names.
type code struct {
	kind  npy.Kind
	size  int64
	descr string // NumPy's name
	dtype torch.DType
}

var codes = []code{
	{npy.Bool, 1, "|b1", torch.Bool},
	{npy.Int, 1, "|i1", torch.Int8},
	{npy.Int, 2, "<i2", torch.Int16},
	{npy.Int, 4, "<i4", torch.Int32},
	{npy.Int, 8, "<i8", torch.Int64},
	{npy.Uint, 1, "|u1", torch.Uint8},
	{npy.Uint, 2, "<u2", torch.Uint16},
	{npy.Uint, 4, "<u4", torch.Uint32},
	{npy.Uint, 8, "<u8", torch.Uint64},
	{npy.Float, 2, "<f2", torch.Float16},
	{npy.Float, 4, "<f4", torch.Float32},
	{npy.Float, 8, "<f8", torch.Float64},
	{npy.Complex, 8, "<c8", torch.Complex64},
	{npy.Complex, 16, "<c16", torch.Complex128},
}

// dtype returns the torch dtype for an array with the header h.
func (p place) dtype(h npy.Header) (torch.DType, error) {
	for _, c := range codes {
		if c.kind == h.Kind && c.size == h.Size {
			return c.dtype, nil
		}
	}
	switch h.Kind {
	case npy.Object:
		return 0, p.fault(torch.ErrUnsupported, 0,
			"an array of Python objects, stored as a pickle; unpickling could run any code (allow_pickle=True)")
	case npy.Structured:
		return 0, p.fault(torch.ErrUnsupported, 0, "a structured array, %s; a tensor cannot hold it",
			plain.Short(h.Descr))
	default:
		return 0, p.fault(torch.ErrUnsupported, 0, "a tensor cannot hold dtype %s", plain.Short(h.Descr))
	}
}

// descrOf returns NumPy's name of a dtype, or "" if it has none.
func descrOf(d torch.DType) string {
	for _, c := range codes {
		if c.dtype == d {
			return c.descr
		}
	}
	return ""
}

// swapped reports whether an array's byte order differs from this machine's.
func swapped(h npy.Header) bool { return h.BigEndian && h.Size > 1 }

// settle converts the bytes of an array in place to the bytes of a tensor. It swaps the
// byte order if needed. It changes all nonzero bools to 1, because NumPy treats every
// nonzero byte as true.
func settle(h npy.Header, b []byte) {
	if h.Kind == npy.Bool {
		for i, v := range b {
			if v > 1 {
				b[i] = 1
			}
		}
		return
	}
	if !swapped(h) {
		return
	}
	part := int(h.Size)
	if h.Kind == npy.Complex {
		part /= 2
	}
	for number := range slices.Chunk(b, part) {
		slices.Reverse(number)
	}
}
