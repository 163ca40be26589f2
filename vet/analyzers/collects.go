package analyzers

import (
	"go/ast"
	"go/types"
)

// collects reports whether a loop stores tensors computed from its state, such as the
// outputs of a sequence, and code after the loop uses them. A backward pass may then need
// the graphs of all steps.
func (p *program) collects(decl *ast.FuncDecl, loop ast.Node, state ast.Expr) bool {
	name := types.ExprString(state)
	derived := map[*types.Var]bool{}
	computed := func(e ast.Expr) bool {
		found := false
		ast.Inspect(e, func(n ast.Node) bool {
			if x, ok := n.(ast.Expr); ok && (types.ExprString(x) == name || derived[local(p.info, x)]) {
				found = true
			}
			call, ok := n.(*ast.CallExpr)
			if !ok || found {
				return !found
			}
			f := callee(p.info, call)
			return f == nil || !gradientFree(f.Name())
		})
		return found
	}
	kept := false
	for range 3 { // repeat, because a loop may use a variable above the line that computes it
		ast.Inspect(loop, func(n ast.Node) bool {
			if n == nil || kept {
				return false
			}
			assigned(n, func(target, value ast.Expr) {
				if as, ok := n.(*ast.AssignStmt); ok && value == nil && len(as.Rhs) == 1 {
					value = as.Rhs[0]
				}
				v := root(p.info, target)
				if value == nil || v == nil || !holdsTensors(p.info.TypeOf(target)) || !computed(value) {
					return
				}
				if within(v, loop) {
					derived[v] = true
				} else if types.ExprString(target) != name {
					kept = kept || p.usedAfter(decl, v, loop)
				}
			})
			return true
		})
	}
	return kept
}

// usedAfter reports whether code of the declaration uses v after the loop, other than to
// close it.
func (p *program) usedAfter(decl *ast.FuncDecl, v *types.Var, loop ast.Node) bool {
	used := false
	eachUse(p.info, decl, v, func(stack []ast.Node) {
		if stack[len(stack)-1].Pos() < loop.End() {
			return
		}
		if r, ok := stack[len(stack)-2].(*ast.RangeStmt); ok && onlyCloses(p.info, r) {
			return
		}
		used = used || p.use(stack) != closes
	})
	return used
}
