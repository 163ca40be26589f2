package analyzers

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// emptied reports whether the loop also replaces the variable by something other than a
// longer version of itself, deletes from it, or closes its elements.
func emptied(info *types.Info, loop ast.Node, into ast.Expr, v *types.Var) bool {
	index, indexed := ast.Unparen(into).(*ast.IndexExpr)
	if indexed {
		into = index.X
	}
	container := types.ExprString(into)
	found := false
	var look func(n ast.Node) bool
	look = func(n ast.Node) bool {
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
				(name == "Close" || name == "Backward" && !optionIsOn(call, "RetainGraph") || name == "Zero_" ||
					name == "Detach_") {
				found = true
			}
		}
		if i, ok := n.(*ast.IfStmt); ok && isNilCheck(i.Cond, container) {
			if i.Else != nil {
				ast.Inspect(i.Else, look)
			}
			return false // its first value
		}
		assigned(n, func(target, value ast.Expr) {
			if root(info, target) != v || value == nil || types.ExprString(target) != container {
				return
			}
			slice, _ := isAppend(info, value)
			call, _ := ast.Unparen(value).(*ast.CallExpr)
			if call != nil && changesOwner(callee(info, call)) && len(call.Args) == 1 {
				call, _ = ast.Unparen(call.Args[0]).(*ast.CallExpr)
			}
			ref, _ := ast.Unparen(value).(*ast.UnaryExpr)
			switch {
			case !indexed && ref != nil && mentions(ref, v.Name()):
			case slice != nil && root(info, slice) == v:
			case !indexed && call != nil && (addsTo(info, call, v) || addsItself(info, call, target)):
			default:
				found = true
			}
		})
		return !found
	}
	ast.Inspect(loop, look)
	return found
}

// isNilCheck reports whether a condition is name == nil.
func isNilCheck(cond ast.Expr, name string) bool {
	b, ok := ast.Unparen(cond).(*ast.BinaryExpr)
	if !ok || b.Op != token.EQL || types.ExprString(b.X) != name {
		return false
	}
	id, ok := ast.Unparen(b.Y).(*ast.Ident)
	return ok && id.Name == "nil"
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

// addsTo reports whether call is v.Add(...).
func addsTo(info *types.Info, call *ast.CallExpr, v *types.Var) bool {
	recv, name := tensorMethod(info, call)
	return recv != nil && strings.HasPrefix(name, "Add") && root(info, recv) == v
}
