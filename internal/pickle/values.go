package pickle

import "slices"

// List is a list or tuple.
type List struct {
	Turned
	Items []any
}

// Made returns a pointer to the T to which a list was converted, because several values
// may refer to the list. If first is true, the caller must fill the T. While filling the
// T, the caller may find the list inside itself; Made then returns false. A reader that
// uses Made does not use [Turned.Became].
func Made[T any](l *List) (place *T, first bool) {
	made := l.into
	if t, ok := made.(*T); ok {
		return t, false
	}
	several, _ := made.([]any)
	for _, m := range several {
		if t, ok := m.(*T); ok {
			return t, false
		}
	}
	place = new(T)
	switch {
	case made == nil:
		l.into = place
	case several == nil:
		l.into = []any{made, place}
	default:
		l.into = append(several, place)
	}
	return place, true
}

// Dict is a dict with string keys, in the order in which the keys were first set. Once
// the dict has been converted, Made is the result, and the dict is empty and cannot
// change. This saves memory, because a file may contain millions of dicts.
type Dict struct {
	Keys   []string
	Values []any
	places map[string]int // the index of each key, if there are many keys
	Made   any
}

// Become stores made, to which the dict was converted, and removes the dict's keys and
// values.
func (d *Dict) Become(made any) { *d = Dict{Made: made} }

// manyKeys is the number of keys from which on a dict uses a map to find them. A memory
// snapshot has millions of dicts, but each has fewer keys.
const manyKeys = 32

func (d *Dict) place(key string) int {
	if d.places == nil {
		return slices.Index(d.Keys, key)
	}
	if i, ok := d.places[key]; ok {
		return i
	}
	return -1
}

// Get returns the value of a key.
func (d *Dict) Get(key string) (any, bool) {
	if i := d.place(key); i >= 0 {
		return d.Values[i], true
	}
	return nil, false
}

// set adds a key, or replaces the value of an existing key.
func (d *Dict) set(key string, v any) {
	if i := d.place(key); i >= 0 {
		d.Values[i] = v
		return
	}
	if d.places != nil {
		d.places[key] = len(d.Keys)
	}
	d.Keys = append(d.Keys, key)
	d.Values = append(d.Values, v)
	if d.places == nil && len(d.Keys) > manyKeys {
		d.places = make(map[string]int, 2*len(d.Keys))
		for i, k := range d.Keys {
			d.places[k] = i
		}
	}
}
