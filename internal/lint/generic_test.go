package lint_test

import (
	"go/ast"
	"testing"

	"github.com/stretchr/testify/assert"
)

// generics are the exported functions and types that may have type parameters, with the
// reason.
var generics = map[string]string{
	"torch.Scoped": "in an interpreter, Scope in a plain loop does the same",
}

// No exported function or type is generic, because Go interpreters, such as the
// notebooks' interpreter, cannot use generic declarations. See docs/conventions.md.
func TestNothingExportedIsGeneric(t *testing.T) {
	found := map[string]bool{}
	for _, folder := range libraries(t) {
		for _, file := range parsed(t, folder) {
			for _, decl := range file.Decls {
				for _, name := range genericNames(decl) {
					name = folder + "." + name
					found[name] = true
					assert.NotEmpty(t, generics[name], "%s is generic", name)
				}
			}
		}
	}
	for name := range generics {
		assert.True(t, found[name], "%s is no longer generic", name)
	}
}

func genericNames(decl ast.Decl) (names []string) {
	switch decl := decl.(type) {
	case *ast.FuncDecl:
		if decl.Recv == nil && decl.Type.TypeParams != nil && decl.Name.IsExported() {
			names = append(names, decl.Name.Name)
		}
	case *ast.GenDecl:
		for _, spec := range decl.Specs {
			if s, is := spec.(*ast.TypeSpec); is && s.TypeParams != nil && s.Name.IsExported() {
				names = append(names, s.Name.Name)
			}
		}
	}
	return names
}
