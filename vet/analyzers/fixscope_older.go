package analyzers

import (
	"go/ast"
	"go/types"
)

// This file analyzes how the body of a loop uses tensors created before the iteration.

// sets makes the fix impossible if target, which receives tensors from a range statement
// or copy, was not created in the iteration. No edit can wrap these tensors in Keep.
func (s *scoping) sets(target ast.Expr) {
	if target == nil || isBlank(target) || !holdsTensors(s.p.info.TypeOf(target)) {
		return
	}
	if v := root(s.p.info, target); v == nil || !within(v, s.body) {
		s.no = true
	}
}

// usesOlder reports whether n uses a tensor that was created before the iteration.
func (s *scoping) usesOlder(n ast.Node) bool {
	for n := range ast.Preorder(n) {
		if id, ok := n.(*ast.Ident); ok {
			if v, ok := s.p.info.Uses[id].(*types.Var); ok && !v.IsField() && holdsTensors(v.Type()) &&
				!within(v, s.body) {
				return true
			}
		}
	}
	return false
}

// hookWithin reports whether the function literal at the end of stack is a hook on a
// tensor that the body creates. This hook is freed together with the tensor.
func (s *scoping) hookWithin(stack []ast.Node) bool {
	call, ok := stack[len(stack)-2].(*ast.CallExpr)
	if !ok {
		return false
	}
	recv, name := tensorMethod(s.p.info, call)
	v := local(s.p.info, recv)
	return registersHook(name) && v != nil && within(v, s.body)
}

// captures reports whether lit uses a tensor that the body of the loop creates outside of
// lit.
func (s *scoping) captures(lit *ast.FuncLit) bool {
	for n := range ast.Preorder(lit.Body) {
		if id, ok := n.(*ast.Ident); ok {
			if v, ok := s.p.info.Uses[id].(*types.Var); ok && holdsTensors(v.Type()) && within(v, s.body) &&
				!within(v, lit) {
				return true
			}
		}
	}
	return false
}

// generic reports whether f or its receiver's type has type parameters.
func generic(f *types.Func) bool {
	sig := f.Origin().Signature()
	return sig.TypeParams().Len() > 0 || sig.RecvTypeParams().Len() > 0
}
