package pickle

// Places finds the keys of a dict by their hashable forms. A dict of few keys, of which a file
// may hold millions, needs no map.
type Places struct{ at map[any]int }

// few is how many keys are compared one by one.
const few = 8

// Find returns the place of a key among n, or -1. form returns the hashable form of the key at
// a place; it is called for strings, numbers and None alone.
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

// Add adds a key that is not among the n that there are.
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

// Turned is what a value of a pickle was turned into: others may refer to the same value.
type Turned struct{ into any }

// Became returns the place of what the value was turned into, which is nil before.
func (t *Turned) Became() *any { return &t.into }
