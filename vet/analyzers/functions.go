package analyzers

import (
	"go/ast"
	"go/types"
	"reflect"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/inspect"
)

// functions is an analyzer that the others require. For each function of a package it
// finds how the function is run, and what the function does to tensors that it receives.
// Packages that import this package get the result as facts about its exported functions.
var functions = &analysis.Analyzer{
	Name:       "torchfunctions",
	Doc:        "find out what runs each function, and what it does to its tensors",
	Requires:   []*analysis.Analyzer{inspect.Analyzer},
	Run:        func(pass *analysis.Pass) (any, error) { return findFunctions(pass), nil },
	ResultType: reflect.TypeFor[*program](),
	FactTypes:  []analysis.Fact{new(summary)},
}

// program holds the information about a package's functions.
type program struct {
	pass  *analysis.Pass // the pass of the analyzer that uses the program
	facts *analysis.Pass // the pass of the analyzer named functions, which has the facts
	info  *types.Info
	nodes map[ast.Node]*function // the keys are *ast.FuncDecl and *ast.FuncLit
	decls map[*types.Func]*function
	flows *flows
	// hooks maps each function that is passed to a Register...Hook method to the variable
	// of the method's module or tensor, or to nil.
	hooks map[*function]*types.Var

	containers  map[*types.Var]*container
	fieldValues map[*types.Var][]ast.Expr
	parameters  map[*types.Var]*function // the function that has the parameter
	gradless    []*ast.FuncLit           // the function literals passed to NoGrad or InferenceMode

	answers *answers
}

// function is a declared function or a literal.
type function struct {
	node   ast.Node
	obj    *types.Func // nil for a literal
	sig    *types.Signature
	body   *ast.BlockStmt
	runs   []run
	opaque bool // code that is not analyzed may run it too
	served bool // a server runs it once for each request

	summary summary
}

// run is one way in which a function is run.
type run struct {
	by     *function
	node   *ast.CallExpr // the call, or nil if a library makes the call
	places []place       // the places inside by that enclose the call, innermost first
	kind   kind          // inScope, inGoroutine, inNoGrad, or inFunction for functions that package testing runs
	plain  bool          // an ordinary call: kind has no meaning
}

func programOf(pass *analysis.Pass) *program {
	p := *pass.ResultOf[functions].(*program)
	p.pass, p.answers = pass, newAnswers() // several analyzers may run at the same time
	return &p
}

func findFunctions(pass *analysis.Pass) *program {
	p := &program{
		pass: pass, facts: pass, info: pass.TypesInfo, nodes: map[ast.Node]*function{},
		decls: map[*types.Func]*function{}, hooks: map[*function]*types.Var{}, parameters: map[*types.Var]*function{},
		answers: newAnswers(),
	}
	if own(pass) || !usesTensors(pass.Pkg) {
		return p
	}
	walkAll(pass, []ast.Node{(*ast.FuncDecl)(nil), (*ast.FuncLit)(nil)}, func(n ast.Node, _ []ast.Node) {
		f := &function{node: n}
		switch n := n.(type) {
		case *ast.FuncDecl:
			f.body = n.Body
			f.obj, _ = p.info.Defs[n.Name].(*types.Func)
			if f.obj != nil {
				f.sig = f.obj.Signature()
				p.decls[f.obj] = f
			}
		case *ast.FuncLit:
			f.body = n.Body
			f.sig, _ = p.info.TypeOf(n).(*types.Signature)
		}
		p.nodes[n] = f
		for _, v := range f.params() {
			p.parameters[v] = f
		}
	})
	walkAll(pass, []ast.Node{(*ast.CallExpr)(nil)}, func(n ast.Node, _ []ast.Node) {
		call := n.(*ast.CallExpr)
		if named(callee(p.info, call), torchPath, "NoGrad", "InferenceMode") && len(call.Args) > 0 {
			if lit, ok := call.Args[0].(*ast.FuncLit); ok {
				p.gradless = append(p.gradless, lit)
			}
		}
	})
	p.findFieldValues()
	p.flows = newFlows(p)
	p.flows.solve()
	p.findContainers()
	p.summarize()
	return p
}

