package docs_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/docblocks"
	"github.com/gotorch/gotorch/internal/pythontest"
)

// parses reads a JSON list of Python fragments from standard input. It prints the place
// of each fragment that does not parse.
const parses = `
import ast, json, sys
for place, source in json.load(sys.stdin):
    try:
        ast.parse(source)
    except SyntaxError as e:
        print(place, e)
`

// The Python blocks of all pages, and the Python code in tables, are valid.
func TestPythonParses(t *testing.T) {
	python := pythontest.Interpreter(t, "ast")
	var pieces [][2]string
	blocks, err := docblocks.Read(repository)
	require.NoError(t, err)
	for _, b := range blocks {
		if b.Lang == "python" {
			pieces = append(pieces, [2]string{b.Place(), b.Source})
		}
	}
	inBlocks := len(pieces)
	for _, page := range []string{"porting.md", "tensors.md"} {
		text, err := os.ReadFile(filepath.Join(repository, "docs", page))
		require.NoError(t, err)
		for line := range strings.Lines(string(text)) {
			cell, _, ok := strings.Cut(strings.TrimPrefix(line, "| "), " | ")
			if !ok || !strings.HasPrefix(line, "| `") {
				continue
			}
			for _, m := range code.FindAllStringSubmatch(cell, -1) {
				pieces = append(pieces, [2]string{page, whole(m[1])})
			}
		}
	}
	assert.NotZero(t, inBlocks)
	assert.Greater(t, len(pieces)-inBlocks, 450)
	input, err := json.Marshal(append(pieces, [2]string{"the last", "no Python"}))
	require.NoError(t, err)
	cmd := exec.Command(python, "-c", parses)
	cmd.Stdin = strings.NewReader(string(input))
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	assert.Equal(t, "the last invalid syntax (<unknown>, line 1)\n", string(out))
}

// A Python program that follows a Go program on a page prints the same text.
func TestPythonPrintsTheSame(t *testing.T) {
	python := pythontest.Interpreter(t, "torch")
	blocks, err := docblocks.Read(repository)
	require.NoError(t, err)
	compared := 0
	for i, b := range blocks {
		if b.Lang != "python" || i == 0 || blocks[i-1].Page != b.Page ||
			!strings.HasPrefix(blocks[i-1].Source, "package main\n") {
			continue
		}
		compared++
		file := filepath.Join(t.TempDir(), "main.go")
		require.NoError(t, os.WriteFile(file, []byte(blocks[i-1].Source), 0o600))
		out, err := exec.Command("go", "run", file).CombinedOutput()
		require.NoError(t, err, "%s: %s", blocks[i-1].Place(), out)
		want := pythontest.Script(t, python, t.TempDir(), b.Source)
		assert.NotEmpty(t, want)
		assert.True(t, docblocks.Same(want, string(out)), "%s: Python prints\n%sand Go\n%s", b.Place(), want, out)
	}
	assert.NotZero(t, compared)
}

// whole completes a fragment, such as a lone except clause, so that it parses.
func whole(python string) string {
	switch {
	case strings.HasPrefix(python, "try:"):
		python += "\nexcept: pass"
	case strings.HasPrefix(python, "except "):
		python = "try: pass\n" + python
	}
	if strings.HasSuffix(python, ":") {
		python += " pass"
	}
	return python
}
