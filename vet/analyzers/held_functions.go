package analyzers

import (
	"go/ast"
	"go/token"
	"go/types"
)

// heldByLiteral is like heldBy, for a function literal. Only variables that the loop
// creates in each iteration count.
func (p *program) heldByLiteral(lit *ast.FuncLit, s site, depth int) held {
	most := holdsNothing
	ast.Inspect(lit.Body, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok {
			return true
		}
		v, ok := p.info.Uses[id].(*types.Var)
		if ok && !v.IsField() && isTensor(v.Type()) && !within(v, lit) && local(p.info, id) != nil &&
			p.fromLoop(s.ps, v) {
			most = max(most, p.heldByVariable(v, s, depth+1))
		}
		return true
	})
	return most
}

// disowned reports whether e is a tensor that f takes out of its scopes with Keep or
// Disown.
func (p *program) disowned(f *function, e ast.Expr) bool {
	changes := func(e ast.Expr) bool { return unkeep(p.info, e) != nil }
	if changes(e) {
		return true
	}
	v := local(p.info, e)
	return v != nil && within(v, f.body) && p.madeFrom(f, v, changes)
}

// disowns reports whether the called function takes every tensor that it returns out of
// its scopes.
func (p *program) disowns(n *ast.CallExpr) bool {
	f := callee(p.info, n)
	if f == nil {
		return false
	}
	target := p.decls[f.Origin()]
	if target == nil || target.body == nil {
		return false
	}
	returns, kept := 0, 0
	eachReturn(target.body, func(r *ast.ReturnStmt) {
		returns++
		if len(r.Results) == 1 && p.disowned(target, r.Results[0]) {
			kept++
		}
	})
	return returns > 0 && returns == kept
}

// builds reports whether f returns a value that f itself has built: a composite literal,
// or a local variable.
func (p *program) builds(f *function) bool {
	found := false
	if f.body == nil {
		return false
	}
	eachReturn(f.body, func(r *ast.ReturnStmt) {
		for _, e := range r.Results {
			if u, ok := ast.Unparen(e).(*ast.UnaryExpr); ok && u.Op == token.AND {
				e = u.X
			}
			_, literal := ast.Unparen(e).(*ast.CompositeLit)
			v := local(p.info, e)
			found = found || literal || v != nil && within(v, f.body)
		}
	})
	return found
}

// heldByFunctions is like heldBy, for a variable that holds functions. It returns
// holdsMany if a function literal in v uses a module or an optimizer that the enclosing
// function creates.
func (p *program) heldByFunctions(v *types.Var) held {
	most := holdsNothing
	for f := range p.flows.holds[v] {
		lit, ok := f.node.(*ast.FuncLit)
		decl := p.declAt(f.node.Pos())
		if !ok || decl == nil {
			continue
		}
		ast.Inspect(lit.Body, func(n ast.Node) bool {
			id, ok := n.(*ast.Ident)
			if !ok {
				return true
			}
			used := local(p.info, id)
			if used != nil && !within(used, lit) && within(used, decl) && library(used.Type()) &&
				p.heldByVariable(used, site{f: p.nodes[decl]}, 1) == holdsMany {
				most = holdsMany
			}
			return true
		})
	}
	return most
}
