package tokenizers

import (
	"encoding/json"
	"strings"
	"unicode/utf8"
)

// A splitter holds the pieces of a text while pre-tokenizers split them.
type splitter struct {
	orig    string
	pieces  []piece
	out     []piece
	matches []match
	tokens  []token
	ends    []int32
}

// A preTokenizer splits pieces.
type preTokenizer interface {
	preTokenize(s *splitter) error
}

// each replaces every piece, except added tokens, by the pieces that fn adds.
func (s *splitter) each(fn func(p *piece) error) error {
	s.out = s.out[:0]
	for i := range s.pieces {
		p := &s.pieces[i]
		if p.id >= 0 {
			s.out = append(s.out, *p)
			continue
		}
		if err := fn(p); err != nil {
			return err
		}
	}
	s.pieces, s.out = s.out, s.pieces
	return nil
}

// add adds the part of p from a to b.
func (s *splitter) add(p *piece, a, b int) {
	if a < b {
		s.out = append(s.out, p.slice(s.orig, a, b))
	}
}

// addMatches adds the pieces that the matches cut p into.
func (s *splitter) addMatches(p *piece, matches []match, b behavior, invert bool) {
	c := cutter{s: s, p: p, behavior: b}
	last := 0
	for _, m := range matches {
		if last < m.lo {
			c.part(last, m.lo, invert)
		}
		c.part(m.lo, m.hi, !invert)
		last = m.hi
	}
	if last < len(p.text) {
		c.part(last, len(p.text), invert)
	}
	c.flush()
}

// addIf cuts p at the characters for which is returns true.
func (s *splitter) addIf(p *piece, b behavior, is func(r rune) bool) {
	s.matches = s.matches[:0]
	for i, r := range p.text {
		if is(r) {
			s.matches = append(s.matches, match{i, i + utf8.RuneLen(r)})
		}
	}
	s.addMatches(p, s.matches, b, false)
}

// A behavior says what happens to the delimiters of a split.
type behavior int

const (
	removed behavior = iota
	isolated
	mergedWithPrevious
	mergedWithNext
	contiguous
)

var behaviors = map[string]behavior{
	"Removed": removed, "Isolated": isolated, "MergedWithPrevious": mergedWithPrevious,
	"MergedWithNext": mergedWithNext, "Contiguous": contiguous,
}

func readBehavior(o *object, def string, err *error) behavior {
	name := field(o, "behavior", def, err)
	b, ok := behaviors[name]
	if !ok && *err == nil {
		*err = fail(ErrFormat, o.at("behavior"), "%q is unknown", name)
	}
	return b
}

// A cutter joins adjacent parts of a piece, as a behavior wants it.
type cutter struct {
	s        *splitter
	p        *piece
	behavior behavior
	lo, hi   int // what is not added yet
	pending  bool
	match    bool // whether the last part was a match
}

func (c *cutter) flush() {
	if c.pending {
		c.s.add(c.p, c.lo, c.hi)
	}
	c.pending = false
}

func (c *cutter) part(lo, hi int, match bool) {
	join := false
	switch c.behavior {
	case removed:
		if !match {
			c.s.add(c.p, lo, hi)
		}
		return
	case isolated:
		c.s.add(c.p, lo, hi)
		return
	case contiguous:
		join = match == c.match
	case mergedWithPrevious:
		join = match && !c.match
	case mergedWithNext:
		join = !match && c.match
	}
	if !join || !c.pending {
		c.flush()
		c.lo, c.pending = lo, true
	}
	c.hi, c.match = hi, match
}

type preTokenizerSequence []preTokenizer

func (s preTokenizerSequence) preTokenize(sp *splitter) error {
	for _, t := range s {
		if err := t.preTokenize(sp); err != nil {
			return err
		}
	}
	return nil
}

type preTokenizerFunc func(s *splitter) error

func (f preTokenizerFunc) preTokenize(s *splitter) error { return f(s) }

// splitIf is a pre-tokenizer that cuts at some characters.
func splitIf(b behavior, is func(r rune) bool) preTokenizer {
	return preTokenizerFunc(func(s *splitter) error {
		return s.each(func(p *piece) error {
			s.addIf(p, b, is)
			return nil
		})
	})
}

func isPunct(r rune) bool {
	u := chars()
	return u.props(r)&u.punct != 0
}

func isNumeric(r rune) bool {
	u := chars()
	return u.props(r)&u.numeric != 0
}

