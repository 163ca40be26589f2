package jit

import (
	"fmt"
	"runtime"
	"strings"
	"sync"

	native "github.com/gotorch/gotorch/cgotorch/jit"
	"github.com/gotorch/gotorch/internal/plain"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/serialization"
)

// Tuple is a Python tuple.
type Tuple = serialization.Tuple

// Dict is an ordered Python dict. [NewDict] makes one; Get, Keys, All and Each read it.
type Dict = serialization.Dict

// NewDict returns a dict of alternating keys and values. It panics with a *torch.Error
// of kind ErrValue if a value is missing or a key is not hashable.
func NewDict(keysAndValues ...any) *Dict { return serialization.NewDict(keysAndValues...) }

// Kwargs are keyword arguments, which follow the positional ones: m.Run(x,
// jit.Kwargs{"times": 3}) is m(x, times=3) in Python.
type Kwargs map[string]any

// NamedTuple is a tuple with named elements; collections.namedtuple in Python. A [Tuple]
// of the same elements works as an argument too.
type NamedTuple struct {
	Name   string   // the name of the class, without its package
	Fields []string // names of the elements
	Values []any
}

// Get returns the element with the given name.
func (t *NamedTuple) Get(field string) (any, bool) {
	if t != nil {
		for i, f := range t.Fields {
			if f == field && i < len(t.Values) {
				return t.Values[i], true
			}
		}
	}
	return nil, false
}

// String formats the tuple as Python does.
func (t *NamedTuple) String() string {
	if t == nil {
		return "None"
	}
	parts := make([]string, len(t.Values))
	for i, v := range t.Values {
		parts[i] = serialization.Repr(v)
		if i < len(t.Fields) {
			parts[i] = plain.Text(t.Fields[i]) + "=" + parts[i]
		}
	}
	return plain.Text(t.Name) + "(" + strings.Join(parts, ", ") + ")"
}

// Enum is a member of an enum that a script declares. If it is an argument, only Name is used.
type Enum struct {
	Class string // including the package, such as "__torch__.Color"
	Name  string
	Value any
}

// String returns the member's name as Python prints it.
func (e Enum) String() string {
	return fmt.Sprintf("<%s.%s: %s>", plain.Text(e.Class[strings.LastIndexByte(e.Class, '.')+1:]), plain.Text(e.Name),
		serialization.Repr(e.Value))
}

// Object is an object of a class that a script declares. It can be passed to a method, and
// [Object.Attr] reads its attributes. Close frees it; otherwise the garbage collector does.
type Object struct {
	Class string // including the package, such as "__torch__.Pair"

	// the state of the modules from which the object came; calls of these modules may
	// change it
	shared  *shared
	mu      sync.RWMutex
	h       native.Object // 0 once closed
	cleanup runtime.Cleanup
}

func newObject(h native.Object, class string, s *shared) *Object {
	o := &Object{Class: class, h: h, shared: s}
	o.cleanup = runtime.AddCleanup(o, native.FreeObject, h)
	return o
}

// Close frees the object. Closing it again does nothing. Close always returns nil.
func (o *Object) Close() error {
	if o == nil {
		return nil
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.h != 0 {
		o.cleanup.Stop()
		native.FreeObject(o.h)
		o.h = 0
	}
	return nil
}

// String returns the name of the class in angle brackets.
func (o *Object) String() string {
	if o == nil {
		return "None"
	}
	return "<" + plain.Text(o.Class) + " object>"
}

// Attr returns an attribute of the object. It waits for calls that may change the object:
// calls to which the object was passed, and, if its methods change attributes, calls of
// the module that returned the object. It panics with ErrNil for a nil or zero object,
// with ErrClosed for a closed one, and with ErrValue if there is no such attribute.
func (o *Object) Attr(name string) any {
	const op = "jit.Object.Attr"
	if o == nil || o.shared == nil {
		panic(torch.NewError(op, torch.ErrNil, "receiver", "expected a *jit.Object that a module returned"))
	}
	o.shared.mu.RLock()
	defer o.shared.mu.RUnlock()
	o.mu.RLock()
	defer o.mu.RUnlock()
	o.open(op)
	r := torch.BeginRaw(op)
	out, st := native.ObjectAttr(r.Ctx, o.h, name)
	attributed(op, name, func() { r.Status(st) })
	d := decoder{words: out.Words, tensors: r.WrapAll(out.Tensors), shared: o.shared}
	return d.value()
}

func (o *Object) open(op string) {
	if o.h == 0 {
		panic(torch.NewError(op, torch.ErrClosed, "receiver", "a closed *jit.Object"))
	}
}
