package torch_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gotorch/gotorch/torch"
)

func TestBroadcastShapes(t *testing.T) {
	type shapes = []torch.Shape
	for _, c := range []struct {
		in   shapes
		want torch.Shape
	}{
		{nil, torch.Shape{}},
		{shapes{{}}, torch.Shape{}},
		{shapes{{2}}, torch.Shape{2}},
		{shapes{{2}, {3, 1}, {1, 1, 1}}, torch.Shape{1, 3, 2}},
		{shapes{{0}, {1}}, torch.Shape{0}},
		{shapes{{4, 1, 3}, {2, 1}, {}}, torch.Shape{4, 2, 3}},
	} {
		assert.Equal(t, c.want, torch.BroadcastShapes(c.in...), "%v", c.in)
	}
	in := torch.Shape{2, 3}
	torch.BroadcastShapes(in)[0] = 7
	assert.Equal(t, torch.Shape{2, 3}, in, "the result is a copy")
	err := torch.Try(func() { torch.BroadcastShapes(torch.Shape{2, 3}, torch.Shape{4, 1}) })
	assert.ErrorIs(t, err, torch.ErrShape)
	assert.ErrorContains(t, err,
		"BroadcastShapes: argument shapes[1]: (4, 1) does not broadcast with (2, 3), the result for the shapes before")
	assert.ErrorIs(t, torch.Try(func() { torch.BroadcastShapes(torch.Shape{0}, torch.Shape{3}) }), torch.ErrShape)
	err = torch.Try(func() { torch.BroadcastShapes(torch.Shape{-1}) })
	assert.ErrorIs(t, err, torch.ErrValue)
}

// Seed returns a different seed each time. ManualSeed with that seed reproduces the
// numbers.
func TestSeed(t *testing.T) {
	leakFree(t, func() {
		first := torch.Seed()
		x := torch.Rand(torch.Shape{4})
		assert.Equal(t, first, torch.InitialSeed())
		assert.NotEqual(t, first, torch.Seed())
		torch.ManualSeed(first)
		assert.True(t, x.Equal(torch.Rand(torch.Shape{4})))
	})
}
