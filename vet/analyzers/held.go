package analyzers

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// held is the kind of tensors that a value holds when it is added to a container.
type held int

const (
	holdsNothing held = iota // no tensor, or only tensors that something else keeps, or not known
	holdsFreed               // tensors freed at the end of a scope
	holdsTensor              // tensors that are not freed
	holdsMany                // many tensors: a copy of weights, a module, an optimizer or a captured graph
)

// mayHold reports whether a value of type t may contain tensors.
func mayHold(t types.Type) bool {
	if t == nil {
		return false
	}
	if holdsTensors(t) || library(t) {
		return true
	}
	switch u := types.Unalias(t).(type) {
	case *types.TypeParam:
		return true
	case *types.Pointer:
		return mayHold(u.Elem())
	}
	switch u := t.Underlying().(type) {
	case *types.Interface, *types.Signature:
		return true
	case *types.Slice:
		return elementHolds(u.Elem())
	case *types.Struct:
		for i := range u.NumFields() {
			switch f := u.Field(i).Type(); f.Underlying().(type) {
			case *types.Interface, *types.Signature:
				return true
			default:
				if holdsTensors(f) || library(f) {
					return true
				}
			}
		}
	}
	return false
}

// elementHolds is like mayHold, for the element type of a container, but interfaces,
// functions and type parameters do not count.
func elementHolds(t types.Type) bool { return holdsTensors(t) || library(t) }

// library reports whether t is a module, an optimizer or a graph of the library.
func library(t types.Type) bool {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	n, ok := types.Unalias(t).(*types.Named)
	if !ok || n.Obj().Pkg() == nil {
		return false
	}
	switch n.Obj().Pkg().Path() {
	case torchPath:
		return n.Obj().Name() == "Graph" || n.Obj().Name() == "Graphs"
	case nnPath:
		return hasMethod(n, "ModuleBase") || n.Obj().Name() == "StateDict"
	case optimPath:
		return hasMethod(n, "ParamGroups") || n.Obj().Name() == "StateDict"
	}
	return hasMethod(n, "ModuleBase")
}

func hasMethod(n *types.Named, name string) bool {
	var t types.Type = n
	if !types.IsInterface(n) {
		t = types.NewPointer(n)
	}
	obj, _, _ := types.LookupFieldOrMethod(t, true, n.Obj().Pkg(), name)
	_, ok := obj.(*types.Func)
	return ok
}

// heldBy returns the kind of tensors that e contains when the code at s evaluates it.
func (p *program) heldBy(e ast.Expr, s site, depth int) held {
	if e == nil || depth > 6 {
		return holdsNothing
	}
	return p.answers.held.once(questionAbout(e, s, depth), func() held { return p.findHeld(ast.Unparen(e), s, depth) })
}

func (p *program) findHeld(e ast.Expr, s site, depth int) held {
	switch n := e.(type) {
	case *ast.UnaryExpr:
		if n.Op == token.ARROW && mayHold(p.info.TypeOf(n)) {
			return holdsTensor // the code that receives from the channel owns the tensor
		}
		return p.heldBy(n.X, s, depth+1)
	case *ast.CompositeLit:
		most := holdsNothing
		for _, el := range n.Elts {
			if kv, ok := el.(*ast.KeyValueExpr); ok {
				el = kv.Value
			}
			most = max(most, p.heldBy(el, s, depth+1))
		}
		return most
	case *ast.FuncLit:
		return p.heldByLiteral(n, s, depth)
	case *ast.CallExpr:
		return p.heldByCall(n, s, depth)
	case *ast.IndexExpr:
		if v := local(p.info, n.X); v != nil && p.isHook(s.f) && slices.Contains(s.f.params(), v) {
			return holdsTensor // a tensor in the list of results that a hook receives
		}
	case *ast.SelectorExpr:
		if p.replaced(n, s.f) {
			return holdsMany
		}
		if local(p.info, n) == nil && mayHold(p.info.TypeOf(n)) {
			return min(p.heldBy(n.X, s, depth+1), holdsFreed) // a tensor of a batch
		}
	case *ast.Ident:
		if v := local(p.info, n); v != nil && mayHold(v.Type()) {
			return p.heldByVariable(v, s, depth)
		}
	}
	return holdsNothing
}

// replaced reports whether f sets the field that e names to a new module, optimizer or
// graph. Then only the container still refers to the old value.
func (p *program) replaced(e *ast.SelectorExpr, f *function) bool {
	field := p.fieldOf(e)
	if field == nil || !field.IsField() || !library(field.Type()) || f == nil || f.body == nil {
		return false
	}
	found := false
	ast.Inspect(f.body, func(n ast.Node) bool {
		if n != nil {
			assigned(n, func(target, value ast.Expr) {
				call, ok := ast.Unparen(value).(*ast.CallExpr)
				found = found || ok && p.fieldOf(target) == field && p.heldByCall(call, site{f: f}, 0) == holdsMany
			})
		}
		return !found
	})
	return found
}

// born classifies a tensor created at s. It returns holdsFreed if a scope frees the
// tensor, holdsTensor if no scope frees it, and holdsNothing if this is not known.
func (p *program) born(s site) held {
	switch end := p.freed(s); {
	case end.surely:
		return holdsFreed
	case end.perhaps:
		return holdsNothing
	}
	return holdsTensor
}

