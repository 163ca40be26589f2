package analyzers

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/inspect"
)

// Retained reports losses and outputs that a training loop keeps together with their
// autograd graphs.
var Retained = &analysis.Analyzer{
	Name: "retained",
	Doc: `report losses and outputs that a training loop keeps with their graphs

A tensor that was computed from parameters refers to everything that its gradient
needs. If a loop that calls Backward appends such tensors to a slice, puts them into
a map or adds them up, it keeps one graph per iteration. Keep the number that Item
returns, or the tensor without its graph that Detach returns.`,
	Requires: []*analysis.Analyzer{inspect.Analyzer, functions},
	Run:      runRetained,
}

func runRetained(pass *analysis.Pass) (any, error) {
	if own(pass) {
		return nil, nil
	}
	r := &retaining{p: programOf(pass), perFunc: map[*ast.FuncDecl]*grads{}}
	walk(pass, []ast.Node{(*ast.AssignStmt)(nil), (*ast.CallExpr)(nil), (*ast.SendStmt)(nil)},
		func(n ast.Node, stack []ast.Node) {
			switch n := n.(type) {
			case *ast.CallExpr:
				r.call(n, stack)
			case *ast.SendStmt:
				if r.filled(stack, n.Chan) {
					r.check(stack, n.Chan, n.Value, "a tensor with a graph is sent in a training loop to a channel "+
						"that nothing receives from before the loop ends")
				}
			default:
				assigned(n, func(target, value ast.Expr) { r.assignment(target, value, stack) })
			}
		})
	return nil, nil
}

// retaining finds the tensors that Retained reports.
type retaining struct {
	p       *program
	perFunc map[*ast.FuncDecl]*grads
}

// check reports value if it has a graph and into, a variable or field, keeps it longer
// than the iteration. The message begins with how.
func (r *retaining) check(stack []ast.Node, into, value ast.Expr, how string) {
	kept := r.kept(stack, into, value)
	if kept == nil {
		return
	}
	d := analysis.Diagnostic{
		Pos: value.Pos(), End: value.End(),
		Message: how + ": each iteration's graph stays with it; keep Item() or Detach() instead",
	}
	if _, literal := ast.Unparen(value).(*ast.FuncLit); !literal && isTensor(r.p.info.TypeOf(kept)) &&
		!r.computedWith(into) {
		d.SuggestedFixes = []analysis.SuggestedFix{{
			Message:   "Keep it without its graph",
			TextEdits: []analysis.TextEdit{{Pos: kept.End(), End: kept.End(), NewText: []byte(".Detach()")}},
		}}
	}
	r.p.pass.Report(d)
}

// computedWith reports whether an operator takes into, a slice, as an argument. A
// backward pass from the result may then need the graphs, so no fix is offered.
func (r *retaining) computedWith(into ast.Expr) bool {
	info := r.p.info
	into = containerOf(into)
	v, field := local(info, into), r.p.fieldOf(into)
	found := false
	for _, file := range r.p.pass.Files {
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || found || !needsOpen(callee(info, call)) {
				return !found
			}
			for _, a := range call.Args {
				f := r.p.fieldOf(a)
				found = found ||
					!isTensor(info.TypeOf(a)) && (v != nil && local(info, a) == v || field != nil && f == field)
			}
			return !found
		})
	}
	return found
}

// kept returns the tensor with a graph that into, a variable or field, keeps longer than
// the iteration. The tensor is value or a part of value. kept returns nil if there is
// none.
func (r *retaining) kept(stack []ast.Node, into, value ast.Expr) ast.Expr {
	decl, ok := stackDecl(stack)
	if !ok {
		return nil
	}
	g := r.perFunc[decl]
	if g == nil {
		g = newGrads(r.p, decl)
		r.perFunc[decl] = g
	}
	kept := g.within(value)
	if kept == nil || !r.outlives(stack, into) {
		return nil
	}
	return kept
}

// within returns e if it is a tensor with a graph. If a part of e is such a tensor,
// within returns that part. Otherwise it returns nil.
func (g *grads) within(e ast.Expr) ast.Expr {
	e = ast.Unparen(e)
	switch n := e.(type) {
	case *ast.UnaryExpr:
		if n.Op == token.AND {
			return g.within(n.X)
		}
	case *ast.CompositeLit:
		for _, el := range n.Elts {
			if kv, ok := el.(*ast.KeyValueExpr); ok {
				el = kv.Value
			}
			if kept := g.within(el); kept != nil {
				return kept
			}
		}
	case *ast.CallExpr:
		if t := unkeep(g.info, n); t != nil {
			return g.within(t)
		}
	case *ast.FuncLit:
		return g.captured(n)
	case *ast.Ident:
		if v := local(g.info, n); v != nil && !isTensor(v.Type()) && structOf(v.Type()) != nil && g.structHolds(v, n) {
			return n
		}
	}
	if g.carries(e) {
		return e
	}
	return nil
}

// structHolds reports whether v, a struct or a pointer to one, contains a tensor with a
// graph. This is so if v is set only once, to such a struct, or is a parameter that
// always receives such a struct.
func (g *grads) structHolds(v *types.Var, e ast.Expr) bool {
	if known, ok := g.vars[v]; ok {
		return known
	}
	g.vars[v] = false
	if f := g.p.takes(v); f != nil {
		g.vars[v] = g.everyArgument(f, v, func(g *grads, arg ast.Expr) bool { return g.within(arg) != nil })
	} else if from := g.p.resolve(g.body, e); from != e {
		g.vars[v] = g.within(from) != nil
	}
	return g.vars[v]
}

