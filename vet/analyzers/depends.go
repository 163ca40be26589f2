package analyzers

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"
)

// resolve returns the expression that gives e its value. It follows a variable that is
// set only once, the argument of Keep or Disown, and the result of Tidy.
func (p *program) resolve(body ast.Node, e ast.Expr) ast.Expr {
	for range 4 {
		if t := unkeep(p.info, e); t != nil {
			e = t
			continue
		}
		if call, ok := ast.Unparen(e).(*ast.CallExpr); ok {
			f := callee(p.info, call)
			if named(f, torchPath, "Tidy") && len(call.Args) == 1 {
				lit, ok := call.Args[0].(*ast.FuncLit)
				if !ok {
					return e
				}
				var last ast.Expr
				eachReturn(lit.Body, func(r *ast.ReturnStmt) { last = r.Results[0] })
				if last == nil {
					return e
				}
				e = last
				continue
			}
			return e
		}
		v := local(p.info, e)
		if v == nil {
			return e
		}
		var one ast.Expr
		n, defined := 0, false
		ast.Inspect(body, func(m ast.Node) bool {
			if m != nil {
				assigned(m, func(target, value ast.Expr) {
					if local(p.info, target) == v {
						n++
						if one = value; value == nil && tupleMade(p.info, m) {
							one = m.(*ast.AssignStmt).Rhs[0]
						}
						id, _ := target.(*ast.Ident)
						defined = p.info.Defs[id] == v
					}
				})
			}
			return true
		})
		if n != 1 || one == nil || !defined {
			return e
		}
		e = one
	}
	return e
}

// dependsOn reports whether e is computed from a state, which is a tensor or a struct of
// tensors. same reports whether an expression is the state.
func (p *program) dependsOn(body ast.Node, e ast.Expr, same func(ast.Expr) bool) bool {
	return (&dependence{p: p, same: same, known: map[step]bool{}}).of(body, e, 0)
}

// dependence determines which expressions are computed from a state.
type dependence struct {
	p     *program
	same  func(ast.Expr) bool
	known map[step]bool // the results so far, since many expressions may contain the same variable
}

// step is an expression, and the number of steps that lead to it.
type step struct {
	e     ast.Expr
	depth int
}

func (d *dependence) of(body ast.Node, e ast.Expr, depth int) bool {
	at := step{e, depth}
	is, known := d.known[at]
	if !known {
		is = d.find(body, d.p.resolve(body, e), depth)
		d.known[at] = is
	}
	return is
}

func (d *dependence) find(body ast.Node, e ast.Expr, depth int) bool {
	if d.same(ast.Unparen(e)) {
		return depth > 0
	}
	if depth > 12 {
		return false
	}
	switch n := ast.Unparen(e).(type) {
	case *ast.Ident:
		return d.variable(body, local(d.p.info, n), depth)
	case *ast.CompositeLit:
		return slices.ContainsFunc(n.Elts, func(el ast.Expr) bool {
			if kv, ok := el.(*ast.KeyValueExpr); ok {
				el = kv.Value
			}
			return d.of(body, el, depth+1)
		})
	case *ast.CallExpr:
		return d.call(body, n, depth)
	}
	return false
}

// variable is like of, for a variable that is a parameter or one of several results of a
// call. A parameter depends on the state if the argument of every call does.
func (d *dependence) variable(body ast.Node, v *types.Var, depth int) bool {
	p := d.p
	if v == nil || !isTensor(v.Type()) {
		return false
	}
	if f := p.takes(v); f != nil {
		if f.opaque || len(f.runs) == 0 {
			return false
		}
		return !slices.ContainsFunc(f.runs, func(r run) bool {
			arg := argumentFor(f, v, r.node)
			if arg == nil || p.declAt(arg.Pos()) == nil {
				return true
			}
			return !d.of(p.declAt(arg.Pos()), arg, depth+1)
		})
	}
	call := p.resultOf(body, v)
	return call != nil && d.call(body, call, depth)
}

// resultOf returns the call that sets v together with other variables, or nil if v is
// also set anywhere else.
func (p *program) resultOf(body ast.Node, v *types.Var) *ast.CallExpr {
	var call *ast.CallExpr
	n := 0
	ast.Inspect(body, func(m ast.Node) bool {
		if m == nil {
			return false
		}
		assigned(m, func(target, _ ast.Expr) {
			if local(p.info, target) != v {
				return
			}
			n++
			if as, ok := m.(*ast.AssignStmt); ok && len(as.Rhs) == 1 && len(as.Lhs) > 1 {
				call, _ = ast.Unparen(as.Rhs[0]).(*ast.CallExpr)
			}
		})
		return true
	})
	if n != 1 {
		return nil
	}
	return call
}

func (d *dependence) call(body ast.Node, call *ast.CallExpr, depth int) bool {
	p := d.p
	t := p.info.TypeOf(call)
	if _, several := t.(*types.Tuple); !several && !isTensor(t) && !plainState(t) {
		return false
	}
	f := callee(p.info, call)
	if f == nil || gradientFree(f.Name()) || strings.HasSuffix(f.Name(), "_") || plainState(t) && !p.passesOn(f) {
		return false
	}
	if recv, _ := tensorMethod(p.info, call); recv != nil && d.of(body, recv, depth+1) {
		return true
	}
	for _, a := range call.Args {
		if list, ok := a.(*ast.CompositeLit); ok && !plainState(p.info.TypeOf(list)) {
			for _, el := range list.Elts {
				if d.of(body, el, depth+1) {
					return true
				}
			}
		}
		if d.of(body, a, depth+1) {
			return true
		}
	}
	return false
}

// passesOn reports whether a function of the package returns a struct of computed tensors
// that still have their graphs.
func (p *program) passesOn(obj *types.Func) bool {
	f := p.decls[obj.Origin()]
	if f == nil || f.body == nil {
		return false
	}
	ends := false
	ast.Inspect(f.body, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			g := callee(p.info, call)
			// Detach and NoGrad drop graphs. Another function of the package may drop
			// graphs too.
			ends = ends || g != nil && (strings.HasPrefix(g.Name(), "Detach") ||
				named(g, torchPath, "NoGrad", "InferenceMode") || p.decls[g.Origin()] != nil)
		}
		return !ends
	})
	return !ends && p.forwards(f.body, nil)
}
