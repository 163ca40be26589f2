package analyzers

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// container is a variable or field that holds tensors in a slice, a map, a channel, a
// container/list.List or a sync.Map. A field counts as one container for all values of
// its struct.
type container struct {
	obj     *types.Var
	growths []growth
	reads   []growth     // places that read c[key]; they do not count for used
	shrinks bool         // some code removes elements or sets the container to a new value
	used    bool         // code reads elements in another way, or passes the container on
	seen    []growth     // all places that read elements
	escapes bool         // code that is not analyzed may remove elements
	lent    []*types.Var // parameters of the functions that the container is passed to
}

// growth is a place in the code that adds to a container or reads from it.
type growth struct {
	value  ast.Expr
	key    ast.Expr // of a map
	f      *function
	places []place
	stack  []ast.Node
}

// findContainers finds the containers of the package and all their uses.
func (p *program) findContainers() {
	p.containers = map[*types.Var]*container{}
	walkAll(p.pass, []ast.Node{(*ast.Ident)(nil)}, func(n ast.Node, stack []ast.Node) {
		v, ok := p.info.Uses[n.(*ast.Ident)].(*types.Var)
		if !ok || v.Pkg() != p.pass.Pkg {
			return
		}
		v = v.Origin()
		stack = slices.Clone(stack)
		if sel, ok := stack[len(stack)-2].(*ast.SelectorExpr); ok && sel.Sel == n {
			stack = stack[:len(stack)-1]
		}
		t := v.Type()
		if ptr, ok := t.Underlying().(*types.Pointer); ok && !isLibraryList(t) {
			t = ptr.Elem()
			stack = dereferenced(stack)
			if stack == nil {
				return // the pointer itself
			}
		}
		if !isContainer(t) {
			return
		}
		c := p.containers[v]
		if c == nil {
			c = &container{obj: v, used: p.foreign(v), escapes: p.elsewhere(v)}
			p.containers[v] = c
		}
		if p.unused(stack) {
			return
		}
		before := c.shrinks
		p.event(c, stack)
		if c.shrinks && !before && p.copied(stack[len(stack)-1].(ast.Expr)) {
			c.shrinks = false
		}
		p.sees(c, stack)
	})
	walkAll(p.pass, []ast.Node{(*ast.AssignStmt)(nil)}, func(n ast.Node, stack []ast.Node) {
		p.replacesOwner(n.(*ast.AssignStmt), stack)
	})
	// If a function removes elements from its parameter, it also removes them from the
	// argument.
	for changed := true; changed; {
		changed = false
		for _, c := range p.containers {
			for _, v := range c.lent {
				if q := p.containers[v]; q != nil && (q.shrinks && !c.shrinks || q.escapes && !c.escapes) {
					c.shrinks, c.escapes, changed = c.shrinks || q.shrinks, c.escapes || q.escapes, true
				}
			}
		}
	}
}

// elsewhere reports whether code that is not analyzed can remove elements of container v.
// This may be code of another package, or the caller that passed v as a slice. A caller
// that passed a pointer or a map does not count: its own container is checked as well.
func (p *program) elsewhere(v *types.Var) bool {
	if !p.foreign(v) {
		return false
	}
	if v.IsField() || v.Parent() == p.pass.Pkg.Scope() {
		return true
	}
	switch v.Type().Underlying().(type) {
	case *types.Pointer, *types.Map:
		return false
	}
	return true
}

// dereferenced returns the part of stack that ends with the dereference of e, a pointer
// that is the last node of stack. The dereference is *e or (*e). It returns nil if e is
// not dereferenced.
func dereferenced(stack []ast.Node) []ast.Node {
	n := len(stack)
	if _, ok := stack[n-2].(*ast.StarExpr); !ok {
		return nil
	}
	if _, ok := stack[n-3].(*ast.ParenExpr); ok {
		return stack[:n-2]
	}
	return stack[:n-1]
}

// foreign reports whether code that is not analyzed can access v: an exported field or
// variable, a parameter, or a result.
func (p *program) foreign(v *types.Var) bool {
	if v.IsField() {
		return v.Exported() && p.pass.Pkg.Name() != "main" && exportedStruct(p.pass.Pkg, v)
	}
	if v.Parent() == p.pass.Pkg.Scope() {
		return v.Exported() && p.pass.Pkg.Name() != "main"
	}
	for _, f := range p.nodes {
		if slices.Contains(f.params(), v) {
			return true
		}
		if f.sig != nil {
			for i := range f.sig.Results().Len() {
				if f.sig.Results().At(i) == v {
					return true
				}
			}
		}
	}
	return false
}

