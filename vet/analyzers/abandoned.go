package analyzers

import (
	"go/ast"
	"go/token"
	"go/types"
)

// reportPulled reports a call of iter.Pull that drops the stop function, if the calls of
// next may end before the sequence does.
func (p *program) reportPulled(as *ast.AssignStmt, stack []ast.Node) {
	if len(as.Rhs) != 1 || len(as.Lhs) != 2 || !isBlank(as.Lhs[1]) {
		return
	}
	call, ok := ast.Unparen(as.Rhs[0]).(*ast.CallExpr)
	if !ok || !named(callee(p.info, call), "iter", "Pull", "Pull2") || !p.yieldsTensors(call) {
		return
	}
	next := local(p.info, as.Lhs[0])
	decl, ok := stackDecl(stack)
	if !ok || next == nil {
		return
	}
	exhausts := false
	eachUse(p.info, decl, next, func(stack []ast.Node) {
		for i := len(stack) - 2; i >= 0 && !exhausts; i-- {
			switch n := stack[i].(type) {
			case *ast.ForStmt: // only the end of the sequence may end this loop
				exhausts = true
			case *ast.RangeStmt:
				return
			case *ast.FuncLit, *ast.ReturnStmt:
				exhausts = n.Pos() > as.Pos() // code elsewhere calls next and may read the sequence to its end
			}
		}
	})
	if !exhausts {
		p.pass.ReportRangef(as, "the stop function of this %s is dropped: if the sequence is not read to its end, its "+
			"coroutine stays with all that it refers to; defer stop()", callee(p.info, call).Name())
	}
}

// yieldsTensors reports whether a call receives a sequence whose values may contain
// tensors.
func (p *program) yieldsTensors(call *ast.CallExpr) bool {
	if len(call.Args) != 1 {
		return false
	}
	sig, ok := p.info.TypeOf(call.Args[0]).Underlying().(*types.Signature)
	if !ok || sig.Params().Len() != 1 {
		return false
	}
	yield, ok := sig.Params().At(0).Type().Underlying().(*types.Signature)
	if !ok {
		return false
	}
	for i := range yield.Params().Len() {
		if mayHold(yield.Params().At(i).Type()) {
			return true
		}
	}
	return false
}

// reportUnreceived reports a goroutine that sends to an unbuffered channel, if the only
// receiver is a select that may take a different case. The goroutine then waits forever.
func (p *program) reportUnreceived(send *ast.SendStmt, stack []ast.Node) {
	if _, ok := stack[len(stack)-2].(*ast.CommClause); ok {
		return // this send is a case of a select, which can take another case
	}
	ch := local(p.info, send.Chan)
	f, _ := p.around(stack)
	if field := p.fieldOf(send.Chan); f != nil && field != nil && field.IsField() {
		p.unreceivedField(send, f, field)
	}
	if ch == nil || f == nil {
		return
	}
	if owner := p.takes(ch); owner != nil {
		p.unreceivedArgument(send, owner, ch)
		return
	}
	var started *ast.GoStmt
	for i, n := range stack {
		if lit, ok := n.(*ast.FuncLit); ok && i >= 2 && !within(ch, lit) {
			if started == nil {
				started, _ = stack[i-2].(*ast.GoStmt)
			}
		}
	}
	if started == nil || !p.holdsInGoroutine(started.Call.Fun) {
		return
	}
	switch {
	case p.abandoned(ch, started):
		p.reportAbandoned(send, ch)
	case p.leftEarly(ch):
		p.reportLeft(send, ch)
	}
}

func (p *program) reportLeft(send *ast.SendStmt, ch *types.Var) {
	p.pass.ReportRangef(send, "the loop that receives from %s may end early, and this goroutine then waits forever, "+
		"and keeps its tensors: select a context's Done as well", ch.Name())
}

// unreceivedField is like reportUnreceived, for a channel in a field. It reports the send
// if f runs repeatedly, each time in a new goroutine, and if only loops that may end
// early receive values of the channel's type.
func (p *program) unreceivedField(send *ast.SendStmt, f *function, field *types.Var) {
	ch, ok := field.Type().Underlying().(*types.Chan)
	if !ok || !mayHold(ch.Elem()) || len(f.runs) == 0 || f.opaque {
		return
	}
	for _, r := range f.runs {
		if r.kind != inGoroutine || r.plain || r.by == nil || !p.repeated(r.by, r.places, nil) {
			return
		}
	}
	early, others := 0, 0
	same := func(e ast.Expr) bool {
		c, ok := p.info.TypeOf(e).Underlying().(*types.Chan)
		return ok && types.Identical(c.Elem(), ch.Elem())
	}
	for _, file := range p.pass.Files {
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.RangeStmt:
				if t := p.info.TypeOf(n.X); t != nil && same(n.X) {
					if leaves(n.Body) {
						early++
					} else {
						others++
					}
				}
			case *ast.UnaryExpr:
				if n.Op == token.ARROW && same(n.X) {
					others++
				}
			}
			return true
		})
	}
	if early == 1 && others == 0 {
		p.reportLeft(send, field)
	}
}

