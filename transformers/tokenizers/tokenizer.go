package tokenizers

import (
	"encoding/json"
	"maps"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// A Tokenizer encodes text to token IDs and decodes IDs to text.
type Tokenizer struct {
	normalizer    normalizer
	preTokenizer  preTokenizer
	model         model
	postProcessor postProcessor
	decoder       decoder
	added         *addedVocab
	trunc         *truncation
	pad           *padding
	parts         map[string]json.RawMessage // of the file, by key
}

// maxText is the greatest length of a text, in bytes.
const maxText = math.MaxInt32 / 8

var splitters = sync.Pool{New: func() any { return new(splitter) }}

// Encode encodes a text. An invalid byte counts as U+FFFD. It returns ErrValue for invalid
// options, for a text that the model has no tokens for, and for a MaxLength that is less than
// the number of special tokens.
func (t *Tokenizer) Encode(text string, opts ...EncodeOption) (*Encoding, error) {
	s, err := t.settings(opts)
	if err != nil {
		return nil, err
	}
	return t.encode(s, text, nil)
}

// EncodePair encodes two texts as one sequence. See Encode for its errors.
func (t *Tokenizer) EncodePair(a, b string, opts ...EncodeOption) (*Encoding, error) {
	s, err := t.settings(opts)
	if err != nil {
		return nil, err
	}
	return t.encode(s, a, &b)
}

// EncodeBatch encodes each text by itself, in several goroutines, and pads the encodings if
// the file or an option says so. See Encode for its errors.
func (t *Tokenizer) EncodeBatch(texts []string, opts ...EncodeOption) ([]*Encoding, error) {
	s, err := t.settings(opts)
	if err != nil {
		return nil, err
	}
	pad := s.pad
	s.pad = nil
	out := make([]*Encoding, len(texts))
	workers := min(runtime.GOMAXPROCS(0), len(texts))
	errs := make([]error, workers)
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for i := w; i < len(texts) && errs[w] == nil; i += workers {
				out[i], errs[w] = t.encode(s, texts[i], nil)
			}
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	if pad != nil {
		pad.padAll(out)
	}
	return out, nil
}

func (t *Tokenizer) encode(s *settings, text string, second *string) (*Encoding, error) {
	a, err := t.encodeText(text, 0)
	if err != nil {
		return nil, err
	}
	parts := []*Encoding{a}
	var b *Encoding
	if second != nil {
		if b, err = t.encodeText(*second, 1); err != nil {
			return nil, err
		}
		parts = append(parts, b)
	}
	if s.trunc != nil {
		limit := s.trunc.max
		if t.postProcessor != nil && s.special {
			if limit -= t.postProcessor.added(b != nil); limit < 0 {
				return nil, fail(ErrValue, "MaxLength", "%d is less than the number of special tokens", s.trunc.max)
			}
		}
		if err := s.trunc.apply(a, b, limit); err != nil {
			return nil, err
		}
	}
	if t.postProcessor != nil {
		if parts, err = t.postProcessor.process(parts, s.special); err != nil {
			return nil, err
		}
	}
	out := mergeEncodings(parts)
	if s.pad != nil {
		s.pad.padAll([]*Encoding{out})
	}
	return out, nil
}

// encodeText splits a text into tokens.
func (t *Tokenizer) encodeText(text string, typeID int64) (*Encoding, error) {
	if len(text) > maxText {
		return nil, fail(ErrLimit, "text", "more than %d bytes", maxText)
	}
	if !utf8.ValidString(text) {
		text = string([]rune(text))
	}
	s := splitters.Get().(*splitter)
	defer s.release()
	s.orig = text
	if err := t.split(s); err != nil {
		return nil, err
	}
	return t.tokens(s, typeID)
}

func (s *splitter) release() {
	if cap(s.pieces)+cap(s.out)+cap(s.tokens) > 1<<16 {
		return
	}
	clear(s.pieces[:cap(s.pieces)])
	clear(s.out[:cap(s.out)])
	clear(s.tokens[:cap(s.tokens)])
	s.orig = ""
	splitters.Put(s)
}

// split runs everything before the model.
func (t *Tokenizer) split(s *splitter) error {
	s.pieces = append(s.pieces[:0], piece{text: s.orig, hi: int32(len(s.orig)), id: -1})
	err := s.each(func(p *piece) error {
		t.added.split(s, p, t.added.plain)
		return nil
	})
	if err != nil {
		return err
	}
	total := 0
	err = s.each(func(p *piece) error {
		if t.normalizer != nil {
			if err := t.normalizer.normalize(s.orig, p); err != nil {
				return err
			}
			total += len(p.text)
			if err := checkGrowth(s.orig, total); err != nil {
				return err
			}
		}
		t.added.split(s, p, t.added.norm)
		return nil
	})
	if err != nil || t.preTokenizer == nil {
		return err
	}
	return t.preTokenizer.preTokenize(s)
}

// tokens runs the model on the pieces.
func (t *Tokenizer) tokens(s *splitter, typeID int64) (*Encoding, error) {
	toks := s.tokens[:0]
	ends := s.ends[:0] // the end of each piece in toks
	bpe, isBPE := t.model.(*bpeModel)
	raw := isBPE && bpe.raw != nil
	for i := range s.pieces {
		p := &s.pieces[i]
		var err error
		switch {
		case p.id >= 0:
			toks = append(toks, token{uint32(p.id), 0, int32(len(p.text)), p.text})
		case raw:
			var ok bool
			if toks, ok = bpe.tokenizeRaw(toks, p.text); !ok {
				p.toByteChars(s.orig)
				toks, err = bpe.tokenize(toks, p.text)
			}
		default:
			toks, err = t.model.tokenize(toks, p.text)
		}
		if err != nil {
			return nil, err
		}
		ends = append(ends, int32(len(toks)))
	}
	s.tokens, s.ends = toks, ends
	e := newEncoding(len(toks))
	index := runeIndex(s.orig)
	from := int32(0)
	for i := range s.pieces {
		p := &s.pieces[i]
		for _, tok := range toks[from:ends[i]] {
			e.IDs = append(e.IDs, int64(tok.id))
			e.TypeIDs = append(e.TypeIDs, typeID)
			e.AttentionMask = append(e.AttentionMask, 1)
			e.Tokens = append(e.Tokens, tok.text)
			e.Offsets = append(e.Offsets, p.offset(s.orig, index, int(tok.lo), int(tok.hi)))
			e.SpecialTokensMask = append(e.SpecialTokensMask, 0)
			e.WordIDs = append(e.WordIDs, i)
		}
		from = ends[i]
	}
	return e, nil
}

// runeIndex returns the number of the character at each byte, or nil if all are ASCII.
func runeIndex(s string) []int32 {
	if strings.IndexFunc(s, func(r rune) bool { return r >= utf8.RuneSelf }) < 0 {
		return nil
	}
	out := make([]int32, len(s)+1)
	n := int32(-1)
	for i := range len(s) {
		if utf8.RuneStart(s[i]) {
			n++
		}
		out[i] = n
	}
	out[len(s)] = n + 1
	return out
}

// offset returns the range of characters of orig that bytes lo to hi of p come from.
func (p *piece) offset(orig string, index []int32, lo, hi int) [2]int {
	at := func(b int) int {
		b = min(b, len(orig))
		if index == nil {
			return b
		}
		return int(index[b])
	}
	if hi > len(p.text) || lo >= hi {
		return [2]int{at(lo), at(hi)}
	}
	if p.align != nil {
		return [2]int{at(int(p.align[lo].lo)), at(int(p.align[hi-1].hi))}
	}
	start := at(int(p.base) + max(lo-int(p.ins), 0))
	last := at(int(p.base) + max(hi-1-int(p.ins), 0))
	return [2]int{start, last + 1}
}

// Decode returns the text of tokens. IDs that the vocabulary lacks are skipped, as in Python.
// It returns ErrValue for a negative ID.
func (t *Tokenizer) Decode(ids []int64, opts ...DecodeOption) (string, error) {
	skip, err := skipSpecial(opts)
	if err != nil {
		return "", err
	}
	return t.decode(ids, skip)
}

func (t *Tokenizer) decode(ids []int64, skip bool) (string, error) {
	tokens := make([]string, 0, len(ids))
	total := 0
	for _, id := range ids {
		if id < 0 || id > math.MaxUint32 {
			return "", fail(ErrValue, "ids", "%d is no ID", id)
		}
		s, ok := t.IDToToken(id)
		if ok && (!skip || !t.added.special[s]) {
			tokens = append(tokens, s)
			if total += len(s) + 1; total > maxText {
				return "", fail(ErrLimit, "ids", "a text of more than %d bytes", maxText)
			}
		}
	}
	if t.decoder == nil {
		return strings.Join(tokens, " "), nil
	}
	parts, err := t.decoder.decode(tokens)
	if err != nil {
		return "", err
	}
	return strings.Join(parts, ""), nil
}

// TokenToID returns the ID of a token.
func (t *Tokenizer) TokenToID(token string) (int64, bool) {
	id, ok := t.added.ids[token]
	if !ok {
		id, ok = t.model.vocabulary().id(token)
	}
	return int64(id), ok
}

// IDToToken returns the token with an ID.
func (t *Tokenizer) IDToToken(id int64) (string, bool) {
	if id < 0 || id > math.MaxUint32 {
		return "", false
	}
	if a, ok := t.added.tokens[uint32(id)]; ok {
		if s, ok := t.added.normalized[uint32(id)]; ok {
			return s, true
		}
		return a.Content, true
	}
	return t.model.vocabulary().token(uint32(id))
}

// VocabSize returns the number of tokens, with added tokens.
func (t *Tokenizer) VocabSize() int {
	n := t.model.vocabulary().size()
	for s := range t.added.ids {
		if _, ok := t.model.vocabulary().id(s); !ok {
			n++
		}
	}
	return n
}

// AddedTokens returns the added tokens, by ID.
func (t *Tokenizer) AddedTokens() []AddedToken { return t.added.sorted() }

func (v *addedVocab) sorted() []AddedToken {
	var out []AddedToken
	for _, id := range slices.Sorted(maps.Keys(v.tokens)) {
		out = append(out, v.tokens[id])
	}
	return out
}

// AddTokens adds tokens that Encode finds before the model splits the text, and returns how
// many of them are new. No other call may run at the same time.
func (t *Tokenizer) AddTokens(tokens ...AddedToken) (int, error) {
	return t.added.add(tokens, t.model, t.normalizer)
}

// AddSpecialTokens adds tokens that Decode skips. See AddTokens.
func (t *Tokenizer) AddSpecialTokens(tokens ...string) (int, error) {
	var list []AddedToken
	for _, s := range tokens {
		list = append(list, AddedToken{Content: s, Special: true})
	}
	return t.added.add(list, t.model, t.normalizer)
}
