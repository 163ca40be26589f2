package analyzers

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// torchName returns the name of package torch at pos. It returns "" if the file does not
// import the package, or if a different declaration hides the name.
func (p *program) torchName(pos token.Pos) string {
	for _, f := range p.pass.Files {
		if f.FileStart > pos || pos >= f.FileEnd {
			continue
		}
		for _, spec := range f.Imports {
			if spec.Path.Value != `"`+torchPath+`"` {
				continue
			}
			name := "torch"
			if spec.Name != nil {
				name = spec.Name.Name
			}
			if _, obj := p.scopeAt(pos).LookupParent(name, pos); obj != nil {
				if _, ok := obj.(*types.PkgName); ok {
					return name
				}
			}
		}
	}
	return ""
}

func (p *program) scopeAt(pos token.Pos) *types.Scope {
	if s := p.pass.Pkg.Scope().Innermost(pos); s != nil {
		return s
	}
	return p.pass.Pkg.Scope()
}

// freeName returns the first name in names that does not occur in n, or "" if all occur.
func freeName(n ast.Node, names ...string) string {
	for _, name := range names {
		if !mentions(n, name) {
			return name
		}
	}
	return ""
}

// lineEnd returns the position after the line on which s ends, so that an edit there
// comes after a comment on this line. next is the position of the code that follows. If
// it is on the same line, lineEnd returns the end of s.
func (p *program) lineEnd(s ast.Node, next token.Pos) token.Pos {
	file := p.pass.Fset.File(s.Pos())
	line := file.Line(s.End())
	if line >= file.LineCount() || next.IsValid() && file.Line(next) == line {
		return s.End()
	}
	return file.LineStart(line+1) - 1
}

// madeByOperator reports whether e is certainly a new tensor: the result of an operator.
// The result of a module or of Tidy may be an existing tensor.
func (p *program) madeByOperator(e ast.Expr) bool {
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok {
		return false
	}
	f := callee(p.info, call)
	return known(f) && creates(p.info, call) && !named(f, torchPath, "Tidy")
}

// closeFix returns the edit that closes v after its last use in the statement list that
// creates v. It returns nil if a statement may leave this list before the last use, or if
// a function literal may use v later.
func (p *program) closeFix(v *types.Var, value ast.Expr, stack []ast.Node) []analysis.SuggestedFix {
	if !p.madeByOperator(value) {
		return nil
	}
	as, ok := stack[len(stack)-1].(ast.Stmt)
	block, isBlock := stack[len(stack)-2].(*ast.BlockStmt)
	if !ok || !isBlock {
		return nil
	}
	at := slices.Index(block.List, as)
	last := at
	for i, s := range block.List[at+1:] {
		eachUse(p.info, s, v, func([]ast.Node) { last = at + 1 + i })
	}
	for _, s := range block.List[at+1 : last+1] {
		if leavesList(s) || p.outlivedBy(s, v) {
			return nil
		}
	}
	end := block.Rbrace
	if last+1 < len(block.List) {
		end = block.List[last+1].Pos()
	}
	pos := p.lineEnd(block.List[last], end)
	return []analysis.SuggestedFix{{
		Message:   "Close " + v.Name() + " after its last use",
		TextEdits: []analysis.TextEdit{{Pos: pos, End: pos, NewText: []byte("\n" + v.Name() + ".Close()")}},
	}}
}

// leavesList reports whether s may jump out of the statement list that it is in.
func leavesList(s ast.Stmt) bool {
	found := false
	ast.Inspect(s, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.ReturnStmt, *ast.BranchStmt, *ast.LabeledStmt:
			found = true
		}
		return !found
	})
	return found
}

// outlivedBy reports whether a function literal in s uses v and may run after s.
func (p *program) outlivedBy(s ast.Stmt, v *types.Var) bool {
	found := false
	eachUse(p.info, s, v, func(stack []ast.Node) {
		for i, n := range stack {
			if _, ok := n.(*ast.GoStmt); ok {
				found = true
			}
			if lit, ok := n.(*ast.FuncLit); ok && !p.runsAtOnce(lit, stack[:i]) {
				found = true
			}
		}
	})
	return found
}

