package tokenizers

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A class is a set of characters.
type class struct {
	items []classItem
	and   []*class // the other operands of &&
	neg   bool
	fold  bool
	ascii [utf8.RuneSelf]bool // filled by compile
	mask  props               // the union of items that are not negated properties
	rest  []classItem         // the other items, except classes
	subs  []*class
	cost  int // the steps of slow, for large classes

	compiled bool
}

// A classItem is a range of characters, a set of properties or a class.
type classItem struct {
	lo, hi rune
	props  props
	neg    bool // for props
	sub    *class
}

func newClass(items ...classItem) *class { return &class{items: items} }

// compile fills the tables of c.
func (c *class) compile() {
	if c.compiled {
		return
	}
	c.compiled = true
	for _, item := range c.items {
		if item.sub != nil {
			item.sub.compile()
			c.subs = append(c.subs, item.sub)
			c.cost += item.sub.cost
			continue
		}
		if item.props != 0 && !item.neg {
			c.mask |= item.props
		} else {
			c.rest = append(c.rest, item)
		}
	}
	for _, o := range c.and {
		o.compile()
		c.cost += o.cost
	}
	c.cost += (len(c.items) + len(c.and)) / 8
	for r := range rune(utf8.RuneSelf) {
		c.ascii[r] = c.slow(r)
	}
}

func (c *class) slow(r rune) bool {
	// Classes within c look at the case of characters themselves.
	ok := c.plain(r) || c.fold && foldOrbit(r, c.plain) ||
		slices.ContainsFunc(c.subs, func(s *class) bool { return s.slow(r) })
	for _, o := range c.and {
		ok = ok && o.slow(r)
	}
	return ok != c.neg
}

func (c *class) plain(r rune) bool {
	if c.mask != 0 && chars().props(r)&c.mask != 0 {
		return true
	}
	for i := range c.rest {
		if c.rest[i].has(r) {
			return true
		}
	}
	return false
}

func (it *classItem) has(r rune) bool {
	switch {
	case it.props != 0:
		return (chars().props(r)&it.props != 0) != it.neg
	default:
		return it.lo <= r && r <= it.hi
	}
}

// set reads a class in brackets, behind the first one.
func (p *parser) set() (*class, error) {
	if p.depth++; p.depth > maxNesting {
		return nil, fail(ErrLimit, "Regex", "the pattern is nested too deeply")
	}
	defer func() { p.depth-- }()
	neg := p.accept("^")
	operands := []*class{{fold: p.fold}}
	for first := true; ; first = false {
		cur := operands[len(operands)-1]
		if p.nodes++; p.nodes > maxNodes {
			return nil, fail(ErrLimit, "Regex", "the pattern is too large")
		}
		switch {
		case !p.more():
			return nil, p.invalid("an open class")
		case p.peek() == ']' && !first:
			p.pos++
			out := operands[0]
			if len(operands) > 1 || neg {
				out = &class{items: []classItem{{sub: operands[0]}}, and: operands[1:], neg: neg}
			}
			return out, nil
		case p.accept("&&"):
			operands = append(operands, &class{fold: p.fold})
			continue
		case p.accept("[:"):
			item, err := p.posix()
			if err != nil {
				return nil, err
			}
			cur.items = append(cur.items, item)
			continue
		case p.accept("["):
			sub, err := p.set()
			if err != nil {
				return nil, err
			}
			cur.items = append(cur.items, classItem{sub: sub})
			continue
		}
		item, err := p.setItem()
		if err != nil {
			return nil, err
		}
		single := item.props == 0 && item.sub == nil
		if single && p.peek() == '-' && p.pos+1 < len(p.pattern) && p.pattern[p.pos+1] != ']' {
			p.pos++
			end, err := p.setItem()
			if err != nil {
				return nil, err
			}
			if end.props != 0 || end.sub != nil {
				cur.items = append(cur.items, item, classItem{lo: '-', hi: '-'}, end)
				continue
			}
			if end.lo < item.lo {
				return nil, p.invalid("an empty range")
			}
			item.hi = end.hi
		}
		cur.items = append(cur.items, item)
	}
}

func (p *parser) setItem() (classItem, error) {
	if p.accept("\\") {
		if p.accept("b") {
			return classItem{lo: '\b', hi: '\b'}, nil
		}
		return p.escape()
	}
	r, n := utf8.DecodeRuneInString(p.pattern[p.pos:])
	p.pos += n
	return classItem{lo: r, hi: r}, nil
}

var posixNames = map[string][]string{
	"alpha": {"L", "M"}, "digit": {"Nd"}, "space": {"space"}, "upper": {"Lu"}, "lower": {"Ll"}, "word": {"regexword"},
}

