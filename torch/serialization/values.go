package serialization

import (
	"fmt"
	"iter"
	"math"
	"math/big"
	"strconv"

	"github.com/gotorch/gotorch/internal/pickle"
	"github.com/gotorch/gotorch/torch"
)

// Tuple is a Python tuple.
type Tuple []any

// ByteArray is a Python bytearray.
type ByteArray []byte

// Parameter is a Python nn.Parameter. State is a *Dict of its attributes, or nil.
type Parameter struct {
	Tensor *torch.Tensor
	State  any
}

// Attributed is a tensor with Python attributes.
type Attributed struct {
	Tensor *torch.Tensor
	State  any
}

// Object represents a class or function that is not on the allowed list, for [Opaque]:
// its name, the arguments of the call, and later changes. Nothing was run.
type Object struct {
	Global string // such as "argparse.Namespace"
	Called bool   // false if this is the class or function itself, not the result of a call
	Args   Tuple  // arguments of the call
	Kwargs *Dict  // keyword arguments of the call, or nil
	State  any    // the state that the pickle sets, often a *Dict of attributes
	Items  []any  // the items that the pickle appends, if the object is a kind of list
	Dict   *Dict  // the items that the pickle sets, if the object is a kind of dict; otherwise nil
}

// Set is a Python set or frozenset. Its items are in the file's order.
type Set struct {
	Items  []any
	Frozen bool
}

// Class is the Python class of a [Dict].
type Class string

// The classes of dicts.
const (
	PlainDict   Class = ""
	OrderedDict Class = "collections.OrderedDict"
	Counter     Class = "collections.Counter"
)

// Dict is a Python dict. It keeps its keys, of any hashable kind, in order. Attributes
// are the attributes of an OrderedDict, such as "_metadata" of a state dict, or nil. The
// zero Dict is an empty dict.
type Dict struct {
	Class      Class
	Attributes *Dict

	keys   []any
	values []any
	places pickle.Places
}

// NewDict returns a dict of alternating keys and values. It panics with a *torch.Error
// of kind ErrValue if a value is missing or a key is not hashable.
func NewDict(keysAndValues ...any) *Dict {
	return newDict("serialization.NewDict", PlainDict, keysAndValues)
}

// NewOrderedDict is like [NewDict], but the dict has class [OrderedDict].
func NewOrderedDict(keysAndValues ...any) *Dict {
	return newDict("serialization.NewOrderedDict", OrderedDict, keysAndValues)
}

func newDict(op string, class Class, kv []any) *Dict {
	if len(kv)%2 != 0 {
		panic(torch.NewError(op, torch.ErrValue, "keysAndValues",
			fmt.Sprintf("expected a value for each key, got %d arguments", len(kv))))
	}
	d := &Dict{Class: class}
	for i := 0; i < len(kv); i += 2 {
		d.set(op, kv[i], kv[i+1])
	}
	return d
}

// Len returns the number of keys.
func (d *Dict) Len() int {
	if d == nil {
		return 0
	}
	return len(d.keys)
}

// Get returns the value of a key. As in Python, 1, 1.0 and true are the same key. Equal
// integers of different Go types are also the same key.
func (d *Dict) Get(key any) (any, bool) {
	if d == nil {
		return nil, false
	}
	k, ok := hashed(key)
	if !ok {
		return nil, false
	}
	if i := d.find(k); i >= 0 {
		return d.values[i], true
	}
	return nil, false
}

// find returns the index of key in d.keys, or -1. key must be a result of hashed.
func (d *Dict) find(key any) int { return d.places.Find(key, len(d.keys), d.form) }

func (d *Dict) form(i int) any {
	k, _ := hashed(d.keys[i]) // Set has checked that all keys are hashable
	return k
}

// Set sets the value of a key. It appends a new key at the end. It panics with a
// *torch.Error of kind ErrValue for a key that is not hashable: a slice, map or *Dict.
func (d *Dict) Set(key, value any) { d.set("serialization.Dict.Set", key, value) }

func (d *Dict) set(op string, key, value any) {
	if d == nil {
		panic(torch.NewError(op, torch.ErrNil, "receiver", "a nil *serialization.Dict"))
	}
	k, ok := hashed(key)
	if !ok {
		panic(torch.NewError(op, torch.ErrValue, "key", fmt.Sprintf("a %T cannot be a key", key)))
	}
	if i := d.find(k); i >= 0 {
		d.values[i] = value
		return
	}
	d.places.Add(k, len(d.keys), d.form)
	d.keys = append(d.keys, key)
	d.values = append(d.values, value)
}

