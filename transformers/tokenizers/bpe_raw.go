package tokenizers

// A rawBPE lets a byte-level model work on the bytes of the text. It gives the same tokens
// as on the characters that the byte-level pre-tokenizer writes for bytes, but is faster.
type rawBPE struct {
	symbols [256]int64        // or -1
	whole   map[string]uint32 // all tokens as bytes, for ignore_merges
	cache   tokenCache
}

// makeRaw returns a rawBPE, or nil if the model has a feature that needs characters.
func (m *bpeModel) makeRaw() *rawBPE {
	if m.prefix != "" || m.suffix != "" {
		return nil
	}
	r := &rawBPE{}
	for b := range 256 {
		id, ok := m.vocab.id(string(byteChars()[b]))
		if r.symbols[b] = -1; ok {
			r.symbols[b] = int64(id)
		}
	}
	if m.ignoreMerges {
		r.whole = make(map[string]uint32, m.vocab.size())
		for s, id := range m.vocab.ids {
			if b, ok := fromByteChars(nil, s); ok {
				r.whole[string(b)] = id
			}
		}
	}
	r.cache.init()
	return r
}

// tokenizeRaw is tokenize for bytes. It returns false if the vocabulary lacks one of them.
func (m *bpeModel) tokenizeRaw(dst []token, text string) ([]token, bool) {
	r := m.raw
	if r.whole != nil {
		if id, ok := r.whole[text]; ok {
			t, _ := m.vocab.token(id)
			return append(dst, token{id, 0, int32(len(text)), t}), true
		}
	}
	if toks, ok := r.cache.get(text); ok {
		return append(dst, toks...), true
	}
	word := getWord()
	defer putWord(word)
	for i := range len(text) {
		id := r.symbols[text[i]]
		if id < 0 {
			return dst, false
		}
		word.symbols = append(word.symbols, symbol{uint32(id), 1})
	}
	n := len(dst)
	dst = m.finish(dst, word)
	r.cache.put(text, dst[n:])
	return dst, true
}
