package lint_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// untested are the packages whose functions are tested in a different way.
var untested = map[string]string{
	"torch":      "tables of methods",
	"torch/aten": "generated; the tables of operators call all of it",
}

// For every package below nn, optim and torch, the package's tests name each function.
// The tables of options are not enough, because they skip functions without options.
func TestEveryFunctionHasATest(t *testing.T) {
	folders := publicPackages(t, "nn", "optim", "torch")
	assert.GreaterOrEqual(t, len(folders), 50)
	for _, folder := range folders {
		if untested[folder] != "" {
			continue
		}
		functions, named := map[string]bool{}, map[string]bool{}
		dir := filepath.Join("..", "..", filepath.FromSlash(folder))
		entries, err := os.ReadDir(dir)
		require.NoError(t, err)
		for _, e := range entries {
			if filepath.Ext(e.Name()) != ".go" {
				continue
			}
			file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, e.Name()), nil,
				parser.SkipObjectResolution)
			require.NoError(t, err)
			if strings.HasSuffix(e.Name(), "_test.go") {
				ast.Inspect(file, func(n ast.Node) bool {
					if s, ok := n.(*ast.SelectorExpr); ok {
						named[s.Sel.Name] = true
					}
					return true
				})
				continue
			}
			for _, d := range file.Decls {
				if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Name.IsExported() {
					functions[fn.Name.Name] = true
				}
			}
		}
		assert.NotEmpty(t, functions, folder)
		for name := range functions {
			assert.True(t, named[name], "no test of %s names %s", folder, name)
		}
	}
}

// publicPackages returns the directories of the packages below roots that programs may
// import.
func publicPackages(t *testing.T, roots ...string) []string {
	t.Helper()
	seen := map[string]bool{}
	for _, root := range roots {
		top := filepath.Join("..", "..")
		require.NoError(t,
			filepath.WalkDir(filepath.Join(top, root), func(path string, d fs.DirEntry, err error) error {
				if err != nil {
					return err
				}
				if d.IsDir() && slices.Contains([]string{"internal", "testdata", "cmd"}, d.Name()) {
					return fs.SkipDir
				}
				if strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go") {
					folder, err := filepath.Rel(top, filepath.Dir(path))
					seen[filepath.ToSlash(folder)] = true
					return err
				}
				return nil
			}))
	}
	return slices.Sorted(maps.Keys(seen))
}