func isContainer(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Slice:
		return mayHold(u.Elem())
	case *types.Map:
		return mayHold(u.Elem())
	case *types.Chan:
		return holdsTensors(t)
	}
	return isLibraryList(t)
}

// isLibraryList reports whether t is a list or map type of the standard library.
func isLibraryList(t types.Type) bool {
	if ptr, ok := types.Unalias(t).(*types.Pointer); ok {
		t = ptr.Elem()
	}
	n, ok := types.Unalias(t).(*types.Named)
	if !ok || n.Obj().Pkg() == nil {
		return false
	}
	switch n.Obj().Pkg().Path() + "." + n.Obj().Name() {
	case "container/list.List", "sync.Map":
		return true
	}
	return false
}

// event records in c what the code around the end of stack does with the container, which
// is the last node of stack.
func (p *program) event(c *container, stack []ast.Node) {
	e := stack[len(stack)-1].(ast.Expr)
	parent := stack[len(stack)-2]
	add := func(key, value ast.Expr) {
		f, ps := p.around(stack)
		c.growths = append(c.growths, growth{value: value, key: key, f: f, places: ps, stack: stack})
	}
	switch n := parent.(type) {
	case *ast.CallExpr:
		p.containerCall(c, n, e, stack, add)
	case *ast.SelectorExpr:
		p.libraryCall(c, n, stack, add)
	case *ast.AssignStmt:
		at := slices.Index(n.Lhs, e)
		if at < 0 {
			c.used = c.used || !isBlank(n.Lhs[0])
			return
		}
		if len(n.Lhs) != len(n.Rhs) {
			c.shrinks = true
			return
		}
		slice, _ := isAppend(p.info, n.Rhs[at])
		if call, ok := ast.Unparen(n.Rhs[at]).(*ast.CallExpr); ok && len(call.Args) > 0 && slice == nil &&
			p.appends(call, call.Args[0]) != nil {
			slice = call.Args[0]
		}
		if slice == nil || types.ExprString(slice) != types.ExprString(e) {
			if !p.firstSet(n, stack) {
				c.shrinks = true
			}
		}
	case *ast.KeyValueExpr:
		c.used = c.used || n.Key != e
	case *ast.IndexExpr:
		if n.X != e {
			c.used = true
			return
		}
		p.element(c, n, stack, add)
	case *ast.RangeStmt:
		if _, receives := p.info.TypeOf(e).Underlying().(*types.Chan); receives || n.X != e || !onlyCloses(p.info, n) {
			c.used = true
		}
	case *ast.SendStmt:
		if n.Chan == e {
			add(nil, n.Value)
		} else {
			c.used = true
		}
	case *ast.BinaryExpr: // compared with nil
	default:
		c.used = true
	}
}

// firstSet reports whether an assignment sets a variable for the first time: it declares
// the variable, or runs only if the variable is still nil.
func (p *program) firstSet(n *ast.AssignStmt, stack []ast.Node) bool {
	if n.Tok == token.DEFINE {
		return true
	}
	_, ps := p.around(stack)
	for _, pl := range ps {
		if i, ok := pl.node.(*ast.IfStmt); ok && pl.kind == inCond {
			if b, ok := ast.Unparen(i.Cond).(*ast.BinaryExpr); ok && b.Op == token.EQL {
				return types.ExprString(b.X) == types.ExprString(n.Lhs[0])
			}
		}
	}
	return false
}

// replacesOwner records that an assignment empties the containers of a struct, as in b =
// buf{} and b = &buf{}.
func (p *program) replacesOwner(n *ast.AssignStmt, stack []ast.Node) {
	if n.Tok == token.DEFINE || p.firstSet(n, stack) {
		return
	}
	assigned(n, func(target, value ast.Expr) {
		t := p.info.TypeOf(target)
		if t == nil || value == nil || isBlank(target) {
			return
		}
		if ptr, ok := t.Underlying().(*types.Pointer); ok {
			if u, ok := ast.Unparen(value).(*ast.UnaryExpr); !ok || u.Op != token.AND {
				return
			}
			t = ptr.Elem()
		}
		if s, ok := t.Underlying().(*types.Struct); ok {
			for i := range s.NumFields() {
				if c := p.containers[s.Field(i).Origin()]; c != nil {
					c.shrinks = true
				}
			}
		}
	})
}

