package tokenizers

import (
	"sync"
	"unicode/utf8"
)

// stepsPerByte bounds the time of a search: patterns of tokenizers need few steps per byte.
const (
	stepsPerByte = 200
	minSteps     = 1 << 16

	choicesPerByte = 4 // bounds the memory of a search
)

// A match is a range of the text that a pattern matches.
type match struct{ lo, hi int }

// A choice is a place where the machine can go back to.
type choice struct {
	pc, pos int
	// For a span: the first position that it can give back to, or the last one of a lazy span.
	limit int
	alt   int32 // for opAlt: the next alternative
}

type machine struct {
	text  string
	stack []choice
	most  int // the greatest length of stack
	steps int
}

var machines = sync.Pool{New: func() any { return new(machine) }}

var errSteps = fail(ErrLimit, "Regex", "the pattern needs too many steps for this text")

// findAll appends the matches in text to dst, as Oniguruma finds them.
func (re *regex) findAll(dst []match, text string) ([]match, error) {
	m := machines.Get().(*machine)
	defer machines.Put(m)
	m.text, m.stack, m.steps = text, m.stack[:0], max(minSteps, stepsPerByte*len(text))
	m.most = max(minSteps, choicesPerByte*len(text))
	defer func() {
		if m.text = ""; cap(m.stack) > minSteps {
			m.stack = nil
		}
	}()
	first := re.prog.first
	for pos, last := 0, -1; pos <= len(text); {
		if first != nil {
			for pos < len(text) && !first[text[pos]] {
				pos++
			}
			if pos == len(text) {
				break
			}
			if !utf8.RuneStart(text[pos]) {
				pos++
				continue
			}
		}
		end := m.run(re.prog, pos)
		if m.steps < 0 {
			return nil, errSteps
		}
		switch {
		case end < 0 || end == pos && last == pos:
			_, n := utf8.DecodeRuneInString(text[pos:])
			pos += max(n, 1)
		default:
			dst = append(dst, match{pos, end})
			pos, last = end, end
		}
	}
	return dst, nil
}

// run returns the end of the match of p at pos, or -1.
func (m *machine) run(p *program, pos int) int {
	text := m.text
	bottom := len(m.stack)
	pc := 0
	for {
		if m.steps--; m.steps < 0 || len(m.stack) > m.most {
			m.steps = -1
			m.stack = m.stack[:bottom]
			return -1
		}
		in := &p.code[pc]
		ok := false
		switch in.op {
		case opMatch:
			m.stack = m.stack[:bottom]
			return pos
		case opClass:
			if pos < len(text) {
				if b := text[pos]; b < utf8.RuneSelf {
					if in.class.ascii[b] {
						pos, pc, ok = pos+1, pc+1, true
					}
				} else {
					m.steps -= in.class.cost
					if r, n := utf8.DecodeRuneInString(text[pos:]); in.class.slow(r) {
						pos, pc, ok = pos+n, pc+1, true
					}
				}
			}
		case opSpan:
			var least int
			least, pos = m.span(in, pos)
			if ok = pos >= 0; ok {
				pc++
				if pos > least && p.code[pc].op != opMatch {
					m.stack = append(m.stack, choice{pc: pc - 1, pos: pos, limit: least})
				}
			}
		case opLazy:
			least, end := m.span(in, pos)
			if ok = end >= 0; ok {
				pos = least
				pc++
				if end > least {
					m.stack = append(m.stack, choice{pc: pc - 1, pos: pos, limit: end})
				}
			}
		case opAlt:
			pc, ok = m.choose(in, pc, pos, 0)
		case opJump:
			pc, ok = in.x, true
		case opSplit:
			m.stack = append(m.stack, choice{pc: in.y, pos: pos, limit: -1})
			pc, ok = in.x, true
		case opAtomic:
			if end := m.run(in.sub, pos); end >= 0 {
				pos, pc, ok = end, pc+1, true
			}
		case opLook:
			if ok = m.look(in, pos); ok {
				pc++
			}
		case opAssert:
			if ok = m.assert(in.assert, pos); ok {
				pc++
			}
		}
		if ok {
			continue
		}
		if len(m.stack) == bottom {
			return -1
		}
		pc, pos = m.back(p)
	}
}

