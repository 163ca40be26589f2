package analyzers

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"
)

// ownBackward reports whether the innermost loop that runs f also runs a backward pass,
// or whether the program has no backward pass at all. In either case no later backward
// pass needs the graph of the state.
func (p *program) ownBackward(f *function) bool {
	found := false
	p.anyLoop(f, func(loop ast.Node) bool {
		found = p.backward(loop)
		return true
	})
	return found || p.pass.Pkg.Name() == "main" && !slices.ContainsFunc(p.pass.Files, func(file *ast.File) bool {
		return callsBackward(p.info, file)
	})
}

// letsGo reports whether some code sets target to a detached or new tensor, or drops the
// graph of target in place. Then the graphs of previous steps are freed.
func (p *program) letsGo(decl *ast.FuncDecl, body ast.Node, target ast.Expr, field bool) bool {
	v := root(p.info, target)
	list := p.fieldOf(containerOf(target)) // for a target such as x.f[i], its field f
	same := func(e ast.Expr) bool {
		if field {
			f := p.fieldOf(containerOf(e))
			return f != nil && f == p.fieldOf(target) || isIndexed(target) && isIndexed(e) && f != nil && f == list ||
				types.ExprString(e) == types.ExprString(target) && root(p.info, e) == v
		}
		return types.ExprString(e) == types.ExprString(target) && root(p.info, e) == v
	}
	found := false
	var look func(in ast.Node)
	look = func(in ast.Node) {
		ast.Inspect(in, func(n ast.Node) bool {
			if n == nil || found {
				return false
			}
			if i, ok := n.(*ast.IfStmt); ok && isNilCheck(i.Cond, same) {
				if i.Else != nil {
					look(i.Else)
				}
				return false // its first value
			}
			if call, ok := n.(*ast.CallExpr); ok {
				if recv, m := tensorMethod(p.info, call); recv != nil && same(recv) &&
					(m == "Detach_" || m == "SetData" || m == "Backward") {
					found = true
				}
			}
			assigned(n, func(t, value ast.Expr) {
				if !same(t) || p.copied(t) {
					return
				}
				if value == nil && tupleMade(p.info, n) {
					value = n.(*ast.AssignStmt).Rhs[0]
				}
				if value == nil || !p.dependsOn(p.declAt(value.Pos()), value, p.like(t)) {
					found = true
				}
			})
			return true
		})
	}
	if !field && v != nil && !v.IsField() && v.Parent() != p.pass.Pkg.Scope() {
		look(body)
		return found
	}
	for _, file := range p.pass.Files {
		for _, d := range file.Decls {
			// Skip constructors and main, which only give the field its first value.
			if fd, ok := d.(*ast.FuncDecl); ok && fd.Body != nil && !constructs(fd) {
				look(fd.Body)
			}
		}
	}
	return found
}

// constructs reports whether d is a function that gives fields their first values: main,
// init, or a constructor.
func constructs(d *ast.FuncDecl) bool {
	name := d.Name.Name
	return name == "main" || name == "init" || strings.HasPrefix(name, "new") || strings.HasPrefix(name, "New")
}

// backwardAfter reports whether the function has a backward pass outside the loop. That
// pass may use the graphs of all steps of the loop.
func (p *program) backwardAfter(decl *ast.FuncDecl, loop ast.Node) bool {
	found := false
	ast.Inspect(decl, func(n ast.Node) bool {
		if n == nil || found || n == loop {
			return false
		}
		if call, ok := n.(*ast.CallExpr); ok {
			found = p.runsBackward(call)
		}
		return true
	})
	return found
}

// runsBackward reports whether the called function runs a backward pass. Calls among the
// arguments do not count.
func (p *program) runsBackward(call *ast.CallExpr) bool {
	_, name := tensorMethod(p.info, call)
	f := callee(p.info, call)
	if strings.HasPrefix(name, "Backward") || named(f, torchPath, "Backward", "Grad") {
		return true
	}
	for _, s := range p.callees(call) {
		if s.Backward {
			return true
		}
	}
	return false
}
