package analyzers

import (
	"go/ast"
	"go/types"
)

// filled reports whether a loop sends to ch, and nothing receives from ch before the loop
// ends. Then all values that the loop sends stay in the channel.
func (r *retaining) filled(stack []ast.Node, ch ast.Expr) bool {
	v := local(r.p.info, ch)
	decl, ok := stackDecl(stack)
	if v == nil || !ok || !within(v, decl.Body) {
		return false
	}
	var loop ast.Node
	for _, pl := range places(r.p.info, stack) {
		if pl.kind == inLoop && !within(v, pl.node) {
			loop = pl.node
		}
	}
	if loop == nil {
		return false
	}
	filled := true
	eachUse(r.p.info, decl, v, func(stack []ast.Node) {
		received := true
		if _, ok := stack[len(stack)-2].(*ast.SendStmt); ok {
			received = false
		}
		if call, ok := stack[len(stack)-2].(*ast.CallExpr); ok {
			id, _ := call.Fun.(*ast.Ident)
			_, builtin := r.p.info.Uses[id].(*types.Builtin)
			if received = false; !builtin {
				filled = false
			}
		}
		for _, n := range stack {
			if _, ok := n.(*ast.GoStmt); ok {
				filled = false
			}
		}
		if received && (insideLiteral(stack) || stack[len(stack)-1].Pos() < loop.End()) {
			filled = false
		}
	})
	return filled
}

// outlives reports whether a variable or field lives longer than an iteration of a loop
// with a backward pass, and the loop does not empty it. into is the expression for the
// variable or field. The loop may be in this function or in a caller.
func (r *retaining) outlives(stack []ast.Node, into ast.Expr) bool {
	p := r.p
	v := root(p.info, into)
	if _, pkg := p.info.ObjectOf(rootIdent(into)).(*types.Func); pkg {
		v = nil // into names a function, whose container is outside of any loop
	} else if v == nil {
		if sel, ok := ast.Unparen(into).(*ast.SelectorExpr); !ok || p.info.Selections[sel] != nil {
			return false
		}
	}
	for _, pl := range places(p.info, stack) {
		switch pl.kind {
		case inNoGrad:
			return false
		case inFunction:
			if _, ok := pl.node.(*ast.FuncDecl); !ok {
				return false
			}
		case inLoop:
			if (v == nil || !within(v, pl.node)) && p.backward(pl.node) {
				return v == nil || !p.emptied(pl.node, into, v)
			}
		}
	}
	f, _ := p.around(stack)
	obj := v
	if field := p.fieldOf(containerOf(into)); field != nil && field.IsField() {
		obj = field
	}
	if f == nil || obj == nil || p.noGrad(f) {
		return false
	}
	for _, param := range f.params() {
		if param == obj {
			return false
		}
	}
	if !p.backward(f.body) {
		return obj.IsField() && isTensor(p.info.TypeOf(containerOf(into))) && r.addedInStep(stack, into, obj)
	}
	if !p.repeated(f, nil, obj) || p.emptied(f.body, into, v) {
		return false
	}
	if isTensor(p.info.TypeOf(containerOf(into))) {
		return obj.IsField() && !p.anyLoop(f, func(loop ast.Node) bool { return p.emptied(loop, into, obj) })
	}
	return !p.shrinks(containerOf(into))
}

// addedInStep reports whether a loop with a backward pass runs the code at the end of
// stack and does not reset field. That code adds to the tensor in field.
func (r *retaining) addedInStep(stack []ast.Node, into ast.Expr, field *types.Var) bool {
	p := r.p
	f, ps := p.around(stack)
	again := p.lasting(site{f, ps, p.owner(into)})
	return again != nil && again.loop != nil && p.backward(again.loop) && !p.emptied(again.loop, into, field)
}

// anyLoop reports whether yes returns true for any loop that runs f, directly or through
// its callers.
func (p *program) anyLoop(f *function, yes func(loop ast.Node) bool) bool {
	return p.anyRun(f, func(r run) (found, follow bool) {
		loop := loopOf(r.places)
		return loop != nil && yes(loop), loop == nil
	}, false)
}
