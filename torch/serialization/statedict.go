package serialization

import (
	"strings"

	"github.com/gotorch/gotorch/internal/plain"
	"github.com/gotorch/gotorch/torch"
)

// StateDict holds the tensors of a state dict by name, in the file's order. Methods of a
// nil pointer panic with a *torch.Error of kind ErrNil.
type StateDict struct {
	names []string
	at    map[string]*torch.Tensor

	// Metadata is the "_metadata" of the state dict, with the versions of its layers, or nil.
	Metadata *Dict
	// Other holds the entries that are not tensors, such as the extra state of layers, in
	// the file's order. It is nil if there are none.
	Other *Dict
}

// must panics if s is nil. The zero StateDict is empty.
func (s *StateDict) must(op string) {
	if s == nil {
		panic(torch.NewError(op, torch.ErrNil, "s", "a nil *StateDict"))
	}
}

// Names returns a new slice of the names in the file's order.
func (s *StateDict) Names() []string {
	s.must("serialization.StateDict.Names")
	return append([]string(nil), s.names...)
}

// Len returns the number of tensors.
func (s *StateDict) Len() int {
	s.must("serialization.StateDict.Len")
	return len(s.names)
}

// Get returns the tensor with the given name, or nil.
func (s *StateDict) Get(name string) *torch.Tensor {
	s.must("serialization.StateDict.Get")
	return s.at[name]
}

// Map returns a new map from names to tensors, for nn.NewStateDict.
func (s *StateDict) Map() map[string]*torch.Tensor {
	s.must("serialization.StateDict.Map")
	m := make(map[string]*torch.Tensor, len(s.at))
	for name, t := range s.at {
		m[name] = t
	}
	return m
}

// Close frees the tensors now instead of when their scope ends or the garbage collector
// runs. It may be called on nil.
func (s *StateDict) Close() error {
	if s == nil {
		return nil
	}
	for _, t := range s.at {
		_ = t.Close()
	}
	return nil
}

// LoadStateDict reads the state dict of a model from a file: a dict from names to tensors.
// With [Key] it reads an entry of a checkpoint, and does not read the rest of the file into
// memory. Parameters are returned as their tensors. The error may be one of [Load]'s, or a
// [*torch.FileError]: of kind [torch.ErrNotFound] for a missing key, or [torch.ErrFormat]
// for a file that holds something else. Both errors say what the file contains.
func LoadStateDict(path string, opts ...StateDictOption) (*StateDict, error) {
	c, err := readStateDictLoading("serialization.LoadStateDict", opts)
	if err != nil {
		return nil, err
	}
	v, err := loadPath(path, c)
	if err != nil {
		return nil, err
	}
	s, err := stateDictOf(&file{path: path}, v, c.key)
	if err != nil {
		Close(v)
		return nil, err
	}
	return s, nil
}

func stateDictOf(f *file, v any, key string) (*StateDict, error) {
	d, ok := v.(*Dict)
	if !ok {
		return nil, f.fail(torch.ErrFormat, -1, "expected a state dict, but the file holds %s", typeName(v))
	}
	s := &StateDict{at: map[string]*torch.Tensor{}}
	if d.Attributes != nil {
		meta, _ := d.Attributes.Get("_metadata")
		s.Metadata, _ = meta.(*Dict)
	}
	for k, v := range d.All() {
		name, ok := k.(string)
		if !ok {
			return nil, f.fail(torch.ErrFormat, -1, "expected a state dict, but the key %s is not a string%s",
				plain.Short(Repr(k)), within(key))
		}
		switch v := v.(type) {
		case *torch.Tensor:
			s.add(name, v)
		case *Parameter:
			s.add(name, v.Tensor)
		case *Attributed:
			s.add(name, v.Tensor)
		default:
			if s.Other == nil {
				s.Other = new(Dict)
			}
			s.Other.Set(name, v)
		}
	}
	if len(s.names) == 0 && d.Len() > 0 {
		return nil, f.fail(torch.ErrFormat, -1,
			"expected a state dict, but there is no tensor among the entries %s%s; use Key for "+
				"the entry that contains tensors", entries(d), within(key))
	}
	return s, nil
}

func (s *StateDict) add(name string, t *torch.Tensor) {
	s.names = append(s.names, name)
	s.at[name] = t
}

func within(key string) string {
	if key == "" {
		return ""
	}
	return " in " + quote(key, longestCall)
}

func entries(d *Dict) string {
	p := printer{most: longestCall}
	p.items("", "", d.keys, 0)
	return p.String()
}

// typeName describes a value in Python's terms, for errors.
func typeName(v any) string {
	switch v := v.(type) {
	case nil:
		return "None"
	case *torch.Tensor:
		return "a tensor"
	case *Parameter:
		return "a parameter"
	case *Dict:
		return "a dict"
	case []any:
		return "a list"
	case Tuple:
		return "a tuple"
	case *Set:
		return "a set"
	case *Object:
		return "a " + plain.Short(v.Global)
	case bool:
		return "a bool"
	case string:
		return "a str"
	case int64:
		return "an int"
	case float64:
		return "a float"
	}
	return plain.Short(strings.TrimPrefix(Repr(v), "torch."))
}

// Close frees all tensors within a value returned by [Load] now, instead of when their
// scope ends or the garbage collector runs.
func Close(v any) { closeIn(v, map[any]bool{}) }

func closeIn(v any, seen map[any]bool) {
	switch v := v.(type) {
	case *torch.Tensor:
		if v != nil {
			_ = v.Close()
		}
	case *Parameter:
		if v != nil && !seen[v] {
			seen[v] = true
			closeIn(v.Tensor, seen)
			closeIn(v.State, seen)
		}
	case *Attributed:
		if v != nil && !seen[v] {
			seen[v] = true
			closeIn(v.Tensor, seen)
			closeIn(v.State, seen)
		}
	case *Object:
		if v != nil && !seen[v] {
			seen[v] = true
			closeAll(v.Args, seen)
			closeAll(v.Items, seen)
			closeIn(v.State, seen)
			closeIn(v.Kwargs, seen)
			closeIn(v.Dict, seen)
		}
	case []any:
		closeAll(v, seen)
	case Tuple:
		closeAll(v, seen)
	case *Set:
		if v != nil {
			closeAll(v.Items, seen)
		}
	case *Dict:
		if v != nil && !seen[v] {
			seen[v] = true
			closeAll(v.keys, seen)
			closeAll(v.values, seen)
			closeIn(v.Attributes, seen)
		}
	}
}

// closeAll closes the values in a list. It closes a list that occurs several times only
// once.
func closeAll(items []any, seen map[any]bool) {
	if len(items) == 0 || seen[&items[0]] {
		return
	}
	seen[&items[0]] = true
	for _, v := range items {
		closeIn(v, seen)
	}
}
