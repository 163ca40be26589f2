package analyzers

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// site is a piece of code, with the variable at the start of a container's expression,
// which must outlive the code. v is nil for a package-level variable.
type site struct {
	f  *function
	ps []place
	v  *types.Var
}

// repetition is the reason why code runs without end or for very many steps.
type repetition struct {
	loop    ast.Node // nil if other code, such as a server, runs it
	step    bool     // the loop itself runs a backward pass in each iteration
	endless bool     // no code follows the loop
}

// many is the smallest constant that counts as many steps.
const many = 1000

// lasting returns the repetition that runs the site again and again during its variable's
// lifetime: an endless loop, a loop of training steps, a loop up to a large constant, or
// a server's handler. It returns nil if there is none. Loops over finite data do not
// count.
func (p *program) lasting(s site) *repetition {
	return p.lastingFrom(s, map[visit]bool{})
}

// visit is a site that has been examined.
type visit struct {
	f    *function
	v    *types.Var
	loop ast.Node
}

func (p *program) lastingFrom(s site, seen map[visit]bool) *repetition {
	here := visit{s.f, s.v, loopOf(s.ps)}
	if s.f == nil || seen[here] {
		return nil
	}
	seen[here] = true
	for _, pl := range s.ps {
		if s.v != nil && within(s.v, pl.node) {
			return nil
		}
		if pl.kind != inLoop || short(p.pass, pl.node) {
			continue
		}
		if ends(pl.node) {
			return nil
		}
		if r := p.repetitionOf(pl.node); r != nil {
			return r
		}
	}
	if s.v != nil && within(s.v, s.f.node) && !slices.Contains(s.f.params(), s.v) {
		return nil
	}
	if p.handles(s.f) {
		return &repetition{}
	}
	if p.isHook(s.f) {
		return p.forwardLoop(s.f, s.v)
	}
	for _, r := range s.f.runs {
		if next, ok := p.caller(s, r); ok {
			if found := p.lastingFrom(next, seen); found != nil {
				return found
			}
		}
	}
	return nil
}

// caller returns the site of a run of the function. Its variable is the owner of the
// argument that is passed for s.v.
func (p *program) caller(s site, r run) (site, bool) {
	next := site{r.by, r.places, s.v}
	if s.v == nil || !slices.Contains(s.f.params(), s.v) {
		return next, true
	}
	arg := argumentFor(s.f, s.v, r.node)
	if arg == nil {
		return site{}, false
	}
	next.v = p.owner(arg)
	return next, true
}

// argumentFor returns the argument that a call of f passes for one of its parameters,
// without & and *.
func argumentFor(f *function, param *types.Var, call *ast.CallExpr) ast.Expr {
	if call == nil || f.sig == nil {
		return nil
	}
	var arg ast.Expr
	if f.sig.Recv() == param {
		sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
		if !ok {
			return nil
		}
		arg = sel.X
	} else {
		at := slices.Index(f.params(), param)
		if f.sig.Recv() != nil {
			at--
		}
		if at < 0 || at >= len(call.Args) {
			return nil
		}
		arg = call.Args[at]
	}
	if u, ok := ast.Unparen(arg).(*ast.UnaryExpr); ok && u.Op == token.AND {
		arg = u.X
	}
	return ast.Unparen(arg)
}

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
		long = p.large(n.X)
	}
	trains := p.backward(loop)
	if !endless && !long && !trains {
		return nil
	}
	return &repetition{loop: loop, step: trains && p.steps(loop), endless: endless}
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

// handles reports whether f handles the requests of a server.
func (p *program) handles(f *function) bool {
	if f.sig == nil || f.sig.Params().Len() != 2 {
		return false
	}
	ptr, ok := types.Unalias(f.sig.Params().At(1).Type()).(*types.Pointer)
	return ok && isNamed(ptr.Elem(), "net/http", "Request")
}

func isNamed(t types.Type, path, name string) bool {
	n, ok := types.Unalias(t).(*types.Named)
	return ok && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == path && n.Obj().Name() == name
}

// forwardLoop returns a lasting loop that runs a hook during the lifetime of v, or nil.
// Such a loop has a forward or backward pass. If the package has passes of the object with
// the hook, only those count. Loops around the declaration of v come first.
func (p *program) forwardLoop(hook *function, v *types.Var) *repetition {
	on := p.hooks[hook]
	seen := false
	for _, file := range p.pass.Files {
		seen = seen || on != nil && p.forwards(file, on)
	}
	if !seen {
		on = nil
	}
	look := func(in ast.Node) (found *repetition) {
		ast.Inspect(in, func(n ast.Node) bool {
			switch n.(type) {
			case *ast.ForStmt, *ast.RangeStmt:
				if (v == nil || !within(v, n)) && !short(p.pass, n) && !ends(n) && p.forwards(n, on) {
					if r := p.repetitionOf(n); r != nil {
						found = r
					}
				}
			}
			return found == nil
		})
		return found
	}
	if v != nil {
		if decl := p.declAt(v.Pos()); decl != nil && p.forwards(decl, on) {
			return look(decl)
		}
	}
	for _, file := range p.pass.Files {
		if r := look(file); r != nil {
			return r
		}
	}
	return nil
}

// forwards reports whether code calls Forward or Backward. If on is not nil, only calls
// on that variable count.
func (p *program) forwards(n ast.Node, on *types.Var) bool {
	found := false
	ast.Inspect(n, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return !found
		}
		f := callee(p.info, call)
		if f == nil || f.Name() != "Forward" && f.Name() != "Backward" {
			return !found
		}
		sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
		found = on == nil || ok && root(p.info, sel.X) == on
		return !found
	})
	return found
}

// freeing tells whether a scope frees the tensors created at a site while the site's
// variable still exists.
type freeing struct {
	surely, perhaps bool
	step            bool // all such scopes are steps of a loader
}

func (p *program) freed(s site, seen map[*function]bool) freeing {
	for _, pl := range s.ps {
		switch {
		case s.v != nil && within(s.v, pl.node):
			return freeing{}
		case pl.kind == inScope:
			_, step := pl.node.(*ast.RangeStmt)
			return freeing{surely: true, perhaps: true, step: step}
		case pl.kind == inOpaque:
			return freeing{perhaps: true}
		}
	}
	switch {
	case s.f == nil || seen[s.f] || len(seen) > 8: // callers of callers
		return freeing{perhaps: true}
	case s.v != nil && within(s.v, s.f.node) && !slices.Contains(s.f.params(), s.v), p.isHook(s.f), p.handles(s.f):
		return freeing{}
	case s.f.opaque:
		return freeing{perhaps: true}
	}
	seen[s.f] = true
	defer delete(seen, s.f)
	all := freeing{surely: len(s.f.runs) > 0, step: true}
	for _, r := range s.f.runs {
		one := freeing{surely: r.kind == inScope && !r.plain}
		if !one.surely && (r.plain || r.kind != inGoroutine) {
			if next, ok := p.caller(s, r); ok {
				one = p.freed(next, seen)
			} else {
				one = freeing{perhaps: true}
			}
		}
		all.surely = all.surely && one.surely
		all.perhaps = all.perhaps || one.surely || one.perhaps
		all.step = all.step && one.step
	}
	return all
}
