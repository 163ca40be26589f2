package pickle

import "slices"

// List is a list or tuple.
type List struct {
	Turned
	Items []any
}

// Made returns the place of what a list is turned into, one for each type: others
// may refer to the same list. first says that it is for the caller to fill, who
// may meet the list again meanwhile, within itself. A reader that uses Made does not use
// [Turned.Became].
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

// Dict is a dict with strings as keys, in the order in which they were first set.
// What it is turned into, if it is, is Made; then it has no keys any more and
// cannot change: a file may hold millions.
type Dict struct {
	Keys   []string
	Values []any
	places map[string]int // of the keys, once they are many
	Made   any
}

// Become makes a dict what it stands for, and drops what it was made of.
func (d *Dict) Become(made any) { *d = Dict{Made: made} }

// manyKeys is more than a snapshot's dicts have, of which there are millions.
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

// set adds a key, or gives one that is there another value.
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
