package analyzers

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/inspect"
)

// ScopeEscape reports tensors that are used after the end of the scope that frees them.
var ScopeEscape = &analysis.Analyzer{
	Name: "scopeescape",
	Doc: `report tensors that are used after the end of their scope

A tensor made in torch.Scope, torch.Tidy or a step of a loader is freed at the end
of that scope. If it is put into a variable of the enclosing code and used there or
in the next step of a loop, it needs torch.Keep or torch.Disown, or must be the
result of torch.Tidy.`,
	Requires: []*analysis.Analyzer{inspect.Analyzer, functions},
	Run:      runScopeEscape,
}

func runScopeEscape(pass *analysis.Pass) (any, error) {
	if own(pass) {
		return nil, nil
	}
	p, info := programOf(pass), pass.TypesInfo
	walk(pass, []ast.Node{(*ast.AssignStmt)(nil)}, func(n ast.Node, stack []ast.Node) {
		scope := innermostScope(info, stack)
		decl, ok := stackDecl(stack)
		if scope == nil || !ok {
			p.escapesStep(n.(*ast.AssignStmt), stack)
			return
		}
		assigned(n, func(target, value ast.Expr) {
			v := root(info, target)
			if value == nil && tupleMade(info, n) {
				value = target
			}
			if value == nil || v == nil || within(v, scope) || !within(v, decl) {
				return
			}
			made, added := []ast.Expr{value}, false
			if slice, more := isAppend(info, value); slice != nil {
				made, added = more, true
			}
			for _, m := range made {
				if m != target && !madeIn(info, m, scope) || keptAfter(info, scope, v, local(info, m), added) {
					continue
				}
				if use := usedAfter(info, decl, scope, target, v); use.IsValid() {
					how := "Keep"
					if local(info, target) == nil || scopesBetween(info, stack, v) > 1 {
						how = "Disown"
					}
					d := analysis.Diagnostic{
						Pos: m.Pos(), End: m.End(),
						Message: fmt.Sprintf("this tensor is freed at the end of its scope and used after it at line "+
							"%d: torch.Keep it, or return it from torch.Tidy", pass.Fset.Position(use).Line),
					}
					if m != target { // target is one of several results, which no edit can wrap
						d.SuggestedFixes = p.keepFix(m, how)
					}
					pass.Report(d)
				} else if use := p.usedNext(n.(*ast.AssignStmt), stack, scope, target, v); use.IsValid() && !added {
					d := analysis.Diagnostic{
						Pos: m.Pos(), End: m.End(),
						Message: fmt.Sprintf("this tensor is freed at the end of its step and used in the next step "+
							"at line %d: torch.Disown it, and close the one before", pass.Fset.Position(use).Line),
					}
					if m != target {
						d.SuggestedFixes = p.keepFix(m, "Disown")
					}
					pass.Report(d)
				}
			}
		})
	})
	return nil, nil
}

// scopesBetween returns the number of scopes that enclose the end of stack but not the
// declaration of v.
func scopesBetween(info *types.Info, stack []ast.Node, v *types.Var) int {
	n := 0
	for _, p := range places(info, stack) {
		if within(v, p.node) {
			break
		}
		if p.kind == inScope {
			n++
		}
	}
	return n
}

// innermostScope returns the function literal or loop whose scope owns the tensors
// created at the end of stack. It returns nil if there is no scope, or if the scope is
// not known.
func innermostScope(info *types.Info, stack []ast.Node) ast.Node {
	for _, p := range places(info, stack) {
		switch p.kind {
		case inScope:
			return p.node
		case inGoroutine, inOpaque, inFunction:
			return nil
		}
	}
	return nil
}

// madeIn reports whether e is a tensor that the code in scope creates.
func madeIn(info *types.Info, e ast.Expr, scope ast.Node) bool {
	if creates(info, e) {
		return true
	}
	v := local(info, e)
	if v == nil || !within(v, scope) {
		return false
	}
	sets, made := 0, 0
	ast.Inspect(scope, func(n ast.Node) bool {
		if n != nil {
			assigned(n, func(target, value ast.Expr) {
				if local(info, target) == v {
					sets++
					if value != nil && creates(info, value) || value == nil && tupleMade(info, n) {
						made++
					}
				}
			})
		}
		return true
	})
	return sets > 0 && sets == made
}

// keptAfter reports whether code in scope moves the tensor out of the scope by calling
// Keep or Disown for v or made. If the tensor is an element of a slice, a call for any
// tensor counts.
func keptAfter(info *types.Info, scope ast.Node, v, made *types.Var, element bool) bool {
	found := false
	ast.Inspect(scope, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if ok && named(callee(info, call), torchPath, "Keep", "Disown") && len(call.Args) == 1 {
			r := root(info, call.Args[0])
			found = found || element || r == nil && !creates(info, call.Args[0]) || r != nil && (r == v || r == made)
		}
		return !found
	})
	return found
}

// usedAfter returns the first place after the scope that uses target before it is set
// again, or token.NoPos.
func usedAfter(info *types.Info, decl *ast.FuncDecl, scope ast.Node, target ast.Expr, v *types.Var) token.Pos {
	if i, ok := ast.Unparen(target).(*ast.IndexExpr); ok {
		target = i.X
	}
	name := types.ExprString(target)
	same := func(e ast.Expr) bool {
		if i, ok := ast.Unparen(e).(*ast.IndexExpr); ok && types.ExprString(i.X) == name {
			e = i.X
		}
		return root(info, e) == v && types.ExprString(ast.Unparen(e)) == name
	}
	var use, set token.Pos
	first := func(p *token.Pos, n ast.Node) {
		if !p.IsValid() {
			*p = n.Pos()
		}
	}
	ast.Inspect(decl.Body, func(n ast.Node) bool {
		if n == nil {
			return false
		}
		if n.End() <= scope.End() || n == scope {
			return false
		}
		resets := func() {
			assigned(n, func(t, _ ast.Expr) {
				if same(t) {
					first(&set, n)
				}
			})
		}
		if n.Pos() < scope.End() { // around the scope
			resets()
			return true
		}
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.CallExpr:
			recv, method := tensorMethod(info, n)
			if recv != nil && same(recv) && method != "IsClosed" && method != "Close" && method != "String" {
				first(&use, n)
			}
			if needsOpen(callee(info, n)) {
				for _, arg := range n.Args {
					if same(arg) {
						first(&use, arg)
					}
				}
			}
		case *ast.ReturnStmt:
			for _, r := range n.Results {
				if same(r) {
					first(&use, r)
				}
			}
			if len(n.Results) == 0 && isResult(info, decl, v) {
				first(&use, n)
			}
		}
		resets()
		return true
	})
	if set.IsValid() && set <= use {
		return token.NoPos
	}
	return use
}

// isResult reports whether v is a named result of decl.
func isResult(info *types.Info, decl *ast.FuncDecl, v *types.Var) bool {
	if decl.Type.Results == nil {
		return false
	}
	for _, f := range decl.Type.Results.List {
		for _, id := range f.Names {
			if info.Defs[id] == v {
				return true
			}
		}
	}
	return false
}
