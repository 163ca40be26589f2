package analyzers

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/analysis"
)

// closesOnly returns the expression of the tensor that a deferred call closes, or "" if
// the call does anything else.
func (p *program) closesOnly(call *ast.CallExpr) string {
	if recv, name := tensorMethod(p.info, call); name == "Close" {
		return types.ExprString(recv)
	}
	if lit, ok := call.Fun.(*ast.FuncLit); ok && len(call.Args) == 0 {
		for _, st := range lit.Body.List {
			if v := closed(p.info, st); v == "" {
				return ""
			}
		}
		return "them"
	}
	if len(call.Args) == 1 && isTensor(p.info.TypeOf(call.Args[0])) &&
		p.passedTo(call, call.Args[0], []ast.Node{call, call}) == closes {
		return types.ExprString(call.Args[0])
	}
	return ""
}

// closed returns the expression of the tensor that s closes, or "" if s is not a call of
// Close.
func closed(info *types.Info, s ast.Stmt) string {
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
		return ""
	}
	if recv, name := tensorMethod(info, call); name == "Close" {
		return types.ExprString(recv)
	}
	return ""
}

// leaves replaces a return in the loop, which now leaves only the new scope. It sets the
// variable done before the return, and scopeFix adds a return after the scope. If the
// return has results, no fix is possible.
func (s *scoping) leaves(n *ast.ReturnStmt) {
	if s.done == "" {
		s.done = freeName(s.decl, "done", "finished")
	}
	f := s.p.innermost(s.body)
	if s.done == "" || len(n.Results) > 0 || f == nil || f.sig == nil || f.sig.Results().Len() > 0 {
		s.no = true
		return
	}
	s.edits = append(s.edits, analysis.TextEdit{Pos: n.Pos(), End: n.Pos(), NewText: []byte(s.done + " = true\n")})
}

// innermost returns the innermost function that contains n.
func (p *program) innermost(n ast.Node) *function {
	var in *function
	for node, f := range p.nodes {
		if f.body != nil && f.body.Pos() <= n.Pos() && n.End() <= f.body.End() &&
			(in == nil || node.Pos() > in.node.Pos()) {
			in = f
		}
	}
	return in
}

// branch replaces a break or continue of the loop with a return from the new scope.
func (s *scoping) branch(n *ast.BranchStmt, stack []ast.Node) {
	if n.Label != nil || n.Tok == token.GOTO {
		s.no = true
		return
	}
	for _, around := range stack[:len(stack)-1] {
		switch around.(type) {
		case *ast.ForStmt, *ast.RangeStmt, *ast.FuncLit:
			return // n ends a statement inside the body, not the loop
		case *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
			if n.Tok != token.CONTINUE {
				return
			}
		}
	}
	text := "return"
	if n.Tok == token.BREAK {
		if s.stop == "" {
			s.stop = freeName(s.decl, "stop", "stopped")
		}
		if s.stop == "" {
			s.no = true
			return
		}
		text = s.stop + " = true\nreturn"
	}
	s.edits = append(s.edits, analysis.TextEdit{Pos: n.Pos(), End: n.End(), NewText: []byte(text)})
}
