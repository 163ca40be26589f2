package analyzers

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// site is a place in the code that adds to a container: the function, the places that
// enclose the code, and the variable v that owns the container. v is nil for a
// package-level variable.
type site struct {
	f  *function
	ps []place
	v  *types.Var
}

// lasting returns the repetition that runs the site many times while the site's variable
// v exists: an endless loop, a loop of training steps, a loop up to a large constant, or
// a server's handler. Otherwise it returns a weak repetition or nil. Loops over finite
// data do not count.
func (p *program) lasting(s site) *repetition {
	return p.lastingFrom(s, 1, map[visit]bool{})
}

// visit identifies a site that lastingFrom has already examined.
type visit struct {
	f    *function
	v    *types.Var
	loop ast.Node
}

// lastingFrom is like lasting, for a site inside short loops. times is the product of
// their iteration counts.
func (p *program) lastingFrom(s site, times int64, seen map[visit]bool) *repetition {
	here := visit{s.f, s.v, loopOf(s.ps)}
	if s.f == nil || seen[here] {
		return nil
	}
	seen[here] = true
	var weak *repetition
	for _, pl := range s.ps {
		if s.v != nil && within(s.v, pl.node) {
			return weak
		}
		if pl.kind != inLoop {
			continue
		}
		if weak != nil {
			weak.nested = true
		}
		nested := times > 1
		if short(p.pass, pl.node) {
			if times *= p.stepsOf(pl.node); times <= few {
				continue
			}
		}
		if ends(pl.node) {
			return weak
		}
		if r := p.repetitionOf(pl.node); r != nil {
			return r
		}
		if weak == nil && (times > few || p.often(pl.node)) && !p.fromOutside(s.v) {
			weak = &repetition{loop: pl.node, weak: true, nested: nested}
		}
	}
	if s.v != nil && within(s.v, s.f.node) && !slices.Contains(s.f.params(), s.v) {
		return weak
	}
	if p.handles(s.f) {
		return &repetition{}
	}
	if p.isHook(s.f) {
		return p.forwardLoop(s.f, s.v)
	}
	for _, r := range s.f.runs {
		if next, ok := p.caller(s, r); ok {
			found := p.lastingFrom(next, times, seen)
			if found != nil && !found.weak {
				return found
			}
			if weak == nil {
				weak = found
			} else if found != nil {
				weak.nested = true
			}
		}
	}
	return weak
}

// fromOutside reports whether v is a parameter of a function that code outside the
// package may call. That code may empty the container that it passes.
func (p *program) fromOutside(v *types.Var) bool {
	f := p.takes(v)
	return f != nil && (f.opaque || len(f.runs) == 0)
}

// caller returns the site of the call of s.f that r describes. If s.v is a parameter, the
// variable of the new site is the variable that owns the argument.
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

// argumentFor returns the argument that a call of f passes for param, which may be the
// receiver. It strips a leading &.
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

// handles reports whether f handles requests of a server.
func (p *program) handles(f *function) bool {
	if f.served {
		return true
	}
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

// forwardLoop returns a lasting loop with forward or backward passes that run the hook
// during the lifetime of v. It returns nil if there is no such loop. If the package calls
// Forward or Backward on the hook's own module, only these calls count.
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

// forwards reports whether n calls Forward or Backward. If on is not nil, only calls on
// that variable count.
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

// freeing says whether a scope frees a tensor created at a site before the lifetime of
// the site's variable v ends.
type freeing struct {
	surely, perhaps bool
	step            bool // each of these scopes is a step of a data loader
}

func (p *program) freed(s site) freeing {
	return (&callers{p: p, seen: map[*function]bool{}, left: mostCallers}).freed(s)
}

// mostCallers is the maximum number of calls, and of calls of their callers, that freed follows. In
// a program with more of them, following all would take very long.
const mostCallers = 1 << 16

// callers follows the callers of a function, and their callers.
type callers struct {
	p    *program
	seen map[*function]bool // the functions between the first one and the current one
	left int                // how many more sites to examine
}

func (c *callers) freed(s site) freeing {
	p := c.p
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
	case s.f == nil || c.seen[s.f] || len(c.seen) > 8 || c.left == 0: // callers of callers
		return freeing{perhaps: true}
	case s.v != nil && within(s.v, s.f.node) && !slices.Contains(s.f.params(), s.v), p.isHook(s.f), p.handles(s.f):
		return freeing{}
	case s.f.opaque:
		return freeing{perhaps: true}
	}
	c.left--
	c.seen[s.f] = true
	defer delete(c.seen, s.f)
	all := freeing{surely: len(s.f.runs) > 0, step: true}
	for _, r := range s.f.runs {
		one := freeing{surely: r.kind == inScope && !r.plain}
		if !one.surely && (r.plain || r.kind != inGoroutine) {
			if next, ok := p.caller(s, r); ok {
				one = c.freed(next)
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
