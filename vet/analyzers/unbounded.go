package analyzers

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
)

// limited reports whether code limits the growth of c. A condition on the size of c, or
// on two counters in fields, then guards the place that adds to c.
func (p *program) limited(c *container, g growth) bool {
	name := types.ExprString(g.stack[len(g.stack)-1].(ast.Expr))
	for _, r := range g.f.runs {
		for _, pl := range r.places {
			if i, ok := pl.node.(*ast.IfStmt); ok && pl.kind == inCond && p.asksSizeOf(i.Cond, c) {
				return true
			}
		}
	}
	for i := len(g.stack) - 2; i >= 0; i-- {
		inner := g.stack[i+1]
		switch n := g.stack[i].(type) {
		case *ast.FuncDecl:
			return false
		case *ast.IfStmt:
			if inner != n.Cond && inner != n.Init && (asksSize(n.Cond, name) || p.asksSizeOf(n.Cond, c) ||
				p.comparesFields(n.Cond)) {
				return true
			}
		case *ast.CaseClause:
			if slices.ContainsFunc(n.List, func(e ast.Expr) bool { return asksSize(e, name) }) {
				return true
			}
		case *ast.ForStmt:
			if n.Cond != nil && asksSize(n.Cond, name) {
				return true
			}
		case *ast.BlockStmt:
			for _, s := range n.List {
				if s == inner {
					break
				}
				if i, ok := s.(*ast.IfStmt); ok && (asksSize(i.Cond, name) || p.asksSizeOf(i.Cond, c)) &&
					leavesBlock(i.Body) {
					return true
				}
			}
		}
	}
	return false
}

// asksSize reports whether a condition contains len(name), cap(name) or name.Len().
func asksSize(cond ast.Expr, name string) bool {
	found := false
	ast.Inspect(cond, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || found {
			return !found
		}
		switch fun := ast.Unparen(call.Fun).(type) {
		case *ast.Ident:
			found = (fun.Name == "len" ||
				fun.Name == "cap") && len(call.Args) == 1 && types.ExprString(call.Args[0]) == name
		case *ast.SelectorExpr:
			found = fun.Sel.Name == "Len" && types.ExprString(fun.X) == name
		}
		return !found
	})
	return found
}

// asksSizeOf reports whether a condition contains len of the container c, which is a
// field. Functions of the package that the condition calls count as part of it.
func (p *program) asksSizeOf(cond ast.Node, c *container) bool {
	return p.asksSizeIn(cond, c, 0)
}

func (p *program) asksSizeIn(cond ast.Node, c *container, depth int) bool {
	found := false
	ast.Inspect(cond, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || found {
			return !found
		}
		if f := callee(p.info, call); f != nil {
			target := p.decls[f.Origin()]
			found = depth < 2 && target != nil && target.body != nil && p.asksSizeIn(target.body, c, depth+1)
			return !found
		}
		id, ok := ast.Unparen(call.Fun).(*ast.Ident)
		if !ok || id.Name != "len" || len(call.Args) != 1 {
			return true
		}
		field := p.fieldOf(call.Args[0])
		found = field != nil && field.Origin() == c.obj
		return !found
	})
	return found
}

// comparesFields reports whether a condition compares two integer fields, such as a count
// and a capacity.
func (p *program) comparesFields(cond ast.Expr) bool {
	b, ok := ast.Unparen(cond).(*ast.BinaryExpr)
	if !ok || b.Op != token.LSS && b.Op != token.LEQ && b.Op != token.GTR && b.Op != token.GEQ && b.Op != token.NEQ {
		return false
	}
	for _, e := range []ast.Expr{b.X, b.Y} {
		t, ok := p.info.TypeOf(e).Underlying().(*types.Basic)
		if !ok || t.Info()&types.IsInteger == 0 || p.fieldOf(e) == nil {
			return false
		}
	}
	return true
}

func leavesBlock(body *ast.BlockStmt) bool {
	if len(body.List) == 0 {
		return false
	}
	switch s := body.List[len(body.List)-1].(type) {
	case *ast.ReturnStmt:
		return true
	case *ast.BranchStmt:
		return s.Tok != token.FALLTHROUGH
	case *ast.ExprStmt:
		call, ok := s.X.(*ast.CallExpr)
		if !ok {
			return false
		}
		id, ok := call.Fun.(*ast.Ident)
		return ok && id.Name == "panic"
	}
	return false
}

// unbounded reports whether the key e may have a new value each time. This is so if it is
// computed from an iteration number, from a request, or from input.
func (p *program) unbounded(e ast.Expr, s site, depth int) bool {
	if e == nil || depth > 16 || p.info.Types[e].Value != nil {
		return false
	}
	return p.answers.unbounded.once(questionAbout(e, s, depth), func() bool { return p.findUnbounded(e, s, depth) })
}

