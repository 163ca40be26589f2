package tokenizers

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// A token is a token of a piece. lo and hi are positions in the text of the piece.
type token struct {
	id     uint32
	lo, hi int32
	text   string
}

// A model splits the text of a piece into tokens.
type model interface {
	tokenize(dst []token, text string) ([]token, error)
	vocabulary() *vocab
}

// A bpeModel is the model of byte-pair encoding.
type bpeModel struct {
	vocab        *vocab
	merges       mergeTable
	unk          string
	hasUnk       bool
	prefix       string
	suffix       string
	fuseUnk      bool
	byteFallback bool
	ignoreMerges bool
	bytes        [256]int64 // the IDs of <0x00> and so on, or -1
	cache        tokenCache
	raw          *rawBPE // not nil if the model may see bytes in place of their characters
}

func (m *bpeModel) vocabulary() *vocab { return m.vocab }

func loadBPE(o *object) (model, error) {
	var err error
	if p := field(o, "dropout", 0.0, &err); p != 0 && err == nil {
		return nil, fail(ErrUnsupported, o.at("dropout"), "dropout, which is random")
	}
	m := &bpeModel{
		unk:          field(o, "unk_token", "", &err),
		prefix:       field(o, "continuing_subword_prefix", "", &err),
		suffix:       field(o, "end_of_word_suffix", "", &err),
		fuseUnk:      field(o, "fuse_unk", false, &err),
		byteFallback: field(o, "byte_fallback", false, &err),
		ignoreMerges: field(o, "ignore_merges", false, &err),
	}
	_, m.hasUnk = o.raw("unk_token")
	if err == nil {
		err = checkLength(o.at("continuing_subword_prefix"), m.prefix, maxPrefix)
	}
	if err == nil {
		err = checkLength(o.at("end_of_word_suffix"), m.suffix, maxPrefix)
	}
	if err != nil {
		return nil, err
	}
	if m.vocab, err = readVocab(o); err != nil {
		return nil, err
	}
	pairs, err := readMerges(o)
	if err != nil {
		return nil, err
	}
	if err := m.setMerges(o.at("merges"), pairs); err != nil {
		return nil, err
	}
	m.init()
	return m, nil
}

func (m *bpeModel) init() {
	for b := range m.bytes {
		m.bytes[b] = -1
		if id, ok := m.vocab.id(fmt.Sprintf("<0x%02X>", b)); ok {
			m.bytes[b] = int64(id)
		}
	}
	m.cache.init()
}

// readMerges reads merges of both forms: ["a b"] and [["a", "b"]].
func readMerges(o *object) ([][]string, error) {
	raw, ok := o.raw("merges")
	if !ok {
		return nil, o.missing("merges")
	}
	var err error
	if strings.HasPrefix(strings.TrimLeft(strings.TrimPrefix(string(raw[:min(len(raw), 64)]), "["), " \t\r\n"), "[") {
		pairs := need[[][]string](o, "merges", &err)
		for i, p := range pairs {
			if len(p) != 2 && err == nil {
				err = fail(ErrFormat, o.at("merges"), "merge %d has %d parts", i, len(p))
			}
		}
		return pairs, err
	}
	var pairs [][]string
	for i, line := range need[[]string](o, "merges", &err) {
		if strings.HasPrefix(line, "#version") {
			continue
		}
		p := strings.Split(line, " ")
		if len(p) != 2 {
			return nil, fail(ErrFormat, o.at("merges"), "merge %d has %d parts", i, len(p))
		}
		pairs = append(pairs, p)
	}
	return pairs, err
}

func (m *bpeModel) setMerges(path string, pairs [][]string) error {
	m.merges.init(len(pairs))
	for i, p := range pairs {
		a, ok := m.vocab.id(p[0])
		b, ok2 := m.vocab.id(p[1])
		if !ok || !ok2 || len(p[1]) < len(m.prefix) {
			return fail(ErrFormat, path, "merge %d: %q or %q is not in the vocabulary", i, p[0], p[1])
		}
		to, ok := m.vocab.id(p[0] + p[1][len(m.prefix):])
		if !ok {
			return fail(ErrFormat, path, "merge %d: %q is not in the vocabulary", i, p[0]+p[1][len(m.prefix):])
		}
		m.merges.put(a, b, merge{uint32(i), to})
	}
	return nil
}

// A symbol is a token that a word consists of. size is its length in bytes.
type symbol struct {
	id   uint32
	size int32
}

func (m *bpeModel) tokenize(dst []token, text string) ([]token, error) {
	if text == "" {
		return dst, nil
	}
	if m.ignoreMerges {
		if id, ok := m.vocab.id(text); ok {
			return append(dst, token{id, 0, int32(len(text)), text}), nil
		}
	}
	if toks, ok := m.cache.get(text); ok {
		return append(dst, toks...), nil
	}
	word := getWord()
	defer putWord(word)
	if err := m.symbols(word, text); err != nil {
		return nil, err
	}
	n := len(dst)
	dst = m.finish(dst, word)
	m.cache.put(text, dst[n:])
	return dst, nil
}

// finish merges the symbols of word and appends the tokens.
func (m *bpeModel) finish(dst []token, word *word) []token {
	word.merge(&m.merges)
	pos := int32(0)
	for _, s := range word.symbols {
		t, _ := m.vocab.token(s.id)
		dst = append(dst, token{s.id, pos, pos + s.size, t})
		pos += s.size
	}
	return dst
}

// symbols splits text into the characters that merges begin with.
func (m *bpeModel) symbols(word *word, text string) error {
	unkSize := int32(0)
	flush := func() {
		if unkSize > 0 {
			id, _ := m.vocab.id(m.unk)
			word.symbols = append(word.symbols, symbol{id, unkSize})
			unkSize = 0
		}
	}
	for i := 0; i < len(text); {
		_, n := utf8.DecodeRuneInString(text[i:])
		s := text[i : i+n]
		if i > 0 && m.prefix != "" {
			s = m.prefix + s
		}
		if i+n == len(text) && m.suffix != "" {
			s += m.suffix
		}
		size := int32(n)
		i += n
		if id, ok := m.vocab.id(s); ok {
			flush()
			word.symbols = append(word.symbols, symbol{id, size})
			continue
		}
		if m.byteFallback && m.fallback(word, s) {
			continue
		}
		if !m.hasUnk {
			continue
		}
		if _, ok := m.vocab.id(m.unk); !ok {
			return fail(ErrValue, "model.unk_token", "the token %q is not in the vocabulary", m.unk)
		}
		if !m.fuseUnk {
			flush()
		}
		unkSize += size
	}
	flush()
	return nil
}

func (m *bpeModel) fallback(word *word, s string) bool {
	for i := range len(s) {
		if m.bytes[s[i]] < 0 {
			return false
		}
	}
	for i := range len(s) {
		word.symbols = append(word.symbols, symbol{uint32(m.bytes[s[i]]), 1})
	}
	return true
}
