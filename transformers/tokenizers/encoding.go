package tokenizers

import "slices"

// An Encoding is the result of Encode: one entry for each token.
type Encoding struct {
	// IDs are the numbers of the tokens.
	IDs []int64
	// TypeIDs tell the two texts of a pair apart.
	TypeIDs []int64
	// AttentionMask is 0 for padding and 1 for other tokens.
	AttentionMask []int64
	// Tokens are the tokens as strings.
	Tokens []string
	// Offsets are the ranges of the text that the tokens come from, in characters as in
	// Python. Tokens that the post-processor adds have [0, 0].
	Offsets [][2]int
	// SpecialTokensMask is 1 for tokens that the post-processor or padding adds.
	SpecialTokensMask []int64
	// WordIDs are the numbers of the words that the tokens belong to, or -1.
	WordIDs []int
}

// Len returns the number of tokens.
func (e *Encoding) Len() int { return len(e.IDs) }

func newEncoding(n int) *Encoding {
	ints := make([]int64, 4*n)
	return &Encoding{
		IDs: ints[:0:n], TypeIDs: ints[n : n : 2*n], AttentionMask: ints[2*n : 2*n : 3*n],
		SpecialTokensMask: ints[3*n : 3*n],
		Tokens:            make([]string, 0, n), Offsets: make([][2]int, 0, n), WordIDs: make([]int, 0, n),
	}
}

func (e *Encoding) append(o *Encoding) {
	e.IDs = append(e.IDs, o.IDs...)
	e.TypeIDs = append(e.TypeIDs, o.TypeIDs...)
	e.AttentionMask = append(e.AttentionMask, o.AttentionMask...)
	e.Tokens = append(e.Tokens, o.Tokens...)
	e.Offsets = append(e.Offsets, o.Offsets...)
	e.SpecialTokensMask = append(e.SpecialTokensMask, o.SpecialTokensMask...)
	e.WordIDs = append(e.WordIDs, o.WordIDs...)
}

// slice keeps the tokens from a to b.
func (e *Encoding) slice(a, b int) {
	*e = Encoding{
		e.IDs[a:b], e.TypeIDs[a:b], e.AttentionMask[a:b], e.Tokens[a:b], e.Offsets[a:b],
		e.SpecialTokensMask[a:b], e.WordIDs[a:b],
	}
}

func (e *Encoding) setType(id int64) {
	for i := range e.TypeIDs {
		e.TypeIDs[i] = id
	}
}

func (e *Encoding) clone() *Encoding {
	return &Encoding{
		slices.Clone(e.IDs), slices.Clone(e.TypeIDs), slices.Clone(e.AttentionMask), slices.Clone(e.Tokens),
		slices.Clone(e.Offsets), slices.Clone(e.SpecialTokensMask), slices.Clone(e.WordIDs),
	}
}

func mergeEncodings(parts []*Encoding) *Encoding {
	if len(parts) == 1 {
		return parts[0]
	}
	n := 0
	for _, p := range parts {
		n += p.Len()
	}
	out := newEncoding(n)
	for _, p := range parts {
		out.append(p)
	}
	return out
}

// special returns tokens that a post-processor adds.
func special(ids []int64, tokens []string, typeID int64) *Encoding {
	e := newEncoding(len(ids))
	for i, id := range ids {
		e.IDs = append(e.IDs, id)
		e.TypeIDs = append(e.TypeIDs, typeID)
		e.AttentionMask = append(e.AttentionMask, 1)
		e.Tokens = append(e.Tokens, tokens[i])
		e.Offsets = append(e.Offsets, [2]int{})
		e.SpecialTokensMask = append(e.SpecialTokensMask, 1)
		e.WordIDs = append(e.WordIDs, -1)
	}
	return e
}

// pad adds n tokens at one end.
func (e *Encoding) pad(n int, p *padding) {
	if n <= 0 {
		return
	}
	extra := newEncoding(n)
	for range n {
		extra.IDs = append(extra.IDs, p.id)
		extra.TypeIDs = append(extra.TypeIDs, p.typeID)
		extra.Tokens = append(extra.Tokens, p.token)
		extra.SpecialTokensMask = append(extra.SpecialTokensMask, 1)
		extra.WordIDs = append(extra.WordIDs, -1)
	}
	extra.AttentionMask, extra.Offsets = extra.AttentionMask[:n], extra.Offsets[:n]
	if p.left {
		extra.append(e)
		*e = *extra
	} else {
		e.append(extra)
	}
}
