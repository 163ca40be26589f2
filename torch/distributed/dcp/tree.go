package dcp

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/internal/pickle"
	"github.com/gotorch/gotorch/internal/pyvalue"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/serialization"
)

// A state is flattened as in Python: each element of a dict, or of a list that contains
// tensors or dicts, becomes a separate value. Its name consists of the keys, joined with
// dots.

// step is a key of a dict, or an index of a list.
type step struct {
	Key   string
	Index int
	List  bool
}

func (s step) String() string {
	if s.List {
		return strconv.Itoa(s.Index)
	}
	return s.Key
}

func nameOf(path []step) string {
	parts := make([]string, len(path))
	for i, s := range path {
		parts[i] = s.String()
	}
	return strings.Join(parts, ".")
}

// leaf is a value that is saved under its own name.
type leaf struct {
	name  string
	path  []step
	value any         // a *torch.Tensor, []Shard, or anything else
	set   func(v any) // replaces the value; nil if it cannot be replaced
	like  reflect.Type
	// mayLack says that the checkpoint may have nothing for this value: it is a nil map, and an empty
	// map is not saved.
	mayLack bool
}

// mostDepth limits the nesting of values, because a value may contain itself.
const mostDepth = 200

// flattener flattens a state into leaves.
type flattener struct {
	op string
	// Flatten for Load: optimizers stay whole, and nil is kept, because it stands for all values
	// below it.
	load    bool
	leaves  []leaf
	modules []moduleState
	names   map[string]bool
}

// moduleState is a module that can load its state, and the state dict whose tensors are its leaves.
type moduleState struct {
	name   string
	module stateLoader
	state  nn.StateSource
}

type stateLoader interface {
	LoadStateDict(src nn.StateSource, opts ...nn.LoadOption) error
}

func flatten(op string, state map[string]any, load bool) (*flattener, error) {
	f := &flattener{op: op, load: load, names: map[string]bool{}}
	for _, key := range slices.Sorted(maps.Keys(state)) {
		err := f.walk([]step{{Key: key}}, state[key], func(v any) { state[key] = v }, nil)
		if err != nil {
			return nil, err
		}
	}
	return f, nil
}

func (f *flattener) errorAt(path []step, kind error, text string, args ...any) error {
	return torch.NewError(f.op, kind, "state "+quoteName(nameOf(path)), fmt.Sprintf(text, args...))
}

// quoteName quotes a name for errors and truncates it if it is long.
func quoteName(name string) string { return fmt.Sprintf("%.200q", name) }

// walk flattens a value. like is the type of the variable that holds it, or nil for any type.
func (f *flattener) walk(path []step, v any, set func(any), like reflect.Type) error {
	if len(path) > mostDepth {
		return f.errorAt(path[:1], torch.ErrValue, "the value is nested more than %d levels deep, or refers to itself",
			mostDepth)
	}
	switch v := v.(type) {
	case nil:
		return f.leaf(path, nil, set, like)
	case *torch.Tensor, []Shard:
		return f.leaf(path, v, set, like)
	case Shard:
		return f.leaf(path, []Shard{v}, nil, like)
	case *serialization.Parameter:
		if v == nil {
			return f.errorAt(path, torch.ErrNil, "a nil %T", v)
		}
		return f.leaf(path, v.Tensor, nil, like)
	case optim.Optimizer:
		if opt.IsNil(v) {
			return f.errorAt(path, torch.ErrNil, "a nil %T", v)
		}
		if f.load {
			return f.leaf(path, v, nil, nil)
		}
		return f.walk(path, v.StateDict(), nil, nil)
	case *optim.StateDict:
		if v == nil {
			return f.errorAt(path, torch.ErrNil, "a nil %T", v)
		}
		if f.load {
			return f.leaf(path, v, nil, nil)
		}
	}
	if at := reflect.ValueOf(v); isPlainPointer(at.Type()) {
		if at.IsNil() {
			return f.errorAt(path, torch.ErrNil, "a nil %T", v)
		}
		to := at.Elem()
		return f.walk(path, to.Interface(), func(v any) { to.Set(valueOfType(v, to.Type())) }, to.Type())
	}
	if r := reflect.ValueOf(v); f.load && r.Kind() == reflect.Map && r.IsNil() && set != nil {
		if err := f.leaf(path, nil, set, r.Type()); err != nil {
			return err
		}
		f.leaves[len(f.leaves)-1].mayLack = true
		return nil
	}
	if entries, ok, err := f.mapping(path, v); ok || err != nil {
		for _, e := range entries {
			if err == nil {
				err = f.walk(append(slices.Clip(path), step{Key: e.key}), e.value, e.set, e.like)
			}
		}
		return err
	}
	if items, ok := listOf(v); ok && !isOneValue(items, 0) {
		r := reflect.ValueOf(v)
		for i, item := range items {
			at := r.Index(i)
			err := f.walk(append(slices.Clip(path), step{Index: i, List: true}), item, func(v any) {
				at.Set(valueOfType(v, at.Type()))
			}, at.Type())
			if err != nil {
				return err
			}
		}
		return nil
	}
	if like == nil {
		like = reflect.TypeOf(v)
	}
	return f.leaf(path, v, set, like)
}

