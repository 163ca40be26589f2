package analyzers

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/inspect"
)

// Carried reports a state, such as the hidden state of an RNN, that a loop carries from
// step to step together with the autograd graphs of all previous steps.
var Carried = &analysis.Analyzer{
	Name: "carried",
	Doc: `report states that are carried from step to step with their graph

A state that is computed from the previous state, as in h = cell.Forward(h),
refers to the graphs of all steps before it. The check reports variables and
fields that are never detached, if no backward pass after the loop can use that
graph. Detach the state, or run the loop in torch.NoGrad.`,
	Requires: []*analysis.Analyzer{inspect.Analyzer, functions},
	Run:      runCarried,
}

func runCarried(pass *analysis.Pass) (any, error) {
	if own(pass) {
		return nil, nil
	}
	p := programOf(pass)
	walk(pass, []ast.Node{(*ast.AssignStmt)(nil)}, func(n ast.Node, stack []ast.Node) {
		as := n.(*ast.AssignStmt)
		if as.Tok != token.ASSIGN {
			return
		}
		if len(as.Lhs) != len(as.Rhs) {
			p.checkResults(as, stack)
			return
		}
		for i, target := range as.Lhs {
			if t := p.info.TypeOf(target); isTensor(t) || plainState(t) {
				p.checkCarried(target, as.Rhs[i], stack)
			}
		}
	})
	return nil, nil
}

// checkResults is like checkCarried, for a call with several results, as in out, h =
// rnn.Forward(x, h). A result is a state if it is also an argument of the call.
// checkResults reports at most one state.
func (p *program) checkResults(as *ast.AssignStmt, stack []ast.Node) {
	call, ok := ast.Unparen(as.Rhs[0]).(*ast.CallExpr)
	if !ok || len(as.Rhs) != 1 {
		return
	}
	for _, target := range as.Lhs {
		given := slices.ContainsFunc(call.Args, func(a ast.Expr) bool {
			return types.ExprString(a) == types.ExprString(target)
		})
		if given && isTensor(p.info.TypeOf(target)) && p.checkCarried(target, call, stack) {
			return
		}
	}
}

// plainState reports whether t is a struct of tensors, such as the two states of an LSTM.
func plainState(t types.Type) bool {
	if t == nil || isTensor(t) {
		return false
	}
	s, ok := t.Underlying().(*types.Struct)
	if !ok || s.NumFields() == 0 {
		return false
	}
	for i := range s.NumFields() {
		if !isTensor(s.Field(i).Type()) {
			return false
		}
	}
	return true
}

func (p *program) checkCarried(target, value ast.Expr, stack []ast.Node) bool {
	f, ps := p.surrounding(stack)
	v := root(p.info, target)
	decl, ok := stackDecl(stack)
	if f == nil || v == nil || !ok || p.noGrad(f) {
		return false
	}
	g := newGrads(p, decl)
	at := p.leaving(target, value)
	value = p.resolve(decl, value)
	if !p.dependsOn(decl, value, p.like(target)) || !g.stepCarries(value) {
		return false
	}
	indexed := isIndexed(target)
	field := local(p.info, target) == nil
	var loop ast.Node
	for _, pl := range ps {
		switch {
		case pl.kind == inNoGrad:
			return false
		case pl.kind == inLoop && loop == nil:
			if within(v, pl.node) || ends(pl.node) {
				return false
			}
			if indexed && p.indexes(target, pl.node) {
				continue // this loop goes over the elements of the state and does not carry them
			}
			if short(p.pass, pl.node) || p.overLayers(value, pl.node) {
				return false
			}
			loop = pl.node
		}
	}
	body := loop
	if loop == nil {
		// No loop encloses the assignment, but a loop may call this function once for
		// each step. The state is then in a field or in a variable of the enclosing
		// function.
		obj := v
		if field {
			obj = p.fieldOf(target)
		}
		if field && indexed {
			obj = p.fieldOf(containerOf(target))
		}
		if obj == nil || !p.repeated(f, ps, obj) || returnsState(p, f) && !p.ownBackward(f) {
			return false
		}
		body = f.body
	}
	if addsItself(p.info, value, target) && p.backward(body) {
		return false // Retained reports it
	}
	if p.letsGo(decl, body, target, field) || loop != nil && p.backwardAfter(decl, loop) {
		return false
	}
	if !field && !indexed && p.goesOn(decl, f, v) ||
		loop != nil && !p.backward(loop) && p.collects(decl, loop, target) {
		return false
	}
	d := analysis.Diagnostic{
		Pos: at.Pos(), End: at.End(),
		Message: types.ExprString(target) + " is carried from step to step with the graphs of all steps before: " +
			"Detach it, or run the loop in torch.NoGrad",
	}
	if isTensor(p.info.TypeOf(value)) && !indexed {
		d.SuggestedFixes = p.detachCarried(loop, target, value)
	}
	p.pass.Report(d)
	return true
}

