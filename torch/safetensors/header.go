package safetensors

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/gotorch/gotorch/internal/fileerr"
	"github.com/gotorch/gotorch/torch"
)

const (
	lengthBytes = 8           // size in bytes of the field with the header's length
	maxHeader   = 100_000_000 // limit on the header's length in bytes, as in Python
	maxDims     = 64          // limit on the number of a tensor's dimensions, as in libtorch's operators
)

// Info describes a tensor in a file.
type Info struct {
	Name   string
	Code   string      // the format's name of the dtype, such as "BF16"
	DType  torch.DType // 0 if libtorch does not have it
	Shape  torch.Shape // the shape in the file; for F4, the last dimension of the tensor is half as large
	Offset int64       // offset in the file of the tensor's first byte
	Bytes  int64

	code int // index in codes
}

// torchShape returns the shape of the tensor in libtorch.
func (i *Info) torchShape() torch.Shape {
	shape := slices.Clone(i.Shape)
	if n := len(shape); n > 0 {
		shape[n-1] /= codes[i.code].pack
	}
	return shape
}

// header is the parsed header of a file.
type header struct {
	infos    []Info // sorted by offset
	byName   map[string]int
	metadata map[string]string
}

// readHeader reads the header of a file. size is the file's size in bytes. It checks that
// the tensors in the header match the size.
func readHeader(path string, r io.ReaderAt, size int64) (*header, error) {
	var length [lengthBytes]byte
	if size < lengthBytes {
		return nil, fault(path, torch.ErrTruncated, size,
			"expected the 8 bytes of the header's length, but the file has %d bytes", size)
	}
	if err := readAt(path, r, length[:], 0); err != nil {
		return nil, err
	}
	n := binary.LittleEndian.Uint64(length[:])
	if what := instead(r, n); what != "" {
		return nil, fault(path, torch.ErrFormat, 0, "%s", what)
	}
	switch {
	case string(length[:4]) == "PK\x03\x04":
		return nil, fault(path, torch.ErrFormat, 0,
			"a zip archive, such as PyTorch's .pt files (see torch/serialization) and .npz (see torch/numpy)")
	case n > maxHeader:
		return nil, fault(path, torch.ErrFormat, 0, "the header has %d bytes, expected at most %d", n, maxHeader)
	case int64(n) > size-lengthBytes:
		return nil, fault(path, torch.ErrTruncated, size,
			"the header has %d bytes, but the file has only %d after the length", n, size-lengthBytes)
	case n == 0:
		return nil, fault(path, torch.ErrFormat, 0, "the header is empty, expected a JSON object")
	}
	text := make([]byte, n)
	if err := readAt(path, r, text, lengthBytes); err != nil {
		return nil, err
	}
	p := &parser{path: path, base: lengthBytes, text: text}
	h, err := p.header()
	if err != nil {
		return nil, err
	}
	if err := h.check(path, lengthBytes+int64(n), size); err != nil {
		return nil, err
	}
	return h, nil
}

// instead describes the file if it is text or in a different known format. The first
// bytes of text, read as a length, exceed maxHeader.
func instead(r io.ReaderAt, length uint64) string {
	if length <= maxHeader {
		return ""
	}
	head := make([]byte, 64)
	n, _ := r.ReadAt(head, 0) // a file with fewer bytes is recognized too
	return fileerr.Instead(head[:n])
}

// readAt fills b with the bytes at offset at. If the file has been truncated, the error is
// the same as for a file that was too short from the start.
func readAt(path string, r io.ReaderAt, b []byte, at int64) error {
	n, err := r.ReadAt(b, at)
	switch {
	case n == len(b):
		return nil
	case err == io.EOF:
		return tooShort(path, at+int64(n), int64(len(b)-n))
	default:
		return ioFault(path, "cannot be read after "+strconv.FormatInt(at+int64(n), 10)+" bytes", err)
	}
}

// tooShort returns the error for a file that ends at the given offset. missing is the
// number of bytes that are needed after it.
func tooShort(path string, at, missing int64) *torch.FileError {
	return fault(path, torch.ErrTruncated, at, "the file ends %d bytes early; was it truncated?", missing)
}

// check sorts the tensors by offset. It checks that they fill the file from start to end
// without gaps or overlaps, and that their sizes match dtype and shape.
func (h *header) check(path string, start, end int64) error {
	slices.SortStableFunc(h.infos, func(a, b Info) int {
		return cmp.Or(cmp.Compare(a.Offset, b.Offset), cmp.Compare(a.Bytes, b.Bytes))
	})
	at, before := int64(0), ""
	h.byName = make(map[string]int, len(h.infos))
	for i := range h.infos {
		t := &h.infos[i]
		where := start + min(t.Offset, math.MaxInt64-start)
		switch {
		case t.Offset < at:
			return of(t.Name, fault(path, torch.ErrFormat, where, "begins within tensor %s", quote(before)))
		case t.Offset > at:
			return of(t.Name,
				fault(path, torch.ErrFormat, start+at, "the %d bytes before it belong to no tensor", t.Offset-at))
		case t.Bytes > end-start-at:
			return of(t.Name, fault(path, torch.ErrTruncated, end, "has %d bytes at offset %d, but the file ends "+
				"%d bytes early", t.Bytes, where, t.Bytes-(end-start-at)))
		}
		if err := t.fits(path, where); err != nil {
			return err
		}
		at, before = at+t.Bytes, t.Name
		t.Offset = where
		h.byName[t.Name] = i
	}
	if start+at != end {
		return fault(path, torch.ErrFormat, start+at, "the file has %d bytes after the last tensor", end-start-at)
	}
	return nil
}

// fits returns an error if a tensor's size does not match its dtype and shape.
func (i *Info) fits(path string, where int64) error {
	c := codes[i.code]
	bits, empty := c.bits, false
	for _, d := range i.Shape {
		if d == 0 {
			empty = true
			continue
		}
		if bits > math.MaxInt64/d {
			return of(i.Name,
				fault(path, torch.ErrFormat, where, "shape %v has more bytes than 64 bits can count", i.Shape))
		}
		bits *= d
	}
	if empty {
		bits = 0
	}
	if bits%8 != 0 {
		return of(i.Name,
			fault(path, torch.ErrFormat, where, "%s of shape %v does not end at a byte boundary", c.name, i.Shape))
	}
	if bits/8 != i.Bytes {
		return of(i.Name,
			fault(path, torch.ErrFormat, where, "%s of shape %v has %d bytes, but data_offsets give %d", c.name,
				i.Shape, bits/8, i.Bytes))
	}
	return nil
}

// bytesAt returns an io.ReaderAt of bytes.
func bytesAt(b []byte) io.ReaderAt { return bytes.NewReader(b) }
