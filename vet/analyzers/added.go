package analyzers

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"
)

// fewHooks is the number of iterations up to which a loop may add hooks or parameter
// groups without a report. Each added hook or group costs time in every later pass.
const fewHooks = 8

// reportAdded reports a call that adds a hook or a parameter group in every iteration of
// a loop.
func (p *program) reportAdded(call *ast.CallExpr, stack []ast.Node) {
	f := callee(p.info, call)
	if f == nil {
		return
	}
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok {
		return
	}
	what := ""
	switch {
	case f.Name() == "AddParamGroup" && from(f, optimPath):
		what = "a parameter group is added in every iteration, and there is no way to remove it: add it before the loop"
	case addsHook(f):
		if !removed(stack) && !slices.ContainsFunc(call.Args, isNil) {
			what = "a hook is added in every iteration and never removed: register it before the loop, or Remove it"
		}
	}
	if what == "" {
		return
	}
	g, ps := p.around(stack)
	if g == nil || p.ofElement(ps, call) {
		return
	}
	again := p.addedAgain(sel.X, g, ps, map[*function]bool{})
	if id, ok := ast.Unparen(sel.X).(*ast.Ident); ok {
		if _, all := p.info.Uses[id].(*types.PkgName); all { // a hook for all modules or optimizers
			again = p.repeatedOver(fewHooks, g, ps, nil)
		}
	}
	if again {
		p.pass.ReportRangef(call, "%s", what)
	}
}

// addedAgain reports whether code in f adds a hook or a parameter group to the same
// tensor or module e many times. ps are the places that enclose the code. A loop over the
// parts of a value adds only one hook or group to each part.
func (p *program) addedAgain(e ast.Expr, f *function, ps []place, seen map[*function]bool) bool {
	for i, pl := range ps {
		if pl.kind != inLoop {
			continue
		}
		if of := p.elementOf(e, pl.node); of != nil {
			e, ps = of, ps[i+1:]
			if call, ok := ast.Unparen(p.resolve(f.body, e)).(*ast.CallExpr); ok { // m.Parameters()
				if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok && from(callee(p.info, call), nnPath) {
					e = sel.X
				}
			}
		}
		break
	}
	v := root(p.info, p.moduleOf(e, f))
	if v == nil || seen[f] {
		return false
	}
	if !slices.Contains(f.params(), v) {
		return p.repeatedOver(fewHooks, f, ps, v) && !p.setIn(ps, v) && !p.fromLoop(ps, v)
	}
	if loopOf(ps) != nil && p.repeatedOver(fewHooks, f, ps, v) {
		return !p.setIn(ps, v)
	}
	seen[f] = true
	defer delete(seen, f)
	return slices.ContainsFunc(f.runs, func(r run) bool {
		arg := argumentFor(f, v, r.node)
		return arg != nil && r.by != nil && p.addedAgain(arg, r.by, r.places, seen)
	})
}

// moduleOf returns the outermost module that contains e. This is m if e is
// m.At(0).ModuleBase(), or a variable with this value.
func (p *program) moduleOf(e ast.Expr, f *function) ast.Expr {
	for range 6 {
		e = ast.Unparen(e)
		if v := local(p.info, e); v != nil && !slices.Contains(f.params(), v) && f.body != nil {
			switch from := ast.Unparen(p.resolve(f.body, e)).(type) {
			case *ast.SelectorExpr, *ast.IndexExpr, *ast.TypeAssertExpr:
				e = from
				continue
			case *ast.CallExpr:
				if of := p.moduleOf(from, f); of != ast.Expr(from) {
					return of
				}
			}
			return e
		}
		switch n := e.(type) {
		case *ast.TypeAssertExpr:
			e = n.X
		case *ast.CallExpr:
			sel, ok := ast.Unparen(n.Fun).(*ast.SelectorExpr)
			obj := callee(p.info, n)
			if !ok || !from(obj, nnPath) || obj.Signature().Recv() == nil || isTensor(p.info.TypeOf(n)) {
				return e
			}
			e = sel.X
		default:
			return e
		}
	}
	return e
}

// elementOf returns the expression that a loop ranges over, if e is, or is a part of, the
// current element of the loop.
func (p *program) elementOf(e ast.Expr, loop ast.Node) ast.Expr {
	e = ast.Unparen(e)
	switch n := e.(type) {
	case *ast.SelectorExpr:
		return p.elementOf(n.X, loop)
	case *ast.IndexExpr:
		if v := local(p.info, n.Index); v != nil && within(v, loop) {
			return n.X
		}
	case *ast.Ident:
		if r, ok := loop.(*ast.RangeStmt); ok && r.Value != nil && local(p.info, r.Value) == local(p.info, n) {
			return r.X
		}
	}
	return nil
}

// addsHook reports whether f registers a hook.
func addsHook(f *types.Func) bool {
	return strings.HasPrefix(f.Name(), "Register") && strings.HasSuffix(f.Name(), "Hook") &&
		from(f, torchPath, nnPath, optimPath)
}

// setIn reports whether the innermost loop of ps contains an assignment to v.
func (p *program) setIn(ps []place, v *types.Var) bool {
	loop := loopOf(ps)
	found := false
	if loop != nil {
		ast.Inspect(loop, func(n ast.Node) bool {
			if n != nil {
				assigned(n, func(target, _ ast.Expr) { found = found || local(p.info, target) == v })
			}
			return !found
		})
	}
	return found
}

// fromLoop reports whether v is declared in a loop of ps, for example as the variable of
// a range statement.
func (p *program) fromLoop(ps []place, v *types.Var) bool {
	for _, pl := range ps {
		if pl.kind == inLoop && within(v, pl.node) {
			return true
		}
	}
	return false
}

// ofElement reports whether an argument of call is, or is a part of, the current element
// of a range over a slice or map. Such a loop adds one hook for each element, so the
// number of hooks is limited.
func (p *program) ofElement(ps []place, call *ast.CallExpr) bool {
	r, ok := loopOf(ps).(*ast.RangeStmt)
	if !ok {
		return false
	}
	if b, ok := p.info.TypeOf(r.X).Underlying().(*types.Basic); ok && b.Info()&types.IsInteger != 0 {
		return false
	}
	found := false
	for _, a := range call.Args {
		ast.Inspect(a, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				if v, ok := p.info.Uses[id].(*types.Var); ok && within(v, r) {
					found = true
				}
			}
			return !found
		})
	}
	return found
}
