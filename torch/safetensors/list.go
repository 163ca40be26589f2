package safetensors

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/gotorch/gotorch/internal/operand"
	"github.com/gotorch/gotorch/torch"
)

// list is the list of tensors to write, in the order in which they are written.
type list []entry

// entry is a tensor to write. It has its own handle, so that the caller may close the
// tensor.
type entry struct {
	name   string
	tensor *torch.Tensor // detached
	code   int           // index in codes
	shape  torch.Shape   // the shape that is written to the file
	bytes  int64
}

func (l list) close() {
	for i := range l {
		_ = l[i].tensor.Close() // always nil
	}
}

// list returns a list of all tensors. If RemoveDuplicates leaves tensors out, list adds
// their names to the metadata.
func (s *saving) list(tensors map[string]*torch.Tensor) (list, error) {
	var l list
	for _, name := range slices.Sorted(maps.Keys(tensors)) {
		e, err := s.entry(name, tensors[name])
		if err != nil {
			l.close()
			return nil, err
		}
		l = append(l, e)
	}
	l, err := s.unshared(l)
	if err == nil {
		err = s.dense(l)
	}
	if err != nil {
		l.close()
		return nil, err
	}
	return l, nil
}

func (s *saving) entry(name string, t *torch.Tensor) (entry, error) {
	refuse := func(kind error, format string, args ...any) (entry, error) {
		return entry{}, torch.NewError(s.op, kind, "tensors["+quote(name)+"]", fmt.Sprintf(format, args...))
	}
	if !utf8.ValidString(name) || name == metadataKey {
		return refuse(torch.ErrValue, "expected a name in UTF-8 other than %s", metadataKey)
	}
	if err := operand.Element(s.op, "tensors["+quote(name)+"]", t); err != nil {
		return entry{}, err
	}
	e := entry{name: name}
	var layout torch.Layout
	var nested bool
	var dtype torch.DType
	err := torch.Try(func() {
		layout, nested, dtype = t.Layout(), t.IsNested(), t.DType()
		e.code = codeOf(dtype)
		if layout == torch.Strided && !nested {
			e.tensor = t.Detach()
			e.shape, e.bytes = t.Shape(), t.NBytes()
		}
	})
	switch {
	case err != nil:
		_ = e.tensor.Close()
		return entry{}, err
	case e.tensor == nil && nested:
		return refuse(torch.ErrValue, "a nested tensor; expected a dense one")
	case e.tensor == nil:
		return refuse(torch.ErrValue,
			"expected a dense tensor, got layout %v; x.ToDense() makes one, which may be much larger", layout)
	case e.code < 0:
		_ = e.tensor.Close()
		return refuse(torch.ErrDType, "the format does not support %v", dtype)
	case e.tensor.Device().Type() == "meta":
		_ = e.tensor.Close()
		return refuse(torch.ErrDevice, "a meta tensor has no elements")
	}
	if pack := codes[e.code].pack; pack > 1 {
		if len(e.shape) == 0 {
			_ = e.tensor.Close()
			return refuse(torch.ErrShape, "expected at least one dimension for %v", dtype)
		}
		e.shape = slices.Clone(e.shape)
		e.shape[len(e.shape)-1] *= pack
	}
	return e, nil
}

// dense returns an error if a tensor is not contiguous, unless ForceContiguous is set.
func (s *saving) dense(l list) error {
	for i := range l {
		if !s.contiguous && !l[i].tensor.IsContiguous() {
			return torch.NewError(s.op, torch.ErrValue, "tensors["+quote(l[i].name)+"]",
				"is not contiguous; save the whole tensor that it is a part of, or save x.Contiguous(), or "+
					"use ForceContiguous(true)")
		}
	}
	return nil
}

// header sorts the tensors into the order of the file, and returns the bytes that come
// before them.
func (l list) header(op string, metadata map[string]string) ([]byte, error) {
	slices.SortFunc(l, func(a, b entry) int {
		return cmp.Or(cmp.Compare(b.code, a.code), cmp.Compare(a.name, b.name))
	})
	b := make([]byte, lengthBytes, 256+128*len(l))
	b = append(b, '{')
	if metadata != nil {
		b = append(quoteJSON(b, metadataKey), ":{"...)
		for i, key := range slices.Sorted(maps.Keys(metadata)) {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(quoteJSON(b, key), ':')
			b = quoteJSON(b, metadata[key])
		}
		b = append(b, '}')
	}
	at := int64(0)
	for i := range l {
		if len(b) > lengthBytes+1 {
			b = append(b, ',')
		}
		e := &l[i]
		b = append(quoteJSON(b, e.name), `:{"dtype":"`+codes[e.code].name+`","shape":[`...)
		for d, n := range e.shape {
			if d > 0 {
				b = append(b, ',')
			}
			b = strconv.AppendInt(b, n, 10)
		}
		b = append(b, `],"data_offsets":[`...)
		b = append(strconv.AppendInt(b, at, 10), ',')
		at += e.bytes
		b = append(strconv.AppendInt(b, at, 10), "]}"...)
	}
	b = append(b, '}')
	for len(b)%lengthBytes != 0 {
		b = append(b, ' ')
	}
	n := len(b) - lengthBytes
	if n > maxHeader {
		return nil, torch.NewError(op, torch.ErrValue, "tensors", fmt.Sprintf("the names and the metadata make a "+
			"header of %d bytes; readers accept at most %d", n, maxHeader))
	}
	binary.LittleEndian.PutUint64(b, uint64(n))
	return b, nil
}

// quoteJSON appends s as a JSON string.
func quoteJSON(b []byte, s string) []byte {
	var buf bytes.Buffer
	e := json.NewEncoder(&buf)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // Encode cannot fail, because s is valid UTF-8
	return append(b, bytes.TrimSuffix(buf.Bytes(), []byte("\n"))...)
}