func (f *flattener) leaf(path []step, v any, set func(any), like reflect.Type) error {
	name := nameOf(path)
	if !pickle.IsText(name) {
		return f.errorAt(path, torch.ErrValue, "the name is not valid UTF-8")
	}
	if len(name) > mostName {
		return f.errorAt(path, torch.ErrValue, "the name has %d bytes, expected at most %d", len(name), mostName)
	}
	if f.names[name] {
		return f.errorAt(path, torch.ErrValue, "two values have this name after joining their keys with dots")
	}
	f.names[name] = true
	if like != nil && like.Kind() == reflect.Interface {
		if like = nil; v != nil {
			like = reflect.TypeOf(v)
		}
	}
	f.leaves = append(f.leaves, leaf{name: name, path: path, value: v, set: set, like: like})
	return nil
}

// entry is an entry of a dict.
type entry struct {
	key   string
	value any
	set   func(any)
	like  reflect.Type
}

// mapping returns the entries of v if it is a dict in Python.
func (f *flattener) mapping(path []step, v any) (entries []entry, ok bool, err error) {
	if m, ok := module(v); ok {
		if opt.IsNil(v) {
			return nil, false, f.errorAt(path, torch.ErrNil, "a nil %T", v)
		}
		s := moduleState{name: nameOf(path)}
		s.module, _ = v.(stateLoader)
		v = m()
		if s.state, _ = v.(nn.StateSource); s.module != nil && s.state != nil {
			f.modules = append(f.modules, s)
		}
	}
	switch v := v.(type) {
	case *serialization.StateDict:
		for _, name := range v.Names() {
			entries = append(entries, entry{key: name, value: v.Get(name)})
		}
		other := v.Other
		other.Each(func(key, value any) bool {
			entries = append(entries, entry{key: fmt.Sprint(key), value: value, set: func(v any) { other.Set(key, v) }})
			return true
		})
		return entries, true, nil
	case namedTensors:
		m := v.Map()
		for _, name := range v.Names() {
			entries = append(entries, entry{key: name, value: m[name]})
		}
		return entries, true, nil
	case pyvalue.Source:
		if opt.IsNil(v) {
			return nil, false, f.errorAt(path, torch.ErrNil, "a nil %T", v)
		}
		settable, _ := v.(interface{ Set(key, value any) })
		v.Each(func(key, value any) bool {
			name, isKey := keyText(key)
			if !isKey {
				err = f.errorAt(path, torch.ErrType, "expected a string or an integer as a key, got a key of type %T",
					key)
				return false
			}
			e := entry{key: name, value: value}
			if settable != nil {
				e.set = func(v any) { settable.Set(key, v) }
			}
			entries = append(entries, e)
			return true
		})
		return entries, true, err
	}
	r := reflect.ValueOf(v)
	if r.Kind() != reflect.Map {
		return nil, false, nil
	}
	entries, err = f.goMap(path, r)
	return entries, err == nil, err
}

