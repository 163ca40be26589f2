package analyzers

import (
	"go/ast"
	"go/types"
)

// unused reports whether the end of stack is in a function that nothing in the program
// runs. It returns false unless the package is main.
func (p *program) unused(stack []ast.Node) bool {
	decl, ok := stackDecl(stack)
	if !ok || p.pass.Pkg.Name() != "main" {
		return false
	}
	f := p.nodes[decl]
	if f == nil || f.obj == nil || f.opaque || len(f.runs) > 0 || inTest(p.pass, decl) {
		return false
	}
	name := f.obj.Name()
	if name == "main" || name == "init" {
		return false
	}
	return f.sig.Recv() == nil || !p.inInterface(name)
}

// inInterface reports whether an interface of this package or of an imported package has
// a method with that name. Other code may call the method through the interface.
func (p *program) inInterface(name string) bool {
	for _, pkg := range append(p.pass.Pkg.Imports(), p.pass.Pkg) {
		for _, n := range pkg.Scope().Names() {
			t, ok := pkg.Scope().Lookup(n).(*types.TypeName)
			if !ok {
				continue
			}
			iface, ok := t.Type().Underlying().(*types.Interface)
			if !ok {
				continue
			}
			for i := range iface.NumMethods() {
				if iface.Method(i).Name() == name {
					return true
				}
			}
		}
	}
	return name == "Close"
}

// copied reports whether target is a field of a struct that a function received by value.
// Setting this field changes nothing outside the function.
func (p *program) copied(target ast.Expr) bool {
	sel, ok := ast.Unparen(target).(*ast.SelectorExpr)
	if !ok {
		return false
	}
	v := local(p.info, sel.X)
	if v == nil || p.takes(v) == nil {
		return false
	}
	_, value := v.Type().Underlying().(*types.Struct)
	return value
}
