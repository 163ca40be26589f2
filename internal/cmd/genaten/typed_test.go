package main

import (
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

// rareCode are the packages and files whose functions are called rarely, or are
// long beside a boxed call.
var rareCode = []string{
	"torch/linalg", "torch/fft", "torch/special", "torch/sparse", "torch/nested", "torch/amp",
	"torch/op_boxed.go", "torch/shape_strided.go", "torch/tensor_properties.go", "torch/linalg_factors.go", "torch/sparse_compressed.go", "torch/reduce_segments.go", "torch/linalg_lowrank.go",
	"torch/op_gradient.go", "torch/data/transforms",
}

const typedTitle = "# Operators with a C++ function of their own: those that the library itself calls. TestTypedOperators tells what is missing, or there for nobody."

var updateTyped = flag.Bool("typed", false, "write typed.txt anew")

// Whatever the library calls is called by a C++ function of its own, and nothing
// else is: each of these functions costs everyone a part of the first build. The
// packages and files of rareCode are aside: what they call may be boxed.
// go test -run TypedOperators -typed writes the list.
func TestTypedOperators(t *testing.T) {
	inv, err := readListing("operators.txt")
	require.NoError(t, err)
	ops, err := buildModel(inv)
	require.NoError(t, err)
	called := calledOperators(t, ops)
	for name := range fresh {
		called[name] = true
	}
	names := slices.Sorted(maps.Keys(called))
	if *updateTyped {
		text := fmt.Sprintf("%s\n%s\n", typedTitle, strings.Join(names, "\n"))
		require.NoError(t, os.WriteFile("typed.txt", []byte(text), 0o644))
	}
	typed, err := readTyped("typed.txt", ops)
	require.NoError(t, err)
	for _, name := range names {
		assert.True(t, typed[name], "the library calls %s, but typed.txt lacks it", name)
	}
	for name := range typed {
		assert.True(t, called[name], "typed.txt has %s, which the library does not call", name)
	}
}

// calledOperators returns the operators that Go files of the library name: tests,
// generated packages and the tools under internal/cmd aside.
func calledOperators(t *testing.T, ops []*operator) map[string]bool {
	t.Helper()
	const module, root = "github.com/gotorch/gotorch/", "../../.."
	byName := map[string]map[string]string{module + "cgotorch/aten": {}, module + "torch/aten": {}}
	for _, op := range ops {
		if op.skip == "" {
			byName[module+"cgotorch/aten"][op.nativeName] = op.Name()
			byName[module+"torch/aten"][op.goName] = op.Name()
		}
	}
	called := map[string]bool{}
	read := func(path string) {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		for _, imp := range file.Imports {
			known, ok := byName[strings.Trim(imp.Path.Value, `"`)]
			if !ok {
				continue
			}
			alias := "aten"
			if imp.Name != nil {
				alias = imp.Name.Name
			}
			ast.Inspect(file, func(n ast.Node) bool {
				if sel, ok := n.(*ast.SelectorExpr); ok {
					if x, ok := sel.X.(*ast.Ident); ok && x.Name == alias && known[sel.Sel.Name] != "" {
						called[known[sel.Sel.Name]] = true
					}
				}
				return true
			})
		}
	}
	aside := []string{filepath.Join(root, "torch/aten"), filepath.Join(root, "internal/cmd"), filepath.Join(root, "internal/optable")}
	for _, path := range rareCode {
		aside = append(aside, filepath.Join(root, path))
	}
	for _, dir := range []string{"torch", "torchtest", "nn", "optim", "memory", "internal"} {
		require.NoError(t, filepath.WalkDir(filepath.Join(root, dir), func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if d.IsDir() && (d.Name() == "testdata" || slices.Contains(aside, path)) {
				return filepath.SkipDir
			}
			if !d.IsDir() && !slices.Contains(aside, path) && strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go") {
				read(path)
			}
			return nil
		}))
	}
	require.Greater(t, len(called), 100)
	return called
}
