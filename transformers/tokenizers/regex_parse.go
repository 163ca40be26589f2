package tokenizers

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// The parser reads the part of Oniguruma's syntax that patterns of tokenizers use. Everything
// else is ErrUnsupported.

type parser struct {
	pattern string
	pos     int
	depth   int
	nodes   int
	fold    bool // (?i)
	dotAll  bool // (?m) in Oniguruma
	spaced  bool // (?x)
}

func (p *parser) unsupported(what string) error {
	return fail(ErrUnsupported, "Regex", "%s in the pattern %q", what, p.pattern)
}

func (p *parser) invalid(what string) error {
	return fail(ErrFormat, "Regex", "%s in the pattern %q", what, p.pattern)
}

func (p *parser) more() bool { return p.pos < len(p.pattern) }

func (p *parser) peek() byte {
	if p.more() {
		return p.pattern[p.pos]
	}
	return 0
}

func (p *parser) accept(s string) bool {
	if strings.HasPrefix(p.pattern[p.pos:], s) {
		p.pos += len(s)
		return true
	}
	return false
}

func (p *parser) node(n node) (*node, error) {
	if p.nodes++; p.nodes > maxNodes {
		return nil, fail(ErrLimit, "Regex", "the pattern is too large")
	}
	return &n, nil
}

func parseRegex(pattern string) (*node, error) {
	if !utf8.ValidString(pattern) {
		return nil, fail(ErrFormat, "Regex", "the pattern is not UTF-8")
	}
	p := &parser{pattern: pattern}
	n, err := p.alternation()
	if err == nil && p.more() {
		err = p.invalid("unmatched )")
	}
	return n, err
}

func (p *parser) alternation() (*node, error) {
	if p.depth++; p.depth > maxNesting {
		return nil, fail(ErrLimit, "Regex", "the pattern is nested too deeply")
	}
	defer func() { p.depth-- }()
	fold, dotAll, spaced := p.fold, p.dotAll, p.spaced
	defer func() { p.fold, p.dotAll, p.spaced = fold, dotAll, spaced }()
	var alts []*node
	for {
		n, err := p.concat()
		if err != nil {
			return nil, err
		}
		alts = append(alts, n)
		if !p.accept("|") {
			break
		}
	}
	if len(alts) == 1 {
		return alts[0], nil
	}
	return p.node(node{kind: nodeAlt, subs: alts})
}

func (p *parser) concat() (*node, error) {
	var subs []*node
	for p.more() && p.peek() != '|' && p.peek() != ')' {
		if p.spaced && (strings.IndexByte(" \t\n\r", p.peek()) >= 0 || p.peek() == '#') {
			p.comment()
			continue
		}
		n, err := p.atom()
		if err != nil {
			return nil, err
		}
		if n == nil { // flags
			continue
		}
		if err := p.foldsAlone(subs, n); err != nil {
			return nil, err
		}
		if n, err = p.quantified(n); err != nil {
			return nil, err
		}
		subs = append(subs, n)
	}
	if len(subs) == 1 {
		return subs[0], nil
	}
	return p.node(node{kind: nodeConcat, subs: subs})
}

func (p *parser) comment() {
	if p.peek() != '#' {
		p.pos++
		return
	}
	for p.more() && p.peek() != '\n' {
		p.pos++
	}
}

func (p *parser) atom() (*node, error) {
	switch c := p.peek(); c {
	case '(':
		return p.group()
	case '[':
		p.pos++
		set, err := p.set()
		if err != nil {
			return nil, err
		}
		return p.node(node{kind: nodeClass, class: set})
	case '.':
		p.pos++
		if p.dotAll {
			return p.node(node{kind: nodeClass, class: newClass(classItem{lo: 0, hi: maxRune})})
		}
		any := newClass(classItem{lo: '\n', hi: '\n'})
		any.neg = true
		return p.node(node{kind: nodeClass, class: any})
	case '^', '$':
		p.pos++
		return p.node(node{kind: nodeAssert, assert: c})
	case '*', '+', '?':
		return nil, p.invalid("a repeat of nothing")
	case '\\':
		p.pos++
		switch k := p.peek(); k {
		case 'A', 'z', 'Z', 'b', 'B':
			p.pos++
			return p.node(node{kind: nodeAssert, assert: k})
		}
		item, err := p.escape()
		if err != nil {
			return nil, err
		}
		return p.single(item)
	default:
		r, n := utf8.DecodeRuneInString(p.pattern[p.pos:])
		p.pos += n
		return p.single(classItem{lo: r, hi: r})
	}
}

func (p *parser) single(item classItem) (*node, error) {
	set := newClass(item)
	set.fold = p.fold
	return p.node(node{kind: nodeClass, class: set})
}

