package analyzers

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/inspect"
	"golang.org/x/tools/go/ast/inspector"
)

// kind is the kind of a place. A place encloses code. Its kind determines how often the
// code runs, and what frees the code's tensors.
type kind int

const (
	inLoop      kind = iota
	inScope          // torch.Scope, Tidy, a step of a loader
	inGoroutine      // code that the enclosing code starts in a goroutine, so its scopes do not apply
	inNoGrad         // torch.NoGrad, torch.InferenceMode
	inCond           // if, switch, select
	inFunction       // a function declaration, or a function literal that is passed to package testing
	inOpaque         // a function literal that is passed to code that is not analyzed
)

// place is a loop, a condition or a function that encloses a piece of code.
type place struct {
	kind kind
	node ast.Node
}

// places returns the places that enclose the last node of stack, innermost first.
func places(info *types.Info, stack []ast.Node) []place {
	var ps []place
	add := func(k kind, n ast.Node) { ps = append(ps, place{k, n}) }
	for i := len(stack) - 2; i >= 0; i-- {
		inner := stack[i+1]
		switch n := stack[i].(type) {
		case *ast.ForStmt:
			if inner != ast.Node(n.Init) {
				add(inLoop, n)
			}
		case *ast.RangeStmt:
			if inner == ast.Node(n.X) {
				continue
			}
			if k, ok := stepKind(info, n); ok {
				add(k, n)
			}
			add(inLoop, n)
		case *ast.IfStmt:
			if inner != ast.Node(n.Init) && inner != ast.Node(n.Cond) {
				add(inCond, n)
			}
		case *ast.CaseClause, *ast.CommClause:
			add(inCond, n)
		case *ast.FuncLit:
			if k, ok := literalKind(info, stack[:i], n); ok {
				add(k, n)
			}
		case *ast.FuncDecl:
			add(inFunction, n)
		}
	}
	return ps
}

// stepKind returns the kind of place in which the body of a range over a function runs.
// It returns false if the function only calls the body.
func stepKind(info *types.Info, n *ast.RangeStmt) (kind, bool) {
	tv, ok := info.Types[n.X]
	if !ok {
		return 0, false
	}
	if _, ok := tv.Type.Underlying().(*types.Signature); !ok {
		return 0, false
	}
	if call, ok := ast.Unparen(n.X).(*ast.CallExpr); ok {
		f := callee(info, call)
		if from(f, dataPath) || named(f, torchPath, "Scoped", "ScopedRange") {
			return inScope, true
		}
		if from(f, "slices", "maps", "iter", "strings", "bytes") {
			return 0, false
		}
	}
	return inOpaque, true
}

// literalKind returns the kind of place in which the function literal n runs. stack are
// the nodes that enclose n. It returns false if n is called where it is defined.
func literalKind(info *types.Info, stack []ast.Node, n *ast.FuncLit) (kind, bool) {
	call, ok := stack[len(stack)-1].(*ast.CallExpr)
	if !ok {
		return inOpaque, true
	}
	if ast.Unparen(call.Fun) == ast.Expr(n) {
		if _, ok := stack[len(stack)-2].(*ast.GoStmt); ok {
			return inGoroutine, true
		}
		return 0, false
	}
	k, transparent := knownRunner(callee(info, call))
	return k, !transparent
}

// few is the maximum number of iterations of a short loop. Short loops are not reported.
const few = 32

// short reports whether a loop certainly has few iterations: it counts up to, or down
// from, a small constant, or visits the elements of a literal.
func short(pass *analysis.Pass, loop ast.Node) bool { return shortUpTo(pass, loop, few) }