// usesTensors reports whether a package imports gotorch directly or indirectly.
func usesTensors(pkg *types.Package) bool {
	return slices.ContainsFunc(pkg.Imports(), func(i *types.Package) bool {
		return i.Path() == torchPath || i.Path() == nnPath || i.Path() == optimPath || i.Path() == dataPath
	}) || slices.ContainsFunc(pkg.Imports(), func(i *types.Package) bool {
		return slices.ContainsFunc(i.Imports(), func(j *types.Package) bool { return j.Path() == torchPath })
	})
}

// isHook reports whether f was registered as a hook.
func (p *program) isHook(f *function) bool {
	_, ok := p.hooks[f]
	return ok
}

// around returns the innermost function that contains the end of stack. It also returns
// the places inside this function that enclose the end of stack.
func (p *program) around(stack []ast.Node) (*function, []place) {
	for i := len(stack) - 2; i >= 0; i-- {
		switch n := stack[i].(type) {
		case *ast.FuncDecl, *ast.FuncLit:
			return p.nodes[n], places(p.info, stack[i+1:])
		}
	}
	return nil, nil
}

// surrounding is like around, but looks through function literals that run immediately,
// such as those passed to Scope and NoGrad.
func (p *program) surrounding(stack []ast.Node) (*function, []place) {
	for i := len(stack) - 2; i >= 0; i-- {
		switch n := stack[i].(type) {
		case *ast.FuncLit:
			if k, ok := literalKind(p.info, stack[:i], n); ok && k != inScope && k != inNoGrad {
				return p.nodes[n], places(p.info, stack[i+1:])
			}
		case *ast.FuncDecl:
			return p.nodes[n], places(p.info, stack[i+1:])
		}
	}
	return nil, nil
}

// sheltered reports whether some run of f is in a scope, or in code that is not analyzed
// and may have a scope.
func (p *program) sheltered(f *function) bool {
	return p.anyRun(f, func(r run) (found, follow bool) {
		if r.kind == inScope && !r.plain || shelters(r.places) {
			return true, false
		}
		return false, r.plain || r.kind == inNoGrad
	}, true)
}

// noGrad reports whether some run of f is in code that records no graph, such as NoGrad.
func (p *program) noGrad(f *function) bool {
	return p.anyRun(f, func(r run) (found, follow bool) {
		if !r.plain && r.kind == inNoGrad {
			return true, false
		}
		return false, r.plain || r.kind == inScope || r.kind == inGoroutine
	}, false)
}

// looped returns the loop that runs f many times outside of any scope, or nil.
func (p *program) looped(f *function) ast.Node {
	var loop ast.Node
	p.anyRun(f, func(r run) (found, follow bool) {
		if r.kind == inScope && !r.plain {
			return false, false
		}
		for _, pl := range r.places {
			switch {
			case pl.kind == inScope || pl.kind == inOpaque:
				return false, false
			case pl.kind == inLoop && !short(p.pass, pl.node) && !ends(pl.node):
				loop = pl.node
				return true, false
			}
		}
		return false, r.plain || r.kind == inNoGrad
	}, false)
	return loop
}

// anyRun calls look for each run of f, and returns true as soon as found is true. If
// follow is true, anyRun also calls look for the runs of the function that makes the
// call.
func (p *program) anyRun(f *function, look func(run) (found, follow bool), opaque bool) bool {
	seen := map[*function]bool{}
	var visit func(f *function) bool
	visit = func(f *function) bool {
		if f == nil || seen[f] {
			return false
		}
		seen[f] = true
		if f.opaque && opaque {
			return true
		}
		for _, r := range f.runs {
			found, follow := look(r)
			if found || follow && visit(r.by) {
				return true
			}
		}
		return false
	}
	return visit(f)
}

// shelters reports whether one of the places is, or may be, a scope.
func shelters(ps []place) bool {
	return slices.ContainsFunc(ps, func(p place) bool { return p.kind == inScope || p.kind == inOpaque })
}

// walkAll is like walk, but also visits generated files.
func walkAll(pass *analysis.Pass, types []ast.Node, fn func(n ast.Node, stack []ast.Node)) {
	inspectorOf(pass).WithStack(types, func(n ast.Node, push bool, stack []ast.Node) bool {
		if push {
			fn(n, stack)
		}
		return true
	})
}
