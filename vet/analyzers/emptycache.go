package analyzers

import (
	"go/ast"
	"go/token"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/inspect"
)

// EmptyCache reports memory.EmptyCache in every iteration of a loop.
var EmptyCache = &analysis.Analyzer{
	Name: "emptycache",
	Doc: `report memory.EmptyCache in every iteration of a loop

What the cache gives back has to be asked for again in the next iteration, which
costs time and saves nothing. Calls under a condition, after an if that
continues, and in loops of a few iterations are fine.`,
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
						pass.ReportRangef(n, "%s.EmptyCache in every iteration: the next one asks for the same memory again; call it now and then, or after the loop", f.Pkg().Name())
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

// guarded reports whether a continue of the loop's body stands before pos.
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