// goMap returns the entries of a Go map, sorted.
func (f *flattener) goMap(path []step, r reflect.Value) (entries []entry, err error) {
	elem := r.Type().Elem()
	keys := r.MapKeys()
	for _, key := range keys {
		name, isKey := keyText(key.Interface())
		if !isKey {
			return nil, f.errorAt(path, torch.ErrType, "expected a string or an integer as a key, got a key of type %v",
				key.Type())
		}
		entries = append(entries, entry{name, r.MapIndex(key).Interface(), func(v any) {
			r.SetMapIndex(key, valueOfType(v, elem))
		}, elem})
	}
	slices.SortFunc(entries, func(a, b entry) int {
		if x, err := strconv.Atoi(a.key); err == nil {
			if y, err := strconv.Atoi(b.key); err == nil && x != y {
				return cmp.Compare(x, y)
			}
		}
		return cmp.Compare(a.key, b.key)
	})
	return entries, nil
}

// namedTensors is a list of named tensors, such as an nn.StateDict.
type namedTensors interface {
	Names() []string
	Map() map[string]*torch.Tensor
}

// module returns the StateDict method of v if its result has names, as for a module of package nn.
func module(v any) (stateDict func() namedTensors, ok bool) {
	m := reflect.ValueOf(v).MethodByName("StateDict")
	if !m.IsValid() || m.Type().NumIn() != 0 || m.Type().NumOut() != 1 ||
		!m.Type().Out(0).Implements(reflect.TypeFor[namedTensors]()) {
		return nil, false
	}
	return func() namedTensors { return m.Call(nil)[0].Interface().(namedTensors) }, true
}

// keyText returns Python's str(key), and whether key is a string or an integer.
func keyText(key any) (string, bool) {
	r := reflect.ValueOf(key)
	switch {
	case !r.IsValid():
		return "", false
	case r.Kind() == reflect.String:
		return r.String(), true
	case r.CanInt():
		return strconv.FormatInt(r.Int(), 10), true
	case r.CanUint():
		return strconv.FormatUint(r.Uint(), 10), true
	}
	return "", false
}

// listOf returns the items of v if it is a list in Python, but not a tuple.
func listOf(v any) ([]any, bool) {
	if pyvalue.IsTuple(v) {
		return nil, false
	}
	return pyvalue.Items(v)
}

// isOneValue reports whether a list is saved as one value: if neither the list nor any list in it
// contains a tensor or a dict.
func isOneValue(items []any, depth int) bool {
	for _, v := range items {
		switch v := v.(type) {
		case nil:
			continue
		case *torch.Tensor, *serialization.Parameter, Shard, []Shard, namedTensors, pyvalue.Source, optim.Optimizer:
			return false
		default:
			if _, ok := module(v); ok || reflect.TypeOf(v).Kind() == reflect.Map {
				return false
			}
			if inner, ok := listOf(v); ok && (depth > mostDepth || !isOneValue(inner, depth+1)) {
				return false
			}
		}
	}
	return true
}

// isPlainPointer reports whether a type is a pointer to a plain Go value.
func isPlainPointer(t reflect.Type) bool {
	if t.Kind() != reflect.Pointer {
		return false
	}
	switch t.Elem().Kind() {
	case reflect.Struct, reflect.Pointer, reflect.Func, reflect.Chan, reflect.UnsafePointer:
		return false
	}
	return !t.Implements(reflect.TypeFor[pyvalue.Source]()) && !t.Implements(reflect.TypeFor[namedTensors]())
}
