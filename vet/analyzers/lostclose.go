package analyzers

import (
	"go/ast"
	"go/types"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/inspect"
)

// LostClose reports return statements between the creation of a tensor and its Close.
var LostClose = &analysis.Analyzer{
	Name: "lostclose",
	Doc: `report returns between the creation of a tensor and its Close

If a function closes a tensor at its end but returns early, the tensor is left to
the collector. A deferred Close covers every return.`,
	Requires: []*analysis.Analyzer{inspect.Analyzer, functions},
	Run:      runLostClose,
}

func runLostClose(pass *analysis.Pass) (any, error) {
	if own(pass) {
		return nil, nil
	}
	p := programOf(pass)
	walk(pass, []ast.Node{(*ast.BlockStmt)(nil)}, func(n ast.Node, stack []ast.Node) {
		f, ps := p.around(stack)
		if b, ok := stack[len(stack)-2].(*ast.FuncDecl); ok {
			f, ps = p.nodes[b], nil
		}
		if b, ok := stack[len(stack)-2].(*ast.FuncLit); ok {
			f, ps = p.nodes[b], nil
		}
		if f == nil || shelters(ps) || p.sheltered(f) {
			return
		}
		list := n.(*ast.BlockStmt).List
		for i, s := range list {
			as, ok := s.(*ast.AssignStmt)
			if !ok || len(as.Lhs) != 1 || len(as.Rhs) != 1 || !p.creates(as.Rhs[0]) {
				continue
			}
			id, ok := as.Lhs[0].(*ast.Ident)
			if !ok || p.info.Defs[id] == nil {
				continue
			}
			v := local(p.info, id)
			at := slices.IndexFunc(list[i+1:], func(s ast.Stmt) bool { return closesStmt(p.info, s, v) })
			if v == nil || at < 0 || p.uses(f.body, v)&^(looks|closes) != 0 || p.captured(f.body, v) {
				continue
			}
			for _, between := range list[i+1 : i+1+at] {
				if d, ok := between.(*ast.DeferStmt); ok && closesStmt(p.info, &ast.ExprStmt{X: d.Call}, v) {
					break
				}
				p.reportLost(s, between, v, loopOf(ps))
			}
		}
	})
	return nil, nil
}

// closesStmt reports whether s is the statement v.Close().
func closesStmt(info *types.Info, s ast.Stmt, v *types.Var) bool {
	var e ast.Expr
	switch s := s.(type) {
	case *ast.ExprStmt:
		e = s.X
	case *ast.AssignStmt:
		if len(s.Rhs) == 1 && isBlank(s.Lhs[0]) {
			e = s.Rhs[0]
		}
	}
	call, ok := e.(*ast.CallExpr)
	if !ok {
		return false
	}
	recv, name := tensorMethod(info, call)
	return name == "Close" && local(info, recv) == v
}

// captured reports whether a function literal in body uses v.
func (p *program) captured(body ast.Node, v *types.Var) bool {
	found := false
	eachUse(p.info, body, v, func(stack []ast.Node) { found = found || insideLiteral(stack) })
	return found
}

// reportLost reports the return statements in s that leave v open. made is the statement
// that creates v. If s also closes v, reportLost reports nothing.
func (p *program) reportLost(made, s ast.Stmt, v *types.Var, loop ast.Node) {
	closed := false
	ast.Inspect(s, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case ast.Stmt:
			if d, ok := n.(*ast.DeferStmt); ok {
				n = &ast.ExprStmt{X: d.Call}
			}
			closed = closed || closesStmt(p.info, n, v)
		}
		return true
	})
	if closed {
		return
	}
	ast.Inspect(s, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.ReturnStmt:
			d := analysis.Diagnostic{
				Pos: n.Pos(), End: n.End(),
				Message: "this return leaves " + v.Name() + " open, which the function closes further down: defer " +
					"its Close",
			}
			if loop == nil {
				at := p.lineEnd(made, s.Pos())
				d.SuggestedFixes = []analysis.SuggestedFix{{
					Message: "Defer the Close of " + v.Name(),
					TextEdits: []analysis.TextEdit{{
						Pos: at, End: at,
						NewText: []byte("\ndefer " + v.Name() + ".Close()"),
					}},
				}}
			}
			p.pass.Report(d)
		}
		return true
	})
}
