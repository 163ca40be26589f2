package tokenizers

import "unicode/utf8"

// A wordPiece is the model of BERT: it takes the longest known part again and again.
type wordPiece struct {
	vocab    *vocab
	unk      string
	prefix   string
	maxChars int
	longest  int // the length of the longest token, in bytes
	cache    tokenCache
}

func (m *wordPiece) vocabulary() *vocab { return m.vocab }

func loadWordPiece(o *object) (model, error) {
	var err error
	m := &wordPiece{
		unk:      need[string](o, "unk_token", &err),
		prefix:   need[string](o, "continuing_subword_prefix", &err),
		maxChars: need[int](o, "max_input_chars_per_word", &err),
	}
	if err == nil {
		err = checkLength(o.at("continuing_subword_prefix"), m.prefix, maxPrefix)
	}
	if err != nil {
		return nil, err
	}
	if m.vocab, err = readVocab(o); err != nil {
		return nil, err
	}
	for s := range m.vocab.ids {
		m.longest = max(m.longest, len(s))
	}
	m.cache.init()
	return m, nil
}

func (m *wordPiece) tokenize(dst []token, text string) ([]token, error) {
	if toks, ok := m.cache.get(text); ok {
		return append(dst, toks...), nil
	}
	n := len(dst)
	dst, ok, err := m.split(dst, text)
	if err != nil {
		return nil, err
	}
	if !ok {
		id, known := m.vocab.id(m.unk)
		if !known {
			return nil, fail(ErrValue, "model.unk_token", "the token %q is not in the vocabulary", m.unk)
		}
		dst = append(dst[:n], token{id, 0, int32(len(text)), m.unk})
	}
	m.cache.put(text, dst[n:])
	return dst, nil
}

// bytesPerByte bounds the work of split: it looks up at most that many bytes for each byte.
const bytesPerByte = 1 << 14

func (m *wordPiece) split(dst []token, text string) ([]token, bool, error) {
	if utf8.RuneCountInString(text) > m.maxChars {
		return dst, false, nil
	}
	budget := bytesPerByte * len(text)
	key := make([]byte, 0, len(m.prefix)+len(text))
	for start := 0; start < len(text); {
		key = key[:0]
		if start > 0 {
			key = append(key, m.prefix...)
		}
		before := len(key)
		rest := text[start:]
		key = append(key, rest...)
		end := min(len(rest), max(m.longest-before, 0))
		for end < len(rest) && end > 0 && !utf8.RuneStart(rest[end]) {
			end--
		}
		for end > 0 {
			if budget -= before + end; budget < 0 {
				return dst, false, fail(ErrLimit, "model", "a word of %d bytes needs too many steps", len(text))
			}
			if id, ok := m.vocab.ids[string(key[:before+end])]; ok {
				t, _ := m.vocab.token(id)
				dst = append(dst, token{id, int32(start), int32(start + end), t})
				break
			}
			_, n := utf8.DecodeLastRuneInString(rest[:end])
			end -= n
		}
		if end == 0 {
			return dst, false, nil
		}
		start += end
	}
	return dst, true, nil
}

// A wordLevel is the model that looks up whole words.
type wordLevel struct {
	vocab *vocab
	unk   string
}

func (m *wordLevel) vocabulary() *vocab { return m.vocab }

func loadWordLevel(o *object) (model, error) {
	var err error
	m := &wordLevel{unk: need[string](o, "unk_token", &err)}
	if err != nil {
		return nil, err
	}
	m.vocab, err = readVocab(o)
	return m, err
}

func (m *wordLevel) tokenize(dst []token, text string) ([]token, error) {
	if id, ok := m.vocab.id(text); ok {
		return append(dst, token{id, 0, int32(len(text)), text}), nil
	}
	id, ok := m.vocab.id(m.unk)
	if !ok {
		return nil, fail(ErrValue, "model.unk_token", "the token %q is not in the vocabulary", m.unk)
	}
	return append(dst, token{id, 0, int32(len(text)), m.unk}), nil
}
