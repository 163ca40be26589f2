package analyzers

import (
	"go/ast"
	"go/types"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/inspect"
)

// Swapped reports a call of SetIndex with a mask as the value and a number as the index.
// The arguments are probably in the wrong order.
var Swapped = &analysis.Analyzer{
	Name: "swapped",
	Doc: `report SetIndex with its value and its index swapped

The value comes first: z.SetIndex(mask, 0) writes the mask into row 0 of z, while
z.SetIndex(0, mask) sets the elements of the mask to 0. The check reports a value that was
computed as a mask, together with a single number as the index, if z is known to hold numbers:
because of how it was created, or because the mask is a comparison with it.`,
	Requires: []*analysis.Analyzer{inspect.Analyzer},
	Run: func(pass *analysis.Pass) (any, error) {
		walk(pass, []ast.Node{(*ast.CallExpr)(nil)}, func(n ast.Node, stack []ast.Node) {
			call := n.(*ast.CallExpr)
			recv, name := tensorMethod(pass.TypesInfo, call)
			if name != "SetIndex" || len(call.Args) != 2 || !isNumber(pass.TypesInfo, call.Args[1]) {
				return
			}
			m := masks{pass.TypesInfo, values(pass.TypesInfo, stack[0])}
			if mask := call.Args[0]; m.kind(mask, 0) == ofBools &&
				(m.kind(recv, 0) == ofNumbers || m.kind(recv, 0) == unknownKind && m.compares(mask, recv, 0)) {
				pass.ReportRangef(call, "SetIndex writes the mask into element %[1]s: the value comes first, "+
					"SetIndex(%[1]s, mask)", types.ExprString(call.Args[1]))
			}
		})
		return nil, nil
	},
}

// isNumber reports whether e is a Go number.
func isNumber(info *types.Info, e ast.Expr) bool {
	b, ok := info.TypeOf(e).Underlying().(*types.Basic)
	return ok && b.Info()&types.IsNumeric != 0
}

// values returns the value of each local variable in file that is set exactly once.
func values(info *types.Info, file ast.Node) map[*types.Var]ast.Expr {
	set := map[*types.Var]ast.Expr{}
	ast.Inspect(file, func(n ast.Node) bool {
		if n != nil {
			assigned(n, func(target, value ast.Expr) {
				if v := local(info, target); v != nil {
					if _, again := set[v]; again {
						value = nil
					}
					set[v] = value
				}
			})
		}
		return true
	})
	return set
}

// tensorKind is the kind of a tensor's elements: bools, as in a mask, or numbers.
type tensorKind int

const (
	unknownKind tensorKind = iota
	ofBools
	ofNumbers
)

// comparisons and logical are methods that return a mask. numeric are methods, and random
// are functions, that return numbers. sameKinds are methods whose result has the same
// kind as the receiver.
var (
	comparisons = []string{
		"Eq", "Ne", "Lt", "Le", "Gt", "Ge", "EqScalar", "NeScalar", "LtScalar", "LeScalar", "GtScalar", "GeScalar",
		"IsNaN", "IsInf", "IsFinite", "IsPosInf", "IsNegInf", "IsClose", "IsIn",
	}
	logical = []string{"LogicalAnd", "LogicalOr", "LogicalXor", "LogicalNot"}
	numeric = []string{
		"Add", "Sub", "Mul", "Div", "MatMul", "Exp", "Log", "Sqrt", "Tanh", "Sigmoid", "Softmax",
		"LogSoftmax", "AddScalar", "SubScalar", "MulScalar", "DivScalar", "Float", "Double", "Long",
	}
	random    = []string{"Rand", "Randn", "RandLike", "RandnLike", "RandInt", "Arange", "Linspace"}
	sameKinds = []string{
		"Clone", "Detach", "Contiguous", "Reshape", "View", "T", "Transpose", "Squeeze", "Unsqueeze",
		"CPU", "CUDA",
	}
)

// masks determines the kinds of tensors.
type masks struct {
	info   *types.Info
	values map[*types.Var]ast.Expr
}

// deepest is the maximum number of nested calls and variables through which masks follows
// an expression.
const deepest = 20

// call returns e, with its receiver and name, if e is a call of a function or method of
// package torch. If e is a variable that is set once, call examines the variable's value.
func (m masks) call(e ast.Expr) (call *ast.CallExpr, recv ast.Expr, name string) {
	e = ast.Unparen(e)
	if v := local(m.info, e); v != nil && m.values[v] != nil {
		e = ast.Unparen(m.values[v])
	}
	call, ok := e.(*ast.CallExpr)
	if !ok {
		return nil, nil, ""
	}
	if f := callee(m.info, call); from(f, torchPath) {
		recv, _ = tensorMethod(m.info, call)
		return call, recv, f.Name()
	}
	return nil, nil, ""
}

func (m masks) kind(e ast.Expr, depth int) tensorKind {
	call, recv, name := m.call(e)
	switch {
	case call == nil || depth > deepest:
	case recv == nil && slices.Contains(random, name):
		return ofNumbers
	case recv == nil:
	case slices.Contains(comparisons, name), slices.Contains(logical, name):
		return ofBools
	case slices.Contains(numeric, name):
		return ofNumbers
	case slices.Contains(sameKinds, name):
		return m.kind(recv, depth+1)
	}
	return unknownKind
}

// compares reports whether mask is computed from a comparison with x, or with a tensor of
// the same origin as x.
func (m masks) compares(mask, x ast.Expr, depth int) bool {
	call, recv, name := m.call(mask)
	switch {
	case call == nil || recv == nil || depth > deepest:
		return false
	case slices.Contains(comparisons, name):
		return m.origin(recv, 0) == m.origin(x, 0) && m.origin(x, 0) != nil
	case slices.Contains(logical, name):
		for _, a := range append([]ast.Expr{recv}, call.Args...) {
			if m.compares(a, x, depth+1) {
				return true
			}
		}
	case slices.Contains(sameKinds, name):
		return m.compares(recv, x, depth+1)
	}
	return false
}

// origin returns x if it is a variable, or the variable from which methods of sameKinds
// computed x. It returns nil if there is no such variable.
func (m masks) origin(x ast.Expr, depth int) *types.Var {
	if call, recv, name := m.call(x); call != nil && recv != nil && slices.Contains(sameKinds, name) &&
		depth <= deepest {
		return m.origin(recv, depth+1)
	}
	return local(m.info, x)
}
