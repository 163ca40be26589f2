package tokenizers

import (
	"strings"
	"unicode/utf8"
)

// A span is a range of bytes of the original text.
type span struct{ lo, hi int32 }

// A piece is a part of the text with its origin. Normalizers change the text of pieces, and
// pre-tokenizers split them.
type piece struct {
	text string
	// align has, for each byte of text, the span of the original text that it comes from. If
	// align is nil, text is the original text from base on, after ins inserted bytes. These
	// belong to the first character.
	align []span
	base  int32
	ins   int32
	// lo and hi are the range of the original text that the piece stands for.
	lo, hi int32
	// id is the added token that the piece is, or -1.
	id int64
}

// at returns the span of byte i of the text of p.
func (p *piece) at(orig string, i int) span {
	if p.align != nil {
		return p.align[i]
	}
	pos := max(int(p.base), int(p.base)+i-int(p.ins))
	for pos > 0 && pos < len(orig) && !utf8.RuneStart(orig[pos]) {
		pos--
	}
	_, n := utf8.DecodeRuneInString(orig[pos:])
	return span{int32(pos), int32(pos + n)}
}

// slice returns the part of p from byte a to byte b.
func (p *piece) slice(orig string, a, b int) piece {
	q := piece{text: p.text[a:b], id: -1}
	if a == b {
		q.lo, q.hi, q.base = p.lo+int32(a), p.lo+int32(a), p.base
		if p.align != nil {
			q.align = []span{}
		}
		return q
	}
	if p.align != nil {
		q.align = p.align[a:b]
		q.lo, q.hi = q.align[0].lo, q.align[b-a-1].hi
		q.base = q.lo
		return q
	}
	ins := int(p.ins)
	switch {
	case a >= ins:
		q.base = p.base + int32(a-ins)
		q.lo, q.hi = q.base, q.base+int32(b-a)
	case b > ins:
		q.base, q.ins = p.base, int32(ins-a)
		q.lo, q.hi = q.base, q.base+int32(b-ins)
	default:
		q.base, q.ins = p.base, int32(b-a)
		first := p.at(orig, 0)
		q.lo, q.hi = first.lo, first.hi
	}
	return q
}

// materialize makes sure that p has an explicit alignment.
func (p *piece) materialize(orig string) {
	if p.align != nil {
		return
	}
	align := make([]span, 0, len(p.text))
	if p.ins > 0 {
		first := p.at(orig, 0)
		for range p.ins {
			align = append(align, first)
		}
	}
	pos := p.base
	for _, r := range p.text[p.ins:] {
		n := int32(utf8.RuneLen(r))
		s := span{pos, pos + n}
		for range n {
			align = append(align, s)
		}
		pos += n
	}
	p.align = align
}

// prepend inserts s before the text of p, which is not empty.
func (p *piece) prepend(orig, s string) {
	if p.align == nil {
		p.ins += int32(len(s))
	} else {
		align := make([]span, 0, len(s)+len(p.text))
		for range len(s) {
			align = append(align, p.align[0])
		}
		p.align = append(align, p.align...)
	}
	p.text = s + p.text
}

// replace puts content in place of the matches.
func (p *piece) replace(orig string, matches []match, content string) {
	if len(matches) == 0 {
		return
	}
	p.materialize(orig)
	var text strings.Builder
	text.Grow(len(p.text) + len(matches)*len(content))
	align := make([]span, 0, len(p.text)+len(matches)*len(content))
	last := 0
	for _, m := range matches {
		text.WriteString(p.text[last:m.lo])
		align = append(align, p.align[last:m.lo]...)
		s := span{p.lo, p.lo}
		if m.hi > 0 {
			s = p.align[m.hi-1]
		}
		text.WriteString(content)
		for range len(content) {
			align = append(align, s)
		}
		last = m.hi
	}
	text.WriteString(p.text[last:])
	p.align = append(align, p.align[last:]...)
	p.text = text.String()
}

// A rewriter replaces the text of a piece character by character.
type rewriter struct {
	src   string
	from  []span
	pos   int
	text  []byte
	align []span
	first int32
}

func (p *piece) rewrite(orig string) *rewriter {
	p.materialize(orig)
	return &rewriter{
		src: p.text, from: p.align, first: p.lo,
		text: make([]byte, 0, len(p.text)+16), align: make([]span, 0, len(p.text)+16),
	}
}

// skip drops n characters of the source.
func (w *rewriter) skip(n int) {
	for ; n > 0 && w.pos < len(w.src); n-- {
		_, size := utf8.DecodeRuneInString(w.src[w.pos:])
		w.pos += size
	}
}

// emit appends a character. A positive change means that it is new, 0 that it replaces the
// next character of the source, and -n that it replaces n+1 characters.
func (w *rewriter) emit(r rune, change int) {
	s := span{w.first, w.first}
	switch {
	case change > 0 && w.pos > 0:
		s = w.from[w.pos-1]
	case change <= 0 && w.pos < len(w.from):
		s = w.from[w.pos]
		w.skip(1 - change)
	}
	n := len(w.text)
	w.text = utf8.AppendRune(w.text, r)
	for range len(w.text) - n {
		w.align = append(w.align, s)
	}
}

func (p *piece) set(w *rewriter) {
	p.text, p.align, p.ins = string(w.text), w.align, 0
}

// filter keeps the characters for which keep returns true.
func (p *piece) filter(orig string, keep func(r rune) bool) {
	i := strings.IndexFunc(p.text, func(r rune) bool { return !keep(r) })
	if i < 0 {
		return
	}
	p.materialize(orig)
	var text strings.Builder
	align := make([]span, 0, len(p.text))
	for i, r := range p.text {
		if keep(r) {
			text.WriteRune(r)
			align = append(align, p.align[i:i+utf8.RuneLen(r)]...)
		}
	}
	p.text, p.align = text.String(), align
}

// replaceRunes puts the characters that to returns in place of each one. A nil result keeps it.
func (p *piece) replaceRunes(orig string, to func(r rune) []rune) {
	if strings.IndexFunc(p.text, func(r rune) bool { return to(r) != nil }) < 0 {
		return
	}
	w := p.rewrite(orig)
	for _, r := range p.text {
		repl := to(r)
		if repl == nil {
			w.emit(r, 0)
		}
		for i, c := range repl {
			w.emit(c, min(i, 1))
		}
	}
	p.set(w)
}