func (p *parser) posix() (classItem, error) {
	end := strings.Index(p.pattern[p.pos:], ":]")
	if end < 0 {
		return classItem{}, p.invalid("an open class")
	}
	name := p.pattern[p.pos : p.pos+end]
	names, ok := posixNames[strings.TrimPrefix(name, "^")]
	if !ok || name == "alpha" || name == "upper" || name == "lower" {
		return classItem{}, p.unsupported("[:" + name + ":]")
	}
	p.pos += end + 2
	return classItem{props: classBits(names...), neg: name[0] == '^'}, nil
}

// classBits returns the properties of classes. A single letter means all general categories that
// begin with it.
func classBits(names ...string) props {
	var out props
	for _, name := range names {
		for class, bit := range chars().classes {
			if class == name || len(name) == 1 && len(class) == 2 && class[0] == name[0] {
				out |= bit
			}
		}
	}
	return out
}

var controlEscapes = map[byte]rune{'t': '\t', 'n': '\n', 'r': '\r', 'f': '\f', 'v': '\v', 'a': '\a', 'e': 0x1B, '0': 0}

// escape reads the character or the class behind a backslash.
func (p *parser) escape() (classItem, error) {
	if !p.more() {
		return classItem{}, p.invalid("a backslash at the end")
	}
	r, n := utf8.DecodeRuneInString(p.pattern[p.pos:])
	p.pos += n
	switch r {
	case 's', 'S':
		return classItem{props: classBits("space"), neg: r == 'S'}, nil
	case 'd', 'D':
		return classItem{props: classBits("Nd"), neg: r == 'D'}, nil
	case 'w', 'W':
		return classItem{props: classBits("regexword"), neg: r == 'W'}, nil
	case 'p', 'P':
		return p.property(r == 'P')
	case 'x', 'u':
		return p.hex(r)
	}
	if c, ok := controlEscapes[byte(r)]; ok && r < utf8.RuneSelf {
		return classItem{lo: c, hi: c}, nil
	}
	if r < utf8.RuneSelf && (r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '1' && r <= '9') {
		return classItem{}, p.unsupported(`\` + string(r))
	}
	return classItem{lo: r, hi: r}, nil
}

func (p *parser) hex(kind rune) (classItem, error) {
	var digits string
	switch {
	case kind == 'x' && p.accept("{"):
		end := strings.IndexByte(p.pattern[p.pos:], '}')
		if end < 0 {
			return classItem{}, p.invalid(`an open \x{`)
		}
		digits = p.pattern[p.pos : p.pos+end]
		p.pos += end + 1
	default:
		n := 2
		if kind == 'u' {
			n = 4
		}
		if p.pos+n > len(p.pattern) {
			return classItem{}, p.invalid("a bad number of a character")
		}
		digits = p.pattern[p.pos : p.pos+n]
		p.pos += n
	}
	c, err := strconv.ParseUint(digits, 16, 32)
	if err != nil || c > maxRune {
		return classItem{}, p.invalid("a bad number of a character")
	}
	return classItem{lo: rune(c), hi: rune(c)}, nil
}

var longNames = map[string]string{
	"letter": "L", "mark": "M", "number": "N", "punctuation": "P", "symbol": "S", "separator": "Z",
	"uppercaseletter": "Lu", "lowercaseletter": "Ll", "titlecaseletter": "Lt", "modifierletter": "Lm",
	"otherletter": "Lo", "nonspacingmark": "Mn", "spacingmark": "Mc", "enclosingmark": "Me",
	"decimalnumber": "Nd", "letternumber": "Nl", "othernumber": "No", "space": "space",
	"whitespace": "space", "control": "Cc", "format": "Cf",
}

func (p *parser) property(neg bool) (classItem, error) {
	if !p.accept("{") {
		return classItem{}, p.unsupported(`\p without braces`)
	}
	end := strings.IndexByte(p.pattern[p.pos:], '}')
	if end < 0 {
		return classItem{}, p.invalid(`an open \p{`)
	}
	name := p.pattern[p.pos : p.pos+end]
	p.pos += end + 1
	if strings.HasPrefix(name, "^") {
		name, neg = name[1:], !neg
	}
	key := strings.ToLower(strings.NewReplacer("_", "", " ", "", "-", "").Replace(name))
	if long, ok := longNames[key]; ok {
		key = strings.ToLower(long)
	}
	if key == "c" || key == "cn" || key == "cs" { // unicode.txt lacks unassigned characters
		return classItem{}, p.unsupported(`\p{` + name + "}")
	}
	var set props
	for class, bit := range chars().classes {
		if strings.ToLower(class) == key || len(key) == 1 && len(class) == 2 && strings.ToLower(class[:1]) == key {
			set |= bit
		}
	}
	if set == 0 || slices.Contains(ownClasses, key) {
		return classItem{}, p.unsupported(`\p{` + name + "}")
	}
	return classItem{props: set, neg: neg}, nil
}

// ownClasses are classes of unicode.txt whose names mean something else in a pattern.
var ownClasses = []string{"word", "regexword", "punct", "numeric", "nonspacing"}
