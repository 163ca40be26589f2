package analyzers

import (
	"go/ast"
	"go/types"
)

// This file finds out how a loop's body uses values from before the iteration.

// sets makes the fix impossible if target receives tensors in a way that no edit can
// wrap, unless target was created in the iteration.
func (s *scoping) sets(target ast.Expr) {
	if target == nil || isBlank(target) || !holdsTensors(s.p.info.TypeOf(target)) {
		return
	}
	if v := root(s.p.info, target); v == nil || !within(v, s.body) {
		s.no = true
	}
}

// usesOlder reports whether n names tensors from before the iteration.
func (s *scoping) usesOlder(n ast.Node) bool {
	found := false
	ast.Inspect(n, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			if v, ok := s.p.info.Uses[id].(*types.Var); ok && !v.IsField() && holdsTensors(v.Type()) &&
				!within(v, s.body) {
				found = true
			}
		}
		return !found
	})
	return found
}

// hookWithin reports whether the literal at the end of stack is a hook of a tensor that
// the body creates. Such a hook is freed with its tensor.
func (s *scoping) hookWithin(stack []ast.Node) bool {
	call, ok := stack[len(stack)-2].(*ast.CallExpr)
	if !ok {
		return false
	}
	recv, name := tensorMethod(s.p.info, call)
	v := local(s.p.info, recv)
	return registersHook(name) && v != nil && within(v, s.body)
}

// captures reports whether a function literal uses a tensor of the enclosing body.
func (s *scoping) captures(lit *ast.FuncLit) bool {
	found := false
	ast.Inspect(lit.Body, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			if v, ok := s.p.info.Uses[id].(*types.Var); ok && holdsTensors(v.Type()) && within(v, s.body) &&
				!within(v, lit) {
				found = true
			}
		}
		return !found
	})
	return found
}

// generic reports whether a function, or its receiver's type, has type parameters.
func generic(f *types.Func) bool {
	sig := f.Origin().Signature()
	return sig.TypeParams().Len() > 0 || sig.RecvTypeParams().Len() > 0
}