// captured returns a tensor with a graph that a function literal uses and that was
// created outside of the literal, or nil.
func (g *grads) captured(lit *ast.FuncLit) ast.Expr {
	var kept ast.Expr
	ast.Inspect(lit.Body, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && kept == nil {
			if v := local(g.info, id); v != nil && !within(v, lit) && g.carries(id) {
				kept = id
			}
		}
		return kept == nil
	})
	return kept
}

func (r *retaining) assignment(target, value ast.Expr, stack []ast.Node) {
	info := r.p.info
	if value == nil {
		return
	}
	if slice, added := isAppend(info, value); slice != nil {
		for _, a := range added {
			r.check(stack, target, a, "a tensor with a graph is appended in a training loop")
		}
		return
	}
	if ix, ok := ast.Unparen(target).(*ast.IndexExpr); ok {
		if r.recurs(ix.Index) {
			return // the next step overwrites the element
		}
		r.check(stack, target, value, "a tensor with a graph is stored in a training loop")
		return
	}
	made := ast.Unparen(value)
	if decl, ok := stackDecl(stack); ok {
		made = ast.Unparen(r.p.resolve(decl, made))
	}
	switch n := made.(type) {
	case *ast.UnaryExpr: // such as head = &node{loss, head}
		if lit, ok := n.X.(*ast.CompositeLit); ok && n.Op == token.AND && r.links(lit, target) {
			r.check(stack, target, lit, "a tensor with a graph is put into a chain in a training loop")
		}
	case *ast.CallExpr: // such as total = total.Add(loss)
		recv, name := tensorMethod(info, n)
		if recv == nil || !strings.HasPrefix(name, "Add") || len(n.Args) == 0 {
			return
		}
		switch {
		case r.same(stack, target, recv):
			r.check(stack, target, n.Args[0], "a tensor with a graph is added up across iterations")
		case r.same(stack, target, n.Args[0]):
			r.check(stack, target, recv, "a tensor with a graph is added up across iterations")
		}
	}
}

// same reports whether e is the same expression as target, or a variable that is set to
// target.
func (r *retaining) same(stack []ast.Node, target, e ast.Expr) bool {
	if decl, ok := stackDecl(stack); ok && types.ExprString(target) != types.ExprString(e) {
		e = r.p.resolve(decl, e)
	}
	return types.ExprString(target) == types.ExprString(e)
}

// recurs reports whether an index or key has only few different values, because it is a
// constant or a remainder such as i % n.
func (r *retaining) recurs(key ast.Expr) bool {
	if r.p.info.Types[key].Value != nil {
		return true
	}
	b, ok := ast.Unparen(key).(*ast.BinaryExpr)
	return ok && b.Op == token.REM
}

// links reports whether the struct literal, which is assigned to target, contains
// target's previous value. Then each step makes a chain longer.
func (r *retaining) links(lit *ast.CompositeLit, target ast.Expr) bool {
	for _, el := range lit.Elts {
		if kv, ok := el.(*ast.KeyValueExpr); ok {
			el = kv.Value
		}
		if types.ExprString(el) == types.ExprString(target) {
			return true
		}
	}
	return false
}

func (r *retaining) call(call *ast.CallExpr, stack []ast.Node) {
	recv, name := tensorMethod(r.p.info, call)
	if recv != nil {
		if _, ok := stack[len(stack)-2].(*ast.ExprStmt); ok && strings.HasPrefix(name, "Add") &&
			strings.HasSuffix(name, "_") && len(call.Args) > 0 {
			r.check(stack, recv, call.Args[0], "a tensor with a graph is added up across iterations")
		}
		return
	}
	f := callee(r.p.info, call)
	sel, _ := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	switch {
	case f == nil:
	case sel != nil && isLibraryList(r.p.info.TypeOf(sel.X)) && len(call.Args) > 0:
		if slices.Contains([]string{"PushBack", "PushFront", "Store"}, f.Name()) {
			r.check(stack, sel.X, call.Args[len(call.Args)-1],
				"a tensor with a graph is put into a list in a training loop")
		}
	default:
		r.helper(f, call, sel, stack)
	}
}

// helper examines a call of f, a function that adds its argument to a container. It
// reports the call if the argument has a graph.
func (r *retaining) helper(f *types.Func, call *ast.CallExpr, sel *ast.SelectorExpr, stack []ast.Node) {
	s, ok := r.p.of(f)
	if !ok || s.Keeps == 0 {
		return
	}
	for i, a := range call.Args {
		if s.Keeps&(1<<argument(f.Signature(), i)) == 0 {
			continue
		}
		// for a plain function, the container is a package-level variable, and the
		// function stands for it
		into := call.Fun
		if sel != nil && f.Signature().Recv() != nil {
			into = sel.X
		}
		r.check(stack, into, a, f.Name()+" keeps a tensor with a graph in a training loop")
	}
}

// containerOf returns the slice or map of an element such as list[i]. It returns any
// other expression unchanged.
func containerOf(e ast.Expr) ast.Expr {
	if ix, ok := ast.Unparen(e).(*ast.IndexExpr); ok {
		return ix.X
	}
	return ast.Unparen(e)
}

// rootIdent returns e if e is an identifier, f if e is a selector x.f, and nil otherwise.
func rootIdent(e ast.Expr) *ast.Ident {
	switch n := ast.Unparen(e).(type) {
	case *ast.Ident:
		return n
	case *ast.SelectorExpr:
		return n.Sel
	}
	return nil
}

func callsBackward(info *types.Info, n ast.Node) bool {
	found := false
	ast.Inspect(n, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			_, name := tensorMethod(info, call)
			found = found || strings.HasPrefix(name, "Backward") || named(callee(info, call), torchPath, "Backward")
		}
		return !found
	})
	return found
}
