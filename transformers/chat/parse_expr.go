package chat

import (
	"slices"
	"strconv"
	"strings"
)

const (
	maxDepth = 200    // of nested expressions and statements
	maxLinks = 10_000 // operators in a tag
)

type parser struct {
	toks  []tok
	pos   int
	depth int
	links int // operators in the present tag
	loops int
}

func (p *parser) cur() tok { return p.toks[p.pos] }

func (p *parser) next() tok {
	t := p.toks[p.pos]
	if t.kind != tokEOF {
		p.pos++
	}
	return t
}

func (p *parser) isOp(op string) bool { return p.cur().kind == tokOp && p.cur().text == op }

func (p *parser) isName(id string) bool { return p.cur().kind == tokName && p.cur().text == id }

func (p *parser) skipOp(op string) bool {
	if p.isOp(op) {
		p.pos++
		return true
	}
	return false
}

func (p *parser) skipName(id string) bool {
	if p.isName(id) {
		p.pos++
		return true
	}
	return false
}

func (p *parser) wantOp(op string) {
	if !p.skipOp(op) {
		fail(ErrSyntax, p.cur().line, "%q in place of %q", p.cur().text, op)
	}
}

func (p *parser) wantName() string {
	t := p.next()
	if t.kind != tokName {
		fail(ErrSyntax, t.line, "%q in place of a name", t.text)
	}
	return t.text
}

func (p *parser) enter() func() {
	if p.depth++; p.depth > maxDepth {
		fail(ErrLimit, p.cur().line, "nested more than %d times", maxDepth)
	}
	return func() { p.depth-- }
}

// link counts an operator. Rendering a chain of operators is a recursion.
func (p *parser) link() {
	if p.links++; p.links > maxLinks {
		fail(ErrLimit, p.cur().line, "more than %d operators in a tag", maxLinks)
	}
}

// tuple reads one or several expressions with commas. If conds is false, it reads no
// conditions, because `if` means something else behind it.
func (p *parser) tuple(conds bool) expr {
	one := p.or
	if conds {
		one = p.expression
	}
	var items []expr
	isTuple := false
	ends := func() bool {
		return p.cur().kind == tokVarEnd || p.cur().kind == tokBlockEnd || p.isOp(")") || p.isName("in")
	}
	for len(items) == 0 || !ends() {
		items = append(items, one())
		if !p.skipOp(",") {
			break
		}
		isTuple = true
	}
	if !isTuple {
		return items[0]
	}
	return &listExpr{items, true}
}

func (p *parser) expression() expr {
	defer p.enter()()
	e := p.or()
	for p.skipName("if") {
		p.link()
		c := &condExpr{then: e, cond: p.or()}
		if p.skipName("else") {
			c.otherwise = p.expression()
		}
		e = c
	}
	return e
}

func (p *parser) or() expr {
	e := p.and()
	for p.isName("or") {
		p.link()
		line := p.next().line
		e = &binaryExpr{"or", e, p.and(), line}
	}
	return e
}

func (p *parser) and() expr {
	e := p.not()
	for p.isName("and") {
		p.link()
		line := p.next().line
		e = &binaryExpr{"and", e, p.not(), line}
	}
	return e
}

func (p *parser) not() expr {
	if p.isName("not") {
		defer p.enter()()
		line := p.next().line
		return &unaryExpr{"not", p.not(), line}
	}
	return p.compare()
}

func (p *parser) compare() expr {
	e := p.sum()
	c := &compareExpr{first: e, line: p.cur().line}
	for {
		op := ""
		switch t := p.cur(); {
		case t.kind == tokOp && slices.Contains([]string{"==", "!=", "<", "<=", ">", ">="}, t.text):
			op = t.text
			p.pos++
		case p.skipName("in"):
			op = "in"
		case p.isName("not") && p.toks[p.pos+1].kind == tokName && p.toks[p.pos+1].text == "in":
			op = "not in"
			p.pos += 2
		}
		if op == "" {
			break
		}
		c.ops, c.rest = append(c.ops, op), append(c.rest, p.sum())
	}
	if len(c.ops) == 0 {
		return e
	}
	return c
}

func (p *parser) binary(ops []string, operand func() expr) expr {
	e := operand()
	for p.cur().kind == tokOp && slices.Contains(ops, p.cur().text) {
		p.link()
		t := p.next()
		e = &binaryExpr{t.text, e, operand(), t.line}
	}
	return e
}

func (p *parser) sum() expr { return p.binary([]string{"+", "-"}, p.concat) }

func (p *parser) concat() expr { return p.binary([]string{"~"}, p.product) }

func (p *parser) product() expr { return p.binary([]string{"*", "/", "//", "%"}, p.power) }

func (p *parser) power() expr {
	return p.binary([]string{"**"}, func() expr { return p.unary(true) })
}

func (p *parser) unary(filters bool) expr {
	defer p.enter()()
	var e expr
	if t := p.cur(); t.kind == tokOp && (t.text == "-" || t.text == "+") {
		p.pos++
		e = &unaryExpr{t.text, p.unary(false), t.line}
	} else {
		e = p.primary()
	}
	e = p.postfix(e)
	if filters {
		e = p.filters(e)
	}
	return e
}

