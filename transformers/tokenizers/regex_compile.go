package tokenizers

import (
	"slices"
	"unicode/utf8"
)

type opcode uint8

const (
	opMatch  opcode = iota
	opClass         // one character of class
	opSpan          // lo to hi characters of class, as many as possible
	opLazy          // lo to hi characters of class, as few as possible
	opAlt           // alternatives, which begin at the places in alts
	opJump          // to x
	opSplit         // x first, then y
	opLook          // the program sub has to match, or not if neg
	opAtomic        // the program sub, without backtracking into it
	opAssert        // an assertion
)

type instr struct {
	op     opcode
	class  *class
	lo, hi int
	x, y   int
	neg    bool
	behind int // for opLook: the number of characters to go back, or -1
	assert byte
	sub    *program
	alts   *choices // for opAlt, relative to the instruction
}

// choices are the alternatives that can match before each byte, and at the end of the text.
type choices struct {
	byByte [256]uint8 // the number of a row
	rows   [][]uint16 // no two are the same
	atEnd  []uint16
}

// A program is a compiled pattern.
type program struct {
	code  []instr
	first *[256]bool // the bytes that a match can begin with; nil if it can be empty
}

// A regex is a compiled pattern of tokenizer.json.
type regex struct{ prog *program }

func compileRegex(pattern string) (*regex, error) {
	n, err := parseRegex(pattern)
	if err != nil {
		return nil, err
	}
	prog, err := (&compiler{size: new(int)}).program(n)
	if err != nil {
		return nil, err
	}
	return &regex{prog}, nil
}

func (c *compiler) program(n *node) (*program, error) {
	c = &compiler{size: c.size}
	if err := c.emit(n); err != nil {
		return nil, err
	}
	c.add(instr{op: opMatch})
	p := &program{code: c.code}
	if !n.empty() {
		p.first = n.first()
	}
	return p, nil
}

type compiler struct {
	code []instr
	size *int // of all programs of the pattern
}

func (c *compiler) add(in instr) int {
	*c.size++
	c.code = append(c.code, in)
	return len(c.code) - 1
}

func (c *compiler) emit(n *node) error {
	if *c.size > maxNodes {
		return fail(ErrLimit, "Regex", "the pattern is too large")
	}
	switch n.kind {
	case nodeClass:
		n.class.compile()
		c.add(instr{op: opClass, class: n.class})
	case nodeConcat:
		for _, s := range n.subs {
			if err := c.emit(s); err != nil {
				return err
			}
		}
	case nodeAlt:
		return c.alt(n)
	case nodeRepeat:
		return c.repeat(n)
	case nodeAtomic, nodeLook:
		in := instr{op: opAtomic, behind: -1, neg: n.neg}
		if n.kind == nodeLook {
			in.op = opLook
		}
		if n.behind {
			return c.behind(n)
		}
		if n.prog == nil { // a repeat emits its body several times
			sub, err := c.program(n.subs[0])
			if err != nil {
				return err
			}
			n.prog = sub
		}
		in.sub = n.prog
		c.add(in)
	case nodeAssert:
		c.add(instr{op: opAssert, assert: n.assert})
	}
	return nil
}

// behind compiles (?<=a|bc) to an alternative for each length, and (?<!a|bc) to a sequence.
func (c *compiler) behind(n *node) error {
	alts := n.subs
	if alts[0].kind == nodeAlt {
		alts = alts[0].subs
	}
	var looks []*node
	for _, a := range alts {
		if _, ok := a.fixed(); !ok {
			return fail(ErrUnsupported, "Regex", "lookbehind of a varying length")
		}
		looks = append(looks, a)
	}
	if !n.neg && len(looks) > 1 {
		return fail(ErrUnsupported, "Regex", "alternatives in lookbehind")
	}
	for _, a := range looks {
		k, _ := a.fixed()
		if k > maxRepeats {
			return fail(ErrLimit, "Regex", "lookbehind of more than %d characters", maxRepeats)
		}
		if a.whole == nil { // a repeat emits its body several times
			sub, err := c.program(a)
			if err != nil {
				return err
			}
			a.whole = sub
		}
		c.add(instr{op: opLook, sub: a.whole, neg: n.neg, behind: k})
	}
	return nil
}