func (p *program) heldByCall(n *ast.CallExpr, s site, depth int) held {
	if tv := p.info.Types[n.Fun]; tv.IsType() && len(n.Args) == 1 {
		return p.heldBy(n.Args[0], s, depth+1)
	}
	f := callee(p.info, n)
	t := p.info.TypeOf(n)
	switch {
	case t == nil:
		return holdsNothing
	case f == nil:
		return p.heldByValue(n, s, depth)
	case changesOwner(f), isTensor(t) && p.disowns(n):
		return holdsTensor
	case named(f, nnPath, "DeepCopy"), named(f, torchPath, "Capture", "CaptureByShape"), named(f, optimPath,
		"GraphedStep"),
		from(f, nnPath, optimPath) && (strings.HasPrefix(f.Name(), "New") || f.Name() == "Clone"):
		return holdsMany
	case p.creates(n), from(f, utilsPath) && isTensor(t), known(f) && !isTensor(t) && holdsTensors(t):
		return p.born(s)
	}
	if target := p.decls[f.Origin()]; target != nil && !isTensor(t) && mayHold(t) && p.builds(target) {
		if library(t) {
			return holdsMany
		}
		return p.born(s)
	}
	return holdsNothing
}

// heldByValue is like heldBy, for a call of a function value. It returns the maximum over
// all functions that may be called.
func (p *program) heldByValue(n *ast.CallExpr, s site, depth int) held {
	fun := ast.Unparen(n.Fun)
	if p.flows == nil || p.flows.lost[fun] || !mayHold(p.info.TypeOf(n)) {
		return holdsNothing
	}
	most := holdsNothing
	for f := range p.flows.holds[fun] {
		if f.body == nil {
			continue
		}
		eachReturn(f.body, func(r *ast.ReturnStmt) {
			if len(r.Results) != 1 {
				return
			}
			held := p.heldBy(r.Results[0], site{f: f, v: s.v}, depth+1)
			if held != holdsNothing && !p.disowned(f, r.Results[0]) {
				held = p.born(s)
			}
			most = max(most, held)
		})
	}
	return most
}

// heldByVariable is like heldBy, for a local variable. It returns the maximum over all
// values to which the variable is set.
func (p *program) heldByVariable(v *types.Var, s site, depth int) held {
	if depth > 6 {
		return holdsNothing
	}
	if f := p.takes(v); f != nil {
		if p.isHook(f) {
			return holdsTensor
		}
		if f != s.f { // v is a parameter of f, and the code is in a function literal inside f
			s = site{f: f, v: s.v}
		}
		most := holdsNothing
		for _, r := range s.f.runs {
			if arg := argumentFor(s.f, v, r.node); arg != nil && r.by != s.f {
				if next, ok := p.caller(s, r); ok {
					most = max(most, p.heldBy(arg, next, depth+1))
				}
			}
		}
		return most
	}
	if _, ok := v.Type().Underlying().(*types.Signature); ok {
		return p.heldByFunctions(v)
	}
	most := holdsNothing
	decl := p.declAt(v.Pos())
	if decl == nil {
		return holdsNothing
	}
	ast.Inspect(decl, func(n ast.Node) bool {
		if n == nil {
			return false
		}
		if r, ok := n.(*ast.RangeStmt); ok {
			if local(p.info, r.Key) == v || r.Value != nil && local(p.info, r.Value) == v {
				most = max(most, p.heldByRange(r))
			}
			return true
		}
		tuple := false
		if as, ok := n.(*ast.AssignStmt); ok && len(as.Rhs) == 1 && len(as.Lhs) > 1 {
			tuple = true
			for _, l := range as.Lhs {
				if call, ok := ast.Unparen(as.Rhs[0]).(*ast.CallExpr); ok && local(p.info, l) == v &&
					isTensor(v.Type()) {
					if f := callee(p.info, call); known(f) || named(f, nnPath, "Forward") {
						most = max(most, p.born(s))
					}
				}
			}
		}
		if !tuple {
			assigned(n, func(target, value ast.Expr) {
				if local(p.info, target) != v || value == nil {
					return
				}
				if slice, added := isAppend(p.info, value); slice != nil && local(p.info, slice) == v {
					for _, a := range added {
						most = max(most, p.heldBy(a, s, depth+1))
					}
				} else if !mentionsVar(p.info, value, v) {
					most = max(most, p.heldBy(value, s, depth+1))
				}
			})
		}
		return true
	})
	return most
}

// heldByRange is like heldBy, for the variables of a range statement.
func (p *program) heldByRange(r *ast.RangeStmt) held {
	if t := p.info.TypeOf(r.X); t != nil {
		if _, ok := t.Underlying().(*types.Chan); ok {
			return holdsTensor
		}
	}
	if k, ok := stepKind(p.info, r); ok && k == inScope {
		return holdsFreed // a loader's batch
	}
	return holdsNothing
}

// mentionsVar reports whether v occurs in n.
func mentionsVar(info *types.Info, n ast.Node, v *types.Var) bool {
	for n := range ast.Preorder(n) {
		if id, ok := n.(*ast.Ident); ok && info.Uses[id] == v {
			return true
		}
	}
	return false
}

// declAt returns the function declaration that contains pos.
func (p *program) declAt(pos token.Pos) *ast.FuncDecl {
	for _, file := range p.pass.Files {
		for _, d := range file.Decls {
			if fd, ok := d.(*ast.FuncDecl); ok && fd.Pos() <= pos && pos < fd.End() {
				return fd
			}
		}
	}
	return nil
}
