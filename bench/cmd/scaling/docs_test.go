package main

import (
	"fmt"
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// In docs/distributed.md, the predictions for many machines must follow from the two
// costs on that page, and the text must agree with the model. The test measures nothing,
// because the costs are from a different machine.
func TestGuide(t *testing.T) {
	raw, err := os.ReadFile("../../../docs/distributed.md")
	require.NoError(t, err)
	_, text, found := strings.Cut(string(raw), "\n## Scaling\n")
	require.True(t, found)
	text, _, _ = strings.Cut(text, "\n## ")
	numbers := func(pattern string) (all []float64) {
		found := regexp.MustCompile(pattern).FindStringSubmatch(text)
		require.NotNil(t, found, pattern)
		for _, s := range found[1:] {
			n, err := strconv.ParseFloat(s, 64)
			require.NoError(t, err)
			all = append(all, n)
		}
		return all
	}
	m := Model{
		Hop:  1e-3 * numbers(`sent and received \| ([\d.]+) ms of CPU time`)[0],
		Byte: 1e-9 / numbers(`received and added \| ([\d.]+) GB/s per processor`)[0],
	}
	r := numbers(`measured time divided by the model's time \| ([\d.]+) to ([\d.]+) in (\d+) cases: within a factor of ([\d.]+) \|`)
	assert.Len(t, sizes, int(r[2])/len(worlds))
	assert.Contains(t, text, Ratios{Least: r[0], Largest: r[1], Cases: int(r[2])}.String())

	assert.Equal(t, 1e3*step, numbers(`steps of (\d+) ms\. Half of the step`)[0])
	assert.Equal(t, 1e3*overlap, numbers(`beyond (\d+) ms\s+makes a step longer`)[0])
	assert.Equal(t, step/2, overlap)
	for _, world := range many {
		row := numbers(fmt.Sprintf(`\n\| %d \| (\d+) ms \| (\d+) ms \| (\d+) %% \|`, world))
		want := m.many(world)
		for i, n := range []float64{1e3 * want.Sum, 1e3 * want.Step, 100 * want.Efficiency} {
			assert.InDelta(t, math.Round(n), row[i], 1+n/500, "%d ranks, column %d", world, i)
		}
	}
}

// Factor is the largest deviation in either direction.
func TestRatios(t *testing.T) {
	r := ratios([]Point{{Measured: 1, Modelled: 1}, {Measured: 1, Modelled: 2}, {Measured: 3, Modelled: 2}})
	assert.Equal(t, Ratios{Least: 0.5, Largest: 1.5, Cases: 3}, r)
	assert.Equal(t, "0.50 to 1.50 in 3 cases: within a factor of 2.0", r.String())
	assert.InDelta(t, 1.6, ratios([]Point{{Measured: 8, Modelled: 5}, {Measured: 1, Modelled: 1}}).Factor(), 1e-12)
}

// Half of a step overlaps with the sums, so the sums lengthen a step only if they take
// longer than half of it.
func TestOverlap(t *testing.T) {
	m := Model{Hop: 379e-6, Byte: 0.6e-9}
	for _, world := range many {
		a := m.many(world)
		assert.InDelta(t, step+max(0, a.Sum-step/2), a.Step, 1e-12, "%d ranks", world)
		assert.InDelta(t, step/a.Step, a.Efficiency, 1e-12)
	}
}
