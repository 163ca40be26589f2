package main

import (
	"bytes"
	"flag"
	"fmt"
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

// rareCode are the packages and files whose operators need no C++ function of their own.
// They are called rarely, or take so long that the cost of a boxed call does not matter.
var rareCode = []string{
	"torch/linalg", "torch/fft", "torch/special", "torch/sparse", "torch/nested", "torch/amp",
	"torch/op_boxed.go", "torch/shape_strided.go", "torch/tensor_properties.go", "torch/linalg_factors.go",
	"torch/sparse_compressed.go", "torch/reduce_segments.go", "torch/linalg_lowrank.go", "torch/op_gradient.go",
	"torch/data/transforms",
}

// typedTitle and boxedTitle are the first lines of typed.txt and boxed.txt. Both titles
// end in checked.
const (
	checked    = " TestTypedOperators tells what is missing, or there for nobody."
	typedTitle = "# Operators with a C++ function of their own: those that the library itself calls." + checked
	boxedTitle = "# Operators without a C++ function that Go code calls by handle, torch/aten aside." + checked
)

var updateLists = flag.Bool("typed", false, "write typed.txt and boxed.txt anew")

const (
	root       = "../../.."
	handlesPkg = "github.com/gotorch/gotorch/cgotorch/aten"
	tensorsPkg = "github.com/gotorch/gotorch/torch/aten"
)

// An operator has its own C++ function if, and only if, the library calls it. Each such
// function lengthens the first build for every user. Code in rareCode does not count: its
// operators may be boxed, which means that one general C++ function calls them all.
//
// A boxed operator has a function on raw handles if, and only if, some Go file calls this
// function. To write both lists, run go test -run TypedOperators -typed.
func TestTypedOperators(t *testing.T) {
	inv, err := readListing("operators.txt")
	require.NoError(t, err)
	ops, err := buildModel(inv)
	require.NoError(t, err)
	typed := map[string]bool{}
	maps.Copy(typed, fresh)
	for _, path := range libraryFiles(t) {
		callsOf(t, path, ops, typed, handlesPkg, tensorsPkg)
	}
	sameList(t, "typed.txt", typedTitle, typed, ops)
	called, boxed := map[string]bool{}, map[string]bool{}
	for _, path := range goFiles(t, root, func(path string) bool { return path == filepath.Join(root, "build") }) {
		if !strings.HasPrefix(path, filepath.Join(root, "torch/aten/ops_")) {
			callsOf(t, path, ops, called, handlesPkg)
		}
	}
	g := generator{typedList: typed}
	for _, op := range ops {
		if called[op.Name()] && !g.typed(op) {
			boxed[op.Name()] = true
		}
	}
	sameList(t, "boxed.txt", boxedTitle, boxed, ops)
}

// sameList checks that the operators listed in a file are exactly those in called.
func sameList(t *testing.T, file, title string, called map[string]bool, ops []*operator) {
	t.Helper()
	require.Greater(t, len(called), 100)
	names := slices.Sorted(maps.Keys(called))
	if *updateLists {
		text := fmt.Sprintf("%s\n%s\n", title, strings.Join(names, "\n"))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
	}
	listed, err := readNames(file, ops)
	require.NoError(t, err)
	for _, name := range names {
		assert.True(t, listed[name], "%s is called, but %s lacks it", name, file)
	}
	for name := range listed {
		assert.True(t, called[name], "%s has %s, which is not called", file, name)
	}
}

// libraryFiles returns the Go files whose operators need a C++ function. Tests, rareCode,
// generated packages and the commands in internal/cmd are left out.
func libraryFiles(t *testing.T) (files []string) {
	t.Helper()
	var aside []string
	for _, path := range append([]string{"torch/aten", "internal/cmd", "internal/optable"}, rareCode...) {
		aside = append(aside, filepath.Join(root, path))
	}
	for _, dir := range []string{"torch", "torchtest", "nn", "optim", "memory", "internal"} {
		files = append(files, goFiles(t, filepath.Join(root, dir), func(path string) bool {
			return slices.Contains(aside, path) || strings.HasSuffix(path, "_test.go")
		})...)
	}
	return files
}

// goFiles returns the Go files in dir and its subdirectories, except files for which skip
// returns true.
func goFiles(t *testing.T, dir string, skip func(path string) bool) (files []string) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || d.Name() == ".git" || skip(path)):
			return filepath.SkipDir
		case !d.IsDir() && strings.HasSuffix(path, ".go") && !skip(path):
			files = append(files, path)
		}
		return nil
	}))
	return files
}

// callsOf records in called the operators that the Go file at path calls through
// functions of packages.
func callsOf(t *testing.T, path string, ops []*operator, called map[string]bool, packages ...string) {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	if !bytes.Contains(text, []byte(`/aten"`)) {
		return
	}
	file, err := parser.ParseFile(token.NewFileSet(), path, text, parser.SkipObjectResolution)
	require.NoError(t, err)
	for _, imp := range file.Imports {
		pkg := strings.Trim(imp.Path.Value, `"`)
		if !slices.Contains(packages, pkg) {
			continue
		}
		alias := "aten"
		if imp.Name != nil {
			alias = imp.Name.Name
		}
		named := map[string]bool{}
		ast.Inspect(file, func(n ast.Node) bool {
			if sel, ok := n.(*ast.SelectorExpr); ok {
				if x, ok := sel.X.(*ast.Ident); ok && x.Name == alias {
					named[sel.Sel.Name] = true
				}
			}
			return true
		})
		for _, op := range ops {
			if op.skip == "" && (pkg == handlesPkg && named[op.nativeName] || pkg == tensorsPkg && named[op.goName]) {
				called[op.Name()] = true
			}
		}
	}
}
