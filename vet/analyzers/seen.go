package analyzers

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// sees records in c whether the code around the end of stack reads elements of the
// container, or passes it to code that may remove elements. Code that receives a slice by
// value cannot make it shorter.
func (p *program) sees(c *container, stack []ast.Node) {
	e := stack[len(stack)-1].(ast.Expr)
	_, list := c.obj.Type().Underlying().(*types.Slice)
	read := func() {
		f, ps := p.around(stack)
		c.seen = append(c.seen, growth{f: f, places: ps, stack: stack})
	}
	switch n := stack[len(stack)-2].(type) {
	case *ast.CallExpr:
		id, _ := ast.Unparen(n.Fun).(*ast.Ident)
		b, _ := p.info.Uses[id].(*types.Builtin)
		f := callee(p.info, n)
		switch {
		case b != nil && (b.Name() != "append" || n.Args[0] == e):
		case named(f, "maps", "Keys"):
		case b != nil, known(f), from(f, "maps") && f.Name() != "DeleteFunc",
			from(f, "fmt", "log", "slices", "math/rand"):
			read()
		case p.appends(n, e) != nil: // x = push(x, v)
		case list:
			read()
			c.escapes = c.escapes || f == nil || p.decls[f.Origin()] == nil
		default:
			c.escapes = c.escapes || !p.lends(c, n, e)
		}
	case *ast.SelectorExpr:
		f, _ := p.info.ObjectOf(n.Sel).(*types.Func)
		switch {
		case isLibraryList(c.obj.Type()):
			if slices.Contains([]string{"Range", "Load", "Front", "Back"}, n.Sel.Name) {
				read()
			}
		case f == nil || p.decls[f.Origin()] == nil:
			c.escapes = true
		default:
			recv := p.decls[f.Origin()].sig.Recv()
			if _, ok := recv.Type().Underlying().(*types.Slice); ok {
				read()
			} else {
				c.lent = append(c.lent, recv)
			}
		}
	case *ast.UnaryExpr:
		if n.Op == token.AND {
			// Unless the address is passed to a function of the package, the container
			// cannot be followed any further.
			if call, ok := stack[len(stack)-3].(*ast.CallExpr); !ok || !p.lends(c, call, n) {
				c.escapes = true
			}
			return
		}
		read()
	case *ast.AssignStmt:
		if slices.Contains(n.Rhs, e) && !isBlank(n.Lhs[0]) {
			read()
			c.escapes = c.escapes || !list
		}
	case *ast.ReturnStmt:
		read()
		c.escapes = c.escapes || !list
	case *ast.IndexExpr:
		switch above := stack[len(stack)-3].(type) {
		case *ast.AssignStmt:
			if !slices.Contains(above.Lhs, ast.Expr(n)) {
				read()
			}
		case *ast.CallExpr: // c[k] = append(c[k], v) only adds an element
			if slice, _ := isAppend(p.info, above); slice != ast.Expr(n) {
				read()
			}
		default:
			read()
		}
	case *ast.RangeStmt:
		if !onlyCloses(p.info, n) {
			read()
		}
	case *ast.SliceExpr:
		read()
	case *ast.KeyValueExpr:
		if n.Value == e {
			c.escapes = true
		}
	case *ast.BinaryExpr:
	default:
		c.escapes = true
	}
}

// lends examines a call that receives the container as arg. If the call runs a function
// of the package, lends records the function's parameter in c. Otherwise it returns
// false.
func (p *program) lends(c *container, call *ast.CallExpr, arg ast.Expr) bool {
	obj := callee(p.info, call)
	if obj == nil || p.decls[obj.Origin()] == nil {
		return false
	}
	f := p.decls[obj.Origin()]
	at := slices.Index(call.Args, arg)
	if at < 0 || at >= f.sig.Params().Len() || f.sig.Variadic() && at == f.sig.Params().Len()-1 {
		return false
	}
	c.lent = append(c.lent, f.sig.Params().At(at))
	return true
}

// appends examines a call such as push(x, y) of a function of the package that only
// returns append(x, y). If e is the argument x, it returns y. For other calls it returns
// nil.
func (p *program) appends(call *ast.CallExpr, e ast.Expr) ast.Expr {
	obj := callee(p.info, call)
	if obj == nil {
		return nil
	}
	f := p.decls[obj.Origin()]
	if f == nil || f.body == nil || len(f.body.List) != 1 {
		return nil
	}
	ret, ok := f.body.List[0].(*ast.ReturnStmt)
	if !ok || len(ret.Results) != 1 {
		return nil
	}
	slice, added := isAppend(p.info, ret.Results[0])
	if len(added) != 1 {
		return nil
	}
	into, what := local(p.info, slice), local(p.info, added[0])
	if into == nil || what == nil || argumentFor(f, into, call) != e {
		return nil
	}
	return argumentFor(f, what, call)
}

