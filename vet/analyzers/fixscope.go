package analyzers

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// scoping creates the edits that put the body of a loop into a torch.Scope.
type scoping struct {
	p     *program
	decl  ast.Node // the outermost function that contains the loop
	torch string
	body  *ast.BlockStmt
	edits []analysis.TextEdit
	stop  string   // the name of the new variable that is set instead of a break
	done  string   // the name of the new variable that is set instead of a return
	names []string // the names of the new variables for states
	no    bool     // the fix is impossible
}

// scopeFix returns the edit that puts the body of a loop into a torch.Scope. It returns
// nil if the body leaves the loop in a way that a function literal cannot, or if code
// that is not analyzed may store tensors.
func (p *program) scopeFix(loop ast.Node) []analysis.SuggestedFix {
	body := bodyOf(loop)
	if body == nil || len(body.List) == 0 {
		return nil
	}
	s := &scoping{p: p, body: body, torch: p.torchName(body.Pos()), decl: p.outermost(loop)}
	if s.torch == "" || s.decl == nil {
		return nil
	}
	s.walk()
	if s.no {
		return nil
	}
	first, last := "\n"+s.torch+".Scope(func() {", "})\n"
	file := p.pass.Fset.File(body.Pos())
	if file.Line(body.List[0].Pos()) == file.Line(body.Lbrace) {
		first += "\n"
	}
	if file.Line(body.List[len(body.List)-1].End()) == file.Line(body.Rbrace) {
		last = "\n" + last
	}
	if s.stop != "" {
		first = "\n" + s.stop + " := false" + first
		last += "if " + s.stop + " {\nbreak\n}\n"
	}
	if s.done != "" {
		first = "\n" + s.done + " := false" + first
		last += "if " + s.done + " {\nreturn\n}\n"
	}
	edits := append([]analysis.TextEdit{{Pos: body.Lbrace + 1, End: body.Lbrace + 1, NewText: []byte(first)}},
		s.edits...)
	edits = append(edits, analysis.TextEdit{Pos: body.Rbrace, End: body.Rbrace, NewText: []byte(last)})
	return []analysis.SuggestedFix{{Message: "Open a scope in the loop", TextEdits: edits}}
}

// outermost returns the function declaration that contains a loop. If there is none, it
// returns the outermost function literal.
func (p *program) outermost(loop ast.Node) ast.Node {
	var out ast.Node
	for n := range p.nodes {
		if n.Pos() <= loop.Pos() && loop.End() <= n.End() && (out == nil || n.Pos() < out.Pos()) {
			out = n
		}
	}
	return out
}

func (s *scoping) walk() {
	var stack []ast.Node
	ast.Inspect(s.body, func(n ast.Node) bool {
		if n == nil {
			stack = stack[:len(stack)-1]
			return true
		}
		stack = append(stack, n)
		s.node(n, stack)
		return true
	})
}

func (s *scoping) node(n ast.Node, stack []ast.Node) {
	switch n := n.(type) {
	case *ast.ReturnStmt:
		if !insideLiteral(stack) {
			s.leaves(n)
		}
	case *ast.LabeledStmt, *ast.GoStmt:
		s.no = true
	case *ast.DeferStmt:
		if !insideLiteral(stack) && (s.p.closesOnly(n.Call) == "" || s.usesOlder(n.Call)) {
			// the deferred call would run at the end of the iteration, before the next
			// iteration uses its tensors
			s.no = true
		}
	case *ast.BranchStmt:
		s.branch(n, stack)
	case *ast.AssignStmt:
		for i, target := range n.Lhs {
			if len(n.Lhs) == len(n.Rhs) {
				s.assign(n, target, n.Rhs[i])
			} else {
				s.assign(n, target, nil)
			}
		}
	case *ast.RangeStmt:
		if n.Tok == token.ASSIGN {
			s.sets(n.Key)
			s.sets(n.Value)
		}
	case *ast.SendStmt:
		s.escapes(n.Value, "Disown")
	case *ast.CallExpr:
		s.call(n)
	case *ast.FuncLit:
		if len(stack) > 1 && !s.p.runsAtOnce(n, stack[:len(stack)-1]) && s.captures(n) && !s.hookWithin(stack) {
			s.no = true
		}
	}
}

// assign handles an assignment in the body. If a tensor is stored in a variable outside
// of the body, it must outlive the new scope.
func (s *scoping) assign(n *ast.AssignStmt, target, value ast.Expr) {
	info := s.p.info
	t := info.TypeOf(target)
	if isBlank(target) || t == nil {
		return
	}
	if !holdsTensors(t) {
		// The target may be an interface that holds a tensor. No edit can keep such a
		// tensor.
		s.no = s.no || value != nil && holdsTensors(info.TypeOf(value))
		return
	}
	v := root(info, target)
	if v == nil {
		s.no = true
		return
	}
	if within(v, s.body) && (local(info, target) != nil || plainValue(v.Type())) {
		return
	}
	if value == nil || !isTensor(t) && !isAppended(info, value) {
		s.no = true
		return
	}
	if _, added := isAppend(info, value); added != nil {
		for _, a := range added {
			s.escapes(a, "Keep")
		}
		return
	}
	if isNil(value) {
		return
	}
	if local(info, target) == nil || v.Parent() == s.p.pass.Pkg.Scope() {
		s.escapes(value, "Disown")
		return
	}
	if s.replaces(v) && len(n.Lhs) == 1 && n.Tok == token.ASSIGN && s.p.madeByOperator(value) {
		// Nothing else refers to the state of the previous step, so the edit closes that
		// state.
		if name := s.next(v); name != "" {
			s.names = append(s.names, name)
			s.edits = append(s.edits,
				analysis.TextEdit{Pos: n.Pos(), End: value.Pos(), NewText: []byte(name + " := " + s.torch + ".Keep(")},
				analysis.TextEdit{
					Pos: value.End(), End: n.End(),
					NewText: []byte(")\n" + v.Name() + ".Close()\n" + v.Name() + " = " + name),
				})
			return
		}
	}
	s.escapes(value, "Keep")
}

