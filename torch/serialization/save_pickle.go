package serialization

import (
	"errors"
	"fmt"
	"maps"
	"math/big"
	"reflect"
	"slices"
	"strings"
	"unsafe"

	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/internal/pickle"
	"github.com/gotorch/gotorch/internal/pyvalue"
	"github.com/gotorch/gotorch/torch"
)

func asTorch(err error, to **torch.Error) bool { return errors.As(err, to) }

// saver writes a value as a pickle with the same opcodes as Python.
type saver struct {
	op       string
	p        *pickle.Writer
	memo     map[any]uint32 // for each value that may occur again, its number in the pickle's memo
	path     []string       // the position in the value that is being written, for errors
	storages []*savedStorage
	at       map[place]*savedStorage
}

// bad panics with an error that contains the current position in the value.
func (s *saver) bad(kind error, text string, args ...any) {
	panic(torch.NewError(s.op, kind, s.where(), fmt.Sprintf(text, args...)))
}

// where returns the current position in the value.
func (s *saver) where() string { return "value" + strings.Join(s.path, "") }

func (s *saver) in(part string, v any, depth int) {
	s.path = append(s.path, part)
	s.value(v, depth+1)
	s.path = s.path[:len(s.path)-1]
}

// seen reports whether v has been written before. If it has, seen writes a reference to it.
func (s *saver) seen(v any) bool {
	n, ok := s.memo[v]
	if ok {
		s.p.Get(n)
	}
	return ok
}

func (s *saver) value(v any, depth int) {
	if depth > deepest {
		s.bad(torch.ErrValue, "values are nested more than %d levels deep", deepest)
	}
	p := s.p
	switch v := v.(type) {
	case nil:
		p.None()
	case bool:
		p.Bool(v)
	case int64:
		p.Whole(v)
	case float64:
		p.Float(v)
	case float32:
		p.Float(float64(v))
	case complex64:
		s.complex(complex128(v))
	case complex128:
		s.complex(v)
	case string:
		s.word(v)
	case *big.Int:
		if v == nil {
			s.bad(torch.ErrNil, "nil")
		}
		s.big(v)
	case []byte:
		s.once(memory{unsafe.Pointer(unsafe.SliceData(v)), len(v), isBytes}, func() { s.bytes(v) })
	case ByteArray:
		s.once(memory{unsafe.Pointer(unsafe.SliceData(v)), len(v), isByteArray}, func() { s.byteArray(v) })
	case []any:
		s.anyList(v, depth)
	case Tuple:
		s.tuple(v, depth)
	case *Set:
		s.set(v, depth)
	case *Dict:
		s.dict(v, depth)
	case torch.Shape:
		s.once(memory{unsafe.Pointer(unsafe.SliceData(v)), len(v), isShape}, func() {
			p.Global("torch", "Size")
			p.Tuple(1, func(int) { s.ints(v) })
			p.Reduce()
			p.Put()
		})
	case torch.DType:
		s.dtype(v)
	case torch.Device:
		s.device(v)
	case torch.Layout:
		s.layout(v)
	case *torch.Tensor:
		s.tensor(v)
	case *Parameter:
		s.parameter(v, depth)
	case *Attributed:
		s.attributed(v)
	default:
		s.other(v, depth)
	}
}

// memory identifies a slice of bytes or sizes, which a value may contain several times.
type memory struct {
	first unsafe.Pointer
	n     int
	kind  kindOfSlice
}

type kindOfSlice int

const (
	isBytes kindOfSlice = iota
	isByteArray
	isShape
)

// once writes a value with write, which ends with Put. If the value was written before, once writes
// a reference instead.
func (s *saver) once(of memory, write func()) {
	if of.n == 0 {
		write()
		return
	}
	if s.seen(of) {
		return
	}
	write()
	s.memo[of] = s.p.Next() - 1
}

// longestInt is the number of bits from which an integer is written once, even if a value contains
// it several times. Python writes every integer again.
const longestInt = 1 << 10

func (s *saver) big(v *big.Int) {
	if v.BitLen() < longestInt {
		s.p.Big(v)
		return
	}
	if s.seen(v) {
		return
	}
	s.p.Big(v)
	s.memo[v] = s.p.Put()
}

func (s *saver) complex(c complex128) {
	s.p.Global("__builtin__", "complex")
	s.p.Tuple(2, func(i int) { s.p.Float([]float64{real(c), imag(c)}[i]) })
	s.p.Reduce()
	s.p.Put()
}

