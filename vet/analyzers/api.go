package analyzers

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/types/typeutil"
)

const (
	module       = "github.com/gotorch/gotorch/"
	torchPath    = module + "torch"
	atenPath     = module + "torch/aten"
	funcPath     = module + "nn/functional"
	nnPath       = module + "nn"
	optimPath    = module + "optim"
	utilsPath    = module + "nn/nnutil"
	dataPath     = module + "torch/data"
	batchingPath = module + "torch/batching"
	memoryPath   = module + "memory"
	cudaPath     = module + "torch/cuda"
)

// callee returns the function or method that call runs, or nil if it is not known.
func callee(info *types.Info, call *ast.CallExpr) *types.Func {
	f, _ := typeutil.Callee(info, call).(*types.Func)
	return f
}

// from reports whether f was declared in one of the packages.
func from(f *types.Func, paths ...string) bool {
	return f != nil && f.Pkg() != nil && slices.Contains(paths, f.Pkg().Path())
}

// named reports whether f is a function or method of the package with one of
// the names.
func named(f *types.Func, path string, names ...string) bool {
	return from(f, path) && slices.Contains(names, f.Name())
}

// isModuleCall reports whether f runs a module, or a function passed to nn.Call.
func isModuleCall(f *types.Func) bool {
	return named(f, nnPath, "Call", "Call2", "CallN", "Forward", "ForwardState")
}

// isTensor reports whether t is *torch.Tensor.
func isTensor(t types.Type) bool {
	p, ok := types.Unalias(t).(*types.Pointer)
	if !ok {
		return false
	}
	n, ok := types.Unalias(p.Elem()).(*types.Named)
	return ok && n.Obj().Name() == "Tensor" && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == torchPath
}

// tensorMethod returns the receiver and the name of the method if call is a method call
// on a tensor.
func tensorMethod(info *types.Info, call *ast.CallExpr) (recv ast.Expr, name string) {
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok {
		return nil, ""
	}
	if tv, ok := info.Types[sel.X]; ok && tv.IsValue() && isTensor(tv.Type) {
		return sel.X, sel.Sel.Name
	}
	return nil, ""
}

// known reports whether f is a function of package torch, aten or functional. These
// functions do not keep their arguments.
func known(f *types.Func) bool { return from(f, torchPath, atenPath, funcPath) }

// owners are the functions that change which scope owns a tensor, and return the tensor.
// They have no effect on a closed tensor.
var owners = []string{"Keep", "Disown"}

// changesOwner reports whether f is one of owners.
func changesOwner(f *types.Func) bool { return named(f, torchPath, owners...) }

// unkeep returns t if e is Keep(t) or Disown(t), and nil otherwise.
func unkeep(info *types.Info, e ast.Expr) ast.Expr {
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok || len(call.Args) != 1 || !changesOwner(callee(info, call)) {
		return nil
	}
	return call.Args[0]
}

// needsOpen reports whether f is an operator. The arguments of operators must be open.
func needsOpen(f *types.Func) bool {
	return known(f) && !changesOwner(f)
}

// sameTensor are the operators that return an existing tensor, although their names do
// not end in an underscore.
var sameTensor = append([]string{
	"Grad", "RequiresGrad_", "SetGrad", "SetData", "CopyFrom", "SetIndex",
}, owners...)

// creates reports whether e is a call that returns a new tensor.
func creates(info *types.Info, e ast.Expr) bool {
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok {
		return false
	}
	f := callee(info, call)
	if !known(f) && !isModuleCall(f) {
		return false
	}
	if tv, ok := info.Types[call]; !ok || !isTensor(tv.Type) {
		return false
	}
	name := f.Name()
	return !strings.HasSuffix(name, "_") && !strings.HasSuffix(name, "Out") && !strings.HasSuffix(name, "Into") &&
		!slices.Contains(sameTensor, name)
}

// local returns the variable that e names, if it is a local variable.
func local(info *types.Info, e ast.Expr) *types.Var {
	id, ok := ast.Unparen(e).(*ast.Ident)
	if !ok {
		return nil
	}
	v, ok := info.ObjectOf(id).(*types.Var)
	if !ok || v.IsField() || v.Parent() == nil || v.Pkg() == nil || v.Parent() == v.Pkg().Scope() {
		return nil
	}
	return v
}

// within reports whether v was declared inside n.
func within(v *types.Var, n ast.Node) bool { return n.Pos() <= v.Pos() && v.Pos() < n.End() }

// assigned calls fn for each variable, field or element that n sets, with the expression
// that is assigned to it. value is nil if the target has no expression of its own, as in
// a, b = f().
func assigned(n ast.Node, fn func(target, value ast.Expr)) {
	switch n := n.(type) {
	case *ast.AssignStmt:
		for i, l := range n.Lhs {
			if len(n.Lhs) == len(n.Rhs) {
				fn(l, n.Rhs[i])
			} else {
				fn(l, nil)
			}
		}
	case *ast.ValueSpec:
		for i, l := range n.Names {
			if len(n.Names) == len(n.Values) {
				fn(l, n.Values[i])
			} else {
				fn(l, nil)
			}
		}
	case *ast.RangeStmt:
		for _, l := range []ast.Expr{n.Key, n.Value} {
			if l != nil {
				fn(l, nil)
			}
		}
	case *ast.IncDecStmt:
		fn(n.X, nil)
	}
}

// isAppend returns the arguments of e if it is a call of the builtin append.
func isAppend(info *types.Info, e ast.Expr) (slice ast.Expr, added []ast.Expr) {
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok || len(call.Args) < 2 || call.Ellipsis.IsValid() {
		return nil, nil
	}
	id, ok := ast.Unparen(call.Fun).(*ast.Ident)
	if !ok {
		return nil, nil
	}
	if b, ok := info.Uses[id].(*types.Builtin); !ok || b.Name() != "append" {
		return nil, nil
	}
	return call.Args[0], call.Args[1:]
}

// root returns the variable at the start of x, x.f, x[i] or *x.
func root(info *types.Info, e ast.Expr) *types.Var {
	for {
		switch n := ast.Unparen(e).(type) {
		case *ast.SelectorExpr:
			e = n.X
		case *ast.IndexExpr:
			e = n.X
		case *ast.StarExpr:
			e = n.X
		case *ast.Ident:
			v, _ := info.ObjectOf(n).(*types.Var)
			return v
		default:
			return nil
		}
	}
}

// mentions reports whether the name occurs in n.
func mentions(n ast.Node, name string) bool {
	for n := range ast.Preorder(n) {
		if id, ok := n.(*ast.Ident); ok && id.Name == name {
			return true
		}
	}
	return false
}
