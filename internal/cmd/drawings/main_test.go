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
	var pages strings.Builder
	for _, name := range names {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		pages.Write(text)
	}
	assert.NotEmpty(t, drawings())
	for name, want := range drawings() {
		got, err := os.ReadFile(filepath.Join(docs, "img", name))
		require.NoError(t, err)
		assert.Equal(t, want, string(got), "%s: run go run ./internal/cmd/drawings docs/img", name)
		assert.Contains(t, pages.String(), "(img/"+name+")")
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
