package analyzers

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"strings"
)

// repetition is the reason why some code runs endlessly or very often.
type repetition struct {
	loop    ast.Node // the loop, or nil if a server or other code repeats the code
	step    bool     // the loop runs a backward pass in each iteration, outside of inner loops
	endless bool     // the loop never ends
	weak    bool     // the loop may run often, but it ends and need not run a backward pass
	nested  bool     // for a weak repetition: another loop runs this loop
}

// many is the number of iterations that a loop with a constant bound must have to count
// as long.
const many = 1000

// repetitionOf returns a repetition for a loop that is endless, is long, or has a
// backward pass. It returns nil for other loops.
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

// often reports whether a loop ends but may have very many iterations. Such a loop counts
// to an integer that is not a length, receives from a channel, or runs while a condition
// is true.
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

// stepsOf returns the number of iterations of a loop with a constant bound, but no more
// than many. It returns 1 if the bound is not constant.
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

// large reports whether e is a constant that is equal to many or larger.
func (p *program) large(e ast.Expr) bool {
	tv, ok := p.info.Types[e]
	if !ok || tv.Value == nil {
		return false
	}
	n, ok := constant.Int64Val(constant.ToInt(tv.Value))
	return ok && n >= many
}

// leaves reports whether the body of a loop contains a statement that leaves the loop.
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

// readsInput reports whether c, a loop's condition, reads the next line of standard
// input. The number of lines is unknown and may be large.
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

// neverClosed reports whether no code closes channels of type ch. This is so if ch is the
// type of a time.Ticker's channel, or if the package creates channels of type ch but
// closes none.
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

// steps reports whether the loop itself runs a backward pass. A backward pass in an inner
// loop does not count.
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
