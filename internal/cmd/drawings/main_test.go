package main

import (
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The files in docs/img are well-formed and equal the command's output. Each appears in a
// page.
func TestDrawings(t *testing.T) {
	const docs = "../../../docs"
	names, err := filepath.Glob(filepath.Join(docs, "*.md"))
	require.NoError(t, err)
	names = append(names, filepath.Join(docs, "..", "README.md"))
	var pages strings.Builder
	for _, name := range names {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		pages.Write(text)
	}
	all, err := draw(filepath.Join(docs, "img"))
	require.NoError(t, err)
	assert.NotEmpty(t, all)
	for name, want := range all {
		got, err := os.ReadFile(filepath.Join(docs, "img", name))
		require.NoError(t, err)
		assert.Equal(t, want, string(got), "%s: run go run ./internal/cmd/drawings docs/img", name)
		assert.Contains(t, pages.String(), "img/"+name+")")
		d := xml.NewDecoder(strings.NewReader(want))
		for {
			_, err := d.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			require.NoError(t, err, name)
		}
	}
}

// A benchmark that the picture of the README shows must be in the table.
func TestMissingBenchmark(t *testing.T) {
	_, err := drawings("| serve.throughput.python | 35.61 us | 211 us | 0.169 | 0.25 | holds |\n")
	assert.ErrorContains(t, err, "docs/benchmarks.md has no row data.items.python")
	_, err = drawings("| data.items.python | 6 us | 165 us | fast | 0.1 | holds |\n")
	assert.ErrorContains(t, err, "data.items.python")
	page, err := os.ReadFile("../../../docs/benchmarks.md")
	require.NoError(t, err)
	for old, text := range map[string]string{
		"| graph.mlp.eager |":     "| graph |",
		"| 21.25 us | 77.72 us |": "| fast | 77.72 us |",
	} {
		_, err = drawings(strings.ReplaceAll(string(page), old, text))
		assert.ErrorContains(t, err, "docs/benchmarks.md, graph.mlp.eager: ")
	}
}
