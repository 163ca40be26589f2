package analyzers

import (
	"go/ast"
	"go/types"
	"slices"
)

// parts are the methods that return a view of a part of a tensor. views are the methods
// that return a view of the whole tensor.
var (
	parts = []string{"Index", "Narrow", "Select", "Slice"}
	views = []string{
		"Squeeze", "Unsqueeze", "View", "Detach", "T", "Transpose", "Permute", "Expand", "RequiresGrad_",
	}
)

// keepsView reports whether e contains a view of a part of a larger tensor. The view
// keeps the whole storage allocated. The larger tensor belongs to a data loader's batch,
// or f creates it.
func (p *program) keepsView(e ast.Expr, f *function, depth int) bool {
	if f == nil || f.body == nil || depth > 8 {
		return false
	}
	switch n := ast.Unparen(p.resolve(f.body, e)).(type) {
	case *ast.CompositeLit:
		return slices.ContainsFunc(n.Elts, func(el ast.Expr) bool {
			if kv, ok := el.(*ast.KeyValueExpr); ok {
				el = kv.Value
			}
			return p.keepsView(el, f, depth+1)
		})
	case *ast.UnaryExpr:
		return p.keepsView(n.X, f, depth+1)
	case *ast.CallExpr:
		recv, name := tensorMethod(p.info, n)
		switch {
		case recv == nil:
			return false
		case slices.Contains(views, name):
			return p.keepsView(recv, f, depth+1)
		}
		// indexing with a mask or a list of positions copies
		copies := slices.ContainsFunc(n.Args, func(a ast.Expr) bool {
			t := p.info.TypeOf(a)
			_, list := t.Underlying().(*types.Slice)
			return list || holdsTensors(t)
		})
		return slices.Contains(parts, name) && !copies && p.larger(recv, f)
	}
	return false
}

// larger reports whether e is a tensor that belongs to a data loader's batch or that f
// creates.
func (p *program) larger(e ast.Expr, f *function) bool {
	e = ast.Unparen(p.resolve(f.body, e))
	if sel, ok := e.(*ast.SelectorExpr); ok {
		t := p.info.TypeOf(sel.X)
		return t != nil && isBatch(t)
	}
	call, ok := e.(*ast.CallExpr)
	if !ok || !p.creates(call) {
		return false
	}
	_, name := tensorMethod(p.info, call)
	return !slices.Contains(parts, name) && !slices.Contains(views, name)
}

// isBatch reports whether t is the type of the batches of a data loader.
func isBatch(t types.Type) bool {
	if ptr, ok := types.Unalias(t).(*types.Pointer); ok {
		t = ptr.Elem()
	}
	return isNamed(t, dataPath, "Batch")
}
