package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// The fit finds the costs that times were made with.
func TestFit(t *testing.T) {
	want := Model{Hop: 42e-6, Byte: 0.7e-9}
	var points []Point
	for _, world := range worlds {
		for _, n := range sizes {
			points = append(points, Point{World: world, Bytes: n, Measured: want.shared(world, n, 2)})
		}
	}
	got := fit(points, 2)
	assert.InEpsilon(t, want.Hop, got.Hop, 0.01)
	assert.InEpsilon(t, want.Byte, got.Byte, 0.01)
}

// More ranks never make a step shorter, and two with a fast network cost nothing.
func TestMany(t *testing.T) {
	m := Model{Hop: 300e-6, Byte: 0.5e-9}
	last := 1.0
	for _, world := range []int{2, 8, 64, 256, 1000} {
		e := m.many(world).Efficiency
		assert.LessOrEqual(t, e, last)
		last = e
	}
	assert.Equal(t, 1.0, m.many(2).Efficiency)
	assert.Less(t, last, 1.0)
}
