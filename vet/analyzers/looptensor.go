package analyzers

import (
	"fmt"
	"go/ast"
	"go/types"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/inspect"
)

// LoopTensor reports a tensor that a loop creates in each iteration but never closes.
// Such a tensor is left to the garbage collector.
var LoopTensor = &analysis.Analyzer{
	Name: "looptensor",
	Doc: `report tensors made in a loop outside of a scope and never closed

Such tensors stay until the collector finds them. The check follows variables of
the loop's body that are set to a new tensor and only passed to operators. A tensor
that is stored, returned or passed to other functions may be closed there. The check
ignores loops in functions that return tensors or that the package calls inside a
scope, and loops with few iterations.`,
	Requires: []*analysis.Analyzer{inspect.Analyzer, functions},
	Run:      runLoopTensor,
}

func runLoopTensor(pass *analysis.Pass) (any, error) {
	if own(pass) {
		return nil, nil
	}
	l := &leftovers{p: programOf(pass), named: map[ast.Node]bool{}}
	walk(pass, []ast.Node{(*ast.AssignStmt)(nil), (*ast.ValueSpec)(nil)}, func(n ast.Node, stack []ast.Node) {
		assigned(n, func(target, value ast.Expr) {
			v := local(l.p.info, target)
			if v == nil || value == nil || l.p.info.Defs[target.(*ast.Ident)] == nil || !l.p.creates(value) {
				return
			}
			l.check(stack, func(body ast.Node) bool { return within(v, body) && l.p.uses(body, v)&^looks == 0 },
				func(w where) {
					l.named[w.loop] = true
					w.report(pass, target, v.Name(), append(l.p.scopeFix(w.loop), l.p.closeFix(v, value, stack)...))
				})
		})
	})
	walk(pass, []ast.Node{(*ast.CallExpr)(nil)}, func(n ast.Node, stack []ast.Node) {
		call := n.(*ast.CallExpr)
		if f := callee(l.p.info, call); f != nil && f.Pkg() != pass.Pkg {
			if s, ok := l.p.of(f); ok && s.Left != "" {
				l.check(stack, func(ast.Node) bool { return true }, func(w where) {
					pass.Report(analysis.Diagnostic{
						Pos: call.Pos(), End: call.End(),
						Message: fmt.Sprintf("%s leaves a tensor to the collector in every iteration (%s): "+
							"open a torch.Scope in the loop", f.Name(), s.Left),
						SuggestedFixes: l.p.scopeFix(w.loop),
					})
				})
			}
		}
		if l.p.creates(call) && l.p.temporary(call, stack) {
			l.check(stack, func(ast.Node) bool { return true }, func(w where) {
				if !l.named[w.loop] && !w.late && !inTest(pass, call) {
					l.named[w.loop] = true
					w.report(pass, call, "a tensor without a name", l.p.scopeFix(w.loop))
				}
			})
		}
	})
	return nil, nil
}

// leftovers finds the tensors that LoopTensor reports.
type leftovers struct {
	p     *program
	named map[ast.Node]bool // loops with a report
}

// where describes the loop whose iterations each create a tensor.
type where struct {
	loop   ast.Node
	called bool // the tensor is created in a function that the loop calls
	late   bool // the loop is in a scope, which frees the tensors only after the last iteration
}

func (w where) report(pass *analysis.Pass, n analysis.Range, what string, fixes []analysis.SuggestedFix) {
	message := "%s is made in every iteration, outside of a scope, and never closed: it waits for the collector; " +
		"close it, or open a torch.Scope in the loop"
	switch {
	case w.late:
		message = "%s is made in every iteration, and the scope is around the whole loop: it frees nothing before " +
			"the last iteration; open a torch.Scope in the loop"
	case w.called:
		message = "%s is made in every iteration of the loop at line " +
			"" + strconv.Itoa(pass.Fset.Position(w.loop.Pos()).Line) +
			", which runs this function outside of a scope, and never closed: it waits for the collector; close it, " +
			"or open a torch.Scope"
	}
	pass.Report(analysis.Diagnostic{
		Pos: n.Pos(), End: n.End(), Message: fmt.Sprintf(message, what),
		SuggestedFixes: fixes,
	})
}