// Keys returns a new slice of the keys in order.
func (d *Dict) Keys() []any {
	if d == nil {
		return nil
	}
	return append([]any(nil), d.keys...)
}

// All ranges over keys and values in order. The loop must not add keys.
func (d *Dict) All() iter.Seq2[any, any] { return d.Each }

// Each calls fn with each key and value in order, until fn returns false. It panics with
// a *torch.Error of kind ErrNil for a nil fn.
func (d *Dict) Each(fn func(key, value any) bool) {
	if fn == nil {
		panic(torch.NilFunc("serialization.Dict.Each", "fn"))
	}
	if d == nil {
		return
	}
	for i, k := range d.keys {
		if !fn(k, d.values[i]) {
			return
		}
	}
}

// String formats the dict as Python does.
func (d *Dict) String() string { return Repr(d) }

// String formats the tuple as Python does.
func (t Tuple) String() string { return Repr(t) }

// String formats the set as Python does.
func (s *Set) String() string {
	if s == nil {
		return "None"
	}
	return Repr(s)
}

// String formats the parameter as Python does.
func (p *Parameter) String() string {
	if p == nil {
		return "None"
	}
	return Repr(p)
}

// String formats the object's name and arguments.
func (o *Object) String() string {
	if o == nil {
		return "None"
	}
	return Repr(o)
}

type (
	bigKey   string
	bytesKey string
	tupleKey string
)

// hashed returns a value for key. Two values are equal if and only if Python considers the
// keys equal. ok is false for a key that is not hashable.
func hashed(key any) (any, bool) {
	switch k := key.(type) {
	case nil, string, int64, *torch.Tensor, *Parameter, *Object, torch.DType, torch.Device, torch.Layout:
		return k, true
	case bool:
		if k {
			return int64(1), true
		}
		return int64(0), true
	case float32:
		return hashed(float64(k))
	case float64:
		if k == math.Trunc(k) && math.Abs(k) <= 1<<62 {
			return int64(k), true
		}
		return k, true
	case complex128:
		if imag(k) == 0 {
			return hashed(real(k))
		}
		return k, true
	case []byte:
		return bytesKey(k), true
	case *big.Int:
		if k.IsInt64() {
			return k.Int64(), true
		}
		return bigKey(k.String()), true
	case *Set:
		return k, k.Frozen
	case torch.Shape, Tuple:
		b, ok := appendTuple(nil, k, 0)
		return tupleKey(b), ok
	}
	if n, ok := integer(key); ok {
		return hashed(n)
	}
	return nil, false
}

// deepestKey is the limit on how deeply tuples in a key are nested.
const deepestKey = 100

// appendTuple appends an encoding of a tuple's items to b. Different tuples have different
// encodings, because the length of each string and tuple comes before it.
func appendTuple(b []byte, tuple any, depth int) ([]byte, bool) {
	if depth > deepestKey {
		return nil, false
	}
	var items Tuple
	switch t := tuple.(type) {
	case torch.Shape:
		for _, n := range t {
			items = append(items, n)
		}
	case Tuple:
		items = t
	}
	b = append(b, '(')
	for _, v := range items {
		switch v.(type) {
		case torch.Shape, Tuple:
			var ok bool
			if b, ok = appendTuple(b, v, depth+1); !ok {
				return nil, false
			}
			continue
		}
		h, ok := hashed(v)
		if !ok {
			return nil, false
		}
		switch h := h.(type) {
		case string:
			b = appendText(b, 's', h)
		case bytesKey:
			b = appendText(b, 'b', string(h))
		case bigKey:
			b = appendText(b, 'n', string(h))
		case *torch.Tensor, *Parameter, *Object, *Set:
			b = fmt.Appendf(b, "p%p,", h)
		default:
			b = fmt.Appendf(b, "%T %v,", h, h)
		}
	}
	return append(b, ')'), true
}

func appendText(b []byte, kind byte, text string) []byte {
	b = strconv.AppendInt(append(b, kind), int64(len(text)), 10)
	return append(append(b, ':'), text...)
}