// runsAtOnce reports whether lit runs before the next statement, because it is called
// directly or passed to a function that only calls it. stack are the nodes that enclose
// lit.
func (p *program) runsAtOnce(lit *ast.FuncLit, stack []ast.Node) bool {
	if len(stack) == 0 {
		return false
	}
	call, ok := stack[len(stack)-1].(*ast.CallExpr)
	if !ok {
		return false
	}
	if ast.Unparen(call.Fun) == ast.Expr(lit) {
		return true
	}
	k, transparent := knownRunner(callee(p.info, call))
	return transparent || k == inScope || k == inNoGrad
}

// detachCarried returns the edit that detaches the state in target. It appends Detach to
// value or, if a backward pass in the loop still needs the graph of the step, adds a
// statement at the end of the loop.
func (p *program) detachCarried(loop ast.Node, target, value ast.Expr) []analysis.SuggestedFix {
	edit := analysis.TextEdit{Pos: value.End(), End: value.End(), NewText: []byte(".Detach()")}
	if _, ok := ast.Unparen(value).(*ast.CallExpr); !ok {
		return nil
	}
	if loop == nil || p.backward(loop) {
		body := bodyOf(loop)
		name := types.ExprString(target)
		if body == nil || len(body.List) == 0 || leavesLoop(body) {
			return nil
		}
		pos := p.lineEnd(body.List[len(body.List)-1], body.Rbrace)
		edit = analysis.TextEdit{Pos: pos, End: pos, NewText: []byte("\n" + name + " = " + name + ".Detach()")}
	}
	return []analysis.SuggestedFix{{Message: "Detach what is carried", TextEdits: []analysis.TextEdit{edit}}}
}

// leavesLoop reports whether the body may start the next iteration before it reaches its
// end. Code added at the end would then not run.
func leavesLoop(body *ast.BlockStmt) bool {
	for n := range ast.Preorder(body) {
		if b, ok := n.(*ast.BranchStmt); ok && b.Tok == token.CONTINUE {
			return true
		}
	}
	return false
}

func bodyOf(loop ast.Node) *ast.BlockStmt {
	switch n := loop.(type) {
	case *ast.ForStmt:
		return n.Body
	case *ast.RangeStmt:
		return n.Body
	}
	return nil
}

// detachInHook returns the edits that make the hook lit use v.Detach() instead of v.
func (p *program) detachInHook(stack []ast.Node, v *types.Var, lit *ast.FuncLit) []analysis.SuggestedFix {
	if len(stack) < 3 || lit.Pos() < stack[len(stack)-1].Pos() {
		return nil // the literal is not an argument of this call
	}
	stmt, ok := stack[len(stack)-2].(*ast.ExprStmt)
	decl, found := stackDecl(stack)
	if !ok || !found {
		return nil
	}
	name := freeName(decl, "data", v.Name()+"Data")
	if name == "" {
		return nil
	}
	edits := []analysis.TextEdit{{
		Pos: stmt.Pos(), End: stmt.Pos(),
		NewText: fmt.Appendf(nil, "%s := %s.Detach()\n", name, v.Name()),
	}}
	fine := true
	eachUse(p.info, lit.Body, v, func(stack []ast.Node) {
		if sel, ok := stack[len(stack)-2].(*ast.SelectorExpr); ok &&
			(strings.Contains(sel.Sel.Name, "Grad") || strings.HasSuffix(sel.Sel.Name, "_")) {
			fine = false
		}
		id := stack[len(stack)-1]
		edits = append(edits, analysis.TextEdit{Pos: id.Pos(), End: id.End(), NewText: []byte(name)})
	})
	if !fine {
		return nil
	}
	return []analysis.SuggestedFix{{Message: "Refer to a Detach of " + v.Name(), TextEdits: edits}}
}

// keepFix returns the edit that moves a tensor out of its scope: with Keep to the
// enclosing scope, or with Disown out of all scopes.
func (p *program) keepFix(e ast.Expr, how string) []analysis.SuggestedFix {
	name := p.torchName(e.Pos())
	if name == "" {
		return nil
	}
	return []analysis.SuggestedFix{{
		Message:   how + " it",
		TextEdits: wrap(e, name+"."+how),
	}}
}

// wrap returns the edits that turn e into f(e).
func wrap(e ast.Expr, f string) []analysis.TextEdit {
	return []analysis.TextEdit{
		{Pos: e.Pos(), End: e.Pos(), NewText: []byte(f + "(")},
		{Pos: e.End(), End: e.End(), NewText: []byte(")")},
	}
}
