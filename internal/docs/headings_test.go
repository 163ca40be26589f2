package docs_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A heading is at most one level below the heading before it. The site's builder rejects
// pages that skip a level.
func TestHeadingsSkipNoLevel(t *testing.T) {
	pages, err := filepath.Glob("../../docs/*.md")
	require.NoError(t, err)
	require.NotEmpty(t, pages)
	for _, page := range append(pages, "../../README.md") {
		text, err := os.ReadFile(page)
		require.NoError(t, err)
		level, inCode := 0, false
		for line := range strings.Lines(string(text)) {
			if strings.HasPrefix(line, "```") {
				inCode = !inCode
			}
			marks := len(line) - len(strings.TrimLeft(line, "#"))
			if inCode || marks == 0 || line[marks] != ' ' {
				continue
			}
			assert.LessOrEqual(t, marks, level+1, "%s: %s", filepath.Base(page), line)
			level = marks
		}
	}
}