func (c *compiler) alt(n *node) error {
	at := c.add(instr{op: opAlt})
	var ends []int
	starts := make([]uint16, len(n.subs))
	for i, s := range n.subs {
		starts[i] = uint16(len(c.code) - at)
		if err := c.emit(s); err != nil {
			return err
		}
		ends = append(ends, c.add(instr{op: opJump}))
	}
	for _, e := range ends {
		c.code[e].x = len(c.code)
	}
	if n.starts == nil {
		n.starts = n.choices(starts)
	}
	c.code[at].alts = n.starts
	return nil
}

// choices returns the alternatives of n, which begin at the places in starts.
func (n *node) choices(starts []uint16) *choices {
	out := &choices{}
	var rows [256][]uint16
	for i, s := range n.subs {
		var first *[256]bool
		if s.empty() {
			out.atEnd = append(out.atEnd, starts[i])
		} else {
			first = s.first()
		}
		for b := range rows {
			if first == nil || first[b] {
				rows[b] = append(rows[b], starts[i])
			}
		}
	}
	for b, row := range rows {
		at := slices.IndexFunc(out.rows, func(r []uint16) bool { return slices.Equal(r, row) })
		if at < 0 {
			at = len(out.rows)
			out.rows = append(out.rows, slices.Clip(row))
		}
		out.byByte[b] = uint8(at)
	}
	return out
}

func (c *compiler) repeat(n *node) error {
	body := n.subs[0]
	if body.kind == nodeClass {
		body.class.compile()
		in := instr{op: opSpan, class: body.class, lo: n.min, hi: n.max}
		if n.lazy {
			in.op = opLazy
		}
		c.add(in)
		return nil
	}
	if body.empty() {
		return fail(ErrUnsupported, "Regex", "a repeat of a group that can be empty")
	}
	for range n.min {
		if err := c.emit(body); err != nil {
			return err
		}
	}
	split := func() int { return c.add(instr{op: opSplit}) }
	patch := func(at, inside, behind int) {
		c.code[at].x, c.code[at].y = inside, behind
		if n.lazy {
			c.code[at].x, c.code[at].y = behind, inside
		}
	}
	if n.max == unlimited {
		at := split()
		if err := c.emit(body); err != nil {
			return err
		}
		c.add(instr{op: opJump, x: at})
		patch(at, at+1, len(c.code))
		return nil
	}
	var splits []int
	for range n.max - n.min {
		splits = append(splits, split())
		if err := c.emit(body); err != nil {
			return err
		}
	}
	for _, at := range splits {
		patch(at, at+1, len(c.code))
	}
	return nil
}

// first returns the bytes that a match of n, which is not empty, can begin with.
func (n *node) first() *[256]bool {
	var out [256]bool
	n.addFirst(&out)
	return &out
}

func (n *node) addFirst(out *[256]bool) {
	switch n.kind {
	case nodeClass:
		for r := range rune(utf8.RuneSelf) {
			out[r] = out[r] || n.class.uncompiled(r)
		}
		for b := utf8.RuneSelf; b < len(out); b++ {
			out[b] = true
		}
	case nodeConcat:
		for _, s := range n.subs {
			s.addFirst(out)
			if !s.empty() {
				return
			}
		}
	case nodeAlt, nodeRepeat, nodeAtomic:
		for _, s := range n.subs {
			s.addFirst(out)
		}
	}
}

// uncompiled is has for a class that compile may not have seen.
func (c *class) uncompiled(r rune) bool {
	own := func(r rune) bool {
		return slices.ContainsFunc(c.items, func(it classItem) bool { return it.sub == nil && it.has(r) })
	}
	ok := own(r) || c.fold && foldOrbit(r, own) ||
		slices.ContainsFunc(c.items, func(it classItem) bool { return it.sub != nil && it.sub.uncompiled(r) })
	for _, o := range c.and {
		ok = ok && o.uncompiled(r)
	}
	return ok != c.neg
}
