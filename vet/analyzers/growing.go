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

// Growing reports containers, hooks and tensors that grow in each iteration of a loop and
// are never emptied.
var Growing = &analysis.Analyzer{
	Name: "growing",
	Doc: `report lists, maps, hooks and parameter groups that a loop lets grow

The check reports containers of tensors, weights, optimizers, modules and graphs
that grow without bound in code that runs again and again: a training loop, an
endless loop, a hook, a request handler. In other loops it reports a container that
nothing reads or empties, and a cache whose key is the number of the iteration, so
that no other iteration finds the entry. It also reports tensors that are
concatenated to themselves, hooks and parameter groups that every iteration adds
and nothing removes, and goroutines that hold a tensor and wait for something that
does not happen while the loop runs.`,
	Requires: []*analysis.Analyzer{inspect.Analyzer, functions},
	Run:      runGrowing,
}

func runGrowing(pass *analysis.Pass) (any, error) {
	if own(pass) {
		return nil, nil
	}
	p := programOf(pass)
	for _, c := range p.containers {
		for _, g := range c.growths {
			p.reportLasting(c, g)
		}
		if c.used || c.shrinks {
			continue
		}
		for _, g := range c.growths {
			if g.f == nil || generated(pass, g.value) || !p.repeated(g.f, g.places, c.obj) || !p.owns(g.value, g) ||
				p.withGraph(g) || p.keptTwice(g) {
				continue
			}
			switch {
			case len(c.reads) == 0 && !p.boundedKey(g):
				pass.ReportRangef(g.value, "a tensor is put into %s in every iteration, and nothing reads it later "+
					"or takes it out again: keep a number, or a bounded list", c.obj.Name())
			case p.cachedByCounter(c, g):
				pass.ReportRangef(g.value, "a tensor is put into %s under the number of the iteration, which no "+
					"other iteration looks up: the cache only grows; remove it, or drop and close old "+
					"entries", c.obj.Name())
			}
		}
	}
	walk(pass, []ast.Node{(*ast.CallExpr)(nil)}, func(n ast.Node, stack []ast.Node) {
		p.reportAdded(n.(*ast.CallExpr), stack)
	})
	joined := map[ast.Expr]bool{}
	walk(pass, []ast.Node{(*ast.AssignStmt)(nil)}, func(n ast.Node, stack []ast.Node) {
		p.reportJoined(n.(*ast.AssignStmt), stack, joined)
		p.reportPulled(n.(*ast.AssignStmt), stack)
	})
	walk(pass, []ast.Node{(*ast.SendStmt)(nil)}, func(n ast.Node, stack []ast.Node) {
		p.reportUnreceived(n.(*ast.SendStmt), stack)
	})
	walk(pass, []ast.Node{(*ast.GoStmt)(nil)}, func(n ast.Node, stack []ast.Node) {
		p.reportStuck(n.(*ast.GoStmt), stack)
	})
	return nil, nil
}

// keptTwice reports whether the code also keeps the added tensor in a second container. A
// pool does this: it lends tensors out, and has a list of all its tensors.
func (p *program) keptTwice(g growth) bool {
	v := local(p.info, g.value)
	if v == nil || !isTensor(v.Type()) || g.f.body == nil {
		return false
	}
	n := 0
	eachUse(p.info, g.f.body, v, func(stack []ast.Node) {
		if u := p.use(stack); u == keeps || u == anything {
			n++
		}
	})
	return n > 1
}

// withGraph reports whether the added value has a graph and the function runs backward
// passes. Then the analyzer Retained reports it.
func (p *program) withGraph(g growth) bool {
	decl, ok := stackDecl(g.stack)
	return ok && p.backward(decl) && p.holdsGraph(g)
}

// repeated reports whether the code in f, enclosed by the places ps, runs many times. If
// v is not nil, v must outlive a single run of the code.
func (p *program) repeated(f *function, ps []place, v *types.Var) bool {
	return p.repeatedOver(few, f, ps, v)
}

