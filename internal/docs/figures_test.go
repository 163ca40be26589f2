package docs_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// cells returns the second to fourth cells of the table rows in a page, by the name of
// the benchmark in the first cell. quote is the character around this name. Other rows
// are skipped.
func cells(t *testing.T, page, quote string) map[string]string {
	t.Helper()
	text, err := os.ReadFile("../../docs/" + page)
	require.NoError(t, err)
	rows := map[string]string{}
	for line := range strings.Lines(string(text)) {
		parts := strings.Split(strings.Trim(line, "| \n"), " | ")
		name := strings.Trim(parts[0], quote)
		if strings.HasPrefix(line, "| "+quote) && len(parts) >= 4 && strings.Contains(name, ".") &&
			(name != parts[0]) == (quote != "") {
			rows[name] = strings.Join(parts[1:4], " | ")
		}
	}
	return rows
}

// The numbers in docs/performance.md equal those in docs/benchmarks.md.
func TestFiguresAreThoseOfBenchmarks(t *testing.T) {
	measured, cited := cells(t, "benchmarks.md", ""), cells(t, "performance.md", "`")
	assert.Greater(t, len(cited), 10)
	for name, figures := range cited {
		assert.Equal(t, measured[name], figures, name)
	}
}
