package analyzers

import (
	"go/ast"
	"go/types"
	"slices"
)

// gradOff reports whether n is in a function literal that runs without recording
// gradients.
func (p *program) gradOff(n ast.Node) bool {
	return slices.ContainsFunc(p.gradless, func(lit *ast.FuncLit) bool {
		return lit.Pos() <= n.Pos() && n.End() <= lit.End()
	})
}

// takes returns the package's function that has the parameter v, or nil.
func (p *program) takes(v *types.Var) *function {
	if p == nil {
		return nil
	}
	return p.parameters[v]
}

// in returns a grads for the declaration that contains n. The new grads shares the
// results of g.
func (g *grads) in(n ast.Node) *grads {
	if g.body.Pos() <= n.Pos() && n.End() <= g.body.End() {
		return g
	}
	other := *g
	other.body = n
	if decl := g.p.declAt(n.Pos()); decl != nil {
		other.body = decl
	}
	return &other
}

// everyArgument reports whether f is called and every call passes, as the parameter v, an
// argument for which yes returns true.
func (g *grads) everyArgument(f *function, v *types.Var, yes func(g *grads, arg ast.Expr) bool) bool {
	if f.opaque || len(f.runs) == 0 || g.p.noGrad(f) {
		return false
	}
	for _, r := range f.runs {
		arg := argumentFor(f, v, r.node)
		if arg == nil || r.by == nil || r.by == f || g.p.gradOff(arg) || !yes(g.in(arg), arg) {
			return false
		}
	}
	return true
}

// resultCarries reports whether result i of a call certainly has a graph. If the call may
// run several functions of the package, each must return a tensor with a graph.
func (g *grads) resultCarries(call *ast.CallExpr, i int) bool {
	if g.p == nil || g.p.flows == nil {
		return false
	}
	var fs []*function
	if f := callee(g.info, call); f != nil {
		fs = g.p.flows.targets(f.Origin())
	} else if fun := ast.Unparen(call.Fun); !g.p.flows.lost[fun] {
		for f := range g.p.flows.holds[fun] {
			fs = append(fs, f)
		}
	}
	return len(fs) > 0 && !slices.ContainsFunc(fs, func(f *function) bool { return !g.returnsGraph(f, i) })
}

// tupleCarries reports whether n assigns several results of a call and result i has a
// graph.
func (g *grads) tupleCarries(n ast.Node, i int) bool {
	as, ok := n.(*ast.AssignStmt)
	if !ok || len(as.Rhs) != 1 {
		return false
	}
	call, ok := ast.Unparen(as.Rhs[0]).(*ast.CallExpr)
	return ok && (named(callee(g.info, call), nnPath, "Forward") && !g.p.gradOff(call) || g.resultCarries(call, i))
}

// returnsGraph reports whether each return statement of f returns a tensor with a graph
// as result i.
func (g *grads) returnsGraph(f *function, i int) bool {
	if f == nil || f.body == nil || f.sig == nil || i >= f.sig.Results().Len() || g.p.noGrad(f) {
		return false
	}
	return g.results.once(result{f, i}, func() bool { return g.findReturnsGraph(f, i) })
}

func (g *grads) findReturnsGraph(f *function, i int) bool {
	v, in := f.sig.Results().At(i), g.in(f.body)
	returns, carries := 0, 0
	eachReturn(f.body, func(r *ast.ReturnStmt) {
		returns++
		switch {
		case len(r.Results) == 1 && f.sig.Results().Len() > 1: // returns all results of another call
			call, ok := ast.Unparen(r.Results[0]).(*ast.CallExpr)
			if ok && (named(callee(g.info, call), nnPath, "Forward") || in.resultCarries(call, i)) {
				carries++
			}
		case len(r.Results) == f.sig.Results().Len() && in.carries(r.Results[i]),
			len(r.Results) == 0 && in.variable(v):
			carries++
		}
	})
	return returns > 0 && returns == carries
}

// isNil reports whether e is nil.
func isNil(e ast.Expr) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == "nil"
}
