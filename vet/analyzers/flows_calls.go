package analyzers

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// called records that the call n, at the end of stack, calls the functions in key.
func (fl *flows) called(key any, n *ast.CallExpr, stack []ast.Node) {
	by, ps := fl.p.around(stack)
	c := call{node: n, by: by, places: ps, plain: true}
	switch parent := stack[len(stack)-2].(type) {
	case *ast.GoStmt:
		c.kind, c.plain = inGoroutine, false
	case *ast.DeferStmt:
		// Nothing to record: a deferred call runs once, even in a loop.
		_ = parent
	}
	if sig, ok := fl.p.info.TypeOf(n.Fun).Underlying().(*types.Signature); ok {
		for i := range sig.Results().Len() {
			if holdsFunctions(sig.Results().At(i).Type()) {
				for _, to := range fl.results(n, i, sig.Results().Len(), stack) {
					for len(c.into) <= i {
						c.into = append(c.into, nil)
					}
					c.into[i] = to
				}
			}
		}
	}
	fl.calls[key] = append(fl.calls[key], c)
}

// passed handles functions in key that are argument i of the call n, at the end of stack.
func (fl *flows) passed(key any, n *ast.CallExpr, i int, stack []ast.Node) {
	info := fl.p.info
	f := callee(info, n)
	if f == nil || i < 0 {
		fl.edge(key, gone{})
		return
	}
	if known := fl.p.decls[f.Origin()]; known != nil && known.sig != nil {
		params := known.sig.Params()
		at := min(i, params.Len()-1)
		if at >= 0 {
			fl.edge(key, params.At(at))
			return
		}
	}
	by, ps := fl.p.around(stack)
	c := call{by: by, places: ps, plain: true}
	switch k, transparent := knownRunner(f); {
	case transparent:
	case k == inOpaque:
		fl.edge(key, gone{})
		fl.serve[key] = from(f, batchingPath)
		if addsHook(f) {
			fl.hooks[key] = nil
			if sel, ok := ast.Unparen(n.Fun).(*ast.SelectorExpr); ok {
				fl.hooks[key] = root(info, sel.X)
			}
		}
		return
	default:
		c.kind, c.plain = k, false
	}
	fl.calls[key] = append(fl.calls[key], c)
}

// knownRunner returns how a function of a library runs its function arguments.
// transparent means that the function just calls them. k is the kind of place in which it
// runs them, or inOpaque if f is not known.
func knownRunner(f *types.Func) (k kind, transparent bool) {
	switch {
	case named(f, torchPath, "Scope", "Tidy", "TidyAll"), named(f, nnPath, "Call", "Call2", "CallN"):
		return inScope, false
	case named(f, "sync", "Go"):
		return inGoroutine, false
	case named(f, torchPath, "NoGrad", "InferenceMode"):
		return inNoGrad, false
	case named(f, torchPath, "EnableGrad", "SetGradEnabled", "Try"), named(f, memoryPath, "Track", "Annotate"):
		return 0, true
	case from(f, "testing"):
		return inFunction, false
	}
	return inOpaque, false
}

// solve propagates function values along the edges until nothing changes. It then records
// the runs of each function at the places that call the function.
func (fl *flows) solve() {
	for changed := true; changed; {
		changed = false
		for from, fns := range fl.holds {
			for f := range fns {
				for _, to := range fl.edges[from] {
					if !fl.holds[to][f] {
						fl.put(to, f)
						changed = true
					}
				}
				for _, c := range fl.calls[from] {
					for i, to := range c.into {
						if to != nil && f.sig != nil && i < f.sig.Results().Len() {
							before := len(fl.edges[result{f, i}])
							fl.edge(result{f, i}, to)
							changed = changed || len(fl.edges[result{f, i}]) > before
						}
					}
				}
			}
		}
	}
	for key, fns := range fl.holds {
		for f := range fns {
			f.opaque = f.opaque || fl.lost[key]
			f.served = f.served || fl.serve[key]
			if on, ok := fl.hooks[key]; ok {
				fl.p.hooks[f] = on
			}
			for _, c := range fl.calls[key] {
				f.runs = append(f.runs, run{by: c.by, node: c.node, places: c.places, kind: c.kind, plain: c.plain})
			}
		}
	}
	for _, f := range fl.p.nodes {
		slices.SortStableFunc(f.runs, func(a, b run) int { return cmp.Compare(a.pos(), b.pos()) })
	}
}

// pos returns the position of a run. The runs are sorted by position, so that the order
// of the reports does not change.
func (r run) pos() token.Pos {
	switch {
	case r.node != nil:
		return r.node.Pos()
	case len(r.places) > 0:
		return r.places[0].node.Pos()
	}
	return token.NoPos
}
