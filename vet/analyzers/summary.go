package analyzers

import (
	"go/ast"
	"go/types"
)

// summary describes what a function does to tensors. In the bit sets, parameter 0 is the
// receiver, if there is one.
type summary struct {
	Looks    uint64 // the set of parameters that it only passes to operators
	Closes   uint64 // the set of parameters that it may close
	Keeps    uint64 // the set of parameters that it adds to a container that outlives the call
	Makes    uint64 // the set of results that are new tensors to which nothing else refers
	Leaf     bool   // its only result is a tensor that requires gradients
	Backward bool   // it runs a backward pass
	Stashes  bool   // it stores tensors, apart from its results, where they outlive the call
	Left     string // the name and line of a tensor that it creates and leaves to the garbage collector
}

// AFact makes summary a fact. go/analysis passes facts on to packages that import this
// package.
func (*summary) AFact() {}

func (s *summary) String() string { return "summary" }

// usage is a set of bits for the ways in which code uses a tensor.
type usage int

const (
	looks    usage = 1 << iota // read by an operator
	closes                     // closed on some path
	keeps                      // added to a container
	returns                    // returned to the caller
	anything                   // unknown
)

// summarize computes the summary of each function. A summary depends on the summaries of
// called functions, so summarize repeats this until nothing changes.
func (p *program) summarize() {
	for changed := true; changed; {
		changed = false
		for _, f := range p.nodes {
			before := f.summary
			p.read(f)
			changed = changed || f.summary != before
		}
	}
	for obj, f := range p.decls {
		if f.body != nil {
			f.summary.Left = p.left(f)
		}
		if f.summary != (summary{}) && obj.Pkg() == p.pass.Pkg {
			s := f.summary
			p.facts.ExportObjectFact(obj, &s)
		}
	}
}

// of returns the summary of obj, a function of this package. For a function of a
// different package, the summary comes from a fact.
func (p *program) of(obj *types.Func) (*summary, bool) {
	if obj == nil {
		return nil, false
	}
	obj = obj.Origin()
	if f := p.decls[obj]; f != nil {
		return &f.summary, true
	}
	if known(obj) || obj.Pkg() == nil || obj.Pkg() == p.pass.Pkg {
		return nil, false
	}
	s := new(summary)
	return s, p.facts.ImportObjectFact(obj, s)
}

// callees returns the summaries of all functions that n may call. It returns none if they
// are not known.
func (p *program) callees(n *ast.CallExpr) []*summary {
	if f := callee(p.info, n); f != nil {
		if s, ok := p.of(f); ok {
			return []*summary{s}
		}
		var all []*summary
		if p.flows != nil {
			for _, t := range p.flows.targets(f.Origin()) {
				all = append(all, &t.summary)
			}
		}
		return all
	}
	if p.flows == nil {
		return nil
	}
	fun := ast.Unparen(n.Fun)
	var all []*summary
	for f := range p.flows.holds[fun] {
		if p.flows.lost[fun] {
			return nil
		}
		all = append(all, &f.summary)
	}
	return all
}

// params returns the parameters of f, starting with its receiver.
func (f *function) params() []*types.Var {
	if f.sig == nil {
		return nil
	}
	var ps []*types.Var
	if r := f.sig.Recv(); r != nil {
		ps = append(ps, r)
	}
	for i := range f.sig.Params().Len() {
		ps = append(ps, f.sig.Params().At(i))
	}
	return ps
}

// argument returns the number of the parameter that receives argument i of a call. The
// receiver counts as parameter 0.
func argument(f *types.Signature, i int) uint {
	if f == nil {
		return 63
	}
	if f.Variadic() {
		i = min(i, f.Params().Len()-1)
	}
	if f.Recv() != nil {
		i++
	}
	return uint(min(i, 63))
}

// read updates the summary of f according to its body.
func (p *program) read(f *function) {
	if f.body == nil || f.sig == nil {
		return
	}
	s := &f.summary
	for i, v := range f.params() {
		if i > 62 || !isTensor(v.Type()) {
			continue
		}
		u := p.uses(f.body, v)
		if p.outlivedBy(f.body, v) {
			u |= anything // a goroutine or a stored function literal uses v
		}
		if u&^looks == 0 {
			s.Looks |= 1 << i
		}
		if u&closes != 0 {
			s.Closes |= 1 << i
		}
		if u&keeps != 0 {
			s.Keeps |= 1 << i
		}
		if u&(keeps|anything) != 0 {
			s.Stashes = true
		}
	}
	if makes, leaf := p.makes(f); makes != 0 || leaf {
		s.Makes |= makes
		s.Leaf = s.Leaf || leaf
	}
	s.Backward = s.Backward || p.backward(f.body)
	s.Stashes = s.Stashes || p.stashes(f.body, f.body)
}

// backward reports whether n runs a backward pass, directly or in a function that it
// calls.
func (p *program) backward(n ast.Node) bool {
	if callsBackward(p.info, n) {
		return true
	}
	found := false
	ast.Inspect(n, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			for _, s := range p.callees(call) {
				found = found || s.Backward
			}
		}
		return !found
	})
	return found
}

// stashes reports whether n, a part of the node around, stores tensors in variables that
// are declared outside of that node, sends tensors to a channel, or calls a function that
// stores tensors.
func (p *program) stashes(n, around ast.Node) bool {
	found := false
	ast.Inspect(n, func(n ast.Node) bool {
		if n == nil || found {
			return false
		}
		if call, ok := n.(*ast.CallExpr); ok {
			for _, s := range p.callees(call) {
				found = found || s.Stashes
			}
		}
		if send, ok := n.(*ast.SendStmt); ok && holdsTensors(p.info.TypeOf(send.Value)) {
			found = true
		}
		assigned(n, func(target, value ast.Expr) {
			t := p.info.TypeOf(target)
			if t == nil || !holdsTensors(t) || isBlank(target) {
				return
			}
			if v := root(p.info, target); v == nil || !within(v, around) || local(p.info, target) == nil &&
				!plainValue(v.Type()) {
				found = true
			}
		})
		return true
	})
	return found
}

// plainValue reports whether t is a struct or an array. Setting a part of such a variable
// changes no other variable.
func plainValue(t types.Type) bool {
	switch t.Underlying().(type) {
	case *types.Struct, *types.Array:
		return true
	}
	return false
}

func isBlank(e ast.Expr) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == "_"
}

// holdsTensors reports whether t is a tensor or contains tensors.
func holdsTensors(t types.Type) bool { return tensorsIn(t, 3) }

func tensorsIn(t types.Type, depth int) bool {
	if t == nil || depth < 0 {
		return false
	}
	if isTensor(t) {
		return true
	}
	within := depth
	if _, named := types.Unalias(t).(*types.Named); named { // a named type may contain itself, so limit the depth
		within--
	}
	switch u := t.Underlying().(type) {
	case *types.Slice:
		return tensorsIn(u.Elem(), within)
	case *types.Array:
		return tensorsIn(u.Elem(), within)
	case *types.Map:
		return tensorsIn(u.Elem(), within)
	case *types.Chan:
		return tensorsIn(u.Elem(), within)
	case *types.Pointer:
		return tensorsIn(u.Elem(), depth-1)
	case *types.Struct:
		for i := range u.NumFields() {
			if tensorsIn(u.Field(i).Type(), depth-1) {
				return true
			}
		}
	}
	return false
}
