package harness_test

import (
	"encoding/xml"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/bench/internal/harness"
)

// Every directory of examples/ has a twin in Python, and a line in docs/twins.md.
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

// The page must list the current comparisons, and must have measured values for each
// pair.
func TestTwinsPage(t *testing.T) {
	text, err := os.ReadFile("../../../docs/twins.md")
	require.NoError(t, err)
	assert.Contains(t, string(text), harness.TwinsCompared(), "make bench MODE=twins ARGS=-write")
	measured, _, ok := strings.Cut(string(text), "| example | arguments |")
	require.True(t, ok)
	for _, w := range harness.Twins() {
		assert.Contains(t, measured, "\n| "+w.Name+" | ", "make bench MODE=twins ARGS=-write")
	}
}

func TestPair(t *testing.T) {
	p := harness.Pair{
		Twin:     harness.Twin{Name: "some/x", Tolerance: 0.1, Original: 9},
		Ours:     harness.Side{Numbers: []float64{1, 2}, Rate: 3, Peak: 4_560_000, Lines: 7},
		Python:   harness.Side{Numbers: []float64{1, 2.05}, Rate: 3.14, Peak: 5_000_000, Lines: 8},
		Unscoped: harness.Side{Numbers: []float64{1, 2}, Peak: 6_000_000},
	}
	assert.Equal(t, "some/x 2 0.05 3.0 3.1 4.56 6.00 5.00 7 8 9", strings.Join(p.Cells(), " "))
	assert.Len(t, p.Cells(), len(p.Head()))
	require.NoError(t, p.Check())
	p.Unscoped.Numbers = []float64{1, 2.2}
	require.ErrorContains(t, p.Check(), "some/x: without scopes numbers differ by 0.2")
	p.Scoped = "it is about them"
	require.NoError(t, p.Check())
	p.Early = 1e-4
	require.ErrorContains(t, p.Check(), "some/x: number 2 is 2, and Python's 2.05")
	p.Early = 0.03
	require.NoError(t, p.Check())
	p.Tolerance = 0.01
	require.ErrorContains(t, p.Check(), "some/x: numbers differ by 0.05")
	p.Python.Numbers[1] = math.NaN()
	require.Error(t, p.Check())
	p.Busy, p.Original = true, 0
	assert.Equal(t, "some/x 2 NaN - - 4.56 - 5.00 7 8 -", strings.Join(p.Cells(), " "))
	p.Python.Numbers, p.Busy, p.Untimed = nil, false, "slow"
	require.Error(t, p.Check())
	assert.Equal(t, "some/x 2 infinite: the counts differ - - 4.56 - 5.00 7 8 -", strings.Join(p.Cells(), " "))
	page := harness.TwinsPage("a machine", []harness.Pair{p})
	assert.Contains(t, page, "Measured on a machine.\n\n| example | numbers |")
	for line := range strings.Lines(page) {
		if strings.Contains(line, "arguments") {
			break
		}
		if strings.HasPrefix(line, "|") {
			assert.Equal(t, len(p.Head())+1, strings.Count(line, "|"), line)
		}
	}
}

// Outcomes returns a pair's rows for build/bench.json, without values that are not
// meaningful.
func TestOutcomesOfPairs(t *testing.T) {
	p := harness.Pair{
		Twin: harness.Twin{Name: "pytorch/x"}, Ours: harness.Side{Rate: 4, Peak: 90},
		Python: harness.Side{Rate: 2, Peak: 100}, Unscoped: harness.Side{Peak: 120},
	}
	time := harness.Outcome{
		Name: "twins.x.python", Unit: "ns", Ours: 2.5e8, Peer: "reference.py", PeerValue: 5e8,
		Ratio: 0.5,
	}
	peak := harness.Outcome{
		Name: "twins.x.peak", Unit: "bytes", Ours: 90, Peer: "reference.py", PeerValue: 100,
		Ratio: 0.9,
	}
	unscoped := harness.Outcome{
		Name: "twins.x.unscoped", Unit: "bytes", Ours: 120, Peer: "reference.py",
		PeerValue: 100, Ratio: 1.2,
	}
	assert.Equal(t, []harness.Outcome{time, peak, unscoped}, p.Outcomes())
	busy, scoped, none := p, p, p
	busy.Busy = true
	assert.Equal(t, []harness.Outcome{peak, unscoped}, busy.Outcomes())
	scoped.Scoped = "yes"
	assert.Equal(t, []harness.Outcome{time, peak}, scoped.Outcomes())
	none.Python.Peak = 0
	assert.Equal(t, []harness.Outcome{time}, none.Outcomes())

	all := harness.AllNames(harness.Groups())
	assert.Contains(t, all, "twins.gpt.python")
	assert.Contains(t, all, "twins.word_language_model.unscoped")
	targets := harness.TwinTargets()
	for _, name := range []string{"twins.leaks.python", "twins.leaks.unscoped"} {
		assert.NotContains(t, targets, name)
	}
	assert.InDelta(t, 1.02, targets["twins.leaks.peak"], 0)
}

// The chart is well-formed, and has a bar for each value.
func TestTwinsPicture(t *testing.T) {
	p := harness.Pair{
		Twin: harness.Twin{Name: "pytorch/a<b"}, Ours: harness.Side{Rate: 4, Peak: 90},
		Python: harness.Side{Rate: 2, Peak: 100}, Unscoped: harness.Side{Peak: 500},
	}
	bars := func(pairs ...harness.Pair) (values []string) {
		d := xml.NewDecoder(strings.NewReader(harness.TwinsPicture(pairs)))
		for {
			token, err := d.Token()
			if errors.Is(err, io.EOF) {
				return values
			}
			require.NoError(t, err)
			if e, ok := token.(xml.StartElement); ok && e.Name.Local == "text" && e.Attr[0].Value == "v" {
				text, err := d.Token()
				require.NoError(t, err)
				values = append(values, string(text.(xml.CharData)))
			}
		}
	}
	assert.Equal(t, []string{"0.50", "0.90", "5.00"}, bars(p))
	busy, none := p, p
	busy.Busy, busy.Scoped = true, "yes"
	none.Python.Peak = 0
	assert.Equal(t, []string{"0.90", "0.50"}, bars(busy, none))
}
