package kvcache_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torchtest"
	"github.com/gotorch/gotorch/transformers/kvcache"
)

// spec has a layer that sees all tokens and one with a window.
func spec() kvcache.Spec {
	return kvcache.Spec{
		Layers: []kvcache.Layer{{Heads: 2, HeadDim: 3}, {Heads: 1, HeadDim: 4, Window: 5}},
		DType:  torch.Float32,
	}
}

// random returns keys or values of n tokens for layer i of spec.
func random(rows, n int64, i int) *torch.Tensor {
	l := spec().Layers[i]
	return torch.Randn(torch.Shape{rows, l.Heads, n, l.HeadDim})
}

// text is what a cache should contain: the plain concatenation of all updates of each layer.
type text struct {
	keys, values [2]*torch.Tensor
}

// add updates both layers with n tokens and compares what they return with the end of the
// concatenation.
func (x *text) add(t *testing.T, c *kvcache.Contiguous, rows, n int64) {
	t.Helper()
	for i := range 2 {
		key, value := random(rows, n, i), random(rows, n, i)
		if x.keys[i] == nil {
			x.keys[i], x.values[i] = key, value
		} else {
			x.keys[i] = torch.Cat([]*torch.Tensor{x.keys[i], key}, 2)
			x.values[i] = torch.Cat([]*torch.Tensor{x.values[i], value}, 2)
		}
		length, first := c.Sizes(i, n)
		all := x.keys[i].Size(2)
		require.Equal(t, all, length+first)
		if w := spec().Layers[i].Window; w == 0 {
			require.Zero(t, first)
		} else {
			require.Equal(t, min(all, w-1+n), length)
		}
		keys, values := c.Update(i, key, value)
		require.True(t, x.keys[i].Narrow(2, first, length).Equal(keys))
		require.True(t, x.values[i].Narrow(2, first, length).Equal(values))
	}
	require.Equal(t, x.keys[0].Size(2), c.Len())
}

// crop drops the tokens from position n on.
func (x *text) crop(n int64) {
	for i := range 2 {
		x.keys[i], x.values[i] = x.keys[i].Narrow(2, 0, n), x.values[i].Narrow(2, 0, n)
	}
}

func (x *text) reorder(rows *torch.Tensor) {
	for i := range 2 {
		x.keys[i], x.values[i] = x.keys[i].IndexSelect(0, rows), x.values[i].IndexSelect(0, rows)
	}
}

// A cache returns what a plain concatenation would, while it grows and with a capacity, and
// for a layer with a window the end of it.
func TestContiguousEqualsConcatenation(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for _, opts := range [][]kvcache.Option{nil, {kvcache.Capacity(700)}} {
		c := kvcache.New(spec(), opts...)
		torch.Scope(func() {
			var x text
			assert.Zero(t, c.Bytes())
			for _, n := range []int64{3, 1, 1, 2, 1, 7, 1, 240, 1, 1, 30, 256, 1, 1, 100, 1} {
				x.add(t, c, 2, n)
				if opts != nil {
					assert.Equal(t, 700-c.Len(), c.Room())
					assert.Equal(t, spec().Bytes(2, 700), c.Bytes(), "it never grows")
				}
			}
		})
		require.NoError(t, c.Close())
		require.NoError(t, c.Close(), "twice")
		assert.Zero(t, c.Bytes())
	}
}

// After Crop and Reorder, a cache continues as the cropped and reordered concatenation.
func TestCropAndReorder(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for _, opts := range [][]kvcache.Option{nil, {kvcache.Capacity(64)}} {
		c := kvcache.New(spec(), opts...)
		torch.Scope(func() {
			var x text
			x.add(t, c, 2, 4)
			x.crop(2)
			c.Crop(2)
			assert.EqualValues(t, 2, c.Len())
			x.add(t, c, 2, 3)
			order := torch.FromSlice([]int64{1, 1, 0})
			x.reorder(order)
			c.Reorder(order)
			x.add(t, c, 3, 2)
			x.add(t, c, 3, 1)
			x.crop(7)
			c.Crop(7)
			x.add(t, c, 3, 20)
			c.Crop(27)
			x.add(t, c, 3, 1)
			c.Crop(0)
			x = text{}
			x.add(t, c, 3, 6)
		})
		require.NoError(t, c.Close())
	}
	empty := kvcache.New(spec())
	torch.Scope(func() { empty.Reorder(torch.FromSlice([]int64{0})) })
	empty.Crop(0)
	assert.Zero(t, empty.Len())
}

// Mistakes panic with a typed error, and the cache stays as it was.
func TestContiguousErrors(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	c := kvcache.New(spec(), kvcache.Capacity(40))
	torch.Scope(func() {
		var x text
		x.add(t, c, 2, 30)
		good := func(n int64) *torch.Tensor { return random(2, n, 0) }
		c.Crop(30)
		for name, bad := range map[string]struct {
			want error
			call func()
		}{
			"no key":       {torch.ErrNil, func() { c.Update(0, nil, good(1)) }},
			"no value":     {torch.ErrNil, func() { c.Update(0, good(1), nil) }},
			"other rows":   {torch.ErrShape, func() { c.Update(0, random(1, 1, 0), random(1, 1, 0)) }},
			"other layer":  {torch.ErrShape, func() { c.Update(0, random(2, 1, 1), random(2, 1, 1)) }},
			"other length": {torch.ErrShape, func() { c.Update(0, good(1), good(2)) }},
			"dimensions":   {torch.ErrShape, func() { c.Update(0, good(1).Squeeze(2), good(1)) }},
			"too many":     {torch.ErrIndex, func() { c.Update(0, good(11), good(11)) }},
			"layer":        {torch.ErrIndex, func() { c.Update(2, good(1), good(1)) }},
			"layer -1":     {torch.ErrIndex, func() { c.Sizes(-1, 1) }},
			"gradient":     {torch.ErrAutograd, func() { c.Update(0, good(1).RequiresGrad_(true), good(1)) }},
			"row":          {torch.ErrIndex, func() { c.Reorder(torch.FromSlice([]int64{0, 2})) }},
			"crop -1":      {torch.ErrValue, func() { c.Crop(-1) }},
			"crop 31":      {torch.ErrValue, func() { c.Crop(31) }},
		} {
			assert.ErrorIs(t, torch.Try(bad.call), bad.want, name)
		}
		x.add(t, c, 2, 1)
		assert.ErrorIs(t, torch.Try(func() { c.Crop(20) }), torch.ErrValue, "the window has forgotten these")
		x.add(t, c, 2, 9)
		assert.Zero(t, c.Room())
	})
	require.NoError(t, c.Close())
	assert.ErrorIs(t, torch.Try(func() { c.Crop(0) }), torch.ErrClosed)
	assert.ErrorIs(t, torch.Try(func() { c.Sizes(0, 1) }), torch.ErrClosed)
	for _, s := range []kvcache.Spec{
		{},
		{Layers: []kvcache.Layer{{Heads: 1}}},
		{Layers: []kvcache.Layer{{HeadDim: 1}}},
		{Layers: []kvcache.Layer{{Heads: 1, HeadDim: 1, Window: -1}}},
	} {
		assert.ErrorIs(t, torch.Try(func() { kvcache.New(s) }), torch.ErrValue)
		assert.ErrorIs(t, torch.Try(func() { kvcache.NewPool(s, 1) }), torch.ErrValue)
	}
}
