package analyzers

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"
)

// parameter reports whether e is a parameter of a module: the weight or bias of a layer,
// or an element of a list of parameters.
func (p *program) parameter(e ast.Expr) bool {
	e = ast.Unparen(e)
	if ix, ok := e.(*ast.IndexExpr); ok {
		return p.parameterList(ix.X, 0)
	}
	if sel, ok := e.(*ast.SelectorExpr); ok {
		if v := p.fieldOf(sel); v == nil || !v.IsField() {
			return false
		} else if v.Pkg() != nil && v.Pkg().Path() == nnPath && library(p.info.TypeOf(sel.X)) {
			return strings.HasPrefix(v.Name(), "Weight") || strings.HasPrefix(v.Name(), "Bias")
		}
		e = sel.X // e is a field of an nn.NamedTensor
	}
	v := local(p.info, e)
	if v == nil {
		return false
	}
	found := false
	if decl := p.declAt(v.Pos()); decl != nil {
		ast.Inspect(decl, func(n ast.Node) bool {
			if r, ok := n.(*ast.RangeStmt); ok && r.Value != nil && local(p.info, r.Value) == v {
				found = found || p.parameterList(r.X, 0)
			}
			return !found
		})
	}
	return found
}

// parameterList reports whether e is a list of parameters: the result of Parameters, a
// variable or field that is only set to such lists, or a function's parameter that always
// receives such a list.
func (p *program) parameterList(e ast.Expr, depth int) bool {
	if depth > 6 {
		return false
	}
	return p.answers.lists.once(questionAbout(e, site{}, depth), func() bool { return p.findParameterList(e, depth) })
}

func (p *program) findParameterList(e ast.Expr, depth int) bool {
	all := func(es []ast.Expr) bool {
		return len(es) > 0 && !slices.ContainsFunc(es, func(e ast.Expr) bool { return !p.parameterList(e, depth+1) })
	}
	switch n := ast.Unparen(e).(type) {
	case *ast.CallExpr:
		f := callee(p.info, n)
		if f == nil {
			id, ok := ast.Unparen(n.Fun).(*ast.Ident)
			return ok && id.Name == "append" && n.Ellipsis.IsValid() && all(n.Args)
		}
		if named(f, nnPath, "Parameters", "NamedParameters") {
			return true
		}
		target := p.decls[f.Origin()]
		if target == nil || target.body == nil || target.sig.Results().Len() != 1 {
			return false
		}
		var results []ast.Expr
		eachReturn(target.body, func(r *ast.ReturnStmt) { results = append(results, r.Results...) })
		return all(results)
	case *ast.SelectorExpr:
		if v := p.fieldOf(n); v != nil && v.IsField() {
			return all(p.fieldValues[v.Origin()])
		}
	case *ast.Ident:
		v := local(p.info, n)
		if v == nil {
			return false
		}
		if f := p.takes(v); f != nil {
			var args []ast.Expr
			for _, r := range f.runs {
				arg := argumentFor(f, v, r.node)
				if arg == nil {
					return false
				}
				args = append(args, arg)
			}
			return all(args)
		}
		if decl := p.declAt(v.Pos()); decl != nil {
			if from := p.resolve(decl, n); from != ast.Expr(n) {
				return p.parameterList(from, depth+1)
			}
		}
	}
	return false
}

// findFieldValues collects, for each field, the values that code of the package assigns
// to it.
func (p *program) findFieldValues() {
	p.fieldValues = map[*types.Var][]ast.Expr{}
	add := func(v *types.Var, value ast.Expr) {
		if v != nil && v.IsField() && value != nil {
			p.fieldValues[v.Origin()] = append(p.fieldValues[v.Origin()], value)
		}
	}
	for _, file := range p.pass.Files {
		ast.Inspect(file, func(n ast.Node) bool {
			if n == nil {
				return false
			}
			assigned(n, func(target, value ast.Expr) { add(p.fieldOf(target), value) })
			lit, ok := n.(*ast.CompositeLit)
			if !ok {
				return true
			}
			s := structOf(p.info.TypeOf(lit))
			if s == nil {
				return true
			}
			for i, el := range lit.Elts {
				if kv, ok := el.(*ast.KeyValueExpr); ok {
					id, _ := kv.Key.(*ast.Ident)
					v, _ := p.info.ObjectOf(id).(*types.Var)
					add(v, kv.Value)
				} else if i < s.NumFields() {
					add(s.Field(i), el)
				}
			}
			return true
		})
	}
}
