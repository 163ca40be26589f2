package analyzers

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// emptied reports whether code, or a function that it calls, empties a container. into is
// the expression for the container. Emptying means deleting or closing elements, or
// setting the container to anything other than itself with more elements. v is the first
// variable in the expression, or the field that it names. A call of a function that is
// not analyzed counts if it receives the address of the container.
func (p *program) emptied(code ast.Node, into ast.Expr, v *types.Var) bool {
	e := &emptying{p: p, v: v, seen: map[*function]bool{}}
	_, e.indexed = ast.Unparen(into).(*ast.IndexExpr)
	e.into = containerOf(into)
	e.single = !e.indexed && isTensor(p.info.TypeOf(e.into))
	if f := p.fieldOf(e.into); f != nil && f.IsField() {
		e.field = f.Origin()
	}
	for x := e.into; ; {
		sel, ok := ast.Unparen(x).(*ast.SelectorExpr)
		if !ok {
			break
		}
		x = sel.X
		e.owners = append(e.owners, x)
	}
	if v != nil && v.IsField() { // v is a field, so code may be any code that names the field
		in := func(x ast.Expr) bool { return e.named(x) || e.isOwner(x) }
		return e.found(code, in, func(x ast.Expr) bool { return e.named(containerOf(x)) }) || e.calls(code, in)
	}
	return e.found(code, e.isHere, func(x ast.Expr) bool { return root(p.info, x) == v }) || e.calls(code, e.isHere)
}

// emptying searches for code that empties a container.
type emptying struct {
	p       *program
	into    ast.Expr
	owners  []ast.Expr // the structs that contain into, innermost first, such as x.f and x for x.f.list
	v       *types.Var // the variable that into begins with
	field   *types.Var // the field that into names, or nil
	indexed bool       // the value is stored as an element of into
	single  bool       // into is a tensor. Closing the old tensor does not free the graph of the new one.
	seen    map[*function]bool
}

// isHere reports whether target is the container, or a struct that contains it. target
// must be written in the same way as in the code that adds to the container.
func (e *emptying) isHere(target ast.Expr) bool {
	return root(e.p.info, target) == e.v && (types.ExprString(target) == types.ExprString(e.into) || e.owner(target))
}

func (e *emptying) owner(target ast.Expr) bool {
	if star, ok := ast.Unparen(target).(*ast.StarExpr); ok {
		target = star.X
	}
	return slices.ContainsFunc(e.owners, func(o ast.Expr) bool {
		return types.ExprString(o) == types.ExprString(target)
	})
}

// found reports whether code itself, without the functions that it calls, empties a
// container. is(x) reports whether x names the container, and holds(x) whether x names
// the container or one of its elements.
func (e *emptying) found(code ast.Node, is, holds func(ast.Expr) bool) bool {
	info := e.p.info
	found := false
	var look func(n ast.Node) bool
	look = func(n ast.Node) bool {
		if n == nil {
			return false
		}
		if r, ok := n.(*ast.RangeStmt); ok && holds(r.X) && mentions(r.Body, "Close") {
			found = true
		}
		if call, ok := n.(*ast.CallExpr); ok {
			if id, ok := ast.Unparen(call.Fun).(*ast.Ident); ok && (id.Name == "clear" || id.Name == "delete") &&
				len(call.Args) > 0 && holds(call.Args[0]) {
				found = true
			}
			if recv, name := tensorMethod(info, call); recv != nil && holds(recv) &&
				(name == "Close" && !e.single || name == "Backward" && !optionIsOn(call, "RetainGraph") ||
					name == "Zero_" || name == "Detach_") {
				found = true
			}
		}
		if i, ok := n.(*ast.IfStmt); ok && isNilCheck(i.Cond, is) {
			if i.Else != nil {
				ast.Inspect(i.Else, look)
			}
			return false // its first value
		}
		if as, ok := n.(*ast.AssignStmt); ok && as.Tok == token.DEFINE {
			return true
		}
		assigned(n, func(target, value ast.Expr) {
			if value == nil || !is(target) {
				return
			}
			if decl := e.p.declAt(value.Pos()); e.single && decl != nil {
				value = e.p.resolve(decl, value)
			}
			slice, _ := isAppend(info, value)
			call, _ := ast.Unparen(value).(*ast.CallExpr)
			if t := unkeep(info, value); t != nil {
				call, _ = ast.Unparen(t).(*ast.CallExpr)
			}
			ref, _ := ast.Unparen(value).(*ast.UnaryExpr)
			id := rootIdent(target)
			switch {
			case !e.indexed && ref != nil && id != nil && mentions(ref, id.Name):
			case slice != nil && holds(slice):
			case !e.indexed && call != nil && (e.addsTo(call, holds) || addsItself(info, call, target)):
			default:
				found = true
			}
		})
		return !found
	}
	ast.Inspect(code, look)
	return found
}

// calls reports whether a function that code calls empties the container. reached
// recognizes the expressions in code through which a called function can access the
// container.
func (e *emptying) calls(code ast.Node, reached func(ast.Expr) bool) bool {
	found := false
	ast.Inspect(code, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || found {
			return !found
		}
		targets, unknown := e.targets(call)
		for _, f := range targets {
			found = found || e.inFunction(f, call, reached)
		}
		if unknown {
			found = found || e.handedOut(call, reached)
		}
		return !found
	})
	return found
}

