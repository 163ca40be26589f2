package analyzers

import (
	"go/ast"
	"go/types"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/inspect"
)

// Retained reports losses and outputs that a training loop keeps with their
// graphs.
var Retained = &analysis.Analyzer{
	Name: "retained",
	Doc: `report losses and outputs that a training loop keeps with their graphs

A tensor that was computed from parameters refers to everything that its
gradient needs. Appended to a slice, put into a map or added up across the
iterations of a loop that calls Backward, it keeps one graph an iteration. Item
gives the number, Detach the tensor without its graph.`,
	Requires: []*analysis.Analyzer{inspect.Analyzer},
	Run:      runRetained,
}

func runRetained(pass *analysis.Pass) (any, error) {
	if own(pass) {
		return nil, nil
	}
	info := pass.TypesInfo
	perFunc := map[*ast.FuncDecl]*grads{}
	check := func(stack []ast.Node, into, value ast.Expr, how string) {
		decl, ok := stackDecl(stack)
		if !ok {
			return
		}
		g := perFunc[decl]
		if g == nil {
			g = &grads{info: info, body: decl, vars: map[*types.Var]bool{}}
			perFunc[decl] = g
		}
		kept := value
		if call, ok := ast.Unparen(value).(*ast.CallExpr); ok && changesOwner(callee(info, call)) {
			kept = call.Args[0]
		}
		if !g.carries(kept) || !outlives(info, stack, into) {
			return
		}
		pass.ReportRangef(value, "%s: each iteration's graph stays with it; keep Item() or Detach() instead", how)
	}
	walk(pass, []ast.Node{(*ast.AssignStmt)(nil), (*ast.ExprStmt)(nil)}, func(n ast.Node, stack []ast.Node) {
		if n, ok := n.(*ast.ExprStmt); ok {
			call, ok := n.X.(*ast.CallExpr)
			if !ok {
				return
			}
			if recv, name := tensorMethod(info, call); strings.HasPrefix(name, "Add") && strings.HasSuffix(name, "_") && len(call.Args) > 0 {
				check(stack, recv, call.Args[0], "a tensor with a graph is added up across iterations")
			}
			return
		}
		assigned(n, func(target, value ast.Expr) {
			if value == nil {
				return
			}
			if slice, added := isAppend(info, value); slice != nil {
				for _, a := range added {
					check(stack, target, a, "a tensor with a graph is appended in a training loop")
				}
				return
			}
			if _, ok := ast.Unparen(target).(*ast.IndexExpr); ok {
				check(stack, target, value, "a tensor with a graph is stored in a training loop")
				return
			}
			// total = total.Add(loss)
			if call, ok := ast.Unparen(value).(*ast.CallExpr); ok && len(call.Args) > 0 {
				recv, name := tensorMethod(info, call)
				if v := local(info, target); v != nil && strings.HasPrefix(name, "Add") && local(info, recv) == v {
					check(stack, target, call.Args[0], "a tensor with a graph is added up across iterations")
				}
			}
		})
	})
	return nil, nil
}

// outlives reports whether what into names lives on from one iteration to the
// next of a loop that calls Backward, and is not emptied in it.
func outlives(info *types.Info, stack []ast.Node, into ast.Expr) bool {
	v := root(info, into)
	if v == nil {
		return false
	}
	for _, p := range places(info, stack) {
		switch p.kind {
		case inNoGrad, inFunction:
			return false
		case inLoop:
			if !within(v, p.node) && callsBackward(info, p.node) {
				return !emptied(info, p.node, into, v)
			}
		}
	}
	return false
}

func callsBackward(info *types.Info, n ast.Node) bool {
	found := false
	ast.Inspect(n, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			_, name := tensorMethod(info, call)
			found = found || strings.HasPrefix(name, "Backward") || named(callee(info, call), torchPath, "Backward")
		}
		return !found
	})
	return found
}

// emptied reports whether the loop also sets the variable to something else
// than itself with more in it, deletes from it, or closes what it holds.
func emptied(info *types.Info, loop ast.Node, into ast.Expr, v *types.Var) bool {
	index, indexed := ast.Unparen(into).(*ast.IndexExpr)
	if indexed {
		into = index.X
	}
	container := types.ExprString(into)
	found := false
	ast.Inspect(loop, func(n ast.Node) bool {
		if n == nil {
			return false
		}
		if r, ok := n.(*ast.RangeStmt); ok && root(info, r.X) == v && mentions(r.Body, "Close") {
			found = true
		}
		if call, ok := n.(*ast.CallExpr); ok {
			if id, ok := ast.Unparen(call.Fun).(*ast.Ident); ok && (id.Name == "clear" || id.Name == "delete") &&
				len(call.Args) > 0 && root(info, call.Args[0]) == v {
				found = true
			}
			if recv, name := tensorMethod(info, call); recv != nil && root(info, recv) == v &&
				(name == "Close" || name == "Backward" || name == "Zero_" || name == "Detach_") {
				found = true
			}
		}
		assigned(n, func(target, value ast.Expr) {
			if root(info, target) != v || value == nil || types.ExprString(target) != container {
				return
			}
			slice, _ := isAppend(info, value)
			call, _ := ast.Unparen(value).(*ast.CallExpr)
			switch {
			case slice != nil && root(info, slice) == v:
			case !indexed && call != nil && addsTo(info, call, v):
			default:
				found = true
			}
		})
		return !found
	})
	return found
}

// addsTo reports whether call is v.Add(...).
func addsTo(info *types.Info, call *ast.CallExpr, v *types.Var) bool {
	recv, name := tensorMethod(info, call)
	return recv != nil && strings.HasPrefix(name, "Add") && root(info, recv) == v
}
