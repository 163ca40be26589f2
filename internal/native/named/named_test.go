package named_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/native/named"
)

func TestNamed(t *testing.T) {
	sum := func() named.Sum {
		for _, s := range named.Sums() {
			if s.Kind == "of the test" {
				return s
			}
		}
		return named.Sum{}
	}
	one := named.Add("one", "of the test", 64, 100)
	two := named.Add("two", "of the test", 128, 10)
	assert.Equal(t, "one", named.At(64))
	assert.Empty(t, named.At(65))
	one()
	one() // has no effect
	assert.Empty(t, named.At(64))
	require.Equal(t, named.Sum{Kind: "of the test", Current: 10, Peak: 110, Allocated: 110, Freed: 100}, sum())
	again := named.Add("again", "of the test", 128, 5) // the address of two, which is used again
	two()
	assert.Equal(t, "again", named.At(128))
	again()
	require.Empty(t, sum(), "there is none")
}

func TestObjects(t *testing.T) {
	count := func() (n, bytes int64) {
		for _, c := range named.Counts() {
			if c.Kind == "things of the test" {
				n += c.Count
				bytes += c.Bytes
			}
		}
		return n, bytes
	}
	one, grown := named.Made("things of the test"), int64(5)
	two := named.MadeOf("things of the test", func() int64 { return grown })
	n, bytes := count()
	assert.EqualValues(t, 2, n)
	assert.EqualValues(t, 5, bytes)
	grown = 7
	_, bytes = count()
	assert.EqualValues(t, 7, bytes)
	one.Gone()
	two.Gone()
	named.Object{}.Gone()
	n, _ = count()
	assert.Zero(t, n)
}
