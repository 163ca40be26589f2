package serving_test

import (
	"context"
	"fmt"
	"iter"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torchtest"
	"github.com/gotorch/gotorch/transformers/generation"
	"github.com/gotorch/gotorch/transformers/models"
	"github.com/gotorch/gotorch/transformers/models/gpt2"
	"github.com/gotorch/gotorch/transformers/models/llama"
	"github.com/gotorch/gotorch/transformers/serving"
)

func newModels(t *testing.T) map[string]models.CausalLM {
	t.Helper()
	torch.ManualSeed(1)
	l, err := llama.ParseConfig([]byte(`{"model_type": "qwen2", "vocab_size": 61, "hidden_size": 48,
		"intermediate_size": 64, "num_hidden_layers": 3, "num_attention_heads": 6, "num_key_value_heads": 2,
		"max_position_embeddings": 200, "use_sliding_window": true, "sliding_window": 10, "max_window_layers": 1,
		"initializer_range": 0.3}`))
	require.NoError(t, err)
	a, err := llama.NewForCausalLM(l)
	require.NoError(t, err)
	g := gpt2.DefaultConfig()
	g.VocabSize, g.Positions, g.Embd, g.Layers, g.Heads, g.InitializerRange = 61, 200, 32, 2, 4, 0.3
	b, err := gpt2.NewForCausalLM(g)
	require.NoError(t, err)
	a.Eval()
	b.Eval()
	t.Cleanup(func() { require.NoError(t, a.Close()); require.NoError(t, b.Close()) })
	return map[string]models.CausalLM{"llama": a, "gpt2": b}
}

func collect(t *testing.T, tokens iter.Seq2[int64, error]) (out []int64) {
	t.Helper()
	for id, err := range tokens {
		if !assert.NoError(t, err) {
			break
		}
		out = append(out, id)
	}
	return out
}

// Many clients at once get the tokens that each would get alone, whatever the size of the
// cache, the batch and the steps, and nothing is left in the cache.
func TestClientsGetTheirOwnTokens(t *testing.T) {
	for name, m := range newModels(t) {
		for _, opts := range [][]serving.Option{
			{serving.CacheTokens(4096)},
			{serving.CacheTokens(96), serving.PrefillTokens(7)},
			{serving.MaxBatch(1), serving.PrefillTokens(1)},
		} {
			t.Run(fmt.Sprint(name, opts), func(t *testing.T) {
				defer torchtest.CheckLeaks(t)()
				e := serving.NewEngine(m, opts...)
				var wait sync.WaitGroup
				for i := range 24 {
					wait.Go(func() {
						var prompt []int64
						for j := range 1 + 3*i {
							prompt = append(prompt, int64((7*i+3*j)%61))
						}
						settings := []generation.Option{generation.MaxNewTokens(1 + i%9), generation.EOSTokenID{5, 9}}
						if i%4 == 3 {
							settings = append(settings, generation.RepetitionPenalty(1.2))
						}
						want, err := generation.Generate(context.Background(), m, [][]int64{prompt}, settings...)
						if assert.NoError(t, err) {
							assert.Equal(t, want[0], collect(t, e.Submit(context.Background(), prompt, 0, settings...)))
						}
					})
				}
				wait.Wait()
				s := e.Stats()
				assert.Equal(t, s.CacheTokens, s.CacheFree)
				assert.Equal(t, int64(24), s.Finished)
				require.NoError(t, e.Close())
			})
		}
	}
}

// A seed gives the same tokens whatever other clients do.
func TestSeeds(t *testing.T) {
	m := newModels(t)["llama"]
	e := serving.NewEngine(m)
	defer func() { require.NoError(t, e.Close()) }()
	ask := func(seed uint64) []int64 {
		sampled := e.Submit(context.Background(), []int64{3, 4}, seed, generation.DoSample(true), generation.TopK(0))
		return collect(t, sampled)
	}
	alone := ask(7)
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() { assert.Equal(t, alone, ask(7)) })
		wait.Go(func() { assert.NotEqual(t, alone, ask(8)) })
	}
	wait.Wait()
}

// A request that is cancelled, or whose client stops reading, gives its place back.
func TestCancelledRequests(t *testing.T) {
	m := newModels(t)["gpt2"]
	e := serving.NewEngine(m, serving.CacheTokens(160))
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	n := 0
	for _, err := range e.Submit(ctx, []int64{1}, 0, generation.MaxNewTokens(150)) {
		if n++; n == 3 {
			cancel()
		}
		if err != nil {
			assert.ErrorIs(t, err, context.Canceled)
		}
	}
	for range e.Submit(context.Background(), []int64{1}, 0, generation.MaxNewTokens(150)) {
		break
	}
	assert.Len(t, collect(t, e.Submit(context.Background(), []int64{1}, 0, generation.MaxNewTokens(150))), 150)
	require.NoError(t, e.Close())
	for _, err := range e.Submit(context.Background(), []int64{1}, 0) {
		assert.ErrorIs(t, err, serving.ErrClosed)
	}
}

// What can never fit, and what finds the queue full, is refused at once.
func TestRefusedRequests(t *testing.T) {
	m := newModels(t)["gpt2"]
	e := serving.NewEngine(m, serving.CacheTokens(64), serving.MaxQueue(1))
	refused := func(want error, n int) {
		for _, err := range e.Submit(context.Background(), []int64{1, 2}, 0, generation.MaxNewTokens(n)) {
			assert.ErrorIs(t, err, want)
		}
	}
	refused(generation.ErrTooLong, 64)
	refused(generation.ErrTooLong, 500)
	for _, bad := range []func(){
		func() { e.Submit(context.Background(), nil, 0) },
		func() { e.Submit(context.Background(), []int64{61}, 0) },
		func() { e.Submit(context.Background(), []int64{-1}, 0) },
		func() { e.Submit(context.Background(), []int64{1}, 0, generation.Temperature(-1)) },
		func() { serving.NewEngine(m, serving.MaxBatch(0)) },
	} {
		assert.Error(t, torch.Try(bad))
	}
	require.NoError(t, e.Drain(context.Background()))
	refused(serving.ErrClosed, 1)
}
