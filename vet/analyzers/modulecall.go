package analyzers

import (
	"go/ast"
	"go/types"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/inspect"
)

// ModuleCall reports modules whose Forward method does not use nn.Call.
var ModuleCall = &analysis.Analyzer{
	Name: "modulecall",
	Doc: `report Forward methods of modules that do not go through Call, Call2 or CallN

The hooks of such a module never run, its temporaries stay open until the end of the
enclosing scope, and errors do not name the module. The check ignores a Forward that
only passes its arguments to the Forward of an embedded module of the program, since
that one goes through Call.`,
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
			if !ok || !isModule(f) || delegates(pass.TypesInfo, decl) || calls(pass, f, nil) {
				return
			}
			pass.ReportRangef(decl.Name, "Forward of a module does not go through Call: its hooks never run, its "+
				"temporaries stay open, and errors do not name it")
		})
		return nil, nil
	},
}

// isModule reports whether the receiver of method is a module: it embeds nn.Base or a
// layer.
func isModule(method *types.Func) bool {
	recv := method.Signature().Recv()
	obj, _, _ := types.LookupFieldOrMethod(recv.Type(), true, method.Pkg(), "ModuleBase")
	base, ok := obj.(*types.Func)
	return ok && from(base, nnPath)
}

// delegates reports whether a Forward method only passes its arguments to the Forward
// method of an embedded module. A layer of package nn does not count as embedded module,
// because its Forward runs no hooks.
func delegates(info *types.Info, decl *ast.FuncDecl) bool {
	if len(decl.Body.List) != 1 || len(decl.Recv.List[0].Names) != 1 {
		return false
	}
	ret, ok := decl.Body.List[0].(*ast.ReturnStmt)
	if !ok || len(ret.Results) != 1 {
		return false
	}
	call, ok := ast.Unparen(ret.Results[0]).(*ast.CallExpr)
	if !ok || slices.ContainsFunc(call.Args, func(e ast.Expr) bool { _, plain := e.(*ast.Ident); return !plain }) {
		return false
	}
	f := callee(info, call)
	if f == nil || f.Name() != "Forward" || f.Pkg() == nil || f.Pkg().Path() == nnPath {
		return false
	}
	method, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok {
		return false
	}
	field, ok := method.X.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	recv, ok := field.X.(*ast.Ident)
	embedded, isVar := info.Uses[field.Sel].(*types.Var)
	return ok && isVar && embedded.Embedded() && info.Uses[recv] == info.Defs[decl.Recv.List[0].Names[0]]
}

// calls reports whether f calls nn.Call, Call2 or CallN, either directly or through other
// functions of the package.
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
		case named(g, nnPath, "Call", "Call2", "CallN"):
			found = true
		case g.Pkg() == pass.Pkg && g.Name() != "Forward" && !slices.Contains(seen, g):
			found = calls(pass, g, seen)
		}
		return !found
	})
	return found
}
