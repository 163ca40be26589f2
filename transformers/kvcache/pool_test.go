package kvcache_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torchtest"
	"github.com/gotorch/gotorch/transformers/kvcache"
)

// The attention of several texts in one batch equals that of each text alone, however the
// texts are cut into parts, with and without a window, and with groups of heads.
func TestPoolAttention(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for _, window := range []int64{0, 1, 7} {
		for _, heads := range []int64{1, 2, 4} {
			t.Run(fmt.Sprintf("window=%d,heads=%d", window, heads), func(t *testing.T) {
				torch.ManualSeed(1)
				torch.Scope(func() { comparePool(t, window, heads) })
			})
		}
	}
}

func comparePool(t *testing.T, window, heads int64) {
	t.Helper()
	const queries, dim, scale = 4, 8, 0.3
	s := kvcache.Uniform(1, kvcache.Layer{Heads: heads, HeadDim: dim, Window: window}, torch.Float32)
	p := kvcache.NewPool(s, 300)
	defer func() { require.NoError(t, p.Close()) }()
	lengths := []int64{70, 1, 33, 40}
	texts := make([]*kvcache.Text, len(lengths))
	var all [][3]*torch.Tensor // query, key and value of each text
	for i, n := range lengths {
		var err error
		texts[i], err = p.NewText(n)
		require.NoError(t, err)
		one := func(h int64) *torch.Tensor { return torch.Randn(torch.Shape{1, h, n, dim}) }
		all = append(all, [3]*torch.Tensor{one(queries), one(heads), one(heads)})
	}
	parts := make([][]*torch.Tensor, len(lengths)) // the results of each text
	for _, step := range [][]int64{{31, 0, 32, 0}, {2, 1, 1, 40}, {36, 0, 0, 0}, {1, 0, 0, 0}} {
		var batch []kvcache.Part
		var in [3][]*torch.Tensor
		var positions []int64
		for i, n := range step {
			if n == 0 {
				continue
			}
			batch = append(batch, kvcache.Part{Text: texts[i], Tokens: n})
			for j := range in {
				in[j] = append(in[j], all[i][j].Narrow(2, texts[i].Len(), n))
			}
			for at := range n {
				positions = append(positions, texts[i].Len()+at)
			}
		}
		b := p.NewBatch(batch)
		assert.Equal(t, positions, b.Positions())
		assert.EqualValues(t, len(positions), b.Room())
		y := b.Attend(0, torch.Cat(in[0], 2), torch.Cat(in[1], 2), torch.Cat(in[2], 2), scale)
		b.Done()
		from := int64(0)
		for i, n := range step {
			if n > 0 {
				parts[i] = append(parts[i], y.Narrow(2, from, n))
				from += n
			}
		}
	}
	for i, n := range lengths {
		assert.Equal(t, n, texts[i].Len())
		at := torch.Arange(n)
		seen := at.Unsqueeze(0).Le(at.Unsqueeze(1))
		if window > 0 {
			seen = seen.LogicalAnd(at.Unsqueeze(0).Gt(at.SubScalar(window).Unsqueeze(1)))
		}
		want := F.ScaledDotProductAttention(all[i][0], all[i][1], all[i][2], F.AttnMask(seen), F.Scale(scale),
			F.EnableGQA(true))
		torchtest.AllClose(t, want, torch.Cat(parts[i], 2), torchtest.ATol(1e-6))
		require.NoError(t, texts[i].Close())
	}
	assert.Equal(t, p.Tokens(), p.Free())
}

