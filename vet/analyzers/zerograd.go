package analyzers

import (
	"go/ast"
	"go/types"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/inspect"
)

// ZeroGrad reports training loops that never clear the gradients.
var ZeroGrad = &analysis.Analyzer{
	Name: "zerograd",
	Doc: `report loops with Backward and Step that never clear the gradients

Backward adds to the existing gradients, so each step would use the sum over all
batches so far. With CreateGraph the gradients keep the graphs of all iterations,
even without Step. The check ignores loops that pass the optimizer to another
function, which may clear the gradients.`,
	Requires: []*analysis.Analyzer{inspect.Analyzer, functions},
	Run: func(pass *analysis.Pass) (any, error) {
		walk(pass, []ast.Node{(*ast.CallExpr)(nil)}, func(n ast.Node, stack []ast.Node) {
			call := n.(*ast.CallExpr)
			programOf(pass).reportGraphs(call, stack)
			opt := steps(pass.TypesInfo, call)
			if opt == nil {
				return
			}
			for _, p := range places(pass.TypesInfo, stack) {
				if p.kind != inLoop {
					continue
				}
				if backward, clears := gradients(pass, p.node, opt); clears {
					return
				} else if backward {
					if !short(pass, p.node) {
						pass.ReportRangef(call, "Backward and Step in a loop without ZeroGrad: the gradients of all "+
							"iterations add up")
					}
					return
				}
			}
		})
		return nil, nil
	},
}

// reportGraphs reports a repeated backward pass with CreateGraph if nothing clears the
// gradients. A gradient then keeps the graphs of all iterations. These graphs also refer
// to the leaf that has the gradient, so neither is ever freed.
func (p *program) reportGraphs(call *ast.CallExpr, stack []ast.Node) {
	recv, name := tensorMethod(p.info, call)
	if name != "Backward" && !named(callee(p.info, call), torchPath, "Backward") || !optionIsOn(call, "CreateGraph") {
		return
	}
	f, ps := p.around(stack)
	decl, ok := stackDecl(stack)
	if f == nil || !ok {
		return
	}
	if leaf := p.uncleared(decl); leaf != nil && p.repeated(f, ps, nil) {
		p.pass.ReportRangef(call, "Backward with CreateGraph: the gradient of %s keeps a graph that refers to %s, so "+
			"neither is ever freed: use torch.Grad, or clear the gradient with torch.ZeroGrad", leaf.Name(),
			leaf.Name())
		return
	}
	if recv == nil {
		return
	}
	loop := loopOf(places(p.info, stack))
	if loop == nil && !mayClear(p.pass, p.info.Defs[decl.Name].(*types.Func), nil) {
		p.anyLoop(f, func(l ast.Node) bool {
			loop = l
			return true
		})
	}
	if loop == nil || short(p.pass, loop) {
		return
	}
	if _, clears := gradients(p.pass, loop, recv); !clears {
		p.pass.ReportRangef(call, "Backward with CreateGraph in a loop without ZeroGrad: the gradients keep the "+
			"graphs of all iterations")
	}
}

// uncleared returns a leaf tensor whose gradient decl reads, if neither decl nor its
// callers clear the gradient. Otherwise it returns nil.
func (p *program) uncleared(decl *ast.FuncDecl) *types.Var {
	cleared := p.cleared(decl)
	var leaf *types.Var
	ast.Inspect(decl, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || leaf != nil {
			return leaf == nil
		}
		recv, name := tensorMethod(p.info, call)
		if v := local(p.info,
			recv); v != nil && name == "Grad" && within(v, decl) && !cleared[v] && p.leaf(decl, recv) &&
			!p.callersClear(v) {
			leaf = v
		}
		return true
	})
	return leaf
}