// latin returns bytes as Latin-1 text, because protocol 2 stores bytes as text.
func latin(b []byte) string {
	r := make([]rune, len(b))
	for i, c := range b {
		r[i] = rune(c)
	}
	return string(r)
}

func (s *saver) bytes(b []byte) {
	s.p.Global("_codecs", "encode")
	s.p.Tuple(2, func(i int) {
		if i == 0 {
			s.p.Text(latin(b))
		} else {
			s.p.Word("latin1")
		}
	})
	s.p.Reduce()
	s.p.Put()
}

func (s *saver) byteArray(b []byte) {
	s.p.Global("__builtin__", "bytearray")
	s.p.Tuple(min(len(b), 1), func(int) { s.bytes(b) })
	s.p.Reduce()
	s.p.Put()
}

func (s *saver) list(n, depth int, item func(i int) any) {
	s.p.EmptyList()
	s.p.Put()
	s.p.ListItems(n, func(i int) { s.in(fmt.Sprintf("[%d]", i), item(i), depth) })
}

// sharedList identifies a list or tuple, which a value may contain several times.
type sharedList struct {
	first *any
	n     int
}

func (s *saver) anyList(v []any, depth int) {
	if len(v) > 0 {
		self := sharedList{&v[0], len(v)}
		if s.seen(self) {
			return
		}
		s.memo[self] = s.p.Next()
	}
	s.list(len(v), depth, func(i int) any { return v[i] })
}

func (s *saver) tuple(v Tuple, depth int) {
	if len(v) > 0 && s.seen(sharedList{&v[0], len(v)}) {
		return
	}
	s.p.Tuple(len(v), func(i int) { s.in(fmt.Sprintf("[%d]", i), v[i], depth) })
	if len(v) > 0 {
		s.memo[sharedList{&v[0], len(v)}] = s.p.Next() - 1
	}
}

func (s *saver) ints(v []int64) { s.p.Tuple(len(v), func(i int) { s.p.Whole(v[i]) }) }

func (s *saver) set(v *Set, depth int) {
	if v == nil {
		s.bad(torch.ErrNil, "a nil *Set")
	}
	if s.seen(v) {
		return
	}
	if v.Frozen {
		s.bad(torch.ErrType, "torch.load(weights_only=True) refuses a frozenset")
	}
	s.p.Global("__builtin__", "set")
	s.p.Tuple(1, func(int) { s.list(len(v.Items), depth, func(i int) any { return v.Items[i] }) })
	s.p.Reduce()
	s.memo[v] = s.p.Put()
}

func (s *saver) dict(d *Dict, depth int) {
	if d == nil {
		s.bad(torch.ErrNil, "a nil *Dict")
	}
	if s.seen(d) {
		return
	}
	pair := func(i int) {
		s.in("{key}", d.keys[i], depth)
		s.in("["+quote(keyText(d.keys[i]), 80)+"]", d.values[i], depth)
	}
	switch d.Class {
	case PlainDict:
		s.p.EmptyDict()
		s.memo[d] = s.p.Put()
		s.p.DictItems(len(d.keys), true, pair)
	case OrderedDict:
		s.orderedDict(d, len(d.keys), pair)
	case Counter:
		s.p.Global("collections", "Counter")
		s.p.Tuple(1, func(int) {
			s.p.EmptyDict()
			s.p.Put()
			s.p.DictItems(len(d.keys), true, pair)
		})
		s.p.Reduce()
		s.memo[d] = s.p.Put()
	default:
		s.bad(torch.ErrType, "a dict of class %q cannot be saved", string(d.Class))
	}
	if d.Attributes.Len() > 0 {
		if d.Class != OrderedDict {
			s.bad(torch.ErrType, "only an OrderedDict can have attributes")
		}
		s.in("._attributes", d.Attributes, depth)
		s.p.Build()
	}
}

func keyText(k any) string {
	if t, ok := k.(string); ok {
		return t
	}
	return Repr(k)
}

// orderedDict writes an OrderedDict with n entries, without its attributes. pair writes
// entry i. self identifies the dict in the memo; it is nil if nothing else refers to the
// dict.
func (s *saver) orderedDict(self any, n int, pair func(i int)) {
	s.p.Global("collections", "OrderedDict")
	s.p.Tuple(0, nil)
	s.p.Reduce()
	at := s.p.Put()
	if self != nil {
		s.memo[self] = at
	}
	s.p.DictItems(n, false, pair)
}

func (s *saver) dtype(d torch.DType) {
	name := strings.TrimPrefix(d.String(), "torch.")
	if dtypesByName[name] != d {
		s.bad(torch.ErrValue, "invalid DType %d", int(d))
	}
	s.p.Global("torch", name)
}

