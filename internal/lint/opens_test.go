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

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// opening are the files of the library that may open files without package
// internal/files. They open system files, which report a size of 0, or belong to a
// benchmark.
var opening = []string{
	"memory/internal/rss/resident.go", "torch/aoti/machine_linux.go",
	"torch/data/codecs/internal/bench/main.go",
}

// All library code that reads files opens them with package internal/files, which does
// not wait for pipes and does not read devices.
func TestReadersOpenFilesOneWay(t *testing.T) {
	const root = "../.."
	var found []string
	seen := 0
	for _, top := range []string{"torch", "nn", "optim", "memory", "vision"} {
		err := filepath.WalkDir(filepath.Join(root, top), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() && d.Name() == "testdata" {
				return errorOrSkip(err)
			}
			if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return nil
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
			require.NoError(t, err)
			seen++
			ast.Inspect(file, func(n ast.Node) bool {
				s, ok := n.(*ast.SelectorExpr)
				if !ok {
					return true
				}
				if x, ok := s.X.(*ast.Ident); ok && x.Name == "os" &&
					(s.Sel.Name == "Open" || s.Sel.Name == "ReadFile") {
					rel, err := filepath.Rel(root, path)
					require.NoError(t, err)
					found = append(found, rel)
				}
				return true
			})
			return nil
		})
		require.NoError(t, err)
	}
	assert.Greater(t, seen, 100)
	slices.Sort(found)
	assert.Equal(t, opening, slices.Compact(found), "use package internal/files")
}

func errorOrSkip(err error) error {
	if err != nil {
		return err
	}
	return filepath.SkipDir
}
