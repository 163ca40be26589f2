package analyzers

import (
	"go/ast"
	"go/types"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/inspect"
)

// ModuleCall reports modules whose Forward does not go through Call.
var ModuleCall = &analysis.Analyzer{
	Name: "modulecall",
	Doc: `report Forward methods of modules that do not go through Call or CallN

Hooks of such a module never run, its temporaries stay until the end of the scope
around, and an error does not say that it came from there. A Forward that does
nothing but return another's result is fine.`,
	Requires: []*analysis.Analyzer{inspect.Analyzer},
	Run: func(pass *analysis.Pass) (any, error) {
		if pass.Pkg.Path() == nnPath {
			return nil, nil
		}
		walk(pass, []ast.Node{(*ast.FuncDecl)(nil)}, func(n ast.Node, _ []ast.Node) {
			decl := n.(*ast.FuncDecl)
			if decl.Recv == nil || decl.Name.Name != "Forward" || decl.Body == nil {
				return
			}
			f, ok := pass.TypesInfo.Defs[decl.Name].(*types.Func)
			if !ok || !isModule(f) || delegates(pass.TypesInfo, decl.Body) || calls(pass, f, nil) {
				return
			}
			pass.ReportRangef(decl.Name, "Forward of a module does not go through Call: its hooks never run, its temporaries stay, and errors do not name it")
		})
		return nil, nil
	},
}

// isModule reports whether the receiver of a method embeds nn.Base, or a layer.
func isModule(method *types.Func) bool {
	recv := method.Signature().Recv()
	obj, _, _ := types.LookupFieldOrMethod(recv.Type(), true, method.Pkg(), "ModuleBase")
	base, ok := obj.(*types.Func)
	return ok && from(base, nnPath)
}

// delegates reports whether a body only returns what another Forward does.
func delegates(info *types.Info, body *ast.BlockStmt) bool {
	if len(body.List) != 1 {
		return false
	}
	ret, ok := body.List[0].(*ast.ReturnStmt)
	if !ok || len(ret.Results) != 1 {
		return false
	}
	call, ok := ast.Unparen(ret.Results[0]).(*ast.CallExpr)
	if !ok {
		return false
	}
	f := callee(info, call)
	return f != nil && f.Name() == "Forward"
}

// calls reports whether a function, or one of this package that it calls, goes
// through Call or CallN.
func calls(pass *analysis.Pass, f *types.Func, seen []*types.Func) bool {
	decl := declaration(pass, f)
	if decl == nil || decl.Body == nil {
		return false
	}
	seen = append(seen, f)
	found := false
	ast.Inspect(decl.Body, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || found {
			return !found
		}
		switch g := callee(pass.TypesInfo, call); {
		case g == nil:
		case named(g, nnPath, "Call", "CallN"):
			found = true
		case g.Pkg() == pass.Pkg && g.Name() != "Forward" && !slices.Contains(seen, g):
			found = calls(pass, g, seen)
		}
		return !found
	})
	return found
}
