package profiler_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch/profiler"
	"github.com/gotorch/gotorch/torchtest"
)

// Without GroupByStackN an operator has one row, no matter which lines called it.
func TestRowsWithoutStacks(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	p, err := profiler.Run(func(*profiler.Profile) {
		add()
		add()
	}, profiler.WithStack(true))
	require.NoError(t, err)
	rows := func(l *profiler.AverageList) (n int) {
		for _, a := range l.Averages {
			if a.Key == "aten::add" {
				n++
			}
		}
		return n
	}
	assert.Equal(t, 1, rows(p.KeyAverages()))
	assert.Equal(t, 1, rows(p.KeyAverages(profiler.GroupByStackN(0))))
	assert.Equal(t, 2, rows(p.KeyAverages(profiler.GroupByStackN(5))))
}

// With WithStack a region has the line that began it, just as an operator has the line that called it.
func TestStacksOfRegions(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for _, with := range []bool{true, false} {
		p, err := profiler.Run(func(*profiler.Profile) {
			profiler.RecordFunction("part", add)
		}, profiler.WithStack(with))
		require.NoError(t, err)
		stack := strings.Join(find(t, p, "part").Stack(), "\n")
		assert.Equal(t, with, strings.Contains(stack, "defaults_test.go"), stack)
	}
}

// A percentage of zero time is NaN, as in Python's tables.
func TestSharesOfNoTime(t *testing.T) {
	l := profiler.ListOf([]profiler.GivenEvent{{Name: "aten::nothing"}}, profiler.Given{})
	assert.Equal(t, []string{"aten::nothing", "NaN", "0.000us", "NaN", "0.000us", "0.000us", "1"},
		fieldsOf(l.KeyAverages().Table(), "aten::nothing"))
}

// fieldsOf returns the columns of the table row that begins with name.
func fieldsOf(table, name string) []string {
	for _, line := range strings.Split(table, "\n") {
		if f := strings.Fields(line); len(f) > 0 && f[0] == name {
			return f
		}
	}
	return nil
}
