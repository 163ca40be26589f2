package analyzers

import (
	"go/ast"
	"go/token"
	"go/types"
)

// owner returns the variable that owns the value of e. This is the first variable in e.
// But if that variable is only an alias for a part of another value, such as an element
// of a slice, owner returns the variable that owns the other value. It returns nil for a
// package-level variable.
func (p *program) owner(e ast.Expr) *types.Var {
	v := root(p.info, e)
	for range 6 {
		if v == nil || v.IsField() || v.Pkg() == nil || v.Parent() == v.Pkg().Scope() {
			return nil
		}
		from := p.partOfValue(v)
		if from == nil || root(p.info, from) == nil {
			return v
		}
		v = root(p.info, from)
	}
	return v
}

// partOfValue returns the expression of which the local variable v names a part. It is
// the operand of the range statement that sets v, or the field or element to which v is
// set. partOfValue returns nil if v is set more than once.
func (p *program) partOfValue(v *types.Var) ast.Expr {
	decl := p.declAt(v.Pos())
	if decl == nil || p.takes(v) != nil {
		return nil
	}
	var from ast.Expr
	n := 0
	ast.Inspect(decl, func(m ast.Node) bool {
		if r, ok := m.(*ast.RangeStmt); ok && r.Value != nil && local(p.info, r.Value) == v {
			from = r.X
			n++
			return true
		}
		if m == nil {
			return false
		}
		assigned(m, func(target, value ast.Expr) {
			if local(p.info, target) != v || isSpec(m) && value == nil {
				return
			}
			n++
			if as, ok := m.(*ast.AssignStmt); ok && value == nil && len(as.Rhs) == 1 && as.Lhs[0] == target {
				value = as.Rhs[0] // x, ok := m[k]
			}
			from = p.viewed(value)
		})
		return true
	})
	if n != 1 {
		return nil
	}
	return from
}

// viewed returns the expression into which e refers: e itself for a field, an element or
// a variable, x for &x, and nil for other expressions.
func (p *program) viewed(e ast.Expr) ast.Expr {
	switch n := ast.Unparen(e).(type) {
	case *ast.SelectorExpr, *ast.IndexExpr, *ast.StarExpr:
		return n
	case *ast.Ident:
		if !isNil(n) {
			return n
		}
	case *ast.UnaryExpr:
		if n.Op == token.AND {
			return p.viewed(n.X)
		}
	case *ast.TypeAssertExpr:
		return p.viewed(n.X)
	case *ast.CallExpr:
		return p.found(n)
	}
	return nil
}

// found returns the receiver of a method call, if the method looks up an element in a
// list or map of the receiver and returns that element. For other calls it returns nil.
func (p *program) found(call *ast.CallExpr) ast.Expr {
	f := callee(p.info, call)
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if f == nil || !ok || f.Signature().Recv() == nil {
		return nil
	}
	target := p.decls[f.Origin()]
	if target == nil || target.body == nil {
		return nil
	}
	recv := target.sig.Recv()
	element := func(e ast.Expr) bool {
		if ta, ok := ast.Unparen(e).(*ast.TypeAssertExpr); ok {
			e = ta.X
		}
		ix, ok := ast.Unparen(e).(*ast.IndexExpr)
		return ok && root(p.info, ix.X) == recv
	}
	looked := false
	eachReturn(target.body, func(r *ast.ReturnStmt) {
		if len(r.Results) == 0 {
			return
		}
		e := r.Results[0]
		looked = looked || element(e)
		v := local(p.info, e)
		ast.Inspect(target.body, func(n ast.Node) bool {
			if as, ok := n.(*ast.AssignStmt); ok && v != nil && len(as.Rhs) == 1 && local(p.info, as.Lhs[0]) == v {
				looked = looked || element(as.Rhs[0])
			}
			return !looked
		})
	})
	if !looked {
		return nil
	}
	return sel.X
}
