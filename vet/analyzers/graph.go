package analyzers

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"
)

// grads determines which expressions of a function hold a graph.
type grads struct {
	p    *program
	info *types.Info
	body ast.Node
	vars map[*types.Var]bool // whether a variable has a graph; false while it is being examined

	results memo[result, bool] // whether the result of a function has a graph
}

func newGrads(p *program, body ast.Node) *grads {
	return &grads{p: p, info: p.info, body: body, vars: map[*types.Var]bool{}, results: memo[result, bool]{}}
}

// noGraph are the operators whose results have no gradient, with their names in package
// torch. In torch/aten, a name may also end in one of variants.
var noGraph = []string{
	"Detach", "Detach_", "Grad",
	"Eq", "Ne", "Lt", "Le", "Gt", "Ge", "NotEqual", "Less", "LessEqual", "Greater", "GreaterEqual",
	"IsClose", "Isclose", "IsIn", "IsNaN", "IsInf", "IsPosInf", "IsNegInf", "IsFinite", "IsReal", "Signbit",
	"LogicalNot", "LogicalAnd", "LogicalOr", "LogicalXor", "All", "Any",
	"ArgMax", "ArgMin", "ArgSort", "ArgWhere", "Nonzero", "CountNonzero", "Multinomial",
	"SearchSorted", "Bucketize", "Histc", "BinCount", "OneHot",
	"Long", "Int", "Short", "Char", "Byte", "Bool",
	"ZerosLike", "OnesLike", "RandLike", "RandnLike", "RandIntLike", "EmptyLike", "FullLike",
}

// variants are the suffixes that torch/aten adds to the name of an operator that exists
// for several types of arguments.
var variants = []string{
	"ScalarTensor", "TensorScalar", "TensorTensor", "Scalar", "Tensor", "DimIntList", "Dims", "Dim",
	"Stable", "Static",
}

// gradientFree reports whether name is an operator of noGraph, with or without a suffix.
func gradientFree(name string) bool {
	return slices.Contains(noGraph, name) || slices.ContainsFunc(variants, func(v string) bool {
		base, ok := strings.CutSuffix(name, v)
		return ok && slices.Contains(noGraph, base)
	})
}

// carries reports whether e certainly has a graph. This is the case if e is a loss, the
// output of a model, or the result of an operator on one of them.
func (g *grads) carries(e ast.Expr) bool {
	e = ast.Unparen(e)
	if t := g.info.TypeOf(e); t == nil || !isTensor(t) || g.p != nil && g.p.gradOff(e) {
		return false
	}
	call, ok := e.(*ast.CallExpr)
	if !ok {
		v := local(g.info, e)
		return v != nil && g.variable(v)
	}
	f := callee(g.info, call)
	if f == nil {
		return g.resultCarries(call, 0)
	}
	if gradientFree(f.Name()) {
		return false
	}
	recv, name := tensorMethod(g.info, call)
	switch {
	case recv != nil && name == "RequiresGrad_":
		return false
	case recv != nil && g.carries(recv):
		return true
	case isModuleCall(f), f.Name() == "Forward":
		return true
	case named(f, torchPath, "Tidy") && len(call.Args) == 1:
		lit, ok := ast.Unparen(call.Args[0]).(*ast.FuncLit)
		return ok && g.returnsGraph(g.p.nodes[lit], 0)
	case known(f):
		return slices.ContainsFunc(call.Args, g.carries) ||
			g.p != nil && (recv != nil && g.leaf(recv) || slices.ContainsFunc(call.Args, g.leaf))
	}
	return g.resultCarries(call, 0)
}

// leaf reports whether e is a parameter that requires gradients. An operator on it
// records a graph.
func (g *grads) leaf(e ast.Expr) bool {
	return isTensor(g.info.TypeOf(e)) && (g.p.leaf(g.body, e) || g.p.parameter(e))
}

// stepCarries reports whether computing e records a graph.
func (g *grads) stepCarries(e ast.Expr) bool {
	if g.carries(e) {
		return true
	}
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		if e, ok := n.(ast.Expr); ok && !found && isTensor(g.info.TypeOf(e)) {
			found = g.leaf(e) || g.carries(e)
		}
		if call, ok := n.(*ast.CallExpr); ok && !found {
			f := callee(g.info, call)
			if f != nil && gradientFree(f.Name()) {
				return false
			}
			found = named(f, nnPath, "Forward") || f != nil && plainState(g.info.TypeOf(call)) && g.p.passesOn(f)
		}
		return !found
	})
	return found
}

// higher reports whether e is the result of torch.Grad with the CreateGraph option. Such
// gradients have a graph.
func (g *grads) higher(e ast.Expr) bool {
	if g.p != nil {
		e = g.p.resolve(g.body, e)
	}
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	return ok && named(callee(g.info, call), torchPath, "Grad") && optionIsOn(call, "CreateGraph")
}

// variable reports whether v certainly has a graph. It does if every value assigned to v
// has one, if the code calls Backward on v, or if v is a parameter and every call passes
// a tensor with a graph.
func (g *grads) variable(v *types.Var) bool {
	if known, ok := g.vars[v]; ok {
		return known
	}
	g.vars[v] = false
	if f := g.p.takes(v); f != nil {
		g.vars[v] = g.everyArgument(f, v, func(g *grads, arg ast.Expr) bool { return g.carries(arg) })
		if g.vars[v] {
			return true
		}
	}
	sets, carries, backward := 0, 0, false
	ast.Inspect(g.body, func(n ast.Node) bool {
		if r, ok := n.(*ast.RangeStmt); ok && r.Value != nil && local(g.info, r.Value) == v && g.higher(r.X) {
			backward = true
		}
		if call, ok := n.(*ast.CallExpr); ok {
			if recv, name := tensorMethod(g.info, call); strings.HasPrefix(name, "Backward") &&
				local(g.info, recv) == v {
				backward = true
			}
		}
		if n == nil {
			return false
		}
		at := -1
		assigned(n, func(target, value ast.Expr) {
			at++
			if local(g.info, target) != v || isSpec(n) && value == nil || isNil(value) {
				return
			}
			sets++
			if value != nil && g.carries(value) || value == nil && g.tupleCarries(n, at) {
				carries++
			}
		})
		return true
	})
	g.vars[v] = backward || sets > 0 && carries == sets
	return g.vars[v]
}
