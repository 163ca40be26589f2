package lint

import (
	"go/ast"
	"slices"
	"strings"
)

// libtorch may use a handle only while the crossing counts its tensor as in use.
// Otherwise another goroutine may close the tensor. So a function that gets tensor
// handles and begins a crossing must pass the tensors to BeginRaw.

// fetching are the functions that return the handle of a tensor. The value is the index
// of the argument that is the tensor, or -1 for the receiver.
var fetching = map[string]int{
	".handle": -1, ".HandleFor": -1, ".Handle": -1, ".OptionalHandle": -1, ".OptionalHandleFor": -1,
	"handle": 2, "optional": 2, "Handles": 1, "torch.Handles": 1, "listHandles": 1,
}

// taking are the functions that count tensors as in use.
var taking = strings.Fields("BeginRaw torch.BeginRaw Crossing torch.Crossing .Use .with holdAll modify")

// unheld returns the tensors whose handles a function gets without counting the tensors
// as in use.
func (c *crossing) unheld(body *ast.BlockStmt) {
	begins := false
	var held []string
	unused := map[ast.Node]bool{} // calls that only check the handle
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ExprStmt:
			unused[n.X] = true
		case *ast.CallExpr:
			name := callee(n)
			begins = begins || strings.HasSuffix("."+name, ".BeginRaw")
			if slices.Contains(taking, name) || slices.Contains(taking, method(name)) {
				for _, a := range n.Args {
					held = append(held, texts(a)...)
				}
			}
		}
		return true
	})
	if !begins {
		return
	}
	ast.Inspect(body, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || unused[call] {
			return true
		}
		if t := fetched(call); t != "" && !slices.Contains(held, t) {
			c.wrong = append(c.wrong, c.fset.Position(call.Pos()).String()+": BeginRaw does not get "+
				""+t+", whose handle is fetched")
		}
		return true
	})
}

// fetched returns the tensor whose handle call returns, as written in the source.
func fetched(call *ast.CallExpr) string {
	name := callee(call)
	at, ok := fetching[name]
	if !ok {
		at, ok = fetching[method(name)]
	}
	switch {
	case !ok:
		return ""
	case at >= 0 && at < len(call.Args):
		return text(call.Args[at])
	case at >= 0:
		return ""
	}
	x := strings.TrimSuffix(name, method(name))
	if x == "g" || strings.HasSuffix(x, "generator") {
		return "" // This is the handle of a Generator, which nothing closes.
	}
	return x
}

func callee(call *ast.CallExpr) string { return text(call.Fun) }

// method returns the last part of a name: ".Use" for "r.Use".
func method(name string) string {
	if i := strings.LastIndex(name, "."); i >= 0 {
		return name[i:]
	}
	return ""
}

// texts returns the names in an expression. If it is a list literal, these are the names
// in its elements.
func texts(e ast.Expr) []string {
	var names []string
	ast.Inspect(e, func(n ast.Node) bool {
		if x, ok := n.(ast.Expr); ok {
			if t := text(x); t != "" {
				names = append(names, t)
				return false
			}
		}
		return true
	})
	return names
}
