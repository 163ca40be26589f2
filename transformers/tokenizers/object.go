package tokenizers

import (
	"encoding/json"
	"maps"
	"slices"
)

// An object is a JSON object of which every field has to be read.
type object struct {
	path   string
	fields map[string]json.RawMessage
	read   map[string]bool
}

func newObject(path string, raw json.RawMessage) (*object, error) {
	o := &object{path: path, read: map[string]bool{}}
	if err := json.Unmarshal(raw, &o.fields); err != nil {
		return nil, &Error{ErrFormat, path, "not a JSON object", err}
	}
	if o.fields == nil {
		return nil, fail(ErrFormat, path, "null in place of an object")
	}
	return o, nil
}

func (o *object) at(key string) string {
	if o.path == "" {
		return key
	}
	return o.path + "." + key
}

func (o *object) missing(key string) error {
	return fail(ErrFormat, o.at(key), "missing")
}

func (o *object) wrong(key string, err error) error {
	return &Error{ErrFormat, o.at(key), "invalid value", err}
}

// raw returns a field that is neither missing nor null.
func (o *object) raw(key string) (json.RawMessage, bool) {
	o.read[key] = true
	raw, ok := o.fields[key]
	return raw, ok && string(raw) != "null"
}

// done returns an error if o has a field that nobody has read.
func (o *object) done() error {
	for _, key := range slices.Sorted(maps.Keys(o.fields)) {
		if !o.read[key] {
			return fail(ErrUnsupported, o.at(key), "a field that this package does not know")
		}
	}
	return nil
}

// field reads an optional field.
func field[T any](o *object, key string, def T, err *error) T {
	raw, ok := o.raw(key)
	if !ok || *err != nil {
		return def
	}
	var v T
	if e := json.Unmarshal(raw, &v); e != nil {
		*err = o.wrong(key, e)
		return def
	}
	return v
}

// need reads a field that has to be there.
func need[T any](o *object, key string, err *error) T {
	var zero T
	if raw, ok := o.fields[key]; *err == nil && (!ok || string(raw) == "null") {
		*err = o.missing(key)
	}
	return field(o, key, zero, err)
}

// list reads the components of a Sequence.
func list[T any](
	o *object, key string, in nesting, load func(path string, raw json.RawMessage, in nesting) (T, error),
) ([]T, error) {
	var err error
	raws := need[[]json.RawMessage](o, key, &err)
	if err != nil {
		return nil, err
	}
	if in.depth++; in.depth > maxDepth {
		return nil, fail(ErrLimit, o.path, "components are nested more than %d times", maxDepth)
	}
	if *in.left -= len(raws); *in.left < 0 {
		return nil, fail(ErrLimit, o.path, "more than %d components", maxComponents)
	}
	var out []T
	for _, raw := range raws {
		v, err := load(o.at(key), raw, in)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, nil
}

// nesting is the number of sequences around a component, and how many more components a file
// may have.
type nesting struct {
	depth int
	left  *int
}

// Limits of a file. Without them, a small file could need much time and memory.
const (
	maxDepth      = 32   // of nested sequences of components
	maxComponents = 100  // in sequences
	maxPieces     = 100  // of a template
	maxTemplate   = 1000 // special tokens of a template
	maxToken      = 4096 // bytes of a token that is searched in texts byte by byte
	maxPrefix     = 256  // bytes of a prefix or suffix of tokens
)

// checkLength returns ErrLimit for a text of more than most bytes.
func checkLength(path, text string, most int) error {
	if len(text) > most {
		return fail(ErrLimit, path, "a text of %d bytes; the limit is %d", len(text), most)
	}
	return nil
}

// char reads a field with a single character.
func char(o *object, key string, err *error) rune {
	s := []rune(need[string](o, key, err))
	if *err == nil && len(s) != 1 {
		*err = fail(ErrFormat, o.at(key), "not a single character")
	}
	if len(s) == 0 {
		return 0
	}
	return s[0]
}
