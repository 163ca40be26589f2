package lint_test

import (
	"go/ast"
	"maps"
	"path"
	"path/filepath"
	"slices"
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
		tests, err := filepath.Glob(filepath.Join(root, folder, "*_test.go"))
		require.NoError(t, err)
		for _, name := range tests {
			for n := range ast.Preorder(parse(t, filepath.Join(folder, filepath.Base(name)))) {
				if s, ok := n.(*ast.SelectorExpr); ok {
					named[s.Sel.Name] = true
				}
			}
		}
		for _, file := range parsed(t, folder) {
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
		eachFile(t, root, []string{"internal", "testdata", "cmd"}, func(file string) {
			if isCode(file) {
				seen[path.Dir(file)] = true
			}
		})
	}
	return slices.Sorted(maps.Keys(seen))
}
