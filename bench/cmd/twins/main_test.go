package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestSelection(t *testing.T) {
	assert.ErrorContains(t, run("a typo", 1, false), `no example matches "a typo"`)
	assert.ErrorContains(t, run("(", 1, false), "missing closing")
	assert.EqualError(t, run("gpt", 0, false), "-rounds must be at least 1, got 0")
}
