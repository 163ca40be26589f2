package groups_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gotorch/gotorch/memory/internal/groups"
)

func TestSumAndDiff(t *testing.T) {
	one := func(string) (count, bytes float64) { return 1, 4 }
	key := func(s string) string { return s[:1] }
	before := groups.Sum([]string{"a1", "a2", "b1", "c1"}, key, one)
	assert.Equal(t, []groups.Group{{"a", 2, 8}, {"b", 1, 4}, {"c", 1, 4}}, before)
	after := groups.Sum([]string{"a1", "b1", "b2", "b3", "d1"}, key, one)
	assert.Equal(t, []groups.Growth{
		{"b", 3, 2, 12, 8},
		{"d", 1, 1, 4, 4},
		{"a", 1, -1, 4, -4},
		{"c", 0, -1, 0, -4},
	}, groups.Diff(before, after))
}

// A sample with weight three counts as three things. Fractions are added up before they are
// rounded.
func TestWeights(t *testing.T) {
	third := func(int) (count, bytes float64) { return 1.4, 2.4 }
	assert.Equal(t, []groups.Group{{"x", 3, 5}}, groups.Sum([]int{1, 2}, func(int) string { return "x" }, third))
}
