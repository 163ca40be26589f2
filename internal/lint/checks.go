package lint

import (
	"fmt"
	"go/ast"
)

// checks are functions that start a check and return a function that ends it. If a test
// does not call the returned function, the check never happens, and the compiler does not
// notice.
var checks = map[string]bool{"CheckLeaks": true, "noGoroutines": true}

// uncalled finds calls to the functions in checks for which the returned function is not
// called.
func uncalled(name string, file *ast.File) (wrong []string) {
	ast.Inspect(file, func(n ast.Node) bool {
		var call *ast.CallExpr
		switch n := n.(type) {
		case *ast.ExprStmt:
			call, _ = n.X.(*ast.CallExpr)
		case *ast.DeferStmt:
			call = n.Call
		}
		if call == nil {
			return true
		}
		f := ""
		switch fun := call.Fun.(type) {
		case *ast.Ident:
			f = fun.Name
		case *ast.SelectorExpr:
			f = fun.Sel.Name
		}
		if checks[f] {
			wrong = append(wrong, fmt.Sprintf("%s: drops the check that %s returns: defer %s(t)()", name, f, f))
		}
		return true
	})
	return wrong
}
