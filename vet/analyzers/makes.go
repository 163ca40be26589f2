package analyzers

import (
	"go/ast"
	"go/types"
)

// makes returns which results of f are new tensors at every return statement: bit i
// stands for result i. leaf is true if f has only one result and that result requires
// gradients.
func (p *program) makes(f *function) (made uint64, leaf bool) {
	n := f.sig.Results().Len()
	for i := range min(n, 63) {
		if isTensor(f.sig.Results().At(i).Type()) {
			made |= 1 << i
		}
	}
	if made == 0 {
		return 0, false
	}
	some := false
	leaf = n == 1
	eachReturn(f.body, func(r *ast.ReturnStmt) {
		if len(r.Results) != n {
			made, leaf = 0, false
			return
		}
		for i, e := range r.Results {
			if isNil(e) {
				continue
			}
			if made&(1<<i) != 0 && !p.fresh(f.body, e, 0) {
				made &^= 1 << i
			}
			some = true
		}
		leaf = leaf && p.leaf(f.body, r.Results[0])
	})
	if !some {
		return 0, false
	}
	return made, leaf
}

// eachReturn calls fn with each return statement of a function. It skips return
// statements of function literals inside the function.
func eachReturn(body *ast.BlockStmt, fn func(*ast.ReturnStmt)) {
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.ReturnStmt:
			fn(n)
		}
		return true
	})
}

// creates reports whether e is a call that returns a new tensor to which nothing else
// refers.
func (p *program) creates(e ast.Expr) bool {
	if creates(p.info, e) {
		return true
	}
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok || !isTensor(p.info.TypeOf(call)) {
		return false
	}
	f := callee(p.info, call)
	if named(f, torchPath, "Tidy") {
		return true
	}
	all := p.callees(call)
	for _, s := range all {
		if s.Makes&1 == 0 {
			return false
		}
	}
	return len(all) > 0
}

// fresh reports whether e is a tensor that body creates and stores only in local
// variables.
func (p *program) fresh(body ast.Node, e ast.Expr, depth int) bool {
	if depth > 3 {
		return false
	}
	if t := unkeep(p.info, e); t != nil {
		return p.fresh(body, t, depth+1)
	}
	if call, ok := ast.Unparen(e).(*ast.CallExpr); ok {
		if recv, name := tensorMethod(p.info, call); recv != nil && name == "RequiresGrad_" {
			return p.fresh(body, recv, depth+1)
		}
		if named(callee(p.info, call), torchPath, "Tidy") {
			return true
		}
		return p.creates(e)
	}
	v := local(p.info, e)
	if v == nil || !within(v, body) {
		return false
	}
	sets, made := 0, 0
	ast.Inspect(body, func(n ast.Node) bool {
		if n != nil {
			assigned(n, func(target, value ast.Expr) {
				if local(p.info, target) == v && (value != nil || !isSpec(n)) {
					sets++
					if value != nil && p.fresh(body, value, depth+1) {
						made++
					}
				}
			})
		}
		return true
	})
	return sets > 0 && sets == made && p.uses(body, v)&^(looks|returns|closes) == 0
}

func isSpec(n ast.Node) bool {
	_, ok := n.(*ast.ValueSpec)
	return ok
}

// leaf reports whether e is a tensor that the program creates and that requires
// gradients.
func (p *program) leaf(body ast.Node, e ast.Expr) bool {
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok {
		v := local(p.info, e)
		if body == nil || !isTensor(p.info.TypeOf(e)) {
			return false
		}
		if v == nil {
			return p.packageLeaf(e)
		}
		found := false
		ast.Inspect(body, func(n ast.Node) bool {
			switch n := n.(type) {
			case nil:
				return false
			case *ast.CallExpr:
				if recv, name := tensorMethod(p.info, n); recv != nil && local(p.info, recv) == v &&
					asksGradient(p.info, n, name) {
					found = true
				}
			default:
				assigned(n, func(target, value ast.Expr) {
					if value == nil || local(p.info, target) != v {
						return
					}
					if c, ok := ast.Unparen(value).(*ast.CallExpr); ok {
						found = found || p.leaf(nil, c)
					}
				})
			}
			return !found
		})
		return found
	}
	if recv, name := tensorMethod(p.info, call); recv != nil {
		return asksGradient(p.info, call, name)
	}
	if s, ok := p.of(callee(p.info, call)); ok {
		return s.Leaf
	}
	return known(callee(p.info, call)) && optionIsOn(call, "RequiresGrad")
}

// packageLeaf reports whether e is a package-level variable whose initial value requires
// gradients.
func (p *program) packageLeaf(e ast.Expr) bool {
	id, ok := ast.Unparen(e).(*ast.Ident)
	if !ok {
		return false
	}
	for _, file := range p.pass.Files {
		for _, d := range file.Decls {
			gen, ok := d.(*ast.GenDecl)
			if !ok {
				continue
			}
			for _, spec := range gen.Specs {
				vs, ok := spec.(*ast.ValueSpec)
				if !ok || len(vs.Names) != len(vs.Values) {
					continue
				}
				for i, name := range vs.Names {
					if p.info.Defs[name] == p.info.Uses[id] && p.info.Uses[id] != nil {
						c, ok := ast.Unparen(vs.Values[i]).(*ast.CallExpr)
						return ok && p.leaf(nil, c)
					}
				}
			}
		}
	}
	return false
}

// asksGradient reports whether call makes a tensor require gradients. name is the name of
// the called method.
func asksGradient(info *types.Info, call *ast.CallExpr, name string) bool {
	if name == "RequiresGrad_" && len(call.Args) == 0 {
		return true
	}
	return (name == "RequiresGrad_" || name == "SetRequiresGrad") && len(call.Args) == 1 &&
		types.ExprString(call.Args[0]) == "true"
}