// like returns a function that reports whether an expression names the same state as
// target: the same expression, or the same field of any value.
func (p *program) like(target ast.Expr) func(ast.Expr) bool {
	name := types.ExprString(target)
	field := p.fieldOf(target)
	return func(e ast.Expr) bool {
		if f := p.fieldOf(e); field != nil && field.IsField() && f != nil {
			return f.Origin() == field.Origin()
		}
		return types.ExprString(e) == name
	}
}

// indexes reports whether target is an element whose index is a variable of the loop.
func (p *program) indexes(target ast.Expr, loop ast.Node) bool {
	ix, ok := ast.Unparen(target).(*ast.IndexExpr)
	if !ok {
		return false
	}
	v := root(p.info, ix.Index)
	return v != nil && within(v, loop)
}

// overLayers reports whether the loop iterates over layers, so that each iteration
// computes value with a different layer. Such a loop has only as many steps as there are
// layers, so it is not reported.
func (p *program) overLayers(value ast.Expr, loop ast.Node) bool {
	found := false
	ast.Inspect(value, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || found {
			return !found
		}
		by := call.Fun
		if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok {
			if by = sel.X; isTensor(p.info.TypeOf(by)) {
				return true
			}
		}
		ast.Inspect(by, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				if v, ok := p.info.Uses[id].(*types.Var); ok && !v.IsField() && within(v, loop) {
					found = true
				}
			}
			return !found
		})
		return !found
	})
	return found
}

// addsItself reports whether value is target.Add(x) or x.Add(target).
func addsItself(info *types.Info, value, target ast.Expr) bool {
	call, ok := ast.Unparen(value).(*ast.CallExpr)
	if !ok || len(call.Args) == 0 {
		return false
	}
	recv, name := tensorMethod(info, call)
	same := types.ExprString(target)
	return recv != nil && strings.HasPrefix(name, "Add") && (types.ExprString(recv) == same ||
		types.ExprString(call.Args[0]) == same)
}

func isIndexed(e ast.Expr) bool {
	_, ok := ast.Unparen(e).(*ast.IndexExpr)
	return ok
}

// fieldOf returns the field named by e.
func (p *program) fieldOf(e ast.Expr) *types.Var {
	sel, ok := ast.Unparen(e).(*ast.SelectorExpr)
	if !ok {
		return nil
	}
	v, _ := p.info.ObjectOf(sel.Sel).(*types.Var)
	return v
}

// returnsState reports whether f returns tensors. If it does, the caller of f may run a
// backward pass that needs the graph.
func returnsState(p *program, f *function) bool {
	for i := range f.sig.Results().Len() {
		if holdsTensors(f.sig.Results().At(i).Type()) {
			return true
		}
	}
	return false
}

// goesOn reports whether v is returned, or passed to anything other than an operator. The
// code that receives v may need the graph.
func (p *program) goesOn(decl *ast.FuncDecl, f *function, v *types.Var) bool {
	gone := false
	eachUse(p.info, decl, v, func(stack []ast.Node) {
		if as, ok := stack[len(stack)-2].(*ast.AssignStmt); ok {
			for _, l := range as.Lhs {
				if l == stack[len(stack)-1] {
					return
				}
			}
		}
		if plainState(v.Type()) {
			if p.setsItself(stack, v) {
				return
			}
			if _, ok := stack[len(stack)-2].(*ast.SelectorExpr); ok {
				stack = stack[:len(stack)-1] // continue with the use of the field, which is a tensor
			}
		}
		for i := range stack[:len(stack)-1] {
			// A return statement of f that contains v and returns tensors passes v on.
			if r, ok := stack[i].(*ast.ReturnStmt); ok {
				for _, e := range r.Results {
					if holdsTensors(p.info.TypeOf(e)) && returnsOf(f, stack[:i]) {
						gone = true
					}
				}
			}
		}
		if u := p.use(stack); u&(keeps|anything) != 0 {
			gone = true
		}
	})
	return gone
}

// setsItself reports whether the last node of stack is part of an assignment that sets v.
func (p *program) setsItself(stack []ast.Node, v *types.Var) bool {
	for _, n := range stack {
		if as, ok := n.(*ast.AssignStmt); ok {
			return slices.ContainsFunc(as.Lhs, func(l ast.Expr) bool { return local(p.info, l) == v })
		}
	}
	return false
}

// returnsOf reports whether a return statement at the end of stack returns from f. It
// does if the innermost function literal in stack is f, or if there is no function
// literal.
func returnsOf(f *function, stack []ast.Node) bool {
	for i := len(stack) - 1; i >= 0; i-- {
		if lit, ok := stack[i].(*ast.FuncLit); ok {
			return lit == f.node
		}
	}
	return true
}

func insideLiteral(stack []ast.Node) bool {
	for _, n := range stack {
		if _, ok := n.(*ast.FuncLit); ok {
			return true
		}
	}
	return false
}