// back returns to the newest choice and takes its next option.
func (m *machine) back(p *program) (pc, pos int) {
	top := &m.stack[len(m.stack)-1]
	in := &p.code[top.pc]
	switch {
	case top.limit == -1: // opSplit
		pc, pos = top.pc, top.pos
		m.stack = m.stack[:len(m.stack)-1]
		return pc, pos
	case in.op == opSpan:
		_, n := utf8.DecodeLastRuneInString(m.text[:top.pos])
		top.pos -= n
		pc, pos = top.pc+1, top.pos
		if top.pos <= top.limit {
			m.stack = m.stack[:len(m.stack)-1]
		}
		return pc, pos
	case in.op == opLazy:
		_, n := utf8.DecodeRuneInString(m.text[top.pos:])
		top.pos += n
		pc, pos = top.pc+1, top.pos
		if top.pos >= top.limit {
			m.stack = m.stack[:len(m.stack)-1]
		}
		return pc, pos
	default: // opAlt
		c := *top
		m.stack = m.stack[:len(m.stack)-1]
		pc, _ = m.choose(in, c.pc, c.pos, c.alt)
		return pc, c.pos
	}
}

// choose takes alternative i of those that can match at pos.
func (m *machine) choose(in *instr, pc, pos int, i int32) (int, bool) {
	alts := in.alts.atEnd
	if pos < len(m.text) {
		alts = in.alts.rows[in.alts.byByte[m.text[pos]]]
	}
	if int(i) >= len(alts) {
		return pc, false
	}
	if int(i)+1 < len(alts) {
		m.stack = append(m.stack, choice{pc: pc, pos: pos, alt: i + 1, limit: -2})
	}
	return pc + int(alts[i]), true
}

// span returns the positions after the least and the greatest number of characters of the
// class of in, or -1.
func (m *machine) span(in *instr, pos int) (least, most int) {
	text, set := m.text, in.class
	start, n := pos, 0
	least = -1
	if in.lo == 0 {
		least = pos
	}
	for pos < len(text) && n != in.hi {
		if b := text[pos]; b < utf8.RuneSelf {
			if !set.ascii[b] {
				break
			}
			pos++
		} else {
			if m.steps -= set.cost; m.steps < 0 {
				return -1, -1
			}
			r, size := utf8.DecodeRuneInString(text[pos:])
			if !set.slow(r) {
				break
			}
			pos += size
		}
		if n++; n == in.lo {
			least = pos
		}
	}
	m.steps -= (pos - start) >> 2
	if least < 0 {
		return -1, -1
	}
	return least, pos
}

func (m *machine) look(in *instr, pos int) bool {
	found := true
	m.steps -= max(in.behind, 0) >> 2
	for range in.behind {
		if pos == 0 {
			found = false
			break
		}
		_, n := utf8.DecodeLastRuneInString(m.text[:pos])
		pos -= n
	}
	return (found && m.run(in.sub, pos) >= 0) != in.neg
}

func (m *machine) assert(kind byte, pos int) bool {
	text := m.text
	switch kind {
	case assertBegin:
		return pos == 0
	case assertEnd:
		return pos == len(text)
	case assertEndNL:
		return pos == len(text) || pos == len(text)-1 && text[pos] == '\n'
	case assertLine:
		return pos == 0 || text[pos-1] == '\n' && pos < len(text)
	case assertEOL:
		return pos == len(text) || text[pos] == '\n'
	default:
		word := classBits("regexword")
		before, n := utf8.DecodeLastRuneInString(text[:pos])
		after, k := utf8.DecodeRuneInString(text[pos:])
		is := (n > 0 && chars().props(before)&word != 0) != (k > 0 && chars().props(after)&word != 0)
		return is == (kind == assertWord)
	}
}
