package torch

import (
	enc "encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
)

// GobEncode writes gobVersion, the number of the dtype, 1 if the tensor requires a
// gradient, the number of dimensions and their sizes as uvarints, and the elements in
// row-major order, little-endian.
const (
	gobVersion = 1
	gobHead    = 3
)

// GobEncode encodes the tensor for package encoding/gob, which GoNB's cache
// uses. The result holds dtype, shape, elements and whether the tensor requires
// gradients, but not device, strides and graph. It returns an *[Error] of kind
// ErrNil for a nil tensor, ErrClosed for a closed one, ErrDType for a quantized
// one, or ErrValue for one that is not strided. To write files for other
// programs use torch/safetensors or torch/serialization.
func (t *Tensor) GobEncode() (data []byte, err error) {
	const op = "GobEncode(self)"
	err = Try(func() {
		switch _ = t.handle(op, 0); {
		case t.Layout() != Strided:
			panic(NewError(op, ErrValue, "self", "expected a strided tensor, got "+t.Layout().String()))
		case t.IsQuantized():
			panic(NewError(op, ErrDType, "self", "the tensor is quantized: call Dequantize first"))
		}
		data = append(data, gobVersion, byte(t.DType().code()), 0)
		if t.RequiresGrad() {
			data[gobHead-1] = 1
		}
		data = enc.AppendUvarint(data, uint64(t.Dim()))
		for _, n := range t.Shape() {
			data = enc.AppendUvarint(data, uint64(n)) //nolint:gosec // not negative
		}
		Scope(func() {
			NoGrad(func() {
				flat := t.ResolveConj().ResolveNeg().CPU().Contiguous().Reshape(-1)
				data = append(data, flat.ViewDType(Uint8).Uint8s()...)
			})
		})
	})
	return data, err
}

// GobDecode decodes data written by GobEncode into t, which must be a new Tensor. The
// result is on the CPU. Tensors that shared memory no longer do. It returns an *[Error]
// of kind ErrNil for a nil t, ErrValue for a t that is closed or in use or for invalid
// data, or ErrOutOfMemory. After an error t is unchanged, so using a t that is still new
// panics with ErrClosed.
func (t *Tensor) GobDecode(data []byte) error {
	const op = "GobDecode(self, data)"
	return Try(func() {
		if t == nil {
			panic(t.unusable(op, 0))
		}
		if t.h != 0 || !t.uses.Open() {
			panic(NewError(op, ErrValue, "self", "expected a new Tensor, got one that is or was in use"))
		}
		g := readGob(op, data)
		made := Tidy(func() *Tensor { return FromSlice(g.elements).ViewDType(g.dtype).Reshape(g.shape...) })
		defer made.Close()
		from := made.handle(op, 0)
		r := BeginRaw(op, made)
		r.tensorInto(t, aten.Alias(r.Ctx|abi.CtxNoGrad, from))
		t.RequiresGrad_(RequiresGrad(g.requiresGrad))
	})
}

// gobParts holds the decoded parts of GobEncode's data.
type gobParts struct {
	dtype        DType
	requiresGrad bool
	shape        Shape
	elements     []uint8
}

func readGob(op string, data []byte) (g gobParts) {
	wrong := func(why string) *Error {
		return NewError(op, ErrValue, "data", "GobEncode did not write this: "+why)
	}
	if len(data) < gobHead || data[0] != gobVersion {
		panic(wrong("unknown version"))
	}
	g.dtype, g.requiresGrad = DTypeOf(int8(data[1])), data[2] == 1 //nolint:gosec // a wrong number has no name
	size := g.dtype.Size()
	if size == 0 || g.dtype.IsQuantized() || data[2] > 1 {
		panic(wrong("unknown dtype"))
	}
	if g.requiresGrad && !g.dtype.IsFloatingPoint() && !g.dtype.IsComplex() {
		panic(wrong("the tensor requires gradients, but its dtype is " + g.dtype.String()))
	}
	rest := data[gobHead:]
	next := func() int64 {
		v, n := enc.Uvarint(rest)
		if n <= 0 || v > math.MaxInt64 {
			panic(wrong("the data ends within the shape"))
		}
		rest = rest[n:]
		return int64(v)
	}
	dims := next()
	if dims > mostRead {
		panic(wrong(fmt.Sprintf("the tensor has more than %d dimensions", mostRead)))
	}
	for range dims {
		g.shape = append(g.shape, next())
	}
	if gobBytes(size, g.shape) != int64(len(rest)) {
		panic(wrong(fmt.Sprintf("%d bytes do not fit %s elements of shape %v", len(rest), g.dtype, g.shape)))
	}
	g.elements = rest
	return g
}

// gobBytes returns the number of bytes of a tensor of the given shape with elements of size bytes,
// or -1 if that exceeds an int64.
func gobBytes(size int64, shape Shape) int64 {
	for _, n := range shape {
		if size > math.MaxInt64/max(n, 1) {
			return -1
		}
		size *= max(n, 1)
	}
	if slices.Contains(shape, 0) {
		return 0
	}
	return size
}
