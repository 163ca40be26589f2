package gguf

import (
	"cmp"
	"io"
	"math"
	"slices"
	"unicode/utf8"

	"github.com/gotorch/gotorch/internal/fileerr"
	"github.com/gotorch/gotorch/torch"
)

const (
	magic            = "GGUF"
	version          = 3 // the version that Write writes
	alignmentKey     = "general.alignment"
	defaultAlignment = 32
	maxDims          = 64 // limit on the number of a tensor's dimensions, as in libtorch's operators
	minEntryBytes    = 8 + 4 + 1
	minInfoBytes     = 8 + 4 + 4 + 8
)

// Info describes a tensor in a file.
type Info struct {
	Name   string
	Type   Type
	Shape  torch.Shape // in PyTorch's order, opposite to the file's
	Offset int64       // offset in the file of the tensor's first byte
	Bytes  int64
}

// header is the parsed header of a file.
type header struct {
	version  uint32
	metadata []KV
	keys     map[string]int // the position of each key in metadata
	infos    []Info         // in the order of the header
	byName   map[string]int
}

// readHeader reads the header of a file. size is the file's size in bytes. It checks that
// the file contains the tensors.
func readHeader(path string, r io.ReaderAt, size int64) (*header, error) {
	if err := recognize(path, r, size); err != nil {
		return nil, err
	}
	s := newScanner(path, r, size)
	_ = s.uint32("the magic number") // recognize has checked it
	h := &header{version: s.uint32("the version"), keys: map[string]int{}, byName: map[string]int{}}
	switch {
	case s.err != nil:
	case h.version&0xffff == 0:
		s.fail(torch.ErrUnsupported, 4, "a big-endian file; expected a little-endian one")
	case h.version != 2 && h.version != 3:
		s.fail(torch.ErrUnsupported, 4, "expected version 2 or 3, got %d", h.version)
	}
	tensors, entries := s.uint64("the number of tensors"), s.uint64("the number of keys")
	s.has(entries, minEntryBytes, "the metadata")
	for i := uint64(0); i < entries && s.err == nil; i++ {
		h.entry(s)
	}
	s.has(tensors, minInfoBytes, "the descriptions of tensors")
	for i := uint64(0); i < tensors && s.err == nil; i++ {
		h.info(s)
	}
	alignment := h.alignment(s)
	if s.err != nil {
		return nil, s.err
	}
	if err := h.place(s, alignment); err != nil {
		return nil, err
	}
	return h, nil
}

// recognize returns an error if the file is not a GGUF file.
func recognize(path string, r io.ReaderAt, size int64) error {
	head := make([]byte, min(size, 64))
	n, err := r.ReadAt(head, 0)
	if err != nil && err != io.EOF {
		return ioFault(path, "cannot be read", err)
	}
	head = head[:n]
	if len(head) >= len(magic) && string(head[:4]) == magic {
		return nil
	}
	switch what := fileerr.Instead(head); {
	case what != "":
		return fault(path, torch.ErrFormat, 0, "%s", what)
	case len(head) < len(magic) && magic[:len(head)] == string(head):
		return fault(path, torch.ErrTruncated, size, "expected a GGUF file, but the file has %d bytes", size)
	case len(head) >= 4 && string(head[:4]) == "FUGG":
		return fault(path, torch.ErrUnsupported, 0, "a big-endian file; expected a little-endian one")
	}
	return fault(path, torch.ErrFormat, 0, "expected a file that begins with GGUF, got %q", head[:min(4, len(head))])
}

// entry reads an entry of the metadata.
func (h *header) entry(s *scanner) {
	at := s.at
	key := s.string("a key of the metadata")
	if s.err == nil && !utf8.ValidString(key) {
		s.fail(torch.ErrFormat, at+8, "the key %s is not valid UTF-8", quote(key))
	}
	if _, again := h.keys[key]; again {
		s.fail(torch.ErrFormat, at, "the key %s is there twice", quote(key))
	}
	what := "the value of " + quote(key)
	kind := s.uint32(what)
	if s.err != nil {
		return
	}
	value := s.value(kind, what, 0)
	h.keys[key] = len(h.metadata)
	h.metadata = append(h.metadata, KV{key, value})
}

