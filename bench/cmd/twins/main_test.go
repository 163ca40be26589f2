package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestSelection(t *testing.T) {
	assert.ErrorContains(t, run("a typo", false), `no example matches "a typo"`)
	assert.ErrorContains(t, run("(", false), "missing closing")
}
