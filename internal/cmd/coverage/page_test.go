package main

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// docs/coverage.md equals the command's output for the current source.
func TestPage(t *testing.T) {
	l, err := read("../../..")
	require.NoError(t, err)
	rows, err := table(l)
	require.NoError(t, err)
	committed, err := os.ReadFile("../../../docs/coverage.md")
	require.NoError(t, err)
	if want := page(rows); want != string(committed) {
		assert.Equal(t, want, string(committed),
			"docs/coverage.md is out of date: run go run ./internal/cmd/coverage")
	}
}

// Each planned name has an alternative to use until it exists, and each name that does
// not apply has a reason.
func TestMissingNamesHaveAReason(t *testing.T) {
	l, err := read("../../..")
	require.NoError(t, err)
	rows, err := table(l)
	require.NoError(t, err)
	for _, section := range rows {
		for _, r := range section {
			assert.NotEmpty(t, r.text, "%s is neither there nor in planned.txt or reasons.txt", r.name)
		}
	}
}
