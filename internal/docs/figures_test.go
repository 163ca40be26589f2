package docs_test

import (
	"fmt"
	"math"
	"os"
	"strconv"
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

// Pages that give a benchmark's result in other words or units give the result of
// docs/benchmarks.md.
func TestFiguresInOtherWords(t *testing.T) {
	measured := cells(t, "benchmarks.md", "")
	// value returns a cell of a row as a number of seconds.
	value := func(row string, cell int) float64 {
		number, unit, _ := strings.Cut(strings.Split(measured[row], " | ")[cell], " ")
		v, err := strconv.ParseFloat(number, 64)
		require.NoError(t, err, row)
		scale, ok := map[string]float64{"s": 1, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}[unit]
		require.True(t, ok, "%s: the unit %q", row, unit)
		return v * scale
	}
	perSecond := func(seconds, round float64) string {
		n := int(math.Round(1/seconds/round) * round)
		return fmt.Sprintf("%d,%03d", n/1000, n%1000)
	}
	ours, python := value("serve.throughput.python", 0), value("serve.throughput.python", 1)
	for page, texts := range map[string][]string{
		"examples/serve/README.md": {
			"answers " + perSecond(ours, 1000) + " requests", "Python " + perSecond(python, 100) + ".",
		},
		"docs/serving.md": {"has " + perSecond(ours, 1000) + " requests"},
		"examples/fashionmnist/README.md": {
			fmt.Sprintf("accuracy 0.8772, %.1f s", value("fmnist.epoch.python", 0)),
			fmt.Sprintf("the Python program took %.1f s", value("fmnist.epoch.python", 1)),
		},
		"docs/graphs.md": {
			fmt.Sprintf("takes %.0f microseconds, %.0f of them", 1e6*value("graph.mlp.eager", 1),
				1e6*value("graph.mlp.eager", 0)),
		},
	} {
		for _, text := range texts {
			assert.Contains(t, strings.Join(strings.Fields(read(t, page)), " "), text, page)
		}
	}
}