// collected reports whether code outside the loop reads the elements that the loop adds.
// The elements may then be the loop's result. For a weak repetition it also returns true
// if code in the loop reads more than single elements.
func (p *program) collected(c *container, r *repetition) bool {
	if r.loop == nil || r.endless {
		return false
	}
	return slices.ContainsFunc(c.seen, func(g growth) bool {
		if r.weak {
			return !p.single(g) || !p.partOf(g.stack, g.f, r.loop, true)
		}
		return !p.partOf(g.stack, g.f, r.loop, false)
	})
}

// picked reports whether code outside the loop reads only single elements of the
// container.
func (p *program) picked(c *container, r *repetition) bool {
	return !slices.ContainsFunc(c.seen, func(g growth) bool {
		return !p.partOf(g.stack, g.f, r.loop, false) && !p.single(g) && !p.choosing(g)
	})
}

// endsRead reports whether code outside the loop reads only the first or the last element
// of the container.
func (p *program) endsRead(c *container, r *repetition) bool {
	return !slices.ContainsFunc(c.seen, func(g growth) bool {
		if p.partOf(g.stack, g.f, r.loop, false) {
			return false
		}
		n, ok := g.stack[len(g.stack)-2].(*ast.IndexExpr)
		return !ok || isMapElement(p.info, n) || p.info.Types[n.Index].Value == nil &&
			types.ExprString(n.Index) != "len("+types.ExprString(n.X)+") - 1"
	})
}

// single reports whether g reads only one element, such as c[i] or c.Load(key), or only
// the last elements. An index that visits all elements does not count.
func (p *program) single(g growth) bool {
	switch n := g.stack[len(g.stack)-2].(type) {
	case *ast.IndexExpr:
		v := local(p.info, n.Index)
		return v == nil || !slices.ContainsFunc(g.places, func(pl place) bool {
			return pl.kind == inLoop && !isMapElement(p.info, n) && within(v, pl.node) && !chooses(pl.node)
		})
	case *ast.SelectorExpr:
		return n.Sel.Name == "Load"
	case *ast.SliceExpr:
		return n.Low != nil && n.High == nil && mentions(n.Low, "len")
	}
	return false
}

// choosing reports whether g is a range statement that only chooses one of the elements.
func (p *program) choosing(g growth) bool {
	r, ok := g.stack[len(g.stack)-2].(*ast.RangeStmt)
	return ok && chooses(r)
}

// chooses reports whether loop only chooses an element: its body consists of if
// statements that set variables.
func chooses(loop ast.Node) bool {
	r, ok := loop.(*ast.RangeStmt)
	return ok && !slices.ContainsFunc(r.Body.List, func(s ast.Stmt) bool {
		i, ok := s.(*ast.IfStmt)
		return !ok || i.Else != nil || slices.ContainsFunc(i.Body.List, func(s ast.Stmt) bool {
			as, ok := s.(*ast.AssignStmt)
			return !ok || as.Tok != token.ASSIGN || slices.ContainsFunc(as.Rhs, func(e ast.Expr) bool {
				_, call := ast.Unparen(e).(*ast.CallExpr)
				return call
			})
		})
	})
}

// partOf reports whether loop may run the code at the end of stack, which is in f. If
// only is set, it reports whether nothing but the loop runs the code.
func (p *program) partOf(stack []ast.Node, f *function, loop ast.Node, only bool) bool {
	at := stack[len(stack)-1].Pos()
	if loop.Pos() <= at && at < loop.End() {
		return true
	}
	if p.isHook(f) {
		return true
	}
	if only {
		return p.onlyIn(f, loop, map[*function]bool{})
	}
	return f != nil && p.anyRun(f, func(r run) (found, follow bool) {
		if slices.ContainsFunc(r.places, func(pl place) bool { return pl.node == loop }) {
			return true, false
		}
		return false, true
	}, false)
}

// onlyIn reports whether nothing but loop runs f.
func (p *program) onlyIn(f *function, loop ast.Node, seen map[*function]bool) bool {
	if f == nil || f.opaque || len(f.runs) == 0 || seen[f] {
		return false
	}
	seen[f] = true
	return !slices.ContainsFunc(f.runs, func(r run) bool {
		return !slices.ContainsFunc(r.places, func(pl place) bool { return pl.node == loop }) &&
			!p.onlyIn(r.by, loop, seen)
	})
}
