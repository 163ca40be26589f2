// Package docs tests the programs, tables and commands in the documentation.
package docs_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/compilefail"
)

// tables declares the variables that the tables of docs/tensors.md use.
var tables = compilefail.Scope{
	Imports: []string{
		"fmt",
		"github.com/gotorch/gotorch/nn",
		"github.com/gotorch/gotorch/torch",
		"github.com/gotorch/gotorch/torch/fft",
		"github.com/gotorch/gotorch/torch/linalg",
		"github.com/gotorch/gotorch/torch/special",
	},
	Decls: `
var (
	a, b, c, i, mask, loss, s, v, w, x, y *torch.Tensor

	g     *torch.Generator
	model *nn.Sequential
	best  nn.StateDict
	err   error
)
`,
}

var code = regexp.MustCompile("`([^`]+)`")

// Each Go expression in the second column of the tables in docs/tensors.md compiles.
func TestTablesCompile(t *testing.T) {
	page, err := os.ReadFile("../../docs/tensors.md")
	require.NoError(t, err)
	var pieces []string
	for line := range strings.Lines(string(page)) {
		cells := strings.Split(line, " | ")
		if len(cells) != 2 || !strings.HasPrefix(line, "| `") {
			continue
		}
		for _, m := range code.FindAllStringSubmatch(cells[1], -1) {
			if strings.Contains(m[1], "(") {
				pieces = append(pieces, m[1])
			}
		}
	}
	assert.Greater(t, len(pieces), 100)
	if tables.Compile("{"+strings.Join(pieces, "}\n{")+"}") == nil {
		return
	}
	for _, p := range pieces {
		assert.NoError(t, tables.Compile(p), p)
	}
}
