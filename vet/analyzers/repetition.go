package analyzers

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"strings"
)

// repetition is the reason why code runs without end or for very many steps.
type repetition struct {
	loop    ast.Node // nil if other code, such as a server, runs it
	step    bool     // the loop itself runs a backward pass in each iteration
	endless bool     // no code follows the loop
	weak    bool     // the loop runs often, but ends, and may have no backward pass
	nested  bool     // of a weak repetition: it is in another loop
}

// many is the smallest constant that counts as many steps.
const many = 1000

// repetitionOf returns the repetition of a loop that runs without end or very often, or
// nil.
func (p *program) repetitionOf(loop ast.Node) *repetition {
	endless, long := false, false
	switch n := loop.(type) {
	case *ast.ForStmt:
		switch c := n.Cond.(type) {
		case nil:
			endless = !leaves(n.Body)
		case *ast.BinaryExpr:
			long = p.large(c.Y) || p.large(c.X)
		case *ast.CallExpr:
			long = p.readsInput(c)
		}
	case *ast.RangeStmt:
		if t := p.info.TypeOf(n.X); t != nil {
			if ch, ok := t.Underlying().(*types.Chan); ok {
				endless = p.neverClosed(ch) && !leaves(n.Body)
			}
		}
		long = p.large(scopedCount(p.info, n.X))
	}
	trains := p.backward(loop)
	if !endless && !long && !trains {
		return nil
	}
	return &repetition{loop: loop, step: trains && p.steps(loop), endless: endless}
}

// often reports whether a loop may run very often, although it ends: up to a number that is
// not a length, over a channel, or as long as a condition holds.
func (p *program) often(loop ast.Node) bool {
	if short(p.pass, loop) {
		return false
	}
	integer := func(e ast.Expr) bool {
		t := p.info.TypeOf(e)
		return t != nil && isInteger(t.Underlying()) && !mentions(e, "len")
	}
	switch n := loop.(type) {
	case *ast.ForStmt:
		switch c := n.Cond.(type) {
		case *ast.BinaryExpr:
			_, call := ast.Unparen(c.X).(*ast.CallExpr)
			return integer(c.X) && integer(c.Y) || call && types.ExprString(c.Y) == "nil" // ctx.Err() == nil
		case nil, *ast.UnaryExpr, *ast.CallExpr:
			return true
		}
	case *ast.RangeStmt:
		x := scopedCount(p.info, n.X)
		t := p.info.TypeOf(x)
		if t == nil {
			return false
		}
		_, ch := t.Underlying().(*types.Chan)
		return ch || integer(x)
	}
	return false
}

// stepsOf returns the number of iterations of a loop up to a constant, or 1.
func (p *program) stepsOf(loop ast.Node) int64 {
	var bounds []ast.Expr
	switch n := loop.(type) {
	case *ast.ForStmt:
		if c, ok := n.Cond.(*ast.BinaryExpr); ok {
			bounds = []ast.Expr{c.X, c.Y}
		}
	case *ast.RangeStmt:
		bounds = []ast.Expr{scopedCount(p.info, n.X)}
	}
	for _, e := range bounds {
		if tv := p.info.Types[e]; tv.Value != nil {
			if n, ok := constant.Int64Val(constant.ToInt(tv.Value)); ok && n > 1 {
				return min(n, many)
			}
		}
	}
	return 1
}

// large reports whether e is a constant of at least many steps.
func (p *program) large(e ast.Expr) bool {
	tv, ok := p.info.Types[e]
	if !ok || tv.Value == nil {
		return false
	}
	n, ok := constant.Int64Val(constant.ToInt(tv.Value))
	return ok && n >= many
}

// leaves reports whether the body of a loop can leave the loop.
func leaves(body *ast.BlockStmt) bool {
	found := false
	var look func(n ast.Node, inner bool)
	look = func(n ast.Node, inner bool) {
		ast.Inspect(n, func(m ast.Node) bool {
			switch m := m.(type) {
			case *ast.FuncLit:
				return false
			case *ast.ReturnStmt:
				found = true
			case *ast.BranchStmt:
				found = found || m.Tok == token.GOTO || m.Tok == token.BREAK && (!inner || m.Label != nil)
			case *ast.ForStmt, *ast.RangeStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
				if m != n {
					look(m, true)
					return false
				}
			}
			return !found
		})
	}
	look(body, false)
	return found
}

// readsInput reports whether a loop's condition reads from standard input. Its length is
// unknown.
func (p *program) readsInput(c *ast.CallExpr) bool {
	f := callee(p.info, c)
	sel, ok := ast.Unparen(c.Fun).(*ast.SelectorExpr)
	if !named(f, "bufio", "Scan") || !ok {
		return false
	}
	v := root(p.info, sel.X)
	found := false
	for _, file := range p.pass.Files {
		ast.Inspect(file, func(n ast.Node) bool {
			if n != nil {
				assigned(n, func(target, value ast.Expr) {
					found = found || value != nil && v != nil && root(p.info, target) == v && mentions(value, "Stdin")
				})
			}
			return !found
		})
	}
	return found
}

// neverClosed reports whether the package creates channels of the type of ch but closes
// none, or whether ch is the channel of a ticker.
func (p *program) neverClosed(ch *types.Chan) bool {
	if n, ok := types.Unalias(ch.Elem()).(*types.Named); ok && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == "time" {
		return true
	}
	made, closed := false, false
	for _, file := range p.pass.Files {
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) == 0 {
				return true
			}
			id, ok := ast.Unparen(call.Fun).(*ast.Ident)
			if !ok {
				return true
			}
			b, ok := p.info.Uses[id].(*types.Builtin)
			if !ok || b.Name() != "make" && b.Name() != "close" {
				return true
			}
			c, ok := p.info.TypeOf(call.Args[0]).Underlying().(*types.Chan)
			if !ok || !types.Identical(c.Elem(), ch.Elem()) {
				return true
			}
			made = made || b.Name() == "make"
			closed = closed || b.Name() == "close"
			return true
		})
	}
	return made && !closed
}

// steps reports whether a backward pass is in the loop itself, not in an inner loop or
// function.
func (p *program) steps(loop ast.Node) bool {
	found := false
	ast.Inspect(loop, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ForStmt, *ast.RangeStmt:
			return n == loop
		case *ast.CallExpr:
			_, name := tensorMethod(p.info, n)
			found = found || strings.HasPrefix(name, "Backward")
		}
		return !found
	})
	return found
}
