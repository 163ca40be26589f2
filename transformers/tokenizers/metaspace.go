package tokenizers

import (
	"strings"
	"sync"
	"unicode/utf8"
)

// gpt2Pattern is the pattern of the byte-level pre-tokenizer.
var gpt2Pattern = sync.OnceValue(func() *regex {
	re, err := compileRegex(`'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`)
	if err != nil {
		panic(err)
	}
	return re
})

// A metaspace writes spaces as another character, and cuts before it.
type metaspace struct {
	mark    string
	prepend string // "always", "first" or "never"
	split   bool
}

func readMetaspace(o *object) (*metaspace, error) {
	var err error
	m := &metaspace{
		mark:    string(char(o, "replacement", &err)),
		prepend: field(o, "prepend_scheme", "always", &err),
		split:   field(o, "split", true, &err),
	}
	o.raw("str_rep")
	if !field(o, "add_prefix_space", true, &err) {
		if _, ok := o.raw("prepend_scheme"); ok && m.prepend != "never" && err == nil {
			err = fail(ErrFormat, o.at("add_prefix_space"), "prepend_scheme says the opposite")
		}
		m.prepend = "never"
	}
	if err == nil && m.prepend != "always" && m.prepend != "first" && m.prepend != "never" {
		err = fail(ErrFormat, o.at("prepend_scheme"), "%q is unknown", m.prepend)
	}
	return m, err
}

func (m *metaspace) preTokenize(s *splitter) error {
	mark, _ := utf8.DecodeRuneInString(m.mark)
	return s.each(func(p *piece) error {
		s.matches = s.matches[:0]
		for i := range len(p.text) {
			if p.text[i] == ' ' {
				s.matches = append(s.matches, match{i, i + 1})
			}
		}
		p.replace(s.orig, s.matches, m.mark)
		if !strings.HasPrefix(p.text, m.mark) && (m.prepend == "always" || m.prepend == "first" && p.lo == 0) {
			p.prepend(s.orig, m.mark)
		}
		if m.split {
			s.addIf(p, mergedWithNext, func(r rune) bool { return r == mark })
		} else {
			s.out = append(s.out, *p)
		}
		return nil
	})
}
