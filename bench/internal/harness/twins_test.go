package harness_test

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/bench/internal/harness"
)

// Every folder of examples/ has a twin in Python, and a line in docs/twins.md.
func TestEveryExampleHasATwin(t *testing.T) {
	named := map[string]bool{}
	for _, w := range harness.Twins() {
		named[w.Name] = true
		assert.FileExists(t, "../../../examples/"+w.Name+"/reference.py")
		assert.NotEmpty(t, w.Numbers, w.Name)
		assert.NotEmpty(t, w.Reason, w.Name)
	}
	mains, err := filepath.Glob("../../../examples/*/main.go")
	require.NoError(t, err)
	pytorch, err := filepath.Glob("../../../examples/pytorch/*/main.go")
	require.NoError(t, err)
	for _, path := range append(mains, pytorch...) {
		name, err := filepath.Rel("../../../examples", filepath.Dir(path))
		require.NoError(t, err)
		assert.True(t, named[name], "examples/%s is missing from Twins", name)
		delete(named, name)
	}
	assert.Empty(t, named, "without a program")
}

// The page says what is compared now, and has a measured line for each.
func TestTwinsPage(t *testing.T) {
	text, err := os.ReadFile("../../../docs/twins.md")
	require.NoError(t, err)
	assert.Contains(t, string(text), harness.TwinsCompared(), "make twins ARGS=-write")
	measured, _, ok := strings.Cut(string(text), "| example | arguments |")
	require.True(t, ok)
	for _, w := range harness.Twins() {
		assert.Contains(t, measured, "\n| "+w.Name+" | ", "make twins ARGS=-write")
	}
}

func TestPair(t *testing.T) {
	p := harness.Pair{
		Twin:   harness.Twin{Name: "x", Tolerance: 0.1},
		Ours:   harness.Side{Numbers: []float64{1, 2}, Rate: 3, Peak: 4_560_000, Lines: 7},
		Python: harness.Side{Numbers: []float64{1, 2.05}, Rate: 3.14, Peak: 5_000_000, Lines: 8},
	}
	assert.Equal(t, "x 2 0.05 3.0 3.1 4.56 5.00 7 8", strings.Join(p.Cells(), " "))
	assert.Len(t, p.Cells(), len(p.Head()))
	require.NoError(t, p.Check())
	p.Early = 1e-4
	require.ErrorContains(t, p.Check(), "x: number 2 is 2, and Python's 2.05")
	p.Early = 0.03
	require.NoError(t, p.Check())
	p.Tolerance = 0.01
	require.ErrorContains(t, p.Check(), "x: numbers differ by 0.05")
	p.Python.Numbers[1] = math.NaN()
	require.Error(t, p.Check())
	p.Busy = true
	assert.Equal(t, "x 2 NaN - - 4.56 5.00 7 8", strings.Join(p.Cells(), " "))
	p.Python.Numbers, p.Busy, p.Untimed = nil, false, "slow"
	require.Error(t, p.Check())
	assert.Equal(t, "x 2 infinite: the counts differ - - 4.56 5.00 7 8", strings.Join(p.Cells(), " "))
	assert.Contains(t, harness.TwinsPage("a machine", []harness.Pair{p}), "Measured on a machine.\n\n| example | numbers |")
}
