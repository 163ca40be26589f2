package jit

import (
	"math"
	"unsafe"

	native "github.com/gotorch/gotorch/cgotorch/jit"
	"github.com/gotorch/gotorch/torch"
)

// decoder converts the words that C++ code wrote to Go values.
type decoder struct {
	words   []uint64
	at      int
	tensors []*torch.Tensor
	objects []*Object // the objects that were made when the words were read before
	met     int       // the number of objects in the words that were read so far
	shared  *shared   // the state that the modules share from which the objects come
}

func (d *decoder) word() uint64 {
	d.at++
	return d.words[d.at-1]
}

func (d *decoder) text() string {
	n := int(d.word() >> 8)
	return d.chars(n)
}

func (d *decoder) chars(n int) string {
	if n == 0 {
		return ""
	}
	s := string(unsafe.Slice((*byte)(unsafe.Pointer(&d.words[d.at])), n))
	d.at += (n + 7) / 8
	return s
}

func (d *decoder) value() any {
	tag := d.word()
	n := int(tag >> 8)
	switch tag & 0xff {
	case native.Tensor:
		return d.tensors[n]
	case native.Bool:
		return n != 0
	case native.Int:
		return int64(d.word())
	case native.Float:
		return math.Float64frombits(d.word())
	case native.Complex:
		re := math.Float64frombits(d.word())
		return complex(re, math.Float64frombits(d.word()))
	case native.String:
		return d.chars(n)
	case native.Device:
		return torch.DeviceOf(int32(n))
	case native.List:
		return d.items(n)
	case native.Tuple:
		return Tuple(d.items(n))
	case native.Named:
		return d.named(n)
	case native.Dict:
		dict := NewDict()
		for range n {
			k := d.value()
			dict.Set(k, d.value())
		}
		return dict
	case native.Enum:
		class, name := d.text(), d.text()
		return Enum{Class: class, Name: name, Value: d.value()}
	case native.Handle:
		return d.object()
	}
	return d.list(tag&0xff, n) // or None
}

func (d *decoder) items(n int) []any {
	items := make([]any, n)
	for i := range items {
		items[i] = d.value()
	}
	return items
}

func (d *decoder) named(n int) *NamedTuple {
	t := &NamedTuple{Name: d.text(), Fields: make([]string, n)}
	for i := range t.Fields {
		t.Fields[i] = d.text()
	}
	t.Values = d.items(n)
	return t
}

// object returns the next object in the words. If the words are read again, it returns the
// object that it made the first time.
func (d *decoder) object() *Object {
	h := native.Object(d.word())
	class := d.text()
	if d.met == len(d.objects) {
		d.objects = append(d.objects, newObject(h, class, d.shared))
	}
	d.met++
	return d.objects[d.met-1]
}

// list reads a list whose elements all have the same type.
func (d *decoder) list(kind uint64, n int) any {
	switch kind {
	case native.Tensors:
		l := make([]*torch.Tensor, n)
		for i := range l {
			l[i] = d.tensors[d.word()]
		}
		return l
	case native.Ints:
		l := make([]int64, n)
		for i := range l {
			l[i] = int64(d.word())
		}
		return l
	case native.Floats:
		l := make([]float64, n)
		for i := range l {
			l[i] = math.Float64frombits(d.word())
		}
		return l
	case native.Bools:
		l := make([]bool, n)
		for i := range l {
			l[i] = d.word() != 0
		}
		return l
	case native.Strings:
		l := make([]string, n)
		for i := range l {
			l[i] = d.text()
		}
		return l
	}
	return nil
}