// repeatedOver is like repeated, for code that runs more than limit times.
func (p *program) repeatedOver(limit int64, f *function, ps []place, v *types.Var) bool {
	outside := func(n ast.Node) bool { return v == nil || v.IsField() || !within(v, n) }
	for _, pl := range ps {
		switch {
		case pl.kind == inOpaque, p.oneStep(pl):
			return false
		case pl.kind == inLoop && ends(pl.node):
			return false
		case pl.kind == inLoop && !shortUpTo(p.pass, pl.node, limit):
			return outside(pl.node)
		}
	}
	if !outside(f.node) {
		return false
	}
	return p.anyRun(f, func(r run) (found, follow bool) {
		for _, pl := range r.places {
			if pl.kind == inOpaque || pl.kind == inLoop && ends(pl.node) || p.oneStep(pl) {
				return false, false
			}
			if pl.kind == inLoop && !shortUpTo(p.pass, pl.node, limit) {
				return outside(pl.node), false
			}
		}
		return false, r.by != nil && outside(r.by.node) && (r.plain || r.kind != inFunction)
	}, false)
}

// oneStep reports whether the place is a condition that is true in only one iteration,
// such as i == 6.
func (p *program) oneStep(pl place) bool {
	i, ok := pl.node.(*ast.IfStmt)
	if !ok || pl.kind != inCond || i.Else != nil {
		return false
	}
	b, ok := ast.Unparen(i.Cond).(*ast.BinaryExpr)
	return ok && b.Op == token.EQL && local(p.info, b.X) != nil && isInteger(p.info.TypeOf(b.X).Underlying()) &&
		p.info.Types[b.Y].Value != nil
}

// owns reports whether e, a value that is added to a container, is a new tensor that no
// scope frees.
func (p *program) owns(e ast.Expr, g growth) bool {
	switch n := ast.Unparen(e).(type) {
	case *ast.UnaryExpr:
		return n.Op == token.AND && p.owns(n.X, g)
	case *ast.CompositeLit:
		for _, el := range n.Elts {
			if kv, ok := el.(*ast.KeyValueExpr); ok {
				el = kv.Value
			}
			if p.owns(el, g) {
				return true
			}
		}
		return false
	case *ast.CallExpr:
		if changesOwner(callee(p.info, n)) {
			return true
		}
		return p.creates(n) && !shelters(g.places) && !p.sheltered(g.f)
	}
	v := local(p.info, e)
	if v == nil || !isTensor(v.Type()) {
		return false
	}
	if slices.Contains(g.f.params(), v) {
		return p.answers.owned.once(v, func() bool { return p.ownsParameter(g.f, v) })
	}
	kept := false
	made := p.madeFrom(g.f, v, func(value ast.Expr) bool {
		if unkeep(p.info, value) != nil {
			kept = true
			return true
		}
		return p.creates(value)
	})
	return made && (kept || !shelters(g.places) && !p.sheltered(g.f))
}

// ownsParameter is like owns, for a parameter of f. Every call must pass a tensor that it owns.
func (p *program) ownsParameter(f *function, v *types.Var) bool {
	at := slices.Index(f.params(), v) - (len(f.params()) - f.sig.Params().Len())
	for _, r := range f.runs {
		if r.node == nil || at < 0 || at >= len(r.node.Args) || r.by == nil || r.by == f ||
			!p.owns(r.node.Args[at], growth{f: r.by, places: r.places}) {
			return false
		}
	}
	return len(f.runs) > 0
}

// madeFrom reports whether f sets v, and only to values for which ok returns true.
func (p *program) madeFrom(f *function, v *types.Var, ok func(value ast.Expr) bool) bool {
	sets, good := 0, 0
	ast.Inspect(f.body, func(n ast.Node) bool {
		if n != nil {
			assigned(n, func(target, value ast.Expr) {
				if local(p.info, target) == v && (value != nil || !isSpec(n)) {
					sets++
					if value != nil && ok(value) {
						good++
					}
				}
			})
		}
		return true
	})
	return sets > 0 && sets == good
}

// boundedKey reports whether the growth stores values under a map key that may have only
// few different values. A key that counts iterations has many. A slice has no key.
func (p *program) boundedKey(g growth) bool {
	return g.key != nil && !p.counter(g.key, g.f, g.places)
}