// shortUpTo is like short, with limit as the maximum number of iterations.
func shortUpTo(pass *analysis.Pass, loop ast.Node, limit int64) bool {
	small := func(e ast.Expr) bool {
		tv, ok := pass.TypesInfo.Types[e]
		if !ok || tv.Value == nil || tv.Value.Kind() != constant.Int {
			return false
		}
		n, exact := constant.Int64Val(tv.Value)
		return exact && n <= limit
	}
	switch n := loop.(type) {
	case *ast.ForStmt:
		c, ok := n.Cond.(*ast.BinaryExpr)
		if !ok {
			return false
		}
		switch c.Op {
		case token.LSS, token.LEQ:
			return small(c.Y) || countsDown(n, c.Y, small)
		case token.GTR, token.GEQ:
			return small(c.X) || countsDown(n, c.X, small)
		}
	case *ast.RangeStmt:
		return small(scopedCount(pass.TypesInfo, n.X)) || table(pass, n.X)
	}
	return false
}

// scopedCount returns n if e is torch.ScopedRange(n), and e otherwise.
func scopedCount(info *types.Info, e ast.Expr) ast.Expr {
	if call, ok := ast.Unparen(e).(*ast.CallExpr); ok && len(call.Args) == 1 &&
		named(callee(info, call), torchPath, "ScopedRange") {
		return call.Args[0]
	}
	return e
}

// countsDown reports whether loop decrements e, starting from a small constant.
func countsDown(loop *ast.ForStmt, e ast.Expr, small func(ast.Expr) bool) bool {
	if step, ok := loop.Post.(*ast.IncDecStmt); !ok || step.Tok != token.DEC || loop.Init == nil {
		return false
	}
	found := false
	assigned(loop.Init, func(target, value ast.Expr) {
		found = found || value != nil && types.ExprString(target) == types.ExprString(e) && small(value)
	})
	return found
}

// table reports whether e is a composite literal, a small array, or a variable that is
// only set to composite literals.
func table(pass *analysis.Pass, e ast.Expr) bool {
	if _, ok := ast.Unparen(e).(*ast.CompositeLit); ok {
		return true
	}
	if t := pass.TypesInfo.TypeOf(e); t != nil {
		if a, ok := t.Underlying().(*types.Array); ok && a.Len() <= few {
			return true
		}
	}
	id, ok := ast.Unparen(e).(*ast.Ident)
	if !ok {
		return false
	}
	v := pass.TypesInfo.ObjectOf(id)
	literal, other := false, false
	for n := range inspectorOf(pass).PreorderSeq((*ast.AssignStmt)(nil), (*ast.ValueSpec)(nil)) {
		assigned(n, func(target, value ast.Expr) {
			if t, ok := target.(*ast.Ident); ok && v != nil && pass.TypesInfo.ObjectOf(t) == v {
				if _, ok := value.(*ast.CompositeLit); ok {
					literal = true
				} else {
					other = true
				}
			}
		})
	}
	return literal && !other
}

func inspectorOf(pass *analysis.Pass) *inspector.Inspector {
	return pass.ResultOf[inspect.Analyzer].(*inspector.Inspector)
}

// generated reports whether n is in a generated file. If cgo created a file from a source
// file, it counts as that source file.
func generated(pass *analysis.Pass, n ast.Node) bool {
	for _, f := range pass.Files {
		if f.FileStart <= n.Pos() && n.Pos() < f.FileEnd {
			return ast.IsGenerated(f) && !fromCgo(f)
		}
	}
	return false
}

func fromCgo(f *ast.File) bool {
	return len(f.Comments) > 0 && strings.HasPrefix(f.Comments[0].Text(), "Code generated by cmd/cgo")
}

// own reports whether pass analyzes package torch or aten, to which the rules do not
// apply.
func own(pass *analysis.Pass) bool {
	path := pass.Pkg.Path()
	return path == torchPath || path == atenPath
}

// walk calls fn with each node of the given types, and with the nodes that enclose it. It
// skips generated files.
func walk(pass *analysis.Pass, types []ast.Node, fn func(n ast.Node, stack []ast.Node)) {
	inspectorOf(pass).WithStack(types, func(n ast.Node, push bool, stack []ast.Node) bool {
		if push && !generated(pass, n) {
			fn(n, stack)
		}
		return true
	})
}
