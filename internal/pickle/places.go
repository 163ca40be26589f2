package pickle

// Places finds the keys of a dict by their hashable forms. A dict with few keys uses no
// map, because a file may contain millions of small dicts.
type Places struct{ at map[any]int }

// few is the number of keys up to which keys are compared one by one.
const few = 8

// Find returns the index of a key among n keys, or -1. form returns the hashable form of
// key i. It is called only if all keys are strings, numbers and None.
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

// Add adds a new key to n existing keys.
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

// Turned holds the conversion of a value of a pickle, because several values may refer to
// it.
type Turned struct{ into any }

// Became returns a pointer to the conversion, which is nil at first.
func (t *Turned) Became() *any { return &t.into }