// check calls report if the call at the end of stack creates a tensor in a loop, outside
// of any scope, and nothing in the loop frees it. stays reports whether the tensor
// remains open in the given body of the loop.
func (l *leftovers) check(stack []ast.Node, stays func(body ast.Node) bool, report func(where)) {
	p := l.p
	f, ps := p.around(stack)
	if decl, ok := stackDecl(stack); f == nil || f.body == nil || ok && returnsTensors(p.info, decl.Type) {
		return
	}
	if lit, ok := f.node.(*ast.FuncLit); ok && returnsTensors(p.info, lit.Type) {
		return
	}
	var w where
	var body ast.Node = f.body
	for _, pl := range ps {
		switch {
		case pl.kind == inScope || pl.kind == inOpaque:
			return
		case pl.kind != inLoop:
		case ends(pl.node):
			return
		case w.loop == nil && !short(p.pass, pl.node):
			w.loop, body = pl.node, pl.node
		}
	}
	if w.loop == nil {
		w.loop, w.called = p.looped(f), true
	}
	if w.loop == nil || !stays(body) {
		return
	}
	if p.sheltered(f) {
		if w.called || !p.scopeOf(f) || !p.trains(w.loop) {
			return
		}
		w.late = true
	}
	report(w)
}

// scopeOf reports whether f is a function literal that is passed to torch.Scope and runs
// nowhere else.
func (p *program) scopeOf(f *function) bool {
	_, ok := f.node.(*ast.FuncLit)
	return ok && !f.opaque && len(f.runs) == 1 && f.runs[0].kind == inScope && !f.runs[0].plain &&
		f.sig.Results().Len() == 0 && f.sig.Params().Len() == 0
}

// trains reports whether the loop has a backward pass and a step of an optimizer.
func (p *program) trains(loop ast.Node) bool {
	steps := false
	ast.Inspect(loop, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			f := callee(p.info, call)
			steps = steps || from(f, optimPath) && f.Name() == "Step"
		}
		return !steps
	})
	return steps && p.backward(loop)
}

// left returns the name and the line of a tensor that each run of f leaves to the garbage
// collector, or "". Packages that call f in a loop report the tensor.
func (p *program) left(f *function) string {
	found := ""
	var stack []ast.Node
	d, ok := f.node.(*ast.FuncDecl)
	if !ok || returnsTensors(p.info, d.Type) || p.sheltered(f) {
		return ""
	}
	ast.Inspect(d, func(n ast.Node) bool {
		if n == nil {
			stack = stack[:len(stack)-1]
			return true
		}
		stack = append(stack, n)
		assigned(n, func(target, value ast.Expr) {
			v := local(p.info, target)
			if found != "" || v == nil || value == nil || p.info.Defs[target.(*ast.Ident)] == nil || !p.creates(value) {
				return
			}
			g, ps := p.around(stack)
			if g != nil && !shelters(ps) && !p.sheltered(g) && p.uses(f.body, v)&^looks == 0 {
				at := p.pass.Fset.Position(v.Pos())
				found = fmt.Sprintf("%s at %s:%d", v.Name(), filepath.Base(at.Filename), at.Line)
			}
		})
		return true
	})
	return found
}

// inTest reports whether n is in a test file. Tests are not reported, because they may
// create a tensor and leave it unused on purpose.
func inTest(pass *analysis.Pass, n ast.Node) bool {
	return strings.HasSuffix(pass.Fset.Position(n.Pos()).Filename, "_test.go")
}

// temporary reports whether the tensor that call creates is unused, or only an argument
// or the receiver of an operator.
func (p *program) temporary(call *ast.CallExpr, stack []ast.Node) bool {
	if _, ok := stack[len(stack)-2].(*ast.ExprStmt); ok {
		return true
	}
	return p.use(stack) == looks
}

// ends reports whether the body of a loop ends with a return or a break. The last
// statements of such a loop run only once.
func ends(loop ast.Node) bool {
	var body *ast.BlockStmt
	switch n := loop.(type) {
	case *ast.ForStmt:
		body = n.Body
	case *ast.RangeStmt:
		body = n.Body
	}
	if body == nil || len(body.List) == 0 {
		return false
	}
	switch s := body.List[len(body.List)-1].(type) {
	case *ast.ReturnStmt:
		return true
	case *ast.BranchStmt:
		return s.Tok.String() == "break"
	}
	return false
}

func stackDecl(stack []ast.Node) (*ast.FuncDecl, bool) {
	for _, n := range stack {
		if d, ok := n.(*ast.FuncDecl); ok {
			return d, true
		}
	}
	return nil, false
}

// returnsTensors reports whether a function with the type d returns tensors. Such a
// function is part of a computation, so its caller decides how long tensors live.
func returnsTensors(info *types.Info, d *ast.FuncType) bool {
	if d.Results == nil {
		return false
	}
	for _, r := range d.Results.List {
		t := info.TypeOf(r.Type)
		if t == nil {
			continue
		}
		if s, ok := t.Underlying().(*types.Slice); ok {
			t = s.Elem()
		}
		if isTensor(t) {
			return true
		}
	}
	return false
}