// next returns an unused name for the variable that holds the next value of v, or "" if
// all candidates are used.
func (s *scoping) next(v *types.Var) string {
	name := "next" + strings.ToUpper(v.Name()[:1]) + v.Name()[1:]
	for _, n := range []string{"next", name, name + "2", name + "3"} {
		if !slices.Contains(s.names, n) && freeName(s.decl, n) != "" {
			return n
		}
	}
	return ""
}

func isAppended(info *types.Info, e ast.Expr) bool {
	_, added := isAppend(info, e)
	return added != nil
}

// replaces reports whether each tensor that v holds was created for v and is not kept
// elsewhere. Then the previous tensor can be closed when v is set.
func (s *scoping) replaces(v *types.Var) bool {
	f := s.p.nodes[s.decl]
	if f == nil || f.body == nil || !within(v, f.body) || s.p.captured(f.body, v) {
		return false
	}
	if !s.p.madeFrom(f, v, s.p.creates) {
		return false
	}
	fine := true
	eachUse(s.p.info, f.body, v, func(stack []ast.Node) {
		if as, ok := stack[len(stack)-2].(*ast.AssignStmt); ok &&
			slices.Contains(as.Lhs, stack[len(stack)-1].(ast.Expr)) {
			return
		}
		u := s.p.use(stack)
		if stack[len(stack)-1].Pos() > s.body.End() {
			u &^= closes // closing v after the loop closes only the last tensor
		}
		fine = fine && u&^(looks|returns) == 0
	})
	return fine
}

// escapes wraps e, a tensor that must outlive the scope, in a call of Keep or Disown, the
// values that how may have.
func (s *scoping) escapes(e ast.Expr, how string) {
	t := s.p.info.TypeOf(e)
	switch {
	case !holdsTensors(t):
	case !isTensor(t):
		s.no = true
	case unkeep(s.p.info, e) != nil || s.older(e):
	default:
		s.edits = append(s.edits, wrap(e, s.torch+"."+how)...)
	}
}

// older reports whether e names a tensor that existed before the iteration.
func (s *scoping) older(e ast.Expr) bool {
	if _, ok := ast.Unparen(e).(*ast.CallExpr); ok {
		return false
	}
	v := root(s.p.info, e)
	return v != nil && !within(v, s.body)
}

// hands reports whether n calls a method with tensors as arguments on a value from
// outside the body. The method may store the tensors.
func (s *scoping) hands(n *ast.CallExpr, f *types.Func) bool {
	sel, ok := ast.Unparen(n.Fun).(*ast.SelectorExpr)
	if !ok || known(f) || f.Signature().Recv() == nil || slices.Contains([]string{"Forward", "Call", "Call2", "CallN"},
		f.Name()) {
		return false
	}
	if v := root(s.p.info, sel.X); v != nil && within(v, s.body) {
		return false
	}
	return slices.ContainsFunc(n.Args, func(a ast.Expr) bool { return holdsTensors(s.p.info.TypeOf(a)) })
}

// call makes the fix impossible if the function that n calls may store tensors and is not
// analyzed.
func (s *scoping) call(n *ast.CallExpr) {
	info := s.p.info
	if tv := info.Types[n.Fun]; tv.IsType() || tv.IsBuiltin() {
		id, _ := ast.Unparen(n.Fun).(*ast.Ident)
		switch {
		case !tv.IsBuiltin() || id == nil:
		case id.Name == "recover":
			s.no = true
		case id.Name == "copy":
			s.sets(n.Args[0])
		}
		return
	}
	f := callee(info, n)
	if f != nil && generic(f) && !known(f) && slices.ContainsFunc(n.Args, func(a ast.Expr) bool {
		return holdsTensors(info.TypeOf(a))
	}) {
		s.no = true // the type of a generic parameter does not tell whether it holds tensors
		return
	}
	if k, _ := knownRunner(f); k == inGoroutine {
		s.no = true
		return
	}
	if known(f) || f != nil && f.Pkg() != nil &&
		(f.Pkg().Path()+"/" == module || strings.HasPrefix(f.Pkg().Path(), module)) && s.p.pass.Pkg != f.Pkg() {
		s.no = s.no || s.hands(n, f)
		return
	}
	if _, ok := n.Fun.(*ast.FuncLit); ok {
		return
	}
	all := s.p.callees(n)
	for _, c := range all {
		if c.Stashes {
			s.no = true
		}
	}
	if len(all) > 0 {
		return
	}
	if f == nil || f.Pkg() == nil {
		s.no = s.no || f == nil
		return
	}
	// A type of a different package that contains no tensors cannot store any.
	if f.Pkg() == s.p.pass.Pkg {
		if s.p.decls[f.Origin()] == nil {
			s.no = true // a method of an interface, so the code that runs is not known
		}
		return
	}
	for _, a := range n.Args {
		if holdsTensors(info.TypeOf(a)) && !from(f, "fmt", "log") {
			s.no = true
		}
	}
	if usesTensors(f.Pkg()) {
		s.no = true
	}
}
