package analyzers

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// flows follows function values of a package from where they are created to where they
// are called. It follows them through variables, fields, slices, maps, parameters and
// results. All values of a struct share one place for a field. All elements of a slice or
// map share the place of the variable or field that holds it.
type flows struct {
	p     *program
	holds map[any]map[*function]bool
	edges map[any][]any
	calls map[any][]call
	lost  map[any]bool // places whose functions code that is not analyzed may call
	serve map[any]bool // places whose functions are passed to package batching
	// places whose functions are registered as hooks; the value is the variable of the
	// module or tensor
	hooks map[any]*types.Var

	forwards map[*function]bool // functions in the field Forward of a torch.Function
}

// result is the place of result i of function f.
type result struct {
	f *function
	i int
}

// call is a place where a function value is called.
type call struct {
	node   *ast.CallExpr
	by     *function
	places []place
	kind   kind
	plain  bool
	into   []any // for each result, the place that stores it
}

// gone is the place of all function values that cannot be followed any further.
type gone struct{}

func newFlows(p *program) *flows {
	fl := &flows{
		p: p, holds: map[any]map[*function]bool{}, edges: map[any][]any{}, calls: map[any][]call{},
		lost: map[any]bool{}, serve: map[any]bool{}, hooks: map[any]*types.Var{}, forwards: map[*function]bool{},
	}
	fl.lost[gone{}] = true
	walkAll(p.pass, []ast.Node{(*ast.FuncLit)(nil), (*ast.Ident)(nil), (*ast.SelectorExpr)(nil), (*ast.CallExpr)(nil)},
		func(n ast.Node, stack []ast.Node) {
			switch n := n.(type) {
			case *ast.FuncLit:
				key := any(n)
				fl.put(key, p.nodes[n])
				fl.sink(key, stack)
			case *ast.Ident:
				if sel, ok := stack[len(stack)-2].(*ast.SelectorExpr); ok && sel.Sel == n {
					return
				}
				fl.value(n, n, stack)
			case *ast.SelectorExpr:
				fl.value(n.Sel, n, stack)
			case *ast.CallExpr:
				fl.callResult(n, stack)
			}
		})
	return fl
}

func (fl *flows) put(key any, f *function) {
	if f == nil {
		return
	}
	if fl.holds[key] == nil {
		fl.holds[key] = map[*function]bool{}
	}
	fl.holds[key][f] = true
}

// value handles the expression e, an identifier or a selector, if it names a declared
// function, or a variable or field that holds functions. id is the name.
func (fl *flows) value(id *ast.Ident, e ast.Expr, stack []ast.Node) {
	switch obj := fl.p.info.Uses[id].(type) {
	case *types.Func:
		obj = obj.Origin()
		for _, f := range fl.targets(obj) {
			fl.put(e, f)
		}
		if fl.holds[e] != nil {
			fl.sink(e, stack)
		}
	case *types.Var:
		if holdsFunctions(obj.Type()) {
			fl.edge(obj.Origin(), e)
			fl.sink(e, stack)
		}
	}
}

// targets returns the package's functions that a call of obj may run. This is obj itself
// or, for an interface method, the methods of the types that implement it.
func (fl *flows) targets(obj *types.Func) []*function {
	if f := fl.p.decls[obj]; f != nil {
		return []*function{f}
	}
	recv := obj.Signature().Recv()
	if recv == nil || obj.Pkg() != fl.p.pass.Pkg {
		return nil
	}
	iface, ok := recv.Type().Underlying().(*types.Interface)
	if !ok {
		return nil
	}
	var found []*function
	for m, f := range fl.p.decls {
		r := m.Signature().Recv()
		if r != nil && m.Name() == obj.Name() && types.Implements(r.Type(), iface) {
			found = append(found, f)
		}
	}
	return found
}

