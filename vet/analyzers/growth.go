package analyzers

import (
	"go/ast"
	"go/types"
	"slices"
)

// reportLasting reports a container that code fills repeatedly during the container's
// lifetime and never empties, even if other code reads it.
func (p *program) reportLasting(c *container, g growth) {
	if _, ok := c.obj.Type().Underlying().(*types.Chan); ok {
		return
	}
	if g.f == nil || generated(p.pass, g.value) || c.escapes || c.shrinks || p.limited(c, g) || p.plainGrowing(c, g) {
		return
	}
	s := site{g.f, g.places, p.bottom(g)}
	if p.boundByCallers(s, c) {
		return
	}
	what := p.heldBy(g.value, s, 0)
	if what == holdsNothing {
		return
	}
	if what == holdsFreed {
		if len(c.seen) > 0 && p.freed(s).step &&
			(c.obj.IsField() || c.obj.Parent() == p.pass.Pkg.Scope()) {
			p.pass.ReportRangef(g.value, "a tensor of a loader's step is put into %s, and freed at the end of the "+
				"step: torch.Disown it, or keep a number", c.obj.Name())
		}
		return
	}
	r := p.lasting(s)
	if r == nil || g.key != nil && !p.unbounded(g.key, s, 0) || p.keptWithGraph(g) {
		return
	}
	if r.weak && (c.obj.Parent() != p.pass.Pkg.Scope() && !c.obj.IsField() || inTest(p.pass, g.value)) {
		return
	}
	trains := r.loop != nil && p.backward(r.loop)
	if p.collected(c, r) {
		switch {
		case trains && p.holdsGraph(g):
			p.pass.ReportRangef(g.value,
				"a tensor with a graph is put into %s by code that a training loop runs: each "+
					"iteration's graph stays with it; keep Item() or Detach() instead", c.obj.Name())
			return
		case trains && p.keepsView(g.value, g.f, 0):
			p.pass.ReportRangef(g.value,
				"a part of a tensor is put into %s by code that a training loop runs: it is a "+
					"view, with which the storage of the whole tensor stays; Clone it, and bound the list",
				c.obj.Name())
			return
		case what == holdsMany && (r.step || trains && p.picked(c, r)), trains && p.endsRead(c, r):
		default:
			return
		}
	}
	p.pass.ReportRangef(g.value, "%s grows without bound in code that runs again and again, and nothing is removed "+
		"from it: drop and close the oldest, or keep numbers", c.obj.Name())
}

// holdsGraph reports whether the value that is added to a container has a graph.
func (p *program) holdsGraph(g growth) bool {
	decl, ok := stackDecl(g.stack)
	if !ok {
		return false
	}
	gr := newGrads(p, decl)
	return gr.within(g.value) != nil
}

// plainGrowing reports whether runGrowing already reports this growth, because nothing
// reads the value.
func (p *program) plainGrowing(c *container, g growth) bool {
	if c.used || c.shrinks || !p.repeated(g.f, g.places, c.obj) || !p.owns(g.value, g) || p.withGraph(g) {
		return false
	}
	return len(c.reads) == 0 && !p.boundedKey(g) || p.cachedByCounter(c, g)
}

// bottom returns the variable that owns the container of a growth. For x.f.list, this is
// x. It returns nil for a package-level variable.
func (p *program) bottom(g growth) *types.Var { return p.owner(g.stack[len(g.stack)-1].(ast.Expr)) }

// boundByCallers reports whether c is a parameter and no caller passes a container that
// can grow without limit.
func (p *program) boundByCallers(s site, c *container) bool {
	if c.obj.IsField() || s.v == nil || !slices.Contains(s.f.params(), s.v) || c.obj != s.v {
		return false
	}
	return !slices.ContainsFunc(s.f.runs, func(r run) bool {
		arg := argumentFor(s.f, s.v, r.node)
		if arg == nil {
			return false
		}
		v := root(p.info, arg)
		if field := p.fieldOf(arg); field != nil && field.IsField() {
			v = field.Origin()
		}
		outer := p.containers[v]
		return outer != nil && !outer.shrinks && !outer.escapes
	})
}

// keptWithGraph reports whether the analyzer Retained already reports this growth.
func (p *program) keptWithGraph(g growth) bool {
	into := g.stack[len(g.stack)-1].(ast.Expr)
	if ix, ok := g.stack[len(g.stack)-2].(*ast.IndexExpr); ok && g.key != nil {
		into = ix
	}
	r := &retaining{p: p, perFunc: map[*ast.FuncDecl]*grads{}}
	return r.kept(g.stack, into, g.value) != nil
}