// containerCall is like event, for a container e that is an argument of the call n.
func (p *program) containerCall(c *container, n *ast.CallExpr, e ast.Expr, stack []ast.Node,
	add func(key, value ast.Expr),
) {
	id, _ := ast.Unparen(n.Fun).(*ast.Ident)
	b, _ := p.info.Uses[id].(*types.Builtin)
	switch {
	case b == nil && p.appends(n, e) != nil:
		as, ok := stack[len(stack)-3].(*ast.AssignStmt)
		if !ok || len(as.Lhs) != 1 || types.ExprString(as.Lhs[0]) != types.ExprString(e) {
			c.used = true
			return
		}
		add(nil, p.appends(n, e))
	case b == nil:
		c.used = true
	case b.Name() == "len" || b.Name() == "cap" || b.Name() == "close":
	case b.Name() == "append" && n.Args[0] == e:
		as, ok := stack[len(stack)-3].(*ast.AssignStmt)
		if !ok || len(as.Lhs) != 1 || types.ExprString(as.Lhs[0]) != types.ExprString(e) {
			c.used = true
			return
		}
		if n.Ellipsis.IsValid() {
			c.shrinks = true // the appended list may be only a part of the container
			return
		}
		for _, a := range n.Args[1:] {
			add(nil, a)
		}
	case b.Name() == "delete" || b.Name() == "clear":
		c.shrinks = true
	default:
		c.used = true
	}
}

// libraryCall is like event, for a method call on a container/list.List or a sync.Map.
func (p *program) libraryCall(c *container, sel *ast.SelectorExpr, stack []ast.Node, add func(key, value ast.Expr)) {
	call, ok := stack[len(stack)-3].(*ast.CallExpr)
	if !ok || !isLibraryList(c.obj.Type()) {
		c.used = true
		return
	}
	switch sel.Sel.Name {
	case "PushBack", "PushFront":
		add(nil, call.Args[0])
	case "Store", "LoadOrStore":
		add(call.Args[0], call.Args[1])
	case "Len":
	case "Remove", "Delete", "Clear", "LoadAndDelete":
		c.shrinks = true
	default:
		c.used = true
	}
}

// element is event for c[key].
func (p *program) element(c *container, n *ast.IndexExpr, stack []ast.Node, add func(key, value ast.Expr)) {
	above := stack[len(stack)-3]
	if as, ok := above.(*ast.AssignStmt); ok {
		if at := slices.Index(as.Lhs, ast.Expr(n)); at >= 0 {
			if _, list := p.info.TypeOf(n).Underlying().(*types.Slice); list && len(as.Lhs) == len(as.Rhs) {
				// An append to a slice in a map of slices adds an element even if the map
				// already contains the key.
				slice, added := isAppend(p.info, as.Rhs[at])
				if slice == nil || types.ExprString(slice) != types.ExprString(n) {
					c.shrinks = c.shrinks || shortens(as.Rhs[at])
				} else {
					for _, a := range added {
						add(nil, a)
					}
					return
				}
			}
			if isMapElement(p.info, n) && len(as.Lhs) == len(as.Rhs) {
				add(n.Index, as.Rhs[at])
			} else {
				c.used = c.used || len(as.Lhs) != len(as.Rhs)
			}
			return
		}
	}
	if types.ExprString(n.Index) == "len("+types.ExprString(n.X)+") - 1" {
		return // a read of only the last element leaves all others unused
	}
	f, ps := p.around(stack)
	c.reads = append(c.reads, growth{key: n.Index, f: f, places: ps, stack: stack})
}

// shortens reports whether e is nil, a composite literal or a slice expression. Setting a
// slice to such a value removes elements.
func shortens(e ast.Expr) bool {
	switch n := ast.Unparen(e).(type) {
	case *ast.SliceExpr, *ast.CompositeLit:
		return true
	case *ast.Ident:
		return n.Name == "nil"
	}
	return false
}

// onlyCloses reports whether a loop over a container only closes its elements.
func onlyCloses(info *types.Info, n *ast.RangeStmt) bool {
	for _, s := range n.Body.List {
		var e ast.Expr
		switch s := s.(type) {
		case *ast.ExprStmt:
			e = s.X
		case *ast.AssignStmt:
			if len(s.Rhs) != 1 || !isBlank(s.Lhs[0]) {
				return false
			}
			e = s.Rhs[0]
		}
		call, ok := e.(*ast.CallExpr)
		if !ok {
			return false
		}
		if _, name := tensorMethod(info, call); name != "Close" {
			return false
		}
	}
	return len(n.Body.List) > 0
}
