package chat

import "slices"

// body reads statements up to one of the tags in ends, and returns its name.
func (p *parser) body(ends ...string) ([]stmt, string) {
	defer p.enter()()
	out := []stmt{}
	for {
		switch t := p.next(); t.kind {
		case tokEOF:
			if len(ends) > 0 {
				fail(ErrSyntax, t.line, "the template ends before %s", ends[len(ends)-1])
			}
			return out, ""
		case tokData:
			out = append(out, &dataStmt{t.text})
		case tokVarBegin:
			p.links = 0
			out = append(out, &outputStmt{p.tuple(true)})
			p.want(tokVarEnd)
		case tokBlockBegin:
			p.links = 0
			tag := p.wantName()
			if slices.Contains(ends, tag) {
				return out, tag
			}
			out = append(out, p.statement(tag, t.line))
		}
	}
}

func (p *parser) want(k tokenKind) {
	if t := p.next(); t.kind != k {
		fail(ErrSyntax, t.line, "unexpected %q", t.text)
	}
}

// block reads the end of a tag, and statements up to the tag end.
func (p *parser) block(end string) []stmt {
	p.want(tokBlockEnd)
	body, _ := p.body(end)
	p.want(tokBlockEnd)
	return body
}

func (p *parser) statement(tag string, line int) stmt {
	switch tag {
	case "if":
		return p.ifStatement()
	case "for":
		return p.forStatement(line)
	case "set":
		return p.setStatement(line)
	case "macro":
		m := &macroStmt{name: p.wantName(), line: line}
		p.signature(m)
		loops := p.loops
		p.loops = 0
		m.body = p.block("endmacro")
		p.loops = loops
		return m
	case "call":
		m := &macroStmt{name: "caller", line: line}
		if p.isOp("(") {
			p.signature(m)
		}
		call, ok := p.unary(true).(*callExpr)
		if !ok {
			fail(ErrSyntax, line, "call without a call")
		}
		m.body = p.block("endcall")
		return &callStmt{m, call}
	case "filter":
		f := &filterStmt{filters: []*filterExpr{p.filter(nil, line)}}
		for p.skipOp("|") {
			f.filters = append(f.filters, p.filter(nil, line))
		}
		f.body = p.block("endfilter")
		return f
	case "with":
		w := &withStmt{}
		for p.cur().kind != tokBlockEnd {
			if len(w.targets) > 0 {
				p.wantOp(",")
			}
			w.targets = append(w.targets, target{name: p.wantName(), line: line})
			p.wantOp("=")
			w.values = append(w.values, p.expression())
		}
		w.body = p.block("endwith")
		return w
	case "generation":
		return &blockStmt{p.block("endgeneration")}
	case "break", "continue":
		if p.loops == 0 {
			fail(ErrSyntax, line, "%s outside of a loop", tag)
		}
		p.want(tokBlockEnd)
		if tag == "break" {
			return &flowStmt{flowBreak}
		}
		return &flowStmt{flowContinue}
	case "include", "import", "from", "extends", "block", "autoescape", "do", "trans", "debug":
		fail(ErrUnsupported, line, "the statement %q", tag)
	}
	fail(ErrSyntax, line, "unknown tag %q", tag)
	return nil
}

func (p *parser) ifStatement() stmt {
	s := &ifStmt{}
	for {
		s.conds = append(s.conds, p.tuple(false))
		p.want(tokBlockEnd)
		body, end := p.body("elif", "else", "endif")
		s.bodies = append(s.bodies, body)
		if end == "elif" {
			continue
		}
		p.want(tokBlockEnd)
		if end == "else" {
			s.other, _ = p.body("endif")
			p.want(tokBlockEnd)
		}
		return s
	}
}

func (p *parser) forStatement(line int) stmt {
	s := &forStmt{line: line}
	open := p.skipOp("(")
	s.targets = append(s.targets, p.wantName())
	for p.skipOp(",") {
		s.targets = append(s.targets, p.wantName())
	}
	if open {
		p.wantOp(")")
	}
	if !p.skipName("in") {
		fail(ErrSyntax, line, "for without in")
	}
	s.over = p.tuple(false)
	if p.skipName("if") {
		s.cond = p.expression()
	}
	if p.skipName("recursive") {
		fail(ErrUnsupported, line, "a recursive loop")
	}
	p.want(tokBlockEnd)
	p.loops++
	body, end := p.body("endfor", "else")
	p.loops--
	s.body = body
	p.want(tokBlockEnd)
	if end == "else" {
		s.other, _ = p.body("endfor")
		p.want(tokBlockEnd)
	}
	return s
}

func (p *parser) target() target {
	t := target{line: p.cur().line, name: p.wantName()}
	if p.skipOp(".") {
		t.attr = p.wantName()
	}
	return t
}

func (p *parser) setStatement(line int) stmt {
	s := &setStmt{line: line, targets: []target{p.target()}}
	for p.skipOp(",") {
		s.targets = append(s.targets, p.target())
	}
	if p.skipOp("=") {
		s.value = p.tuple(true)
		p.want(tokBlockEnd)
		return s
	}
	for p.isOp("|") {
		s.filters = append(s.filters, p.filter(nil, p.next().line))
	}
	s.body = p.block("endset")
	return s
}

func (p *parser) signature(m *macroStmt) {
	p.wantOp("(")
	for !p.skipOp(")") {
		if len(m.params) > 0 {
			p.wantOp(",")
		}
		m.params = append(m.params, p.wantName())
		if p.skipOp("=") {
			m.defaults = append(m.defaults, p.expression())
		} else if len(m.defaults) > 0 {
			fail(ErrSyntax, p.cur().line, "a parameter without a default behind one with a default")
		}
	}
}
