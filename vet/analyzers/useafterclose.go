package analyzers

import (
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/ctrlflow"
	"golang.org/x/tools/go/analysis/passes/inspect"
	"golang.org/x/tools/go/cfg"
)

// UseAfterClose reports uses of tensors that are closed on every path that leads to the
// use.
var UseAfterClose = &analysis.Analyzer{
	Name: "useafterclose",
	Doc: `report tensors that are used after Close

Such a use panics. The check reports uses that every path reaches with the tensor
closed. It checks function literals separately. It ignores function literals that a
test passes to a function, because the test may expect a panic.`,
	Requires: []*analysis.Analyzer{inspect.Analyzer, ctrlflow.Analyzer},
	Run: func(pass *analysis.Pass) (any, error) {
		graphs := pass.ResultOf[ctrlflow.Analyzer].(*ctrlflow.CFGs)
		walk(pass, []ast.Node{(*ast.FuncDecl)(nil), (*ast.FuncLit)(nil)}, func(n ast.Node, stack []ast.Node) {
			var g *cfg.CFG
			switch n := n.(type) {
			case *ast.FuncDecl:
				if n.Body == nil || !mentions(n.Body, "Close") {
					return
				}
				g = graphs.FuncDecl(n)
			case *ast.FuncLit:
				if !mentions(n.Body, "Close") || expectsPanic(pass, n, stack) {
					return
				}
				g = graphs.FuncLit(n)
			}
			if g != nil {
				(&closing{pass: pass, function: n}).check(g)
			}
		})
		return nil, nil
	},
}

// expectsPanic reports whether n is in a test and is passed to torch.Try or to unknown
// code. That code may recover a panic of n.
func expectsPanic(pass *analysis.Pass, n *ast.FuncLit, stack []ast.Node) bool {
	if !strings.HasSuffix(pass.Fset.Position(n.Pos()).Filename, "_test.go") {
		return false
	}
	if call, ok := stack[len(stack)-2].(*ast.CallExpr); ok && named(callee(pass.TypesInfo, call), torchPath, "Try") {
		return true
	}
	k, ok := literalKind(pass.TypesInfo, stack[:len(stack)-1], n)
	return ok && k == inOpaque
}

// closing finds uses of closed tensors in one function.
type closing struct {
	pass     *analysis.Pass
	function ast.Node
	shared   map[*types.Var]bool // variables that a function literal sets, or whose address is taken
}

// closedSet maps each variable with a closed tensor to the place of the Close.
type closedSet map[*types.Var]token.Pos

func (c *closing) check(g *cfg.CFG) {
	c.findShared()
	before := make([]closedSet, len(g.Blocks)) // the state before each block, nil until the block is reached
	before[0] = closedSet{}
	for work := []*cfg.Block{g.Blocks[0]}; len(work) > 0; {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		after := c.run(b, before[b.Index], false)
		for _, next := range b.Succs {
			merged, changed := meet(before[next.Index], after)
			if changed {
				before[next.Index] = merged
				work = append(work, next)
			}
		}
	}
	for _, b := range g.Blocks {
		if before[b.Index] != nil {
			c.run(b, before[b.Index], true)
		}
	}
}

// meet returns the tensors that are closed in both old and more, and whether this set
// differs from old.
func meet(old, more closedSet) (closedSet, bool) {
	if old == nil {
		return maps.Clone(more), true
	}
	merged := maps.Clone(old)
	for v := range old {
		if _, ok := more[v]; !ok {
			delete(merged, v)
		}
	}
	return merged, len(merged) < len(old)
}

// run returns the tensors that are closed after block b, given that the tensors in state
// are closed before it. If report is true, it reports uses of closed tensors.
func (c *closing) run(b *cfg.Block, state closedSet, report bool) closedSet {
	state = maps.Clone(state)
	for _, n := range b.Nodes {
		c.node(n, state, report)
	}
	return state
}

func (c *closing) node(n ast.Node, state closedSet, report bool) {
	info := c.pass.TypesInfo
	if _, ok := n.(*ast.DeferStmt); ok {
		return // a deferred call runs at the end of the function
	}
	if _, ok := n.(*ast.GoStmt); ok {
		return
	}
	if r, ok := n.(*ast.RangeStmt); ok {
		n = r.X
	}
	var ended []*types.Var
	at := map[*types.Var]token.Pos{}
	ast.Inspect(n, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			_, literal := n.(*ast.FuncLit)
			return !literal
		}
		use := func(e ast.Expr) {
			v := local(info, e)
			if v == nil || !isTensor(v.Type()) || c.shared[v] {
				return
			}
			if pos, ok := state[v]; ok && report {
				c.pass.ReportRangef(e, "%s is used after its Close at line %d", v.Name(),
					c.pass.Fset.Position(pos).Line)
			}
		}
		recv, method := tensorMethod(info, call)
		switch {
		case method == "Close":
			if v := local(info, recv); v != nil && !c.shared[v] {
				ended = append(ended, v)
				at[v] = call.Pos()
			}
		case method == "IsClosed" || method == "String" || method == "GoString":
		case recv != nil:
			use(recv)
		}
		if f := callee(info, call); needsOpen(f) {
			for _, arg := range call.Args {
				use(arg)
			}
		}
		return true
	})
	for _, v := range ended {
		state[v] = at[v]
	}
	assigned(n, func(target, _ ast.Expr) {
		if v := local(info, target); v != nil {
			delete(state, v)
		}
	})
	if d, ok := n.(*ast.DeclStmt); ok {
		ast.Inspect(d, func(n ast.Node) bool {
			assigned(n, func(target, _ ast.Expr) { delete(state, local(info, target)) })
			return true
		})
	}
	// A range statement sets its key and value, which are separate nodes in the
	// control-flow graph.
	if id, ok := n.(*ast.Ident); ok {
		if v := local(info, id); v != nil {
			delete(state, v)
		}
	}
}

// findShared finds the variables that code outside of the control flow may set. This code
// is in function literals, or has the variable's address.
func (c *closing) findShared() {
	c.shared = map[*types.Var]bool{}
	info := c.pass.TypesInfo
	ast.Inspect(c.function, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				if v := local(info, n.X); v != nil {
					c.shared[v] = true
				}
			}
		case *ast.FuncLit:
			if n != c.function {
				ast.Inspect(n.Body, func(m ast.Node) bool {
					if m != nil {
						assigned(m, func(target, _ ast.Expr) {
							if v := local(info, target); v != nil && !within(v, n) {
								c.shared[v] = true
							}
						})
					}
					return true
				})
			}
		}
		return true
	})
}
