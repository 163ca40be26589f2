package analyzers

import (
	"go/ast"
	"go/token"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/inspect"
)

// EmptyCache reports a call of memory.EmptyCache that a loop runs in every iteration.
var EmptyCache = &analysis.Analyzer{
	Name: "emptycache",
	Doc: `report memory.EmptyCache in every iteration of a loop

The next iteration has to get the memory from the system again, which costs time
and saves nothing. The check ignores calls under a condition, calls after an if
that continues, and loops with few iterations.`,
	Requires: []*analysis.Analyzer{inspect.Analyzer},
	Run: func(pass *analysis.Pass) (any, error) {
		walk(pass, []ast.Node{(*ast.CallExpr)(nil)}, func(n ast.Node, stack []ast.Node) {
			f := callee(pass.TypesInfo, n.(*ast.CallExpr))
			if !named(f, memoryPath, "EmptyCache") && !named(f, cudaPath, "EmptyCache") {
				return
			}
			if _, ok := stack[len(stack)-2].(*ast.DeferStmt); ok {
				return
			}
			for _, p := range places(pass.TypesInfo, stack) {
				switch p.kind {
				case inLoop:
					if !short(pass, p.node) && !guarded(p.node, n.Pos()) {
						pass.ReportRangef(n, "%s.EmptyCache in every iteration: the next iteration gets the same "+
							"memory from the system again; call it now and then, or after the loop", f.Pkg().Name())
					}
					return
				case inCond, inOpaque, inFunction:
					return
				}
			}
		})
		return nil, nil
	},
}

// guarded reports whether the loop's body has a continue before pos.
func guarded(loop ast.Node, pos token.Pos) bool {
	found := false
	ast.Inspect(loop, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return n.Pos() <= pos && pos < n.End()
		case *ast.BranchStmt:
			found = found || n.Tok == token.CONTINUE && n.Pos() < pos
		}
		return !found
	})
	return found
}
