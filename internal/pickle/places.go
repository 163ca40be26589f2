package pickle

// Places finds a key of a dict or set by the key's hashable form; see [Reader.key]. A
// dict with few keys uses no map, because a file may contain millions of small dicts.
type Places struct{ at map[any]int }

// few is the largest number of keys that are compared one by one.
const few = 8

// Find returns the index of a key among n keys, or -1. form returns the hashable form of
// key i. Find calls form only if every key is a string, a number or None.
func (p *Places) Find(key any, n int, form func(i int) any) int {
	if p.at != nil {
		if i, ok := p.at[key]; ok {
			return i
		}
		return -1
	}
	for i := range n {
		if form(i) == key {
			return i
		}
	}
	return -1
}

// Add adds a new key to a dict or set that has n keys.
func (p *Places) Add(key any, n int, form func(i int) any) {
	if p.at == nil {
		switch key.(type) {
		case nil, string, int64, float64:
			if n < few {
				return
			}
		}
		p.at = make(map[any]int, n+1)
		for i := range n {
			p.at[form(i)] = i
		}
	}
	p.at[key] = n
}

// Turned stores the Go value to which a value of a pickle was converted. Several values
// may refer to the same value, which is converted only once.
type Turned struct{ into any }

// Became returns a pointer to the stored Go value, which is nil before the conversion.
func (t *Turned) Became() *any { return &t.into }
