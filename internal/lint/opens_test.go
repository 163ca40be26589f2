package lint_test

import (
	"go/ast"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
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
	var found []string
	seen := 0
	for _, top := range []string{"torch", "nn", "optim", "memory", "vision"} {
		eachFile(t, top, []string{"testdata"}, func(path string) {
			if !isCode(path) {
				return
			}
			seen++
			for n := range ast.Preorder(parse(t, path)) {
				if s, ok := n.(*ast.SelectorExpr); ok && (s.Sel.Name == "Open" || s.Sel.Name == "ReadFile") {
					if x, ok := s.X.(*ast.Ident); ok && x.Name == "os" {
						found = append(found, path)
					}
				}
			}
		})
	}
	assert.Greater(t, seen, 100)
	slices.Sort(found)
	assert.Equal(t, opening, slices.Compact(found), "use package internal/files")
}
