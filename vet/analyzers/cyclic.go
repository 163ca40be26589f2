package analyzers

import (
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/inspect"
)

// Cyclic reports tensors that are never freed because an object of libtorch refers to
// them. Go's garbage collector cannot see these references.
var Cyclic = &analysis.Analyzer{
	Name: "cyclic",
	Doc: `report hooks and functions that keep their own tensors alive

libtorch holds a hook as long as its tensor. If the hook refers to that tensor,
neither is ever freed. The same holds for a tensor in the Value of a
torch.Function's context, or in a variable that its Forward sets. Use Save for
such tensors: it avoids the cycle.`,
	Requires: []*analysis.Analyzer{inspect.Analyzer, functions},
	Run:      runCyclic,
}

func runCyclic(pass *analysis.Pass) (any, error) {
	if own(pass) {
		return nil, nil
	}
	p := programOf(pass)
	walk(pass, []ast.Node{(*ast.CallExpr)(nil)}, func(n ast.Node, stack []ast.Node) {
		p.checkHook(n.(*ast.CallExpr), stack)
	})
	walk(pass, []ast.Node{(*ast.AssignStmt)(nil)}, func(n ast.Node, stack []ast.Node) {
		forward := p.forwardOf(stack)
		if forward == nil {
			return
		}
		assigned(n, func(target, value ast.Expr) {
			if value == nil {
				return
			}
			kept := value
			if _, added := isAppend(p.info, value); len(added) > 0 {
				kept = added[0]
			}
			if !holdsTensors(p.info.TypeOf(kept)) {
				return
			}
			v := root(p.info, target)
			switch sel, ok := ast.Unparen(target).(*ast.SelectorExpr); {
			case ok && sel.Sel.Name == "Value" && isContext(p.info.TypeOf(sel.X)):
				pass.ReportRangef(value, "the graph keeps the context, whose Value keeps this tensor, so neither may "+
					"ever be freed: pass it to Save, and get it from Saved in Backward")
			case v != nil && !v.IsField() && (!within(v, forward) || isReceiver(p.nodes[forward], v) &&
				ok) && !isContext(v.Type()) && !p.shrinks(target):
				pass.ReportRangef(value, "Forward keeps this tensor in %s, which outlives the graph: pass it to "+
					"Save, and get it from Saved in Backward", types.ExprString(target))
			}
		})
	})
	return nil, nil
}

// isReceiver reports whether v is the receiver of a method.
func isReceiver(f *function, v *types.Var) bool { return f.sig != nil && f.sig.Recv() == v }

// checkHook reports x.RegisterHook(func(g) { ... x ... }) for a tensor that nothing
// frees.
func (p *program) checkHook(call *ast.CallExpr, stack []ast.Node) {
	recv, name := tensorMethod(p.info, call)
	if !registersHook(name) || len(call.Args) != 1 {
		return
	}
	v := local(p.info, recv)
	f, ps := p.around(stack)
	lit, ok := call.Args[0].(*ast.FuncLit)
	if !ok {
		lit = p.literalOf(call.Args[0])
	}
	if v == nil || f == nil || lit == nil || within(v, lit) || shelters(ps) || p.sheltered(f) {
		return
	}
	uses := false
	eachUse(p.info, lit.Body, v, func([]ast.Node) { uses = true })
	if !uses || !within(v, f.body) || p.uses(f.body, v)&closes != 0 || removed(stack) {
		return
	}
	if !p.madeFrom(f, v, func(value ast.Expr) bool { return p.fresh(f.body, value, 2) || p.creates(value) }) &&
		!p.isLeafVar(f, v) {
		return
	}
	remedy, fixes := "refer to a Detach of it", []analysis.SuggestedFix(nil)
	if name == "RegisterHook" {
		fixes = p.detachInHook(stack, v, lit)
	} else {
		remedy = "use the hook's argument, which is " + v.Name()
	}
	p.pass.Report(analysis.Diagnostic{
		Pos: call.Pos(), End: call.End(),
		Message: "this hook refers to " + v.Name() + ", the tensor that it is registered on, so neither is " +
			"ever freed: " + remedy + ", Remove the hook, or close " + v.Name(),
		SuggestedFixes: fixes,
	})
}

// registersHook reports whether a tensor method with this name registers a hook.
func registersHook(name string) bool {
	return name == "RegisterHook" || name == "RegisterPostAccumulateGradHook"
}

// literalOf returns the function literal to which e evaluates. It returns nil unless
// there is exactly one.
func (p *program) literalOf(e ast.Expr) *ast.FuncLit {
	var one *ast.FuncLit
	for f := range p.flows.holds[ast.Unparen(e)] {
		lit, ok := f.node.(*ast.FuncLit)
		if !ok || one != nil {
			return nil
		}
		one = lit
	}
	return one
}

// isLeafVar reports whether v is a tensor that the function creates and that requires a
// gradient.
func (p *program) isLeafVar(f *function, v *types.Var) bool {
	return p.madeFrom(f, v, func(value ast.Expr) bool { return p.leaf(nil, value) })
}

// removed reports whether some code uses the handle returned by the call at the end of
// stack. That code can remove the hook.
func removed(stack []ast.Node) bool {
	switch n := stack[len(stack)-2].(type) {
	case *ast.ExprStmt:
		return false
	case *ast.AssignStmt:
		return len(n.Lhs) != 1 || !isBlank(n.Lhs[0])
	}
	return true
}

// forwardOf returns the Forward function of a torch.Function that encloses the last node
// of stack, or nil.
func (p *program) forwardOf(stack []ast.Node) ast.Node {
	for _, n := range stack {
		if f := p.nodes[n]; f != nil && p.flows.forwards[f] {
			return n
		}
	}
	return nil
}

// isFunction reports whether t is torch.Function.
func isFunction(t types.Type) bool {
	n, ok := types.Unalias(t).(*types.Named)
	return ok && n.Obj().Name() == "Function" && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == torchPath
}

// isContext reports whether t is *torch.Context.
func isContext(t types.Type) bool {
	ptr, ok := types.Unalias(t).(*types.Pointer)
	if !ok {
		return false
	}
	n, ok := types.Unalias(ptr.Elem()).(*types.Named)
	return ok && n.Obj().Name() == "Context" && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == torchPath
}
