package analyzers

import (
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/analysis"
)

func (p *program) scopeFix(f *function, loop ast.Node) []analysis.SuggestedFix { return nil }

func (p *program) detachCarried(stack []ast.Node, target ast.Expr) []analysis.TextEdit { return nil }

func (p *program) detachInHook(stack []ast.Node, v *types.Var, lit *ast.FuncLit) []analysis.TextEdit {
	return nil
}
