package export

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

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
// export.Kwargs{"mask": mask}) is m(x, mask=mask) in Python.
type Kwargs map[string]any

// deepest is the limit on how deeply values are nested.
const deepest = 100

// tree is the structure of nested values, whose leaves a program passes and returns one
// after the other. It is a TreeSpec of torch.utils._pytree.
type tree struct {
	kind     kind
	keys     []any // of a dict
	nones    []any // the fields of a dataclass that are None and no children
	children []*tree
	leaves   int
}

type kind int8

const (
	leaf kind = iota
	tuple
	list
	dict
	object // a registered class, such as a dataclass: its fields are the keys
	none
)

// parseTree reads the JSON form of a TreeSpec: a version and the root.
func parseTree(text string) (*tree, error) {
	if tooMany([]byte(text)) {
		return nil, fmt.Errorf("a structure of values with more objects than one of its size")
	}
	var pair []json.RawMessage
	if err := json.Unmarshal([]byte(text), &pair); err != nil || len(pair) != 2 {
		return nil, fmt.Errorf("a structure of values that is no pair: %.80q", text)
	}
	if string(pair[0]) != "1" {
		return nil, fmt.Errorf("a structure of values in version %.20q", pair[0])
	}
	var root spec
	if err := json.Unmarshal(pair[1], &root); err != nil {
		return nil, err
	}
	return root.tree(0)
}

// spec is the JSON form of a TreeSpec.
type spec struct {
	Type     *string         `json:"type"`
	Context  json.RawMessage `json:"context"`
	Children []spec          `json:"children_spec"`
}

func (v *spec) tree(depth int) (*tree, error) {
	if depth > deepest {
		return nil, fmt.Errorf("a structure of values that is nested too deeply")
	}
	t := &tree{}
	for i := range v.Children {
		child, err := v.Children[i].tree(depth + 1)
		if err != nil {
			return nil, err
		}
		t.children = append(t.children, child)
		t.leaves += child.leaves
	}
	if v.Type == nil {
		t.leaves = 1
		return t, nil
	}
	switch *v.Type {
	case "builtins.tuple", "collections.namedtuple", "torch.Size":
		t.kind = tuple
	case "builtins.list", "collections.deque":
		t.kind = list
	case "builtins.NoneType":
		t.kind = none
	default:
		t.kind = dict
		if *v.Type != "builtins.dict" && *v.Type != "collections.OrderedDict" && *v.Type != "collections.defaultdict" {
			t.kind = object
		}
		return t, t.readKeys(*v.Type, v.Context)
	}
	return t, nil
}

// readKeys reads the keys of a dict, or the fields of a class, from the context. It may be
// JSON within a string. It is a list of keys; a list of a dataclass's fields and of those
// that are None; a list of a class's name and its fields; or an object, for a defaultdict.
func (t *tree) readKeys(name string, context json.RawMessage) error {
	var text string
	if json.Unmarshal(context, &text) == nil {
		context = json.RawMessage(text)
	}
	var factory struct {
		Keys json.RawMessage `json:"dict_context"`
	}
	if json.Unmarshal(context, &factory) == nil && factory.Keys != nil {
		context = factory.Keys
	}
	lists := []json.RawMessage{context}
	if t.kind == object {
		var parts []json.RawMessage
		_ = json.Unmarshal(context, &parts) // if it fails, there are no parts
		lists = append(lists, parts[:min(len(parts), 2)]...)
	}
	for i, l := range lists {
		if keys, err := readKeyList(l); err == nil && len(keys) == len(t.children) {
			t.keys = keys
			if i == 1 && len(lists) == 3 {
				t.nones, _ = readKeyList(lists[2]) // if it fails, there are none
			}
			return nil
		}
	}
	return fmt.Errorf("values of the class %.80q, whose keys are not strings, integers or bools, or are unknown", name)
}

func readKeyList(list json.RawMessage) ([]any, error) {
	d := json.NewDecoder(bytes.NewReader(list))
	d.UseNumber() // integers may have more digits than a float64
	var keys []any
	if err := d.Decode(&keys); err != nil {
		return nil, err
	}
	for i, k := range keys {
		switch k := k.(type) {
		case json.Number:
			n, err := k.Int64()
			if err != nil {
				return nil, err
			}
			keys[i] = n
		case string, bool:
		default:
			return nil, fmt.Errorf("a key of type %T", k)
		}
	}
	return keys, nil
}

// String describes the structure for errors, such as `(*, {"mask": *})`.
func (t *tree) String() string {
	var b strings.Builder
	t.describe(&b)
	return b.String()
}

// longestTree limits the length of a description.
const longestTree = 300