func (p *parser) group() (*node, error) {
	p.pos++ // (
	n := node{kind: nodeEmpty}
	switch {
	case p.accept("?#"):
		end := strings.IndexByte(p.pattern[p.pos:], ')')
		if end < 0 {
			return nil, p.invalid("an open comment")
		}
		p.pos += end + 1
		return nil, nil
	case p.accept("?:"):
	case p.accept("?="):
		n = node{kind: nodeLook}
	case p.accept("?!"):
		n = node{kind: nodeLook, neg: true}
	case p.accept("?<="):
		n = node{kind: nodeLook, behind: true}
	case p.accept("?<!"):
		n = node{kind: nodeLook, behind: true, neg: true}
	case p.accept("?>"):
		n = node{kind: nodeAtomic}
	case p.accept("?<"):
		end := strings.IndexByte(p.pattern[p.pos:], '>')
		if end < 1 {
			return nil, p.invalid("a bad name of a group")
		}
		p.pos += end + 1
	case p.accept("?"):
		return p.flags()
	}
	sub, err := p.alternation()
	if err != nil {
		return nil, err
	}
	if !p.accept(")") {
		return nil, p.invalid("an open group")
	}
	if n.kind == nodeEmpty {
		return sub, nil
	}
	n.subs = []*node{sub}
	return p.node(n)
}

// flags reads (?i) and (?i:...).
func (p *parser) flags() (*node, error) {
	fold, dotAll, spaced := p.fold, p.dotAll, p.spaced
	on := true
	for {
		c := p.peek()
		p.pos++
		switch c {
		case '-':
			on = false
		case 'i':
			p.fold = on
		case 'm':
			p.dotAll = on
		case 'x':
			p.spaced = on
		case ')': // The flags hold up to the end of the group, with its other alternatives.
			n, err := p.alternation()
			p.fold, p.dotAll, p.spaced = fold, dotAll, spaced
			return n, err
		case ':':
			n, err := p.alternation()
			p.fold, p.dotAll, p.spaced = fold, dotAll, spaced
			if err == nil && !p.accept(")") {
				err = p.invalid("an open group")
			}
			return n, err
		default:
			return nil, p.unsupported("this kind of group")
		}
	}
}

func (p *parser) quantified(n *node) (*node, error) {
	for p.more() {
		var lo, hi int
		interval := false
		switch p.peek() {
		case '*':
			hi = unlimited
		case '+':
			lo, hi = 1, unlimited
		case '?':
			hi = 1
		case '{':
			var ok bool
			start := p.pos
			if lo, hi, ok = p.interval(); !ok {
				p.pos = start
				return n, nil // { is a character, which atom reads
			}
			interval = true
		default:
			return n, nil
		}
		if !interval {
			p.pos++
		}
		if lo > maxRepeats || hi > maxRepeats {
			return nil, fail(ErrLimit, "Regex", "more than %d repeats", maxRepeats)
		}
		if hi != unlimited && lo > hi {
			return nil, p.unsupported("a possessive interval")
		}
		if n.kind == nodeAssert || n.kind == nodeLook {
			return nil, p.unsupported("a repeated assertion")
		}
		rep := node{kind: nodeRepeat, subs: []*node{n}, min: lo, max: hi}
		possessive := false
		if p.accept("?") {
			rep.lazy = true
		} else if !interval && p.accept("+") {
			possessive = true
		}
		var err error
		if n, err = p.node(rep); err != nil {
			return nil, err
		}
		if possessive {
			if n, err = p.node(node{kind: nodeAtomic, subs: []*node{n}}); err != nil {
				return nil, err
			}
		}
	}
	return n, nil
}

// interval reads {n}, {n,}, {,m} or {n,m}.
func (p *parser) interval() (lo, hi int, ok bool) {
	end := strings.IndexByte(p.pattern[p.pos:], '}')
	if end < 0 {
		return 0, 0, false
	}
	body := p.pattern[p.pos+1 : p.pos+end]
	p.pos += end + 1
	a, b, comma := strings.Cut(body, ",")
	digits := func(s string) bool {
		return s == "" || strings.IndexFunc(s, func(r rune) bool { return r < '0' || r > '9' }) < 0
	}
	if !digits(a) || !digits(b) || a == "" && b == "" {
		return 0, 0, false
	}
	number := func(s string) int {
		n, err := strconv.Atoi(s)
		if err != nil {
			return maxRepeats + 1
		}
		return n
	}
	if a != "" {
		lo = number(a)
	}
	switch {
	case !comma:
		hi = lo
	case b == "":
		hi = unlimited
	default:
		hi = number(b)
	}
	return lo, hi, true
}
