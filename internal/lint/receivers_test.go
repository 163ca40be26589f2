package lint_test

import (
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// receiverPackages are the packages whose types are checked.
var receiverPackages = []string{
	"memory", "nn", "nn/parallel", "optim", "optim/schedule", "optim/swa",
	"torch", "torch/amp", "torch/data", "torch/distributions", "torch/functorch", "torch/jit",
	"torch/numpy", "torch/profiler", "torch/safetensors", "torch/serialization", "torch/tensorboard",
}

// A method panics with ErrNil if its receiver is nil, or is a value that no constructor
// created. See docs/conventions.md. To check this, the test generates and runs a program
// that calls every method of every type.
func TestReceiversThatNobodyMade(t *testing.T) {
	folder := t.TempDir()
	for _, name := range []string{"main.go", "known.go"} {
		src, err := os.ReadFile(filepath.Join("testdata/receivers", name))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), src, 0o600))
	}
	var imports, list strings.Builder
	for _, pkg := range receiverPackages {
		alias := strings.ReplaceAll(pkg, "/", "_")
		fmt.Fprintf(&imports, "\t%s \"github.com/gotorch/gotorch/%s\"\n", alias, pkg)
		names := structs(t, filepath.Join("../..", pkg))
		require.NotEmpty(t, names, pkg)
		for _, name := range names {
			fmt.Fprintf(&list, "\t(*%s.%s)(nil),\n", alias, name)
		}
	}
	src := "package main\n\nimport (\n" + imports.String() + ")\n\nvar types = []any{\n" + list.String() + "}\n"
	require.NoError(t, os.WriteFile(filepath.Join(folder, "list.go"), []byte(src), 0o600))
	files, err := filepath.Glob(filepath.Join(folder, "*.go"))
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), "go", append([]string{"run"}, files...)...) //nolint:gosec // the tool of Go
	cmd.Dir, cmd.Stderr = "../..", os.Stderr
	out, err := cmd.Output()
	require.NoError(t, err)
	assert.Empty(t, string(out))
}

// structs returns the names of all exported types of a package, except interfaces,
// generic types and aliases.
func structs(t *testing.T, folder string) (names []string) {
	t.Helper()
	pkg, err := build.ImportDir(folder, 0)
	require.NoError(t, err)
	for _, name := range pkg.GoFiles {
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(folder, name), nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		for _, d := range file.Decls {
			gen, _ := d.(*ast.GenDecl)
			if gen == nil {
				continue
			}
			for _, spec := range gen.Specs {
				s, ok := spec.(*ast.TypeSpec)
				if !ok || !s.Name.IsExported() || s.TypeParams != nil || s.Assign.IsValid() {
					continue
				}
				if _, ok := s.Type.(*ast.InterfaceType); !ok {
					names = append(names, s.Name.Name)
				}
			}
		}
	}
	slices.Sort(names)
	return names
}