func (p *parser) primary() expr {
	t := p.next()
	switch t.kind {
	case tokName:
		switch t.text {
		case "true", "True":
			return &literal{true}
		case "false", "False":
			return &literal{false}
		case "none", "None":
			return &literal{nil}
		}
		return &name{t.text, t.line}
	case tokString:
		var b strings.Builder
		b.WriteString(t.text)
		for p.cur().kind == tokString {
			b.WriteString(p.next().text)
		}
		return &literal{b.String()}
	case tokInt:
		n, err := strconv.ParseInt(t.text, 0, 64)
		if err != nil {
			if n, err = strconv.ParseInt(t.text, 10, 64); err != nil {
				fail(ErrUnsupported, t.line, "the integer %s", t.text)
			}
		}
		return &literal{n}
	case tokFloat:
		f, _ := strconv.ParseFloat(t.text, 64)
		return &literal{f}
	case tokOp:
		switch t.text {
		case "(":
			if p.skipOp(")") {
				return &listExpr{nil, true}
			}
			e := p.tuple(true)
			p.wantOp(")")
			return e
		case "[":
			return &listExpr{p.items("]"), false}
		case "{":
			return p.dict()
		}
	}
	fail(ErrSyntax, t.line, "unexpected %q", t.text)
	return nil
}

func (p *parser) items(end string) []expr {
	var out []expr
	for !p.skipOp(end) {
		if len(out) > 0 {
			p.wantOp(",")
			if p.skipOp(end) {
				break
			}
		}
		out = append(out, p.expression())
	}
	return out
}

func (p *parser) dict() expr {
	d := &dictExpr{}
	for !p.skipOp("}") {
		if len(d.keys) > 0 {
			p.wantOp(",")
			if p.skipOp("}") {
				break
			}
		}
		d.keys = append(d.keys, p.expression())
		p.wantOp(":")
		d.values = append(d.values, p.expression())
	}
	return d
}

func (p *parser) postfix(e expr) expr {
	for ; ; p.link() {
		switch line := p.cur().line; {
		case p.skipOp("."):
			if t := p.next(); t.kind == tokName {
				e = &attrExpr{e, t.text, line}
			} else if n, err := strconv.ParseInt(t.text, 10, 64); err == nil && t.kind == tokInt {
				e = &indexExpr{e, &literal{n}, line}
			} else {
				fail(ErrSyntax, t.line, "%q in place of a name", t.text)
			}
		case p.skipOp("["):
			e = p.subscript(e, line)
		case p.isOp("("):
			e = &callExpr{e, p.args(), line}
		default:
			return e
		}
	}
}

func (p *parser) subscript(of expr, line int) expr {
	var parts [3]expr
	n := 0
	for isSlice := false; ; {
		switch {
		case p.skipOp("]"):
			if isSlice {
				return &sliceExpr{of, parts[0], parts[1], parts[2], line}
			}
			if parts[0] == nil {
				fail(ErrSyntax, line, "an empty index")
			}
			return &indexExpr{of, parts[0], line}
		case p.skipOp(":"):
			if isSlice, n = true, n+1; n > 2 {
				fail(ErrSyntax, line, "a slice with too many parts")
			}
		case parts[n] != nil:
			if p.isOp(",") {
				fail(ErrUnsupported, line, "an index of several parts")
			}
			fail(ErrSyntax, p.cur().line, "%q in an index", p.cur().text)
		default:
			parts[n] = p.expression()
		}
	}
}

func (p *parser) args() args {
	p.wantOp("(")
	var a args
	for first := true; !p.skipOp(")"); first = false {
		if !first {
			p.wantOp(",")
			if p.skipOp(")") {
				break
			}
		}
		switch {
		case p.skipOp("**"):
			a.stars = p.expression()
		case p.skipOp("*"):
			a.star = p.expression()
		case p.cur().kind == tokName && p.toks[p.pos+1].kind == tokOp && p.toks[p.pos+1].text == "=":
			a.names = append(a.names, p.next().text)
			p.pos++
			a.named = append(a.named, p.expression())
		default:
			if len(a.names) > 0 || a.star != nil || a.stars != nil {
				fail(ErrSyntax, p.cur().line, "an argument without a name behind one with a name")
			}
			a.pos = append(a.pos, p.expression())
		}
	}
	return a
}

func (p *parser) filters(e expr) expr {
	for ; ; p.link() {
		switch {
		case p.isOp("|"):
			line := p.next().line
			e = p.filter(e, line)
		case p.isName("is"):
			e = p.test(e)
		case p.isOp("("):
			e = &callExpr{e, p.args(), p.cur().line}
		default:
			return e
		}
	}
}

// filter reads the name and the arguments of a filter.
func (p *parser) filter(of expr, line int) *filterExpr {
	f := &filterExpr{of: of, name: p.wantName(), line: line}
	if p.isOp("(") {
		f.args = p.args()
	}
	if f.fn = filters[f.name]; f.fn == nil {
		fail(ErrUnsupported, line, "the filter %q", f.name)
	}
	return f
}

func (p *parser) test(of expr) expr {
	line := p.next().line
	t := &testExpr{of: of, neg: p.skipName("not"), line: line}
	t.name = p.wantName()
	switch c := p.cur(); {
	case p.isOp("("):
		t.args = p.args()
	case c.kind == tokName && c.text != "else" && c.text != "or" && c.text != "and" && c.text != "is" &&
		c.text != "if" && c.text != "not" && c.text != "in", c.kind == tokString, c.kind == tokInt, c.kind == tokFloat,
		c.kind == tokOp && (c.text == "[" || c.text == "{"):
		t.args.pos = []expr{p.postfix(p.primary())}
	}
	if t.fn = tests[t.name]; t.fn == nil {
		fail(ErrUnsupported, line, "the test %q", t.name)
	}
	return t
}