// callResult handles a call of a declared function of the package that returns functions.
func (fl *flows) callResult(n *ast.CallExpr, stack []ast.Node) {
	obj := callee(fl.p.info, n)
	if obj == nil {
		return
	}
	f := fl.p.decls[obj.Origin()]
	if f == nil || f.sig == nil {
		return
	}
	for i := range f.sig.Results().Len() {
		if !holdsFunctions(f.sig.Results().At(i).Type()) {
			continue
		}
		for _, key := range fl.results(n, i, f.sig.Results().Len(), stack) {
			fl.edge(result{f, i}, key)
		}
	}
}

// results returns the places that store result i of the call c, which has n results.
func (fl *flows) results(c *ast.CallExpr, i, n int, stack []ast.Node) []any {
	if n == 1 {
		fl.sink(c, stack)
		return []any{c}
	}
	switch parent := stack[len(stack)-2].(type) {
	case *ast.AssignStmt:
		if len(parent.Lhs) == n {
			return []any{fl.target(parent.Lhs[i])}
		}
	case *ast.ValueSpec:
		if len(parent.Names) == n {
			return []any{fl.target(parent.Names[i])}
		}
	case *ast.ReturnStmt:
		if f, _ := fl.p.around(stack); f != nil {
			return []any{result{f, i}}
		}
	case *ast.ExprStmt:
		return nil
	}
	return []any{gone{}}
}

func (fl *flows) edge(from, to any) {
	if from != to && !slices.Contains(fl.edges[from], to) {
		fl.edges[from] = append(fl.edges[from], to)
	}
}

// sink records what the code around the end of stack does with the functions in key: it
// stores them in a place, calls them, or passes them to a call.
func (fl *flows) sink(key any, stack []ast.Node) {
	i := len(stack) - 1
	for ; i > 0; i-- {
		e, _ := stack[i].(ast.Expr)
		switch n := stack[i-1].(type) {
		case *ast.ParenExpr, *ast.SliceExpr:
			continue
		case *ast.IndexExpr:
			if n.X == e {
				continue
			}
			return
		case *ast.StarExpr:
			continue
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				continue
			}
			if n.Op == token.ARROW {
				continue
			}
			return
		case *ast.KeyValueExpr:
			if n.Value != e {
				return
			}
			lit, ok := stack[i-2].(*ast.CompositeLit)
			if !ok {
				fl.edge(key, gone{})
				return
			}
			if structOf(fl.p.info.TypeOf(lit)) != nil {
				if id, ok := n.Key.(*ast.Ident); ok {
					if id.Name == "Forward" && isFunction(fl.p.info.TypeOf(lit)) {
						for f := range fl.holds[key] {
							fl.forwards[f] = true
						}
					}
					fl.edge(key, fl.field(fl.p.info.ObjectOf(id)))
				}
				return
			}
			i-- // an element shares the place of its literal
			continue
		case *ast.CompositeLit:
			if n.Type == e {
				return
			}
			if s := structOf(fl.p.info.TypeOf(n)); s != nil {
				if at := slices.Index(n.Elts, e); at >= 0 && at < s.NumFields() {
					fl.edge(key, fl.field(s.Field(at)))
				}
				return
			}
			continue
		case *ast.CallExpr:
			if n.Fun == e {
				fl.called(key, n, stack[:i])
				return
			}
			if tv := fl.p.info.Types[n.Fun]; tv.IsType() {
				continue // a conversion
			}
			if id, ok := ast.Unparen(n.Fun).(*ast.Ident); ok {
				if b, ok := fl.p.info.Uses[id].(*types.Builtin); ok {
					if b.Name() == "append" {
						continue
					}
					return
				}
			}
			fl.passed(key, n, slices.Index(n.Args, e), stack[:i])
			return
		case *ast.AssignStmt:
			if at := slices.Index(n.Rhs, e); at >= 0 && len(n.Lhs) == len(n.Rhs) {
				fl.edge(key, fl.target(n.Lhs[at]))
			} else if at == 0 && len(n.Lhs) == 2 { // v, ok := m[k]
				fl.edge(key, fl.target(n.Lhs[0]))
			}
			return
		case *ast.ValueSpec:
			if at := slices.Index(n.Values, e); at >= 0 && len(n.Names) == len(n.Values) {
				fl.edge(key, fl.target(n.Names[at]))
			}
			return
		case *ast.ReturnStmt:
			f, _ := fl.p.around(stack[:i])
			if at := slices.Index(n.Results, e); at >= 0 && f != nil {
				fl.edge(key, result{f, at})
			}
			return
		case *ast.RangeStmt:
			if n.X == e {
				// A range over a function calls this function, with the loop's body as
				// the yield argument.
				if _, ok := fl.p.info.TypeOf(n.X).Underlying().(*types.Signature); ok {
					fl.edge(key, gone{})
				} else if n.Value != nil {
					fl.edge(key, fl.target(n.Value))
				}
			}
			return
		case *ast.BinaryExpr, *ast.IfStmt, *ast.ExprStmt, *ast.Field, *ast.SwitchStmt, *ast.CaseClause:
			return
		case *ast.SendStmt:
			if n.Value == e {
				fl.edge(key, fl.target(n.Chan))
			}
			return
		default:
			fl.edge(key, gone{})
			return
		}
	}
}

