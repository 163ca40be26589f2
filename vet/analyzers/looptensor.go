package analyzers

import (
	"go/ast"
	"go/types"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/inspect"
)

// LoopTensor reports tensors that a loop makes and leaves to the collector.
var LoopTensor = &analysis.Analyzer{
	Name: "looptensor",
	Doc: `report tensors made in a loop outside of a scope and never closed

They stay until the collector finds them. Followed are variables of the loop's
body that are set to a new tensor and given to operators alone: what is stored,
returned or handed to other functions may be closed there. Loops in functions
that return tensors, or that the package calls inside a scope, and loops of a
few iterations are left alone.`,
	Requires: []*analysis.Analyzer{inspect.Analyzer},
	Run:      runLoopTensor,
}

func runLoopTensor(pass *analysis.Pass) (any, error) {
	if own(pass) {
		return nil, nil
	}
	info := pass.TypesInfo
	var sheltered map[*types.Func]bool
	walk(pass, []ast.Node{(*ast.AssignStmt)(nil), (*ast.ValueSpec)(nil)}, func(n ast.Node, stack []ast.Node) {
		assigned(n, func(target, value ast.Expr) {
			v := local(info, target)
			if v == nil || value == nil || !creates(info, value) || info.Defs[target.(*ast.Ident)] == nil {
				return
			}
			loop := unscopedLoop(info, stack)
			if loop == nil || !within(v, loop) || short(pass, loop) || ends(loop) {
				return
			}
			decl, ok := stackDecl(stack)
			if !ok || returnsTensors(info, decl) {
				return
			}
			if sheltered == nil {
				sheltered = shelteredFunctions(pass)
			}
			if f, ok := info.Defs[decl.Name].(*types.Func); ok && sheltered[f] || leaves(info, loop, v) {
				return
			}
			pass.ReportRangef(target, "%s is made in every iteration, outside of a scope, and never closed: it waits for the collector; close it, or open a torch.Scope in the loop", v.Name())
		})
	})
	return nil, nil
}

// unscopedLoop returns the innermost loop around the end of stack, or nil if
// there is none or something around it may be a scope.
func unscopedLoop(info *types.Info, stack []ast.Node) ast.Node {
	var loop ast.Node
	for _, p := range places(info, stack) {
		switch p.kind {
		case inScope, inOpaque:
			return nil
		case inGoroutine:
			return loop
		case inLoop:
			if loop == nil {
				loop = p.node
			}
		}
	}
	return loop
}

// ends reports whether a loop's body always leaves it.
func ends(loop ast.Node) bool {
	var body *ast.BlockStmt
	switch n := loop.(type) {
	case *ast.ForStmt:
		body = n.Body
	case *ast.RangeStmt:
		body = n.Body
	}
	if body == nil || len(body.List) == 0 {
		return false
	}
	switch s := body.List[len(body.List)-1].(type) {
	case *ast.ReturnStmt:
		return true
	case *ast.BranchStmt:
		return s.Tok.String() == "break"
	}
	return false
}

func stackDecl(stack []ast.Node) (*ast.FuncDecl, bool) {
	for _, n := range stack {
		if d, ok := n.(*ast.FuncDecl); ok {
			return d, true
		}
	}
	return nil, false
}

// returnsTensors reports whether a function's result holds tensors: it is then
// a part of a computation, and its caller decides what lives how long.
func returnsTensors(info *types.Info, d *ast.FuncDecl) bool {
	if d.Type.Results == nil {
		return false
	}
	for _, r := range d.Type.Results.List {
		t := info.TypeOf(r.Type)
		if t == nil {
			continue
		}
		if s, ok := t.Underlying().(*types.Slice); ok {
			t = s.Elem()
		}
		if isTensor(t) {
			return true
		}
	}
	return false
}

// leaves reports whether v is closed in n, or goes somewhere that may close it.
func leaves(info *types.Info, n ast.Node, v *types.Var) bool {
	plain := map[*ast.Ident]bool{} // uses that cannot close or store it
	mark := func(e ast.Expr) {
		if id, ok := ast.Unparen(e).(*ast.Ident); ok {
			plain[id] = true
		}
	}
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ExprStmt:
			// The result of an in-place operator is its receiver: not used here.
			if call, ok := n.X.(*ast.CallExpr); ok {
				if recv, _ := tensorMethod(info, call); recv != nil {
					mark(recv)
				}
			}
		case *ast.CallExpr:
			f := callee(info, n)
			if recv, name := tensorMethod(info, n); recv != nil && !strings.HasSuffix(name, "_") &&
				name != "SetRequiresGrad" && name != "CopyFrom" {
				mark(recv)
			}
			if known(f) && !strings.HasSuffix(f.Name(), "Out") && !strings.HasSuffix(f.Name(), "Into") &&
				!changesOwner(f) {
				for _, arg := range n.Args {
					mark(arg)
				}
			}
			if named(f, nnPath, "Call", "Forward") {
				for _, arg := range n.Args {
					mark(arg)
				}
			}
		case *ast.BinaryExpr:
			mark(n.X)
			mark(n.Y)
		}
		return true
	})
	gone := false
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if recv, name := tensorMethod(info, n); name == "Close" && local(info, recv) == v {
				gone = true
			}
		case *ast.Ident:
			if info.Uses[n] == v && !plain[n] {
				gone = true
			}
		}
		return !gone
	})
	return gone
}

// shelteredFunctions lists the package's functions that run inside a scope, or
// in code that cannot be seen, at least once.
func shelteredFunctions(pass *analysis.Pass) map[*types.Func]bool {
	info := pass.TypesInfo
	found := map[*types.Func]bool{}
	calls := map[*types.Func][]*types.Func{} // by caller
	direct := map[*ast.Ident]bool{}
	walk(pass, []ast.Node{(*ast.CallExpr)(nil)}, func(n ast.Node, stack []ast.Node) {
		call := n.(*ast.CallExpr)
		f := callee(info, call)
		if f == nil || f.Pkg() != pass.Pkg {
			return
		}
		switch fun := ast.Unparen(call.Fun).(type) {
		case *ast.Ident:
			direct[fun] = true
		case *ast.SelectorExpr:
			direct[fun.Sel] = true
		}
		for _, p := range places(info, stack) {
			switch p.kind {
			case inScope, inOpaque:
				found[f] = true
			case inGoroutine:
				return
			case inFunction:
				if d, ok := p.node.(*ast.FuncDecl); ok {
					if caller, ok := info.Defs[d.Name].(*types.Func); ok {
						calls[caller] = append(calls[caller], f)
					}
				}
			}
		}
	})
	for id, obj := range info.Uses {
		if f, ok := obj.(*types.Func); ok && f.Pkg() == pass.Pkg && !direct[id] {
			found[f] = true // used as a value
		}
	}
	for changed := true; changed; {
		changed = false
		for caller, callees := range calls {
			for _, f := range callees {
				if found[caller] && !found[f] {
					found[f], changed = true, true
				}
			}
		}
	}
	return found
}
