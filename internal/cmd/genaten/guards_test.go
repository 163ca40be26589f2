package main

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const poolSchema = "pool(Tensor self, int[2] kernel_size, int[2] stride=[], int? n=None, float[2]? by=None, bool[2] " +
	"mask=[]) -> Tensor"

func guarded(t *testing.T, rows string) (map[string]*operator, *generator, error) {
	t.Helper()
	const both = "2.11.0,2.15.0"
	ops, g := model(t, map[string]string{
		poolSchema: both,
		"pool.out(Tensor self, int[2] kernel_size, *, Tensor(a!) out) -> Tensor(a!)": both,
		"pad(Tensor self, int[4] padding) -> Tensor":                                 both,
		"plain(Tensor self) -> Tensor":                                               both,
	})
	return ops, g, parseGuards(rows, g.ops)
}

// Each list whose length is in the schema has a guard that checks this length. An
// operator without such a list has no guard.
func TestGuardsOfTheSchema(t *testing.T) {
	ops, _, err := guarded(t, "")
	require.NoError(t, err)
	assert.Equal(t,
		`    gt::guard::length(gt::guard::ints{"kernel_size", kernel_size, kernel_size_n}, 2, gt::guard::or_one);
    gt::guard::length(gt::guard::ints{"stride", stride, stride_n}, 2, gt::guard::or_none);
`, ops["pool"].guardCalls())
	assert.Empty(t, ops["plain"].guardCalls())
	assert.Contains(t, ops["pad"].boxedGuards(), `gt::guard::length(w.ints_("padding", 1), 4, gt::guard::or_one);`)
}

// An operator's guards from guards.txt are in the order of the file, after the guards
// from the schema. A row about the length of a list replaces the guard from the schema.
func TestGuardRows(t *testing.T) {
	ops, g, err := guarded(t, `
# a comment
length(kernel_size, size, exactly): pool*
between(n, 0, 9): pool*
vectors(): plain
`)
	require.NoError(t, err)
	assert.Equal(t,
		`gt::guard::length(w.ints_("stride", 2), 2, gt::guard::or_none); gt::guard::length(w.ints_("kernel_size", 1), 2, gt::guard::exactly); gt::guard::between(w.integer_or_none_("n", 3), 0, 9);`,
		ops["pool"].boxedGuards())
	assert.Contains(t, ops["pool"].guardCalls(),
		`gt::guard::between(gt::guard::integer{"n", n ? *n : 0, n != nullptr}, 0, 9);`)
	assert.Equal(t, `gt::guard::length(w.ints_("kernel_size", 1), 2, gt::guard::exactly);`,
		ops["pool.out"].boxedGuards(), "a pattern leaves out who lacks the argument")
	assert.Equal(t, "gt::guard::vectors();", ops["plain"].boxedGuards())

	var b bytes.Buffer
	numbers := g.writeGuards(&b, []*operator{ops["pad"], ops["plain"], ops["pool"], ops["pad"]})
	assert.Equal(t, map[*operator]int{ops["pad"]: 1, ops["plain"]: 2, ops["pool"]: 3}, numbers)
	assert.Equal(t, 1, bytes.Count(b.Bytes(), []byte(`"padding"`)), "each body once")
}

func TestGuardRowsThatAreWrong(t *testing.T) {
	for row, want := range map[string]string{
		"between(n, 0, 9) pool":     "guards.txt:1: want check(arguments): operators",
		"between(n, 0, 9): pol":     "guards.txt:1: pol is not a bound operator",
		"between(k, 0, 9): pool":    "guards.txt:1: pool has no argument k",
		"between(k, 0, 9): po*":     "guards.txt:1: no operator po* has these arguments",
		"between(mask, 0, 9): pool": "guards.txt:1: pool: no guard can check argument mask",
		"\nbetween(x, 0, 9): plain": "guards.txt:2: plain has no argument x",
	} {
		_, _, err := guarded(t, row)
		require.EqualError(t, err, want)
	}
}
