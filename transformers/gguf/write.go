package gguf

import (
	"fmt"
	"io"
	"math"
	"slices"
	"unicode/utf8"

	"github.com/gotorch/gotorch/internal/mapped"
	"github.com/gotorch/gotorch/internal/operand"
	"github.com/gotorch/gotorch/internal/wholefile"
	"github.com/gotorch/gotorch/torch"
)

// Data is a tensor to write. [FromTensor] and [FromRaw] make it.
type Data struct {
	name   string
	as     Type
	shape  torch.Shape
	raw    []byte
	tensor *torch.Tensor // nil if raw has the bytes
}

// FromTensor returns a tensor for [Write], which converts it to the type as: the type of its
// dtype (see [TypeOf]), or one that is [Type.Quantizable]. Do not close the tensor before
// Write returns.
func FromTensor(name string, t *torch.Tensor, as Type) Data {
	return Data{name: name, as: as, tensor: t}
}

// FromRaw returns a tensor for [Write] from its bytes: its blocks, if the type is quantized.
// The shape is in PyTorch's order.
func FromRaw(name string, as Type, shape []int64, raw []byte) Data {
	return Data{name: name, as: as, shape: slices.Clone(shape), raw: raw}
}

// Write writes a file of version 3. The tensors are converted and written one at a time. The
// file is complete or, after an error, as it was before. The order of the metadata and of
// the tensors is kept. An alignment other than 32 is a uint32 in the metadata, with the key
// general.alignment. A model for llama.cpp needs at least the key general.architecture.
// Follows gguf.GGUFWriter.
//
// The error is a [*torch.FileError] for an error of the system, or a *torch.Error for
// arguments that cannot be written: ErrValue for names and keys that occur twice or are not
// UTF-8, and for values of other types than those of [KV]; ErrShape for rows that are not
// whole blocks, or raw bytes that do not fit the shape; ErrUnsupported for a conversion that
// does not exist.
func Write(metadata []KV, tensors []Data, path string) error {
	const op = "gguf.Write"
	w := &writing{op: op, alignment: defaultAlignment}
	head, err := w.header(metadata, tensors)
	if err != nil {
		return err
	}
	err = wholefile.Write(path, func(to io.Writer) error {
		if _, err := to.Write(head); err != nil {
			return err
		}
		if err := w.pad(to, int64(len(head))); err != nil {
			return err
		}
		for i := range tensors {
			if err := w.tensor(to, i, &tensors[i]); err != nil {
				return err
			}
		}
		return nil
	})
	switch err.(type) { //nolint:errorlint // of this package
	case nil, *torch.Error:
		return err
	}
	return ioFault(path, "cannot be written", err)
}

// writing is a file that is being written.
type writing struct {
	op        string
	alignment int64
	sizes     []int64 // of the tensors, in bytes
}

// header returns the bytes before the first tensor, without the padding.
func (w *writing) header(metadata []KV, tensors []Data) ([]byte, error) {
	e := &encoder{b: []byte(magic)}
	e.uint32(version)
	e.uint64(uint64(len(tensors)))
	e.uint64(uint64(len(metadata)))
	keys := map[string]bool{}
	for _, kv := range metadata {
		if keys[kv.Key] || !utf8.ValidString(kv.Key) {
			return nil, w.refuse(torch.ErrValue, "metadata", "expected different keys in UTF-8, got %s", quote(kv.Key))
		}
		keys[kv.Key] = true
		if n, ok := kv.Value.(uint32); kv.Key == alignmentKey {
			if !ok || n == 0 || n&(n-1) != 0 {
				return nil, w.refuse(torch.ErrValue, "metadata", "%s: expected a power of two as uint32, got %s",
					alignmentKey, describe(kv.Value))
			}
			w.alignment = int64(n)
		}
		e.string(kv.Key)
		if !e.value(kv.Value) {
			return nil, w.refuse(torch.ErrValue, "metadata", "%s: GGUF has no type for %T, or for arrays in it",
				quote(kv.Key), kv.Value)
		}
	}
	names, offset := map[string]bool{}, int64(0)
	for i := range tensors {
		d := &tensors[i]
		if names[d.name] || !utf8.ValidString(d.name) {
			return nil, w.refuse(torch.ErrValue, "tensors", "expected different names in UTF-8, got %s", quote(d.name))
		}
		names[d.name] = true
		shape, size, err := w.measure(d)
		if err != nil {
			return nil, err
		}
		e.string(d.name)
		e.uint32(uint32(len(shape))) //nolint:gosec // at most maxDims
		for _, n := range slices.Backward(shape) {
			e.uint64(uint64(n))
		}
		e.uint32(uint32(d.as))
		e.uint64(uint64(offset))
		if size > math.MaxInt64-offset-w.alignment {
			return nil, w.refuse(torch.ErrValue, "tensors", "together more bytes than 64 bits can count")
		}
		w.sizes = append(w.sizes, size)
		offset = w.padded(offset + size)
	}
	return e.b, nil
}

