package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// exported returns the exported functions of a package and, if typ is not empty, the
// exported methods of typ, with their declarations.
func exported(t *testing.T, dir, typ string) map[string]*ast.FuncDecl {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("../../..", dir, "*.go"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	found := map[string]*ast.FuncDecl{}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		require.NoError(t, err)
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || !f.Name.IsExported() {
				continue
			}
			if f.Recv != nil {
				star, ok := f.Recv.List[0].Type.(*ast.StarExpr)
				if !ok || star.X.(*ast.Ident).Name != typ {
					continue
				}
			}
			found[f.Name.Name] = f
		}
	}
	return found
}

// If a function or method of package torch or functional has the name of an operator, its
// spelling is the same as in torch/aten. An operator such as linalg_inv also counts
// without the prefix, because package torch has methods such as Inv.
func TestCuratedNamesAreSpelledAsTorchAtens(t *testing.T) {
	inv, err := readListing("operators.txt")
	require.NoError(t, err)
	ops, err := buildModel(inv)
	require.NoError(t, err)
	spelled := map[string]map[string]bool{} // by lower case
	add := func(name string) {
		key := strings.ToLower(name)
		if spelled[key] == nil {
			spelled[key] = map[string]bool{}
		}
		spelled[key][name] = true
	}
	for _, op := range ops {
		add(op.goName)
		root := *op.Func
		root.Overload = ""
		add(goName(&root))
		add(strings.TrimPrefix(goName(&root), "Linalg"))
	}
	checked := 0
	for dir, typ := range map[string]string{"torch": "Tensor", "nn/functional": ""} {
		for name := range exported(t, dir, typ) {
			if want := spelled[strings.ToLower(name)]; want != nil {
				checked++
				assert.True(t, want[name], "%s.%s: torch/aten has %v", dir, name, want)
			}
		}
	}
	assert.Greater(t, checked, 300)
}

// Every key in the table words occurs in the name of an operator, so none is a typo.
func TestWordsAreThoseOfOperators(t *testing.T) {
	inv, err := readListing("operators.txt")
	require.NoError(t, err)
	ops, err := buildModel(inv)
	require.NoError(t, err)
	used := map[string]bool{}
	for _, op := range ops {
		for w := range strings.SplitSeq(op.Root+"_"+op.Overload, "_") {
			used[w] = true
		}
	}
	for lower, word := range words {
		assert.True(t, used[lower], word)
	}
}