func (t *tree) describe(b *strings.Builder) {
	around := map[kind]string{tuple: "()", list: "[]", dict: "{}", object: "{}"}[t.kind]
	switch t.kind {
	case leaf:
		b.WriteString("*")
		return
	case none:
		b.WriteString("None")
		return
	}
	b.WriteByte(around[0])
	for i, c := range t.children {
		if i > 0 {
			b.WriteString(", ")
		}
		if b.Len() > longestTree {
			b.WriteString("…")
			break
		}
		if t.keys != nil {
			b.WriteString(serialization.Repr(t.keys[i]) + ": ")
		}
		c.describe(b)
	}
	b.WriteByte(around[1])
}

// flatten appends the leaves of v to out. path says where v is, for errors.
func (t *tree) flatten(op, path string, v any, out []any) []any {
	fail := func(format string, args ...any) {
		panic(torch.NewError(op, torch.ErrType, path, fmt.Sprintf(format, args...)+"; the program expects "+t.String()))
	}
	switch t.kind {
	case leaf:
		return append(out, v)
	case none:
		if v != nil {
			fail("expected nil, got %T", v)
		}
		return out
	case tuple, list:
		items, ok := elements(v)
		if !ok {
			fail("expected a tuple or a list, got %T", v)
		}
		if len(items) != len(t.children) {
			fail("expected %d elements, got %d", len(t.children), len(items))
		}
		for i, c := range t.children {
			out = c.flatten(op, fmt.Sprintf("%s[%d]", path, i), items[i], out)
		}
		return out
	}
	get, n, ok := entries(v)
	if !ok {
		fail("expected a dict, got %T", v)
	}
	for _, k := range t.nones {
		if item, ok := get(k); item != nil {
			fail("expected None for the field %s, got %T", serialization.Repr(k), item)
		} else if ok {
			n--
		}
	}
	if n != len(t.children) {
		fail("expected %d entries, got %d", len(t.children), n)
	}
	for i, c := range t.children {
		item, ok := get(t.keys[i])
		if !ok {
			fail("there is no entry %s", serialization.Repr(t.keys[i]))
		}
		out = c.flatten(op, fmt.Sprintf("%s[%s]", path, serialization.Repr(t.keys[i])), item, out)
	}
	return out
}

// elements returns the elements of a tuple or a list.
func elements(v any) ([]any, bool) {
	switch v := v.(type) {
	case Tuple:
		return v, true
	case []any:
		return v, true
	case nil:
		return nil, false
	}
	r := reflect.ValueOf(v)
	if r.Kind() != reflect.Slice && r.Kind() != reflect.Array {
		return nil, false
	}
	items := make([]any, r.Len())
	for i := range items {
		items[i] = r.Index(i).Interface()
	}
	return items, true
}

// entries returns a function that finds the entries of a dict, and their number.
func entries(v any) (get func(key any) (any, bool), n int, ok bool) {
	switch v := v.(type) {
	case *Dict:
		if v == nil {
			return nil, 0, false
		}
		return v.Get, v.Len(), true
	case nil:
		return nil, 0, false
	}
	r := reflect.ValueOf(v)
	if r.Kind() != reflect.Map {
		return nil, 0, false
	}
	of := r.Type().Key()
	zero := reflect.Zero(of)
	if of.Kind() != reflect.String && !zero.CanInt() {
		return nil, 0, false
	}
	return func(key any) (any, bool) {
		k := reflect.ValueOf(key)
		if k.CanInt() != zero.CanInt() || k.Kind() == reflect.Bool || k.CanInt() && zero.OverflowInt(k.Int()) {
			return nil, false
		}
		item := r.MapIndex(k.Convert(of))
		if !item.IsValid() {
			return nil, false
		}
		return item.Interface(), true
	}, r.Len(), true
}

// build returns the value with the given leaves, and the leaves that are left.
func (t *tree) build(leaves []any) (v any, left []any) {
	switch t.kind {
	case leaf:
		return leaves[0], leaves[1:]
	case none:
		return nil, leaves
	}
	items := make([]any, len(t.children))
	for i, c := range t.children {
		items[i], leaves = c.build(leaves)
	}
	switch t.kind {
	case tuple:
		return Tuple(items), leaves
	case list:
		return items, leaves
	}
	d := NewDict()
	for i, k := range t.keys {
		d.Set(k, items[i])
	}
	for _, k := range t.nones {
		d.Set(k, nil)
	}
	return d, leaves
}

// callTree splits the structure of a call: a tuple of the positional arguments and a dict
// of the keyword arguments.
func callTree(text string) (args, kwargs *tree, err error) {
	t, err := parseTree(text)
	if err != nil {
		return nil, nil, err
	}
	if t.kind != tuple || len(t.children) != 2 || t.children[0].kind != tuple || t.children[1].kind != dict ||
		slices.ContainsFunc(t.children[1].keys, func(k any) bool { _, ok := k.(string); return !ok }) {
		return nil, nil, fmt.Errorf("arguments that are no tuple and dict: %.80s", t)
	}
	return t.children[0], t.children[1], nil
}