// cachedByCounter reports whether the key is the iteration number and every read of c
// uses the same key in the same loop. Then no later iteration reads the value.
func (p *program) cachedByCounter(c *container, g growth) bool {
	if g.key == nil {
		return false
	}
	key := types.ExprString(g.key)
	for _, r := range c.reads {
		if r.f != g.f || types.ExprString(r.key) != key || !sameLoop(r.places, g.places) {
			return false
		}
	}
	return p.counter(g.key, g.f, g.places)
}

// keyParts returns the parts from which a key is built, such as the summands of a sum.
// The key changes if one of its parts changes.
func (p *program) keyParts(e ast.Expr) []ast.Expr {
	switch n := ast.Unparen(e).(type) {
	case *ast.BinaryExpr:
		if n.Op == token.ADD || n.Op == token.SUB {
			return []ast.Expr{n.X, n.Y}
		}
	case *ast.CompositeLit:
		return n.Elts
	case *ast.CallExpr:
		if f := callee(p.info, n); from(f, "strconv") || from(f, "fmt") && strings.HasPrefix(f.Name(), "Sprint") ||
			p.info.Types[n.Fun].IsType() {
			return n.Args
		}
	}
	return nil
}

func sameLoop(a, b []place) bool {
	return loopOf(a) == loopOf(b)
}

func loopOf(ps []place) ast.Node {
	for _, p := range ps {
		if p.kind == inLoop {
			return p.node
		}
	}
	return nil
}

// counter reports whether e is the iteration number of a long loop that runs only once.
// Then e never has the same value twice.
func (p *program) counter(e ast.Expr, f *function, ps []place) bool {
	if f == nil {
		return false
	}
	v := local(p.info, e)
	if v == nil {
		return slices.ContainsFunc(p.keyParts(e), func(part ast.Expr) bool { return p.counter(part, f, ps) })
	}
	if b, ok := v.Type().Underlying().(*types.Basic); ok && b.Kind() == types.String && within(v, f.node) {
		if from := p.resolve(f.body, e); from != e {
			return p.counter(from, f, ps)
		}
	}
	if slices.Contains(f.params(), v) {
		return p.answers.counters.once(v, func() bool { return p.parameterCounts(f, v) })
	}
	loops := 0
	counts := false
	for _, pl := range ps {
		if pl.kind != inLoop {
			continue
		}
		loops++
		counts = counts || !short(p.pass, pl.node) && p.counts(pl.node, v)
	}
	if loops == 0 {
		// If f is a function literal, the loop may be outside of it.
		for _, r := range f.runs {
			if r.by != nil && r.by != f && within(v, r.by.node) && p.counter(e, r.by, r.places) {
				return len(f.runs) == 1
			}
		}
	}
	return loops == 1 && counts && p.once(f)
}

// parameterCounts is like counter, for a parameter of f, which must have only one call.
func (p *program) parameterCounts(f *function, v *types.Var) bool {
	at := slices.Index(f.params(), v) - (len(f.params()) - f.sig.Params().Len())
	if len(f.runs) != 1 {
		return false
	}
	r := f.runs[0]
	return r.node != nil && at >= 0 && at < len(r.node.Args) && r.by != f &&
		p.counter(r.node.Args[at], r.by, r.places)
}

// once reports whether no loop runs f, directly or through its callers.
func (p *program) once(f *function) bool {
	return !p.anyRun(f, func(r run) (found, follow bool) {
		return loopOf(r.places) != nil, true
	}, false)
}

// counts reports whether v is the iteration number of loop.
func (p *program) counts(loop ast.Node, v *types.Var) bool {
	switch n := loop.(type) {
	case *ast.RangeStmt:
		if n.Key != nil && local(p.info, n.Key) == v {
			b, ok := v.Type().Underlying().(*types.Basic)
			return ok && b.Info()&types.IsInteger != 0
		}
	case *ast.ForStmt:
		if s, ok := n.Post.(*ast.IncDecStmt); ok && local(p.info, s.X) == v {
			return true
		}
	}
	steps, others := 0, 0
	ast.Inspect(loop, func(m ast.Node) bool {
		if s, ok := m.(*ast.IncDecStmt); ok && local(p.info, s.X) == v {
			steps++
		} else if m != nil {
			assigned(m, func(target, _ ast.Expr) {
				if local(p.info, target) == v {
					others++
				}
			})
		}
		return true
	})
	return steps == 1 && others == 0
}