// A pool never grows. Texts give their pages back once.
func TestPoolPages(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	s := spec()
	p := kvcache.NewPool(s, 65) // three pages
	assert.EqualValues(t, 96, p.Tokens())
	assert.Equal(t, s.PoolBytes(65), p.Bytes())
	assert.EqualValues(t, 96*(2*3+1*4)*2*4, p.Bytes())
	a, err := p.NewText(33)
	require.NoError(t, err)
	assert.EqualValues(t, 32, p.Free())
	for _, n := range []int64{33, 1 << 40, math.MaxInt64} {
		_, err = p.NewText(n)
		require.ErrorIs(t, err, kvcache.ErrFull)
	}
	b, err := p.NewText(32)
	require.NoError(t, err)
	_, err = p.NewText(1)
	require.ErrorIs(t, err, kvcache.ErrFull)
	for range 2 {
		require.NoError(t, a.Close())
		assert.EqualValues(t, 64, p.Free())
	}
	require.NoError(t, b.Close())
	c, err := p.NewText(96)
	require.NoError(t, err)
	require.NoError(t, c.Close())
	require.NoError(t, p.Close())
	require.NoError(t, p.Close())
}

// Mistakes panic with a typed error.
func TestPoolErrors(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	for _, n := range []int64{0, -1, 1<<40 + 1, math.MaxInt64} {
		assert.ErrorIs(t, torch.Try(func() { kvcache.NewPool(spec(), n) }), torch.ErrValue)
	}
	huge := kvcache.Uniform(1, kvcache.Layer{Heads: 1 << 20, HeadDim: 1 << 20}, torch.Float32)
	assert.Error(t, torch.Try(func() { kvcache.NewPool(huge, 1<<30) }))
	p, other := kvcache.NewPool(spec(), 64), kvcache.NewPool(spec(), 32)
	a, err := p.NewText(32)
	require.NoError(t, err)
	foreign, err := other.NewText(1)
	require.NoError(t, err)
	closed, err := p.NewText(1)
	require.NoError(t, err)
	require.NoError(t, closed.Close())
	batch := func(parts ...kvcache.Part) func() { return func() { p.NewBatch(parts) } }
	torch.Scope(func() {
		b := p.NewBatch([]kvcache.Part{{Text: a, Tokens: 2}})
		x := random(1, 2, 0)
		for name, bad := range map[string]struct {
			want error
			call func()
		}{
			"no tokens in a text": {torch.ErrValue, func() { _, _ = p.NewText(0) }},
			"no parts":            {torch.ErrValue, batch()},
			"no text":             {torch.ErrValue, batch(kvcache.Part{Tokens: 1})},
			"foreign text":        {torch.ErrValue, batch(kvcache.Part{Text: foreign, Tokens: 1})},
			"same text twice": {
				torch.ErrValue, batch(kvcache.Part{Text: a, Tokens: 1}, kvcache.Part{Text: a, Tokens: 1}),
			},
			"no tokens":   {torch.ErrIndex, batch(kvcache.Part{Text: a})},
			"too many":    {torch.ErrIndex, batch(kvcache.Part{Text: a, Tokens: 33})},
			"far more":    {torch.ErrIndex, batch(kvcache.Part{Text: a, Tokens: math.MaxInt64})},
			"closed text": {torch.ErrIndex, batch(kvcache.Part{Text: closed, Tokens: 1})},
			"layer":       {torch.ErrIndex, func() { b.Attend(2, x, x, x, 1) }},
			"layer -1":    {torch.ErrIndex, func() { b.Attend(-1, x, x, x, 1) }},
			"update":      {torch.ErrNotImplemented, func() { b.Update(0, x, x) }},
		} {
			assert.ErrorIs(t, torch.Try(bad.call), bad.want, name)
		}
		assert.Error(t, torch.Try(func() { b.Attend(1, x, x, x, 1) }), "a tensor of another layer")
		assert.Error(t, torch.Try(func() { b.Attend(0, x.Narrow(2, 0, 1), x, x, 1) }), "too few queries")
		assert.Zero(t, a.Len())
	})
	require.NoError(t, other.Close())
	require.NoError(t, p.Close())
	_, err = p.NewText(1)
	require.ErrorIs(t, err, kvcache.ErrFull)
	assert.ErrorIs(t, torch.Try(batch(kvcache.Part{Text: a, Tokens: 1})), torch.ErrClosed)
	require.NoError(t, a.Close())
}
