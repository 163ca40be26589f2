package lint_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var root = filepath.Join("..", "..")

// eachFile calls fn with the path below root of each file in the folder top. It leaves out
// folders with the given names.
func eachFile(t *testing.T, top string, without []string, fn func(path string)) {
	t.Helper()
	without = append(without, "build", "vendor", ".git")
	require.NoError(t, filepath.WalkDir(filepath.Join(root, top), func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if slices.Contains(without, d.Name()) {
				return fs.SkipDir
			}
			return nil
		}
		rel, err := filepath.Rel(root, path)
		fn(filepath.ToSlash(rel))
		return err
	}))
}

// isCode reports whether path is a Go file, but not a test.
func isCode(path string) bool {
	return strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go")
}

// parse returns the Go file at path below root.
func parse(t *testing.T, path string) *ast.File {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, path), nil, parser.SkipObjectResolution)
	require.NoError(t, err)
	return file
}

// parsed returns the Go files of a package, except its tests.
func parsed(t *testing.T, folder string) (out []*ast.File) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(folder), "*.go"))
	require.NoError(t, err)
	for _, name := range names {
		if isCode(name) {
			out = append(out, parse(t, filepath.Join(folder, filepath.Base(name))))
		}
	}
	return out
}