func (w *writing) padded(n int64) int64 { return (n + w.alignment - 1) / w.alignment * w.alignment }

func (w *writing) refuse(kind error, argument, format string, args ...any) error {
	return torch.NewError(w.op, kind, argument, fmt.Sprintf(format, args...))
}

// measure returns the shape of a tensor and its size in the file.
func (w *writing) measure(d *Data) (torch.Shape, int64, error) {
	what := "tensors[" + quote(d.name) + "]"
	l, known := layouts[d.as]
	if !known {
		return nil, 0, w.refuse(torch.ErrUnsupported, what, "the unknown type %v", d.as)
	}
	shape := d.shape
	if d.tensor != nil || d.raw == nil && d.shape == nil {
		if err := operand.Element(w.op, what, d.tensor); err != nil {
			return nil, 0, err
		}
		dtype := d.tensor.DType()
		if d.as.DType() != dtype && (writers[d.as] == nil || !dtype.IsFloatingPoint()) {
			return nil, 0, w.refuse(torch.ErrUnsupported, what, "cannot convert %v to %v", dtype, d.as)
		}
		if d.tensor.Device() == torch.Meta {
			return nil, 0, w.refuse(torch.ErrDevice, what, "a meta tensor has no elements")
		}
		shape = d.tensor.Shape()
	}
	row := int64(1)
	if len(shape) > 0 {
		row = shape[len(shape)-1]
	}
	n, ok := mapped.Bytes(shape, 8) // no type has more than 8 bytes for an element
	if !ok || row%l.block != 0 || len(shape) > maxDims {
		return nil, 0, w.refuse(torch.ErrShape, what, "expected at most %d dimensions and rows of a multiple of %d "+
			"elements for %v, got shape %v", maxDims, l.block, d.as, shape)
	}
	size := n / 8 / l.block * l.bytes
	if d.tensor == nil && int64(len(d.raw)) != size {
		return nil, 0, w.refuse(torch.ErrShape, what, "%v of shape %v has %d bytes, got %d", d.as, shape, size,
			len(d.raw))
	}
	return shape, size, nil
}

// tensor writes a tensor and the padding after it.
func (w *writing) tensor(to io.Writer, i int, d *Data) error {
	write := func(b []byte) error {
		_, err := to.Write(b)
		return err
	}
	var err error
	if d.tensor == nil {
		err = write(d.raw)
	} else {
		err = w.convert(d, write)
	}
	if err != nil {
		return err
	}
	return w.pad(to, w.sizes[i])
}

// pad writes the padding after n bytes.
func (w *writing) pad(to io.Writer, n int64) error {
	var zeros [1024]byte
	for left := w.padded(n) - n; left > 0; {
		some := min(left, int64(len(zeros)))
		if _, err := to.Write(zeros[:some]); err != nil {
			return err
		}
		left -= some
	}
	return nil
}

// convert calls write with the bytes of a tensor.
func (w *writing) convert(d *Data, write func([]byte) error) error {
	quantizes := d.as.DType() != d.tensor.DType()
	t, err := mapped.Try(func() *torch.Tensor {
		return torch.Tidy(func() *torch.Tensor {
			t := d.tensor.Detach().To(torch.CPU)
			if quantizes {
				t = t.To(torch.Float32)
			}
			return t.Contiguous().View(-1)
		})
	})
	if err != nil {
		return err
	}
	defer func() { _ = t.Close() }()
	if !quantizes {
		return write(mapped.Memory(t))
	}
	const part = 1 << 20 // a multiple of all blocks
	for values := of32(mapped.Memory(t)); len(values) > 0; {
		n := min(part, len(values))
		raw, err := Quantize(d.as, values[:n])
		if err != nil {
			return err
		}
		if err := write(raw); err != nil {
			return err
		}
		values = values[n:]
	}
	return nil
}
