package analyzers

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"
)

// grads finds out which expressions of a function hold a graph.
type grads struct {
	p    *program
	info *types.Info
	body ast.Node
	vars map[*types.Var]bool // the results for variables so far, including variables being examined
}

// noGraph are the operators whose results have no gradient, by their names in package
// torch and, without variant, in torch/aten.
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

// variants are the suffixes of operators that exist for several kinds of arguments.
var variants = []string{
	"ScalarTensor", "TensorScalar", "TensorTensor", "Scalar", "Tensor", "DimIntList", "Dims", "Dim",
	"Stable", "Static",
}

// gradientFree reports whether the results of operators with that name have no gradient.
func gradientFree(name string) bool {
	return slices.Contains(noGraph, name) || slices.ContainsFunc(variants, func(v string) bool {
		base, ok := strings.CutSuffix(name, v)
		return ok && slices.Contains(noGraph, base)
	})
}

// carries reports whether e certainly has a graph: a loss, the output of a model, or the
// result of operators on these.
func (g *grads) carries(e ast.Expr) bool {
	e = ast.Unparen(e)
	if t := g.info.TypeOf(e); t == nil || !isTensor(t) {
		return false
	}
	call, ok := e.(*ast.CallExpr)
	if !ok {
		v := local(g.info, e)
		return v != nil && g.variable(v)
	}
	f := callee(g.info, call)
	if f == nil || gradientFree(f.Name()) {
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
	case known(f):
		return slices.ContainsFunc(call.Args, g.carries) ||
			g.p != nil && (recv != nil && g.leaf(recv) || slices.ContainsFunc(call.Args, g.leaf))
	}
	return false
}

// leaf reports whether e is a parameter created by the program. Operators on parameters
// record a graph.
func (g *grads) leaf(e ast.Expr) bool {
	return isTensor(g.info.TypeOf(e)) && (g.p.leaf(g.body, e) || g.p.parameter(e))
}

// parameter reports whether e is a parameter of a module: a field of one of the library's
// layers, or an element of its list of parameters.
func (p *program) parameter(e ast.Expr) bool {
	e = ast.Unparen(e)
	if sel, ok := e.(*ast.SelectorExpr); ok {
		if v := p.fieldOf(sel); v == nil || !v.IsField() {
			return false
		} else if v.Pkg() != nil && v.Pkg().Path() == nnPath && library(p.info.TypeOf(sel.X)) {
			return strings.HasPrefix(v.Name(), "Weight") || strings.HasPrefix(v.Name(), "Bias")
		}
		e = sel.X // a field of an nn.NamedTensor
	}
	v := local(p.info, e)
	if v == nil {
		return false
	}
	found := false
	if decl := p.declAt(v.Pos()); decl != nil {
		ast.Inspect(decl, func(n ast.Node) bool {
			if r, ok := n.(*ast.RangeStmt); ok && r.Value != nil && local(p.info, r.Value) == v {
				call, ok := ast.Unparen(r.X).(*ast.CallExpr)
				found = found || ok && named(callee(p.info, call), nnPath, "Parameters", "NamedParameters")
			}
			return !found
		})
	}
	return found
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

// higher reports whether e is a result of torch.Grad with CreateGraph: gradients that
// have a graph.
func (g *grads) higher(e ast.Expr) bool {
	if g.p != nil {
		e = g.p.resolve(g.body, e)
	}
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	return ok && named(callee(g.info, call), torchPath, "Grad") && optionIsOn(call, "CreateGraph")
}

// variable reports whether v has a graph each time it is set, or whether the code calls
// Backward on it.
func (g *grads) variable(v *types.Var) bool {
	if known, ok := g.vars[v]; ok {
		return known
	}
	g.vars[v] = false
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
		if n != nil {
			assigned(n, func(target, value ast.Expr) {
				if local(g.info, target) == v {
					sets++
					if value != nil && g.carries(value) {
						carries++
					}
				}
			})
		}
		return true
	})
	g.vars[v] = backward || sets > 0 && carries == sets
	return g.vars[v]
}
