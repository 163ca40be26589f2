package memory

import "slices"

// pyList is a list or tuple. What it is turned into is kept, since others may
// refer to the same list.
type pyList struct {
	items  []any
	frames []Frame
	traces []TraceEntry
	blocks []Block
}

// pyDict is a dict with strings as keys. A trace entry or frame is turned into
// one as soon as it joins a list, and what it was made of is dropped: a file
// may hold millions.
type pyDict struct {
	keys   []string
	values []any
	places map[string]int // of the keys, once they are many
	entry  *TraceEntry
	frame  *Frame
}

// manyKeys is more than a snapshot's dicts have, of which there are millions.
const manyKeys = 32

func (d *pyDict) place(key string) int {
	if d.places == nil {
		return slices.Index(d.keys, key)
	}
	if i, ok := d.places[key]; ok {
		return i
	}
	return -1
}

func (d *pyDict) get(key string) (any, bool) {
	if i := d.place(key); i >= 0 {
		return d.values[i], true
	}
	return nil, false
}

// set adds a key, or gives one that is there another value.
func (d *pyDict) set(key string, v any) {
	if i := d.place(key); i >= 0 {
		d.values[i] = v
		return
	}
	if d.places != nil {
		d.places[key] = len(d.keys)
	}
	d.keys = append(d.keys, key)
	d.values = append(d.values, v)
	if d.places == nil && len(d.keys) > manyKeys {
		d.places = make(map[string]int, 2*len(d.keys))
		for i, k := range d.keys {
			d.places[k] = i
		}
	}
}