// callersClear reports whether v is a parameter and a caller may clear the gradient of
// the tensor that it passes as v.
func (p *program) callersClear(v *types.Var) bool {
	f := p.takes(v)
	if f == nil {
		return false
	}
	return f.opaque || len(f.runs) == 0 || slices.ContainsFunc(f.runs, func(r run) bool {
		arg := argumentFor(f, v, r.node)
		if arg == nil || local(p.info, arg) == nil {
			return true
		}
		decl := p.declAt(arg.Pos())
		return decl == nil || p.cleared(decl)[local(p.info, arg)] || p.takes(local(p.info, arg)) != nil
	})
}

// cleared returns the variables whose tensors decl closes, or whose gradients decl
// clears.
func (p *program) cleared(decl *ast.FuncDecl) map[*types.Var]bool {
	all := map[*types.Var]bool{}
	ast.Inspect(decl, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		if recv, name := tensorMethod(p.info, call); name == "SetGrad" || name == "Close" {
			all[root(p.info, recv)] = true
		}
		if named(callee(p.info, call), torchPath, "ZeroGrad") {
			for _, a := range call.Args {
				all[root(p.info, a)] = true
			}
		}
		return true
	})
	return all
}

// steps returns opt for a call of the form opt.Step() on an optimizer, and nil for other
// calls.
func steps(info *types.Info, call *ast.CallExpr) ast.Expr {
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok || len(call.Args) > 0 || !named(callee(info, call), optimPath, "Step") {
		return nil
	}
	return sel.X
}

// gradients reports whether the loop runs a backward pass, and whether the loop clears
// gradients or calls code that may clear them. opt is the optimizer.
func gradients(pass *analysis.Pass, loop ast.Node, opt ast.Expr) (backward, clears bool) {
	info := pass.TypesInfo
	owner := root(info, opt)
	ast.Inspect(loop, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		f := callee(info, call)
		_, method := tensorMethod(info, call)
		switch {
		case method == "Backward" || named(f, torchPath, "Backward"):
			backward = true
		case f == nil:
			// A call of a function value may clear the gradients.
			_, literal := ast.Unparen(call.Fun).(*ast.FuncLit)
			if tv := info.Types[call.Fun]; tv.IsValue() && !literal {
				clears = true
			}
		case f.Name() == "ZeroGrad" || method == "SetGrad" || method == "Zero_":
			clears = true
		case f.Pkg() == pass.Pkg:
			clears = clears || mayClear(pass, f, nil)
		}
		for _, arg := range call.Args {
			// A function of another package may clear the gradients if it receives the
			// optimizer or a struct that contains it.
			if v := root(info, arg); v != nil && v == owner && (f == nil || f.Pkg() != pass.Pkg) &&
				(local(info, arg) == v || types.Identical(info.TypeOf(arg), info.TypeOf(opt))) {
				clears = true
			}
		}
		return true
	})
	return backward, clears
}

// mayClear reports whether f may clear gradients. It may if f, or a function of the
// package that f calls, clears gradients, or if the code of f is not in this package.
func mayClear(pass *analysis.Pass, f *types.Func, seen []*types.Func) bool {
	decl := declaration(pass, f)
	if decl == nil || decl.Body == nil {
		return true
	}
	seen = append(seen, f)
	found := false
	ast.Inspect(decl.Body, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || found {
			return !found
		}
		g := callee(pass.TypesInfo, call)
		switch {
		case g == nil:
		case g.Name() == "ZeroGrad" || g.Name() == "SetGrad" || g.Name() == "Zero_":
			found = true
		case g.Pkg() == pass.Pkg && !slices.Contains(seen, g):
			found = mayClear(pass, g, seen)
		}
		return !found
	})
	return found
}

// declaration returns the declaration of f if f is a function of the analyzed package,
// and nil otherwise.
func declaration(pass *analysis.Pass, f *types.Func) *ast.FuncDecl {
	f = f.Origin()
	for _, file := range pass.Files {
		for _, d := range file.Decls {
			if d, ok := d.(*ast.FuncDecl); ok && pass.TypesInfo.Defs[d.Name] == f {
				return d
			}
		}
	}
	return nil
}
