package analyzers

import (
	"go/ast"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/inspect"
)

// DeferLoop reports tensors that a loop closes with defer.
var DeferLoop = &analysis.Analyzer{
	Name: "deferloop",
	Doc: `report tensors that a loop closes with defer

A deferred Close runs when the function returns, not when the iteration ends.
Until then the tensors of all iterations are open. The check ignores loops with
few iterations, and a defer in a function literal, which runs at the literal's
end.`,
	Requires: []*analysis.Analyzer{inspect.Analyzer, functions},
	Run:      runDeferLoop,
}

func runDeferLoop(pass *analysis.Pass) (any, error) {
	if own(pass) {
		return nil, nil
	}
	p := programOf(pass)
	reported := map[ast.Node]bool{} // loops that have a report; one scope fixes every defer in a loop
	walk(pass, []ast.Node{(*ast.DeferStmt)(nil)}, func(n ast.Node, stack []ast.Node) {
		d := n.(*ast.DeferStmt)
		f, ps := p.around(stack)
		if f == nil {
			return
		}
		for _, pl := range ps {
			switch {
			case pl.kind == inScope || pl.kind == inOpaque:
				return
			case pl.kind == inLoop && !short(pass, pl.node) && !ends(pl.node):
				if what := p.deferred(f, d.Call, pl.node); what != "" && !reported[pl.node] {
					reported[pl.node] = true
					pass.Report(analysis.Diagnostic{
						Pos: d.Pos(), End: d.End(),
						Message: what + ", not at the end of the iteration: the tensors of all iterations " +
							"stay open until then; close them in the loop, or put its body into a torch.Scope",
						SuggestedFixes: p.scopeFix(pl.node),
					})
				}
				return
			}
		}
	})
	return nil, nil
}

// deferred describes what a deferred call in a loop delays until the function returns. It
// returns "" if the call delays nothing that matters.
func (p *program) deferred(f *function, call *ast.CallExpr, loop ast.Node) string {
	made := func(recv ast.Expr) bool {
		v := local(p.info, recv)
		return v != nil && within(v, loop) && p.madeFrom(f, v, p.creates)
	}
	if recv, name := tensorMethod(p.info, call); name == "Close" && made(recv) {
		return "this Close runs when the function returns"
	}
	if named(callee(p.info, call), torchPath, "Scope") {
		return "this scope runs when the function returns"
	}
	for _, a := range call.Args {
		if isTensor(p.info.TypeOf(a)) && made(a) && p.passedTo(call, a, []ast.Node{loop, call}) == closes {
			return "this call, which closes its tensor, runs when the function returns"
		}
	}
	lit, ok := call.Fun.(*ast.FuncLit)
	if !ok {
		return ""
	}
	found := ""
	ast.Inspect(lit.Body, func(n ast.Node) bool {
		if c, ok := n.(*ast.CallExpr); ok {
			if recv, name := tensorMethod(p.info, c); name == "Close" && made(recv) {
				found = "this Close runs when the function returns"
			}
		}
		return found == ""
	})
	return found
}
