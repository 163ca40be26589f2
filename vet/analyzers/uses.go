package analyzers

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// uses returns all the ways in which n uses the tensor in v.
func (p *program) uses(n ast.Node, v *types.Var) usage {
	var u usage
	eachUse(p.info, n, v, func(stack []ast.Node) { u |= p.use(stack) })
	return u
}

// eachUse calls fn for each identifier in n that refers to v. stack contains the nodes
// from n to this identifier.
func eachUse(info *types.Info, n ast.Node, v *types.Var, fn func(stack []ast.Node)) {
	var stack []ast.Node
	ast.Inspect(n, func(n ast.Node) bool {
		if n == nil {
			stack = stack[:len(stack)-1]
			return true
		}
		stack = append(stack, n)
		if id, ok := n.(*ast.Ident); ok && info.Uses[id] == v {
			fn(stack)
		}
		return true
	})
}

// use returns how the code around the last node of stack uses the tensor that this node
// names.
func (p *program) use(stack []ast.Node) usage {
	for i := len(stack) - 1; i > 0; i-- {
		e, ok := stack[i].(ast.Expr)
		if !ok {
			return anything
		}
		switch n := stack[i-1].(type) {
		case *ast.ParenExpr:
			continue
		case *ast.SelectorExpr:
			if i < 2 {
				return anything
			}
			call, ok := stack[i-2].(*ast.CallExpr)
			if !ok || call.Fun != ast.Expr(n) {
				return anything
			}
			return p.method(call, n.Sel.Name, stack[:i-1])
		case *ast.CallExpr:
			return p.passedTo(n, e, stack[:i])
		case *ast.BinaryExpr:
			return looks
		case *ast.ReturnStmt:
			return returns
		case *ast.AssignStmt:
			at := slices.Index(n.Rhs, e)
			switch {
			case at < 0 || len(n.Lhs) != len(n.Rhs):
				return anything
			case isBlank(n.Lhs[at]):
				return looks
			case p.adds(n.Lhs[at], stack[:i]):
				return keeps
			}
			return anything
		case *ast.SendStmt:
			return keeps
		case *ast.KeyValueExpr, *ast.CompositeLit, *ast.UnaryExpr:
			// The tensor becomes part of a value, which may be added to a container.
			if p.composed(stack[:i]) {
				return keeps
			}
			return anything
		default:
			return anything
		}
	}
	return anything
}

// method returns how a method call, the last node of stack, uses its receiver. name is
// the name of the method.
func (p *program) method(call *ast.CallExpr, name string, stack []ast.Node) usage {
	switch {
	case name == "Close":
		return closes
	case strings.HasSuffix(name, "_"):
		// An in-place operator returns its receiver. If that result is unused, the tensor
		// is only read.
		if len(stack) > 1 {
			if _, ok := stack[len(stack)-2].(*ast.ExprStmt); ok {
				return looks
			}
		}
		return anything
	case name == "SetRequiresGrad", name == "CopyFrom", name == "SetIndex":
		if len(stack) > 1 {
			if _, ok := stack[len(stack)-2].(*ast.ExprStmt); ok {
				return looks
			}
		}
		return anything
	case registersHook(name): // the hook keeps the tensor alive
		return anything
	}
	return looks
}

// passedTo returns how the call n, the last node of stack, uses its argument e.
func (p *program) passedTo(n *ast.CallExpr, e ast.Expr, stack []ast.Node) usage {
	at := slices.Index(n.Args, e)
	if at < 0 {
		return anything
	}
	f := callee(p.info, n)
	switch {
	case changesOwner(f):
		return p.owned(stack)
	case known(f) && !strings.HasSuffix(f.Name(), "Out") && !strings.HasSuffix(f.Name(), "Into"):
		return looks
	case isModuleCall(f), from(f, "fmt", "log"):
		return looks
	}
	if _, added := isAppend(p.info, n); added != nil {
		return p.use(stack)
	}
	if f != nil && f.Name() == "PushBack" && from(f, "container/list") {
		return keeps
	}
	all := p.callees(n)
	if len(all) == 0 {
		return anything
	}
	sig, _ := p.info.TypeOf(n.Fun).Underlying().(*types.Signature)
	if f != nil {
		sig = f.Signature()
	}
	bit := uint64(1) << argument(sig, at)
	var u usage
	for _, s := range all {
		switch {
		case s.Keeps&bit != 0:
			u |= keeps
		case s.Closes&bit != 0:
			u |= closes
		case s.Looks&bit != 0:
			u |= looks
		default:
			u |= anything
		}
	}
	return u
}

// owned returns how the code uses the result of a call of Keep or Disown, which is the
// last node of stack.
func (p *program) owned(stack []ast.Node) usage {
	if len(stack) > 1 {
		if _, ok := stack[len(stack)-2].(*ast.ExprStmt); ok {
			return anything
		}
	}
	u := p.use(stack)
	if u == looks {
		return anything
	}
	return u
}

// adds reports whether the assignment at the end of stack adds an element to target.
// target is a slice or map that was not created in the code at the start of stack. A
// container from which code removes elements does not count.
func (p *program) adds(target ast.Expr, stack []ast.Node) bool {
	if v := root(p.info, target); v == nil || within(v, stack[0]) || p.shrinks(target) {
		return false
	}
	if n, ok := stack[len(stack)-1].(*ast.AssignStmt); ok {
		for i, l := range n.Lhs {
			if l == target && i < len(n.Rhs) {
				if slice, _ := isAppend(p.info, n.Rhs[i]); slice != nil {
					return types.ExprString(slice) == types.ExprString(target)
				}
			}
		}
	}
	return isMapElement(p.info, target)
}

// shrinks reports whether some code removes elements from target, or from the container
// that target is an element of.
func (p *program) shrinks(target ast.Expr) bool {
	if ix, ok := ast.Unparen(target).(*ast.IndexExpr); ok {
		target = ix.X
	}
	id, _ := ast.Unparen(target).(*ast.Ident)
	if sel, ok := ast.Unparen(target).(*ast.SelectorExpr); ok {
		id = sel.Sel
	}
	if id == nil {
		return true
	}
	v, _ := p.info.ObjectOf(id).(*types.Var)
	c := p.containers[v]
	return c != nil && c.shrinks
}

func isMapElement(info *types.Info, e ast.Expr) bool {
	ix, ok := ast.Unparen(e).(*ast.IndexExpr)
	if !ok {
		return false
	}
	t := info.TypeOf(ix.X)
	if t == nil {
		return false
	}
	_, ok = t.Underlying().(*types.Map)
	return ok
}

// composed reports whether the composite literal around the end of stack is added to a
// container.
func (p *program) composed(stack []ast.Node) bool {
	for i := len(stack) - 1; i > 0; i-- {
		switch n := stack[i-1].(type) {
		case *ast.KeyValueExpr, *ast.CompositeLit, *ast.ParenExpr:
			continue
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				continue
			}
			return false
		case *ast.CallExpr:
			if _, added := isAppend(p.info, n); added != nil {
				return p.use(stack[:i]) == keeps
			}
			e, ok := stack[i].(ast.Expr)
			return ok && p.passedTo(n, e, stack[:i]) == keeps
		case *ast.AssignStmt:
			e, ok := stack[i].(ast.Expr)
			at := slices.Index(n.Rhs, e)
			return ok && at >= 0 && len(n.Lhs) == len(n.Rhs) && p.adds(n.Lhs[at], stack[:i])
		case *ast.SendStmt:
			return true
		default:
			return false
		}
	}
	return false
}
