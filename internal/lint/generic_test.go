package lint_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// generics are those exported functions and types that are generic all the same, and why.
var generics = map[string]string{}

// Interpreters, such as those behind notebooks, cannot use what is generic: docs/conventions.md.
func TestNothingExportedIsGeneric(t *testing.T) {
	found := map[string]bool{}
	for _, tree := range []string{"torch", "nn", "optim", "memory", "torchtest"} {
		err := filepath.WalkDir(filepath.Join("..", "..", tree), func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if d.IsDir() {
				if _, err := os.Stat(filepath.Join(path, "go.mod")); err == nil || d.Name() == "internal" || d.Name() == "testdata" {
					return fs.SkipDir
				}
				return nil
			}
			if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return nil
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			if file.Name.Name == "main" {
				return nil
			}
			for _, decl := range file.Decls {
				for _, name := range genericNames(decl) {
					name = file.Name.Name + "." + name
					found[name] = true
					assert.NotEmpty(t, generics[name], "%s in %s is generic", name, path)
				}
			}
			return nil
		})
		require.NoError(t, err)
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
