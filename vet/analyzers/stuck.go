package analyzers

import (
	"go/ast"
	"go/token"
	"go/types"
)

// reportStuck reports a goroutine that is started in each iteration of a loop, waits
// forever, and refers to a tensor.
func (p *program) reportStuck(g *ast.GoStmt, stack []ast.Node) {
	lit, ok := g.Call.Fun.(*ast.FuncLit)
	f, ps := p.around(stack)
	decl, found := stackDecl(stack)
	if !ok || f == nil || !found || !p.repeated(f, ps, nil) || !p.waitsForever(decl, lit, loopOf(ps)) {
		return
	}
	refers := ""
	ast.Inspect(lit.Body, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			if v, ok := p.info.Uses[id].(*types.Var); ok && isTensor(v.Type()) && !within(v, lit) &&
				local(p.info, id) != nil && p.madeFrom(f, v, p.creates) {
				refers = v.Name()
			}
		}
		return refers == ""
	})
	if refers != "" {
		p.pass.ReportRangef(g, "every iteration starts a goroutine that waits for a channel that is not used while "+
			"the loop runs, and keeps %s: let it end, for example with a context", refers)
	}
}

// endsAfter reports whether the end of stack is the argument of a call of close after a
// loop with many steps.
func (p *program) endsAfter(stack []ast.Node, loop ast.Node) bool {
	call, ok := stack[len(stack)-2].(*ast.CallExpr)
	if !ok || loop == nil || insideLiteral(stack) || p.repetitionOf(loop) == nil {
		return false // few goroutines may wait until the close tells them to start
	}
	id, ok := ast.Unparen(call.Fun).(*ast.Ident)
	if !ok || id.Name != "close" {
		return false
	}
	_, deferred := stack[len(stack)-3].(*ast.DeferStmt)
	return deferred || call.Pos() > loop.End()
}

// waitsForever reports whether a goroutine waits forever, because its function literal
// has an empty select, or receives from a local channel to which nothing sends. Closing
// the channel after a loop with many steps does not end the wait soon enough.
func (p *program) waitsForever(decl *ast.FuncDecl, lit *ast.FuncLit, loop ast.Node) bool {
	for _, s := range lit.Body.List {
		if sel, ok := s.(*ast.SelectStmt); ok && len(sel.Body.List) == 0 {
			return true
		}
		e, ok := s.(*ast.ExprStmt)
		if !ok {
			continue
		}
		recv, ok := e.X.(*ast.UnaryExpr)
		if !ok || recv.Op != token.ARROW {
			continue
		}
		v := local(p.info, recv.X)
		if v == nil || !within(v, decl.Body) {
			continue
		}
		only := true
		eachUse(p.info, decl, v, func(stack []ast.Node) {
			u, ok := stack[len(stack)-2].(*ast.UnaryExpr)
			only = only && (ok && u.Op == token.ARROW || p.endsAfter(stack, loop))
		})
		made := p.madeFrom(&function{body: decl.Body}, v, func(e ast.Expr) bool {
			call, ok := e.(*ast.CallExpr)
			if !ok {
				return false
			}
			id, ok := call.Fun.(*ast.Ident)
			return ok && id.Name == "make"
		})
		if only && made {
			return true
		}
	}
	return false
}