// info reads the description of a tensor. Offset is relative to the end of the header.
func (h *header) info(s *scanner) {
	at := s.at
	name := s.string("the name of a tensor")
	if s.err == nil && !utf8.ValidString(name) {
		s.fail(torch.ErrFormat, at+8, "the tensor's name %s is not valid UTF-8", quote(name))
	}
	if _, again := h.byName[name]; again {
		s.failOf(name, torch.ErrFormat, at, "the file has two tensors of this name")
	}
	info := Info{Name: name}
	what := "the description of " + quote(name)
	at = s.at
	switch dims := s.uint32(what); {
	case s.err != nil:
	case dims > maxDims:
		s.failOf(name, torch.ErrUnsupported, at, "%d dimensions; libtorch supports %d", dims, maxDims)
	default:
		info.Shape = make(torch.Shape, dims)
	}
	for i := range info.Shape {
		at = s.at
		d := s.uint64(what)
		if d > math.MaxInt64 {
			s.failOf(name, torch.ErrFormat, at, "a dimension of %d", d)
		}
		info.Shape[len(info.Shape)-1-i] = int64(d) //nolint:gosec // checked
	}
	at = s.at
	info.Type = Type(s.uint32(what))
	if l, known := layouts[info.Type]; s.err == nil && !known {
		s.failOf(name, torch.ErrUnsupported, at, "the unknown type %d", uint32(info.Type))
	} else if s.err == nil {
		info.Bytes = info.measure(s, l, at)
	}
	at = s.at
	offset := s.uint64(what)
	if offset > math.MaxInt64 {
		s.failOf(name, torch.ErrFormat, at, "begins at byte %d after the header, beyond any file", offset)
	}
	info.Offset = int64(offset) //nolint:gosec // checked
	if s.err == nil {
		h.byName[name] = len(h.infos)
		h.infos = append(h.infos, info)
	}
}

// failOf is fail, for a tensor.
func (s *scanner) failOf(tensor string, kind error, at int64, format string, args ...any) {
	if s.err == nil {
		s.err = of(tensor, fault(s.path, kind, at, format, args...))
	}
}

// measure returns the size of a tensor in bytes.
func (i *Info) measure(s *scanner, l layout, at int64) int64 {
	elements, empty := int64(1), false
	for _, d := range i.Shape {
		switch {
		case d == 0:
			empty = true
		case elements > math.MaxInt64/8/d: // 8 bytes for an element are the most
			s.failOf(i.Name, torch.ErrFormat, at, "shape %v has more bytes than 64 bits can count", i.Shape)
			return 0
		default:
			elements *= d
		}
	}
	row := int64(1)
	if n := len(i.Shape); n > 0 {
		row = i.Shape[n-1]
	}
	if row%l.block != 0 {
		s.failOf(i.Name, torch.ErrFormat, at, "%s needs rows of a multiple of %d elements, got shape %v", l.name,
			l.block, i.Shape)
	}
	if empty {
		return 0
	}
	return elements / l.block * l.bytes
}

// alignment returns the alignment of tensors in the file.
func (h *header) alignment(s *scanner) int64 {
	i, ok := h.keys[alignmentKey]
	if !ok || s.err != nil {
		return defaultAlignment
	}
	n, ok := h.metadata[i].Value.(uint32)
	if !ok || n == 0 || n&(n-1) != 0 {
		s.fail(torch.ErrFormat, s.at, "%s: expected a power of two as uint32, got %s", alignmentKey,
			describe(h.metadata[i].Value))
	}
	return int64(n)
}

// place makes the offsets of the tensors relative to the file. It checks that the tensors
// are aligned and within the file, and do not overlap.
func (h *header) place(s *scanner, alignment int64) error {
	data := (s.at + alignment - 1) / alignment * alignment
	order := make([]int, len(h.infos))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		i, j := &h.infos[a], &h.infos[b]
		return cmp.Or(cmp.Compare(i.Offset, j.Offset), cmp.Compare(i.Bytes, j.Bytes))
	})
	end, before := int64(0), ""
	for _, i := range order {
		t := &h.infos[i]
		where := data + min(t.Offset, math.MaxInt64-data)
		switch {
		case t.Offset%alignment != 0:
			return of(t.Name, fault(s.path, torch.ErrFormat, min(where, s.size), "begins at byte %d after the header, "+
				"which is not a multiple of %d", t.Offset, alignment))
		case t.Bytes > s.size-min(where, s.size):
			return of(t.Name, fault(s.path, torch.ErrTruncated, s.size, "has %d bytes at offset %d, but the file has "+
				"%d bytes", t.Bytes, where, s.size))
		case t.Bytes > 0 && t.Offset < end:
			return of(t.Name, fault(s.path, torch.ErrFormat, where, "begins within tensor %s", quote(before)))
		}
		if t.Bytes > 0 {
			end, before = t.Offset+t.Bytes, t.Name
		}
		t.Offset = min(where, s.size) // less than where only if it is empty
	}
	return nil
}