func loadPreTokenizer(path string, raw json.RawMessage, in nesting) (preTokenizer, error) {
	o, err := newObject(path, raw)
	if err != nil {
		return nil, err
	}
	t, err := readPreTokenizer(o, in)
	if err != nil {
		return nil, err
	}
	return t, o.done()
}

func readPreTokenizer(o *object, in nesting) (preTokenizer, error) {
	var err error
	switch kind := need[string](o, "type", &err); kind {
	case "ByteLevel":
		b, err := readByteLevel(o)
		return b, err
	case "BertPreTokenizer":
		return preTokenizerSequence{splitIf(removed, isSpace), splitIf(isolated, isPunct)}, nil
	case "Whitespace":
		return preTokenizerFunc(splitWords), nil
	case "WhitespaceSplit":
		return splitIf(removed, isSpace), nil
	case "Punctuation":
		return splitIf(readBehavior(o, "Isolated", &err), isPunct), err
	case "Digits":
		b := contiguous
		if need[bool](o, "individual_digits", &err) {
			b = isolated
		}
		return splitIf(b, isNumeric), err
	case "CharDelimiterSplit":
		c := char(o, "delimiter", &err)
		return splitIf(removed, func(r rune) bool { return r == c }), err
	case "Metaspace":
		return readMetaspace(o)
	case "Split":
		return readSplit(o)
	case "FixedLength":
		n := field(o, "length", 5, &err)
		if err == nil && n < 1 {
			err = fail(ErrFormat, o.at("length"), "%d is not positive", n)
		}
		return fixedLength(n), err
	case "Sequence":
		seq, err := list(o, "pretokenizers", in, loadPreTokenizer)
		return preTokenizerSequence(seq), err
	default:
		if err == nil {
			err = fail(ErrUnsupported, o.path, "the pre-tokenizer %q", kind)
		}
		return nil, err
	}
}

// splitWords keeps runs of word characters, and runs of other characters except white space.
func splitWords(s *splitter) error {
	u := chars()
	kind := func(r rune) int {
		p := u.props(r)
		switch {
		case p&u.word != 0:
			return 1
		case p&u.space != 0:
			return 0
		}
		return 2
	}
	return s.each(func(p *piece) error {
		start, last := 0, 0
		for i, r := range p.text {
			if k := kind(r); k != last {
				if last != 0 {
					s.add(p, start, i)
				}
				start, last = i, k
			}
		}
		if last != 0 {
			s.add(p, start, len(p.text))
		}
		return nil
	})
}

type fixedLength int

func (n fixedLength) preTokenize(s *splitter) error {
	return s.each(func(p *piece) error {
		start, count := 0, 0
		for i := range p.text {
			if count == int(n) {
				s.add(p, start, i)
				start, count = i, 0
			}
			count++
		}
		s.add(p, start, len(p.text))
		return nil
	})
}

// A patternSplit is the pre-tokenizer Split.
type patternSplit struct {
	pattern  pattern
	behavior behavior
	invert   bool
}

func readSplit(o *object) (preTokenizer, error) {
	p, err := readPattern(o, "pattern")
	return &patternSplit{p, readBehavior(o, "", &err), need[bool](o, "invert", &err)}, err
}

func (t *patternSplit) preTokenize(s *splitter) error {
	return s.each(func(p *piece) error {
		var err error
		if s.matches, err = t.pattern.findAll(s.matches[:0], p.text); err == nil {
			s.addMatches(p, s.matches, t.behavior, t.invert)
		}
		return err
	})
}

// A byteLevel is the pre-tokenizer, post-processor and decoder of GPT-2.
type byteLevel struct {
	prefixSpace bool
	trim        bool
	useRegex    bool
	raw         bool // leave the bytes to the model
}

func readByteLevel(o *object) (*byteLevel, error) {
	var err error
	b := &byteLevel{
		prefixSpace: need[bool](o, "add_prefix_space", &err),
		trim:        need[bool](o, "trim_offsets", &err),
		useRegex:    field(o, "use_regex", true, &err),
	}
	return b, err
}

func (t *byteLevel) preTokenize(s *splitter) error {
	return s.each(func(p *piece) error {
		if t.prefixSpace && !strings.HasPrefix(p.text, " ") {
			p.prepend(s.orig, " ")
		}
		from := len(s.out)
		if t.useRegex {
			var err error
			if s.matches, err = gpt2Pattern().findAll(s.matches[:0], p.text); err != nil {
				return err
			}
			s.addMatches(p, s.matches, isolated, false)
		} else {
			s.out = append(s.out, *p)
		}
		if !t.raw {
			for i := range s.out[from:] {
				s.out[from+i].toByteChars(s.orig)
			}
		}
		return nil
	})
}