// target returns the place in which an assignment to e stores: a variable or field. For
// an element, this is the variable or field that holds its slice or map.
func (fl *flows) target(e ast.Expr) any {
	for {
		switch n := ast.Unparen(e).(type) {
		case *ast.IndexExpr:
			e = n.X
		case *ast.StarExpr:
			e = n.X
		case *ast.Ident:
			if n.Name == "_" {
				return n
			}
			if v, ok := fl.p.info.ObjectOf(n).(*types.Var); ok {
				return fl.variable(v)
			}
			return gone{}
		case *ast.SelectorExpr:
			return fl.field(fl.p.info.ObjectOf(n.Sel))
		default:
			return gone{}
		}
	}
}

// variable returns the place of v, or gone for a variable of a different package. If
// other packages can read v and call its functions, it marks the place as lost.
func (fl *flows) variable(v *types.Var) any {
	pkg := fl.p.pass.Pkg
	if v.Pkg() != pkg {
		return gone{}
	}
	if v.Parent() == pkg.Scope() && v.Exported() && pkg.Name() != "main" {
		fl.lost[v] = true
	}
	return v
}

func (fl *flows) field(obj types.Object) any {
	v, ok := obj.(*types.Var)
	if !ok || v.Pkg() != fl.p.pass.Pkg {
		return gone{}
	}
	v = v.Origin()
	if v.IsField() && v.Exported() && fl.p.pass.Pkg.Name() != "main" && exportedStruct(fl.p.pass.Pkg, v) {
		fl.lost[v] = true
	}
	return v
}

// exportedStruct reports whether field is a field of an exported type of pkg.
func exportedStruct(pkg *types.Package, field *types.Var) bool {
	for _, name := range pkg.Scope().Names() {
		t, ok := pkg.Scope().Lookup(name).(*types.TypeName)
		if !ok || !t.Exported() {
			continue
		}
		if s, ok := t.Type().Underlying().(*types.Struct); ok {
			for i := range s.NumFields() {
				if s.Field(i) == field {
					return true
				}
			}
		}
	}
	return false
}

func structOf(t types.Type) *types.Struct {
	if t == nil {
		return nil
	}
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	s, _ := t.Underlying().(*types.Struct)
	return s
}

// holdsFunctions reports whether t is a function type, or a slice, array, map, channel or
// pointer type of functions.
func holdsFunctions(t types.Type) bool {
	for range 4 {
		switch u := t.Underlying().(type) {
		case *types.Signature:
			return true
		case *types.Slice:
			t = u.Elem()
		case *types.Array:
			t = u.Elem()
		case *types.Map:
			t = u.Elem()
		case *types.Chan:
			t = u.Elem()
		case *types.Pointer:
			t = u.Elem()
		default:
			return false
		}
	}
	return false
}
