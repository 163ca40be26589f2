package main

import (
	"maps"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Each operator in the list named fresh exists in every supported version of libtorch.
// Its schema shows that no argument is written to or shares memory with a result.
func TestFreshOperators(t *testing.T) {
	inv, err := readListing("operators.txt")
	require.NoError(t, err)
	ops, err := buildModel(inv)
	require.NoError(t, err)
	left := maps.Clone(fresh)
	for _, op := range ops {
		if !fresh[op.Name()] {
			continue
		}
		delete(left, op.Name())
		assert.Empty(t, op.skip, op.Name())
		assert.Len(t, op.versions, len(inv.versions), op.Name())
		for _, a := range op.Args {
			assert.Empty(t, a.Type.Alias, "%s: %s", op.Name(), a.Name)
		}
	}
	assert.Empty(t, left, "no such operators")
}
