package analyzers

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/analysis"
)

// tupleMade reports whether n assigns several results of one call, and the call creates
// tensors because it calls an operator or Forward.
func tupleMade(info *types.Info, n ast.Node) bool {
	as, ok := n.(*ast.AssignStmt)
	if !ok || len(as.Rhs) != 1 || len(as.Lhs) < 2 {
		return false
	}
	call, ok := ast.Unparen(as.Rhs[0]).(*ast.CallExpr)
	if !ok {
		return false
	}
	f := callee(info, call)
	return known(f) || named(f, nnPath, "Forward")
}

// usedNext considers a scope that a loop runs again, and the tensor that the assignment
// stored in target in the previous run. That tensor has been freed. usedNext returns the
// place where the scope uses it, or token.NoPos if there is none.
func (p *program) usedNext(as *ast.AssignStmt, stack []ast.Node, scope ast.Node, target ast.Expr,
	v *types.Var,
) token.Pos {
	if isIndexed(target) || !isTensor(p.info.TypeOf(target)) || !p.scopeRepeats(stack, scope, v) {
		return token.NoPos
	}
	if p.setLater(scope, as, target, v) {
		return token.NoPos
	}
	return p.firstUse(scope, as, target, v)
}

// setLater reports whether n sets target in code after the assignment.
func (p *program) setLater(n ast.Node, as *ast.AssignStmt, target ast.Expr, v *types.Var) bool {
	name := types.ExprString(target)
	found := false
	ast.Inspect(n, func(n ast.Node) bool {
		if n != nil && n.Pos() > as.End() {
			assigned(n, func(t, _ ast.Expr) {
				found = found || root(p.info, t) == v && types.ExprString(t) == name
			})
		}
		return !found
	})
	return found
}

// scopeRepeats reports whether a loop runs the scope more than once during the lifetime
// of v.
func (p *program) scopeRepeats(stack []ast.Node, scope ast.Node, v *types.Var) bool {
	found, inside := false, true
	for _, pl := range places(p.info, stack) {
		switch {
		case within(v, pl.node):
			return found
		case pl.node == scope && pl.kind == inScope:
			inside = false
			_, found = scope.(*ast.RangeStmt)
		case !inside && (pl.kind == inOpaque || pl.kind == inGoroutine):
			return false
		case !inside && pl.kind == inLoop && !ends(pl.node):
			found = true
		}
	}
	return found
}

// firstUse returns the first place in n that uses the tensor in target. It searches only
// up to the end of the assignment. It returns token.NoPos if target is set before any
// use, or if the code calls IsClosed.
func (p *program) firstUse(n ast.Node, as *ast.AssignStmt, target ast.Expr, v *types.Var) token.Pos {
	name := types.ExprString(target)
	same := func(e ast.Expr) bool { return root(p.info, e) == v && types.ExprString(ast.Unparen(e)) == name }
	use, ended, checked := token.NoPos, false, false
	var look func(n ast.Node) bool
	look = func(n ast.Node) bool {
		if n == nil || ended || use.IsValid() || n.Pos() > as.End() {
			return false
		}
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, r := range n.Rhs {
				ast.Inspect(r, look)
			}
			for _, l := range n.Lhs {
				if same(l) {
					ended = true
				} else if !ended {
					ast.Inspect(l, look)
				}
			}
			return false
		case *ast.CallExpr:
			recv, method := tensorMethod(p.info, n)
			if recv != nil && same(recv) {
				switch method {
				case "IsClosed":
					checked = true
				case "Close", "String":
				default:
					use = n.Pos()
				}
			}
			f := callee(p.info, n)
			if needsOpen(f) || isModuleCall(f) {
				for _, a := range n.Args {
					list, ok := ast.Unparen(a).(*ast.CompositeLit)
					if ok {
						for _, el := range list.Elts {
							if same(el) {
								use = el.Pos()
							}
						}
					}
					if same(a) {
						use = a.Pos()
					}
				}
			}
		}
		return !use.IsValid()
	}
	ast.Inspect(n, look)
	if checked {
		return token.NoPos
	}
	return use
}

// escapesStep reports an assignment such as s.sum = s.sum.Add(x) in a function that runs
// only in steps of data loaders. The tensor is freed at the end of the step, but the next
// step uses it.
func (p *program) escapesStep(as *ast.AssignStmt, stack []ast.Node) {
	f, ps := p.around(stack)
	if f == nil || len(as.Lhs) != len(as.Rhs) {
		return
	}
	for i, target := range as.Lhs {
		v := root(p.info, target)
		field := p.fieldOf(target)
		if v == nil || field == nil || !field.IsField() || !isTensor(field.Type()) ||
			!madeIn(p.info, as.Rhs[i], f.node) ||
			!p.firstUse(as, as, target, v).IsValid() || keptAfter(p.info, f.node, v, local(p.info, as.Rhs[i]), false) {
			continue
		}
		s := site{f, ps, v}
		if v.Parent() == p.pass.Pkg.Scope() {
			s.v = nil
		}
		if end := p.freed(s); !end.surely || !end.step || p.setElsewhere(as, field) {
			continue
		}
		p.pass.Report(analysis.Diagnostic{
			Pos: as.Rhs[i].Pos(), End: as.Rhs[i].End(),
			Message: fmt.Sprintf("%s is freed at the end of the loader's step that runs this, and used in the "+
				"next step: torch.Disown it, and close the one before", types.ExprString(target)),
			SuggestedFixes: p.keepFix(as.Rhs[i], "Disown"),
		})
	}
}

// setElsewhere reports whether any other assignment sets the field.
func (p *program) setElsewhere(as *ast.AssignStmt, field *types.Var) bool {
	found := false
	for _, file := range p.pass.Files {
		ast.Inspect(file, func(n ast.Node) bool {
			if other, ok := n.(*ast.AssignStmt); ok && other != as {
				for _, l := range other.Lhs {
					if o := p.fieldOf(l); o != nil && o.Origin() == field.Origin() {
						found = true
					}
				}
			}
			return !found
		})
	}
	return found
}