// leftEarly reports whether the only receiver of ch is a loop that may end early. The
// function that creates ch returns it, and that function's caller runs the loop.
func (p *program) leftEarly(ch *types.Var) bool {
	decl := p.declAt(ch.Pos())
	if decl == nil || p.nodes[decl] == nil || len(p.nodes[decl].runs) == 0 {
		return false
	}
	returned := false
	eachReturn(decl.Body, func(r *ast.ReturnStmt) {
		returned = len(r.Results) == 1 && local(p.info, r.Results[0]) == ch
	})
	if !returned {
		return false
	}
	for _, r := range p.nodes[decl].runs {
		if r.by == nil || r.node == nil {
			return false
		}
		loops, early := 0, 0
		ast.Inspect(r.by.body, func(n ast.Node) bool {
			if over, ok := n.(*ast.RangeStmt); ok && ast.Unparen(p.resolve(r.by.body, over.X)) == ast.Expr(r.node) {
				loops++
				if leaves(over.Body) {
					early++
				}
			}
			return true
		})
		if loops != 1 || early != 1 || !p.repeated(r.by, r.places, nil) {
			return false
		}
	}
	return true
}

func (p *program) reportAbandoned(send *ast.SendStmt, ch *types.Var) {
	p.pass.ReportRangef(send, "if the select that receives from %s takes another case, this goroutine waits forever, "+
		"and keeps its tensors: make room for one value in the channel", ch.Name())
}

// unreceivedArgument is like reportUnreceived, for a channel that is a parameter of f. It
// reports nothing unless f is called only in go statements.
func (p *program) unreceivedArgument(send *ast.SendStmt, f *function, ch *types.Var) {
	for _, r := range f.runs {
		arg := argumentFor(f, ch, r.node)
		v := local(p.info, arg)
		if arg == nil || v == nil || r.kind != inGoroutine || r.plain || p.takes(v) != nil {
			return
		}
		decl := p.declAt(v.Pos())
		var started *ast.GoStmt
		ast.Inspect(decl, func(n ast.Node) bool {
			if g, ok := n.(*ast.GoStmt); ok && g.Call == r.node {
				started = g
			}
			return started == nil
		})
		if started == nil || !p.abandoned(v, started) {
			return
		}
	}
	if len(f.runs) > 0 && p.holdsInGoroutine(f.node) {
		p.reportAbandoned(send, ch)
	}
}

// holdsInGoroutine reports whether n, the function of a goroutine, uses tensors or
// modules. Other goroutines are not reported, even if they wait forever.
func (p *program) holdsInGoroutine(n ast.Node) bool {
	found := false
	ast.Inspect(n, func(n ast.Node) bool {
		if e, ok := n.(ast.Expr); ok && !found {
			t := p.info.TypeOf(e)
			found = t != nil && (isTensor(t) || library(t))
		}
		return !found
	})
	return found
}

// abandoned reports whether a goroutine may wait forever to send to ch. started is its go
// statement. ch must be unbuffered, its only receiver must be a select with another case,
// and the go statement must run repeatedly.
func (p *program) abandoned(ch *types.Var, started *ast.GoStmt) bool {
	decl := p.declAt(ch.Pos())
	if decl == nil || !p.unbuffered(decl, ch) {
		return false
	}
	selects, others := 0, 0
	again := false
	var all []ast.Node
	ast.Inspect(decl, func(n ast.Node) bool { // collect the nodes that enclose the go statement
		if n != nil && n.Pos() <= started.Pos() && started.End() <= n.End() {
			all = append(all, n)
			return true
		}
		return false
	})
	if f, ps := p.around(all); f != nil {
		again = p.repeated(f, ps, nil) || p.handles(f)
	}
	eachUse(p.info, decl, ch, func(stack []ast.Node) {
		switch n := stack[len(stack)-2].(type) {
		case *ast.SendStmt:
			return
		case *ast.CallExpr:
			if n == started.Call {
				return
			}
		case *ast.UnaryExpr:
			for i := len(stack) - 1; i >= 0 && n.Op == token.ARROW; i-- {
				comm, ok := stack[i].(*ast.CommClause)
				if !ok {
					continue
				}
				block := stack[i-1].(*ast.BlockStmt)
				if comm.Comm != nil && n.Pos() < comm.Comm.End() && len(block.List) > 1 {
					selects++
					return
				}
				break
			}
		}
		others++
	})
	return again && selects == 1 && others == 0
}

// unbuffered reports whether ch is created by make without a capacity.
func (p *program) unbuffered(decl *ast.FuncDecl, ch *types.Var) bool {
	return p.madeFrom(&function{body: decl.Body}, ch, func(e ast.Expr) bool {
		call, ok := e.(*ast.CallExpr)
		if !ok || len(call.Args) != 1 {
			return false
		}
		id, ok := call.Fun.(*ast.Ident)
		return ok && id.Name == "make"
	})
}