func (p *program) findUnbounded(e ast.Expr, s site, depth int) bool {
	any := func(es []ast.Expr) bool {
		return slices.ContainsFunc(es, func(e ast.Expr) bool { return p.unbounded(e, s, depth+1) })
	}
	switch n := ast.Unparen(e).(type) {
	case *ast.BinaryExpr:
		if n.Op == token.REM || n.Op == token.AND || n.Op == token.SHR || n.Op == token.QUO && !p.small(n.Y) {
			return false
		}
		return any([]ast.Expr{n.X, n.Y})
	case *ast.CompositeLit:
		return any(n.Elts)
	case *ast.KeyValueExpr:
		return p.unbounded(n.Value, s, depth+1)
	case *ast.UnaryExpr:
		if _, literal := n.X.(*ast.CompositeLit); literal && n.Op == token.AND {
			return true // a new pointer each time
		}
		return n.Op == token.ARROW || p.unbounded(n.X, s, depth+1)
	case *ast.IndexExpr:
		return p.unbounded(n.X, s, depth+1)
	case *ast.SliceExpr:
		return p.unbounded(n.X, s, depth+1)
	case *ast.CallExpr:
		return p.unboundedCall(n, s, any)
	case *ast.SelectorExpr:
		if v := local(p.info, n.X); v != nil {
			return fromRequest(v.Type()) || p.unbounded(n.X, s, depth+1)
		}
		return p.unbounded(n.X, s, depth+1)
	case *ast.Ident:
		if v := local(p.info, n); v != nil {
			return p.unboundedVariable(v, s, depth)
		}
	}
	return false
}

// small reports whether e is a small constant. A growing number that is divided by a
// small constant still grows without bound.
func (p *program) small(e ast.Expr) bool {
	tv := p.info.Types[e]
	if tv.Value == nil {
		return false
	}
	n, ok := constant.Int64Val(constant.ToInt(tv.Value))
	return ok && n <= few
}

func fromRequest(t types.Type) bool {
	ptr, ok := types.Unalias(t).(*types.Pointer)
	return ok && isNamed(ptr.Elem(), "net/http", "Request")
}

func (p *program) unboundedCall(n *ast.CallExpr, s site, any func([]ast.Expr) bool) bool {
	f := callee(p.info, n)
	sel, _ := ast.Unparen(n.Fun).(*ast.SelectorExpr)
	switch {
	case p.creates(n), named(f, torchPath, "Grad") && isTensor(p.info.TypeOf(n)): // the key is a new tensor each time
		return true
	case f == nil: // a conversion, a call of a builtin, or a function value
		return any(n.Args)
	case from(f, "bufio", "net/http", "net/url"), from(f, "sync/atomic") && f.Name() == "Add", named(f, "time", "Now",
		"UnixNano"), named(f, "math/rand", "Int63", "Uint64"):
		return true
	}
	if sel != nil && f.Signature().Recv() != nil && any([]ast.Expr{sel.X}) {
		return true
	}
	return any(n.Args)
}

func (p *program) unboundedVariable(v *types.Var, s site, depth int) bool {
	if f := p.takes(v); f != nil {
		if fromRequest(v.Type()) {
			return true
		}
		if f != s.f { // v is a parameter of f, and the code is in a function literal inside f
			s = site{f: f, v: s.v}
		}
		return slices.ContainsFunc(s.f.runs, func(r run) bool {
			arg := argumentFor(s.f, v, r.node)
			next, ok := p.caller(s, r)
			return arg != nil && ok && r.by != s.f && p.unbounded(arg, next, depth+1)
		})
	}
	decl := p.declAt(v.Pos())
	if decl == nil {
		return false
	}
	found := false
	ast.Inspect(decl, func(n ast.Node) bool {
		switch n := n.(type) {
		case nil:
			return false
		case *ast.RangeStmt:
			if r := local(p.info, n.Key); r == v {
				t := p.info.TypeOf(scopedCount(p.info, n.X)).Underlying()
				_, ch := t.(*types.Chan)
				found = found || ch || isInteger(t) && p.counts(n, v) && p.numbers(n, decl)
			}
			return !found
		case *ast.ForStmt:
			if n.Init != nil && within(v, n.Init) && p.counts(n, v) && p.numbers(n, decl) {
				found = true
			}
		}
		if inc, ok := n.(*ast.IncDecStmt); ok {
			// a counter that is not part of a loop's header, such as a serial number
			if local(p.info, inc.X) == v && p.lasting(site{s.f, s.ps, v}) != nil {
				found = true
			}
			return !found
		}
		assigned(n, func(target, value ast.Expr) {
			if local(p.info, target) == v && value != nil && !mentionsVar(p.info, value, v) && !found {
				found = p.unbounded(value, s, depth+1)
			}
		})
		return !found
	})
	return found
}

// numbers reports whether the loop's counter never has the same value twice in the
// program: the loop is long and is not inside another loop, and its function runs once.
func (p *program) numbers(loop ast.Node, decl *ast.FuncDecl) bool {
	if short(p.pass, loop) || p.repetitionOf(loop) == nil && !p.often(loop) {
		return false
	}
	nested := false
	ast.Inspect(decl, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.ForStmt, *ast.RangeStmt:
			nested = nested || n != loop && n.Pos() <= loop.Pos() && loop.End() <= n.End()
		}
		return !nested
	})
	return !nested && p.once(p.nodes[decl])
}

func isInteger(t types.Type) bool {
	b, ok := t.(*types.Basic)
	return ok && b.Info()&types.IsInteger != 0
}