// targets returns the functions of the package that a call may run. unknown is true if
// the call may also run a function that belongs neither to the package nor to the
// library.
func (e *emptying) targets(call *ast.CallExpr) (fs []*function, unknown bool) {
	p := e.p
	fun := ast.Unparen(call.Fun)
	if tv := p.info.Types[fun]; tv.IsType() || tv.IsBuiltin() {
		return nil, false
	}
	f := callee(p.info, call)
	if f == nil {
		if p.flows == nil {
			return nil, true
		}
		for t := range p.flows.holds[fun] {
			fs = append(fs, t)
		}
		return fs, p.flows.lost[fun] || len(fs) == 0
	}
	if t := p.decls[f.Origin()]; t != nil {
		return []*function{t}, false
	}
	if p.flows != nil {
		fs = p.flows.targets(f.Origin())
	}
	if s, ok := p.of(f); ok && s.Keeps != 0 {
		return fs, false // a function that adds to a container
	}
	pkg := f.Pkg()
	return fs, len(fs) == 0 && pkg != nil && !strings.HasPrefix(pkg.Path(), module) &&
		!from(f, "fmt", "log", "log/slog", "testing")
}

// handedOut reports whether a call receives the address of the container, or a value
// through which it can access the container.
func (e *emptying) handedOut(call *ast.CallExpr, reached func(ast.Expr) bool) bool {
	leads := func(x ast.Expr) bool {
		if u, ok := ast.Unparen(x).(*ast.UnaryExpr); ok && u.Op == token.AND {
			return reached(u.X)
		}
		t := e.p.info.TypeOf(x)
		if t == nil || isTensor(t) || !reached(x) {
			return false
		}
		switch t.Underlying().(type) {
		case *types.Pointer, *types.Map, *types.Interface:
			return true
		}
		return false
	}
	if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok {
		f := callee(e.p.info, call)
		if f != nil && f.Signature().Recv() != nil && !isLibraryList(e.p.info.TypeOf(sel.X)) && reached(sel.X) {
			return true
		}
	}
	return slices.ContainsFunc(call.Args, leads)
}

// inFunction reports whether f, the function that call runs, empties the container.
func (e *emptying) inFunction(f *function, call *ast.CallExpr, reached func(ast.Expr) bool) bool {
	if f.body == nil || e.seen[f] {
		return false
	}
	e.seen[f] = true
	given := map[*types.Var]bool{} // the parameters through which f can reach the container
	for _, param := range f.params() {
		if arg := argumentFor(f, param, call); arg != nil && reached(arg) {
			given[param] = true
		}
	}
	pointed := func(x ast.Expr) bool {
		star, ok := ast.Unparen(x).(*ast.StarExpr)
		return ok && given[local(e.p.info, star.X)]
	}
	is := func(x ast.Expr) bool { return e.named(x) || pointed(x) || e.isOwner(x) }
	holds := func(x ast.Expr) bool {
		x = containerOf(x)
		return e.named(x) || pointed(x) || given[local(e.p.info, x)]
	}
	return e.found(f.body, is, holds) || e.calls(f.body, func(x ast.Expr) bool { return holds(x) || e.isOwner(x) })
}

// named reports whether x names the container: the variable v or, for a field, the field
// of any struct value.
func (e *emptying) named(x ast.Expr) bool {
	if e.field != nil {
		f := e.p.fieldOf(x)
		return f != nil && f.Origin() == e.field
	}
	id, ok := ast.Unparen(x).(*ast.Ident)
	return ok && e.p.info.ObjectOf(id) == e.v
}

// isOwner reports whether x has the type of a struct that contains the container, or is a
// pointer to such a struct.
func (e *emptying) isOwner(x ast.Expr) bool {
	t := e.p.info.TypeOf(x)
	return t != nil && slices.ContainsFunc(e.owners, func(o ast.Expr) bool {
		owner := e.p.info.TypeOf(o)
		if owner == nil {
			return false
		}
		if ptr, ok := owner.Underlying().(*types.Pointer); ok && types.Identical(ptr.Elem(), t) {
			return true
		}
		return types.Identical(owner, t)
	})
}

// isNilCheck reports whether cond is a comparison x == nil, where is(x) is true.
func isNilCheck(cond ast.Expr, is func(ast.Expr) bool) bool {
	b, ok := ast.Unparen(cond).(*ast.BinaryExpr)
	if !ok || b.Op != token.EQL || !is(b.X) {
		return false
	}
	return isNil(ast.Unparen(b.Y))
}

// optionIsOn reports whether a call has the option name(true).
func optionIsOn(call *ast.CallExpr, name string) bool {
	return slices.ContainsFunc(call.Args, func(a ast.Expr) bool {
		c, ok := ast.Unparen(a).(*ast.CallExpr)
		if !ok || len(c.Args) != 1 {
			return false
		}
		id := rootIdent(c.Fun)
		return id != nil && id.Name == name && types.ExprString(c.Args[0]) == "true"
	})
}

// addsTo reports whether call is a method call such as x.Add(y) on a tensor x, where
// holds(x) is true.
func (e *emptying) addsTo(call *ast.CallExpr, holds func(ast.Expr) bool) bool {
	recv, name := tensorMethod(e.p.info, call)
	return recv != nil && strings.HasPrefix(name, "Add") && holds(recv)
}