func (s *saver) device(d torch.Device) {
	if d == 0 {
		s.bad(torch.ErrValue, "the zero Device")
	}
	s.p.Global("torch", "device")
	n := 1
	if d.Index() >= 0 {
		n = 2
	}
	s.p.Tuple(n, func(i int) {
		if i == 0 {
			s.p.Text(d.Type())
		} else {
			s.p.Whole(int64(d.Index()))
		}
	})
	s.p.Reduce()
	s.p.Put()
}

func (s *saver) layout(l torch.Layout) {
	name := layoutName(l)
	if name == "" {
		s.bad(torch.ErrValue, "invalid Layout %d", int(l))
	}
	if s.seen(l) {
		return
	}
	s.p.Global("torch.serialization", "_get_layout")
	s.p.Tuple(1, func(int) { s.p.Text(name) })
	s.p.Reduce()
	s.memo[l] = s.p.Put()
}

// named is a type with named tensors, such as a *StateDict.
type named interface {
	Names() []string
	Map() map[string]*torch.Tensor
}

// other writes a value of a type that this package does not know: a number, a slice or a
// map.
func (s *saver) other(v any, depth int) {
	if n, ok := v.(named); ok {
		s.named(n, depth)
		return
	}
	if n, ok := integer(v); ok {
		s.value(n, depth)
		return
	}
	r := reflect.ValueOf(v)
	if d, ok := v.(ranged); ok {
		if opt.IsNil(d) {
			s.bad(torch.ErrNil, "a nil %T", v)
		}
		s.dict(s.ranged(d), depth)
		return
	}
	switch {
	case r.Kind() == reflect.Array:
		s.p.Tuple(r.Len(), func(i int) { s.in(fmt.Sprintf("[%d]", i), r.Index(i).Interface(), depth) })
	case r.Kind() == reflect.Slice:
		s.list(r.Len(), depth, func(i int) any { return r.Index(i).Interface() })
	case r.Kind() == reflect.Map && r.Type().Key().Kind() == reflect.String:
		keys := r.MapKeys()
		slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
		s.p.EmptyDict()
		s.p.Put()
		s.p.DictItems(len(keys), true, func(i int) {
			s.word(keys[i].String())
			s.in("["+quote(keys[i].String(), 80)+"]", r.MapIndex(keys[i]).Interface(), depth)
		})
	case r.CanFloat():
		s.p.Float(r.Float())
	case r.Kind() == reflect.Bool:
		s.p.Bool(r.Bool())
	case r.Kind() == reflect.String:
		s.word(r.String())
	default:
		s.bad(torch.ErrType, "a %T, which PyTorch's files do not support", v)
	}
}

// ranged is a dict of another package, such as the state dict of an optimizer. If its
// Python class is not dict, the method PythonClass names the class.
type ranged = pyvalue.Source

// classed is a ranged that also has the method PythonClass.
type classed interface{ PythonClass() string }

// ranged converts its argument to a dict. It does not copy the values of the dict.
func (s *saver) ranged(from ranged) *Dict {
	d := new(Dict)
	if c, ok := from.(classed); ok {
		d.Class = Class(c.PythonClass())
	}
	from.Each(func(key, value any) bool {
		if _, ok := hashed(key); !ok {
			s.bad(torch.ErrValue, "a %T cannot be a key", key)
		}
		d.Set(key, value)
		return true
	})
	return d
}

func (s *saver) named(n named, depth int) {
	names, m := n.Names(), n.Map()
	var meta, other *Dict
	if sd, ok := n.(*StateDict); ok {
		meta, other = sd.Metadata, sd.Other
	}
	seen := make(map[string]bool, len(names))
	for _, name := range names {
		if seen[name] { // only one of the tensors could be saved
			s.bad(torch.ErrValue, "two tensors have the name %s", quote(name, 80))
		}
		seen[name] = true
	}
	if len(names) != len(m) {
		names = slices.Sorted(maps.Keys(m))
	}
	s.orderedDict(nil, len(names)+other.Len(), func(i int) {
		if i < len(names) {
			s.word(names[i])
			s.in("["+quote(names[i], 80)+"]", m[names[i]], depth)
			return
		}
		k := other.keys[i-len(names)]
		s.in("{key}", k, depth)
		s.in("["+quote(keyText(k), 80)+"]", other.values[i-len(names)], depth)
	})
	if meta != nil {
		s.in("._attributes", NewDict("_metadata", meta), depth)
		s.p.Build()
	}
}
