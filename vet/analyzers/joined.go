package analyzers

import (
	"go/ast"
	"go/types"
	"slices"
)

// joins are the operators that concatenate their arguments.
var joins = []string{"Cat", "HStack", "VStack", "DStack", "ColumnStack"}

// reportJoined reports a tensor that grows because code repeatedly concatenates something
// to it, as in x = torch.Cat({x, y}, 0), and nothing shortens it. reported contains the
// places that already have a report.
func (p *program) reportJoined(as *ast.AssignStmt, stack []ast.Node, reported map[ast.Expr]bool) {
	if len(as.Lhs) != len(as.Rhs) {
		return
	}
	for i, target := range as.Lhs {
		if !isTensor(p.info.TypeOf(target)) || !p.joinsItself(target, as.Rhs[i]) {
			continue
		}
		f, ps := p.around(stack)
		v := root(p.info, target)
		if f == nil || v == nil {
			continue
		}
		s := site{f, ps, p.owner(target)}
		r := p.lasting(s)
		if r == nil || r.weak && (!r.nested || p.fieldOf(target) == nil) || p.cut(target, v, r.loop) ||
			p.usedBehind(v, target, r.loop) {
			continue
		}
		if p.heldBy(as.Rhs[i], s, 0) != holdsTensor {
			continue // a scope frees the tensor, and ScopeEscape reports this
		}
		at := p.leaving(target, as.Rhs[i])
		if reported[at] {
			continue
		}
		reported[at] = true
		p.pass.ReportRangef(at, "%s gets longer in code that runs again and again, and nothing shortens it: "+
			"Narrow it to the part that is needed, or reset it", types.ExprString(target))
	}
}

// joinedBy examines a call of one of the package's functions with target as an argument.
// If the function concatenates target with something else and returns the result,
// joinedBy returns this concatenation. Otherwise it returns nil.
func (p *program) joinedBy(target ast.Expr, call *ast.CallExpr) ast.Expr {
	f := callee(p.info, call)
	if f == nil || p.decls[f.Origin()] == nil || p.decls[f.Origin()].body == nil {
		return nil
	}
	by := p.decls[f.Origin()]
	var found ast.Expr
	for _, v := range by.params() {
		arg := argumentFor(by, v, call)
		if arg == nil || types.ExprString(arg) != types.ExprString(target) {
			continue
		}
		if join := p.answers.joined.once(v, func() ast.Expr { return p.joinedIn(by, v) }); join != nil {
			found = join
		}
	}
	return found
}

// joinedIn returns the concatenation that f returns, if f concatenates its parameter v with
// something else. Otherwise it returns nil.
func (p *program) joinedIn(f *function, v *types.Var) ast.Expr {
	var found ast.Expr
	given := func(e ast.Expr) bool { return local(p.info, e) == v }
	ast.Inspect(f.body, func(n ast.Node) bool {
		if i, ok := n.(*ast.IfStmt); ok && isNilCheck(i.Cond, given) {
			return false // the first value
		}
		r, ok := n.(*ast.ReturnStmt)
		if !ok || len(r.Results) != 1 {
			return true
		}
		name := &ast.Ident{Name: v.Name()}
		if p.joinsItself(name, r.Results[0]) {
			found = r.Results[0]
		}
		return true
	})
	return found
}

// leaving returns the expression to report for a state. This is the concatenation in a
// called function, or the call of Keep or Disown that takes the new value out of a scope,
// or else target.
func (p *program) leaving(target, value ast.Expr) ast.Expr {
	if call, ok := ast.Unparen(value).(*ast.CallExpr); ok {
		if by := p.joinedBy(target, call); by != nil {
			return by
		}
	}
	decl := p.declAt(value.Pos())
	if decl == nil || local(p.info, value) == nil {
		return target
	}
	var from ast.Expr
	ast.Inspect(decl, func(n ast.Node) bool {
		if n == nil {
			return false
		}
		assigned(n, func(t, x ast.Expr) {
			if x != nil && unkeep(p.info, x) != nil && local(p.info, t) == local(p.info, value) {
				from = x
			}
		})
		return true
	})
	if from == nil {
		return target
	}
	return from
}

// joinsItself reports whether value is a concatenation of target with something else.
func (p *program) joinsItself(target, value ast.Expr) bool {
	if decl := p.declAt(value.Pos()); decl != nil {
		value = p.resolve(decl, value)
	}
	call, ok := ast.Unparen(value).(*ast.CallExpr)
	if !ok {
		return false
	}
	if t := unkeep(p.info, call); t != nil {
		return p.joinsItself(target, t)
	}
	f := callee(p.info, call)
	if !known(f) || !slices.Contains(joins, f.Name()) {
		return p.joinedBy(target, call) != nil
	}
	name := types.ExprString(target)
	return slices.ContainsFunc(call.Args, func(a ast.Expr) bool {
		if list, ok := ast.Unparen(a).(*ast.CompositeLit); ok {
			return slices.ContainsFunc(list.Elts, func(el ast.Expr) bool { return types.ExprString(el) == name })
		}
		return types.ExprString(a) == name
	})
}

// cut reports whether code sets target to anything other than a longer version of itself.
// For a local variable only the loop counts. For a field all code counts, except where
// the field gets its first value.
func (p *program) cut(target ast.Expr, v *types.Var, loop ast.Node) bool {
	field := p.fieldOf(target)
	same := func(e ast.Expr) bool {
		if field != nil && field.IsField() {
			other := p.fieldOf(e)
			return other != nil && other.Origin() == field.Origin()
		}
		return root(p.info, e) == v && types.ExprString(e) == types.ExprString(target)
	}
	found := false
	look := func(n ast.Node) {
		ast.Inspect(n, func(n ast.Node) bool {
			if n == nil || found {
				return false
			}
			if i, ok := n.(*ast.IfStmt); ok && isNilCheck(i.Cond, same) {
				return false
			}
			assigned(n, func(t, value ast.Expr) {
				found = found || same(t) && !p.copied(t) && (value == nil || !p.joinsItself(t, value))
			})
			return !found
		})
	}
	if loop != nil && local(p.info, target) == v {
		look(loop)
		return found
	}
	for _, file := range p.pass.Files {
		for _, d := range file.Decls {
			if fd, ok := d.(*ast.FuncDecl); ok && fd.Body != nil && !constructs(fd) {
				look(fd.Body)
			}
		}
	}
	return found
}

// usedBehind reports whether target is a local variable that code after the loop uses.
// Then the program may need the long tensor.
func (p *program) usedBehind(v *types.Var, target ast.Expr, loop ast.Node) bool {
	decl := p.declAt(v.Pos())
	if loop == nil || local(p.info, target) != v || decl == nil {
		return false
	}
	found := false
	eachUse(p.info, decl, v, func(stack []ast.Node) {
		found = found || stack[len(stack)-1].Pos() > loop.End()
	})
	return found
}
