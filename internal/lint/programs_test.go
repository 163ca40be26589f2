package lint_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// For every program in examples/, a test calls all functions that its main calls.
func TestEveryExampleIsRun(t *testing.T) {
	programs := 0
	require.NoError(t, filepath.WalkDir("../../examples", func(folder string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		functions, main, tested := map[string]bool{}, map[string]bool{}, map[string]bool{}
		files, err := filepath.Glob(filepath.Join(folder, "*.go"))
		if err != nil {
			return err
		}
		for _, path := range files {
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			for _, decl := range file.Decls {
				fn, ok := decl.(*ast.FuncDecl)
				switch {
				case !ok || fn.Recv != nil:
				case strings.HasSuffix(path, "_test.go"):
					called(fn, tested)
				case fn.Name.Name == "main":
					called(fn, main)
				default:
					functions[fn.Name.Name] = true
				}
			}
		}
		if len(main) == 0 {
			return nil
		}
		programs++
		for name := range main {
			if functions[name] {
				assert.True(t, tested[name], "%s: main calls %s, and no test does", folder, name)
			}
		}
		return nil
	}))
	assert.Greater(t, programs, 10)
}

// called adds the names of all functions that fn calls without a package name to its
// second argument.
func called(fn *ast.FuncDecl, to map[string]bool) {
	ast.Inspect(fn, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			if name, ok := call.Fun.(*ast.Ident); ok {
				to[name.Name] = true
			}
		}
		return true
	})
}
