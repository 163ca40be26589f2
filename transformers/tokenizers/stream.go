package tokenizers

import "strings"

// A DecodeStream decodes tokens one by one. It is for one goroutine at a time.
type DecodeStream struct {
	t    *Tokenizer
	skip bool
	err  error
	// ids are the last tokens. The text of ids[:known] is prefix, which is already returned.
	ids    []int64
	prefix string
	known  int
}

// NewDecodeStream returns a stream for the tokens of a text. An invalid option is the error of
// the first call of Step.
func (t *Tokenizer) NewDecodeStream(opts ...DecodeOption) *DecodeStream {
	skip, err := skipSpecial(opts)
	return &DecodeStream{t: t, skip: skip, err: err}
}

// Step takes the next token and returns the text that it adds. The text is empty as long as
// the tokens end within a character. See Decode for its errors.
func (s *DecodeStream) Step(id int64) (string, error) {
	if s.err != nil {
		return "", s.err
	}
	const partial = "\uFFFD"
	if s.prefix == "" && len(s.ids) > 0 {
		prefix, err := s.t.decode(s.ids, s.skip)
		if err != nil {
			return "", err
		}
		if !strings.HasSuffix(prefix, partial) {
			s.prefix, s.known = prefix, len(s.ids)
		}
	}
	text, err := s.t.decode(append(s.ids, id), s.skip)
	if err != nil {
		return "", err
	}
	s.ids = append(s.ids, id)
	if len(text) <= len(s.prefix) || strings.HasSuffix(text, partial) {
		return "", nil
	}
	added, ok := strings.CutPrefix(text, s.prefix)
	if !ok {
		// Byte tokens may change the text before them. Python's stream ends with an error here.
		if added, err = s.t.decode(s.ids[s.known:], s.skip); err != nil {
			return "", err
		}
	}
	known := len(s.ids) - s.known
	s.ids = append(s.ids[:0], s.ids[s.known:]...)
	if s.prefix, err = s.t.decode(s.ids, s.skip); err != nil {
		return "", err
	}
	s.known = known
	return added, nil
}
