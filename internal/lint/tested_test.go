package lint_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Every function of the packages that follow a Python module is named in a test of its
// package. Tables of options do not contain functions without options.
func TestEveryFunctionHasATest(t *testing.T) {
	for _, folder := range []string{
		"nn", "nn/functional", "nn/nninit", "nn/summary", "nn/nnutil", "nn/parametrize", "nn/parametrizations",
		"nn/prune", "nn/rnn", "optim", "optim/schedule", "optim/swa", "torch/amp", "torch/aoti", "torch/cuda",
		"torch/batching", "torch/checkpoint", "torch/data", "torch/distributed", "torch/distributed/join",
		"torch/distributed/zero", "torch/distributed/dcp", "nn/parallel",
		"torch/data/transforms", "torch/data/transforms/imageops", "torch/distributions",
		"torch/distributions/constraints", "torch/autograd", "torch/functorch", "torch/recompute", "torch/dlpack",
		"torch/fft", "torch/gonum", "torch/jit", "torch/linalg", "torch/nested", "torch/numpy", "torch/safetensors",
		"torch/serialization", "torch/sparse", "torch/special", "torch/tensorboard",
	} {
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
