package serving_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/safetensors"
	"github.com/gotorch/gotorch/torchtest"
	"github.com/gotorch/gotorch/transformers"
	"github.com/gotorch/gotorch/transformers/generation"
	"github.com/gotorch/gotorch/transformers/models"
	"github.com/gotorch/gotorch/transformers/models/bert"
	"github.com/gotorch/gotorch/transformers/serving"
)

// words is a tokenizer whose tokens are the letters a to h.
const words = `{"version": "1.0", "truncation": null, "padding": null, "added_tokens": [], "normalizer": null,
	"pre_tokenizer": {"type": "WhitespaceSplit"}, "decoder": null,
	"post_processor": {"type": "BertProcessing", "sep": ["[SEP]", 3], "cls": ["[CLS]", 2]},
	"model": {"type": "WordLevel", "unk_token": "[UNK]", "vocab": {"[PAD]": 0, "[UNK]": 1, "[CLS]": 2, "[SEP]": 3,
		"a": 4, "b": 5, "c": 6, "d": 7, "e": 8, "f": 9, "g": 10, "h": 11}}}`

// sentenceFolder returns a folder with a BERT with random weights, for texts of at most 20 tokens.
func sentenceFolder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	const config = `{"model_type": "bert", "vocab_size": 12, "hidden_size": 16, "num_hidden_layers": 2,
		"num_attention_heads": 2, "intermediate_size": 24, "max_position_embeddings": 20, "initializer_range": 0.5}`
	for name, content := range map[string]string{"config.json": config, "tokenizer.json": words} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600))
	}
	c, err := bert.ParseConfig([]byte(config))
	require.NoError(t, err)
	torch.ManualSeed(5)
	m, err := bert.NewModel(c)
	require.NoError(t, err)
	require.NoError(t, safetensors.SaveFile(m.StateDict().Map(), filepath.Join(dir, "model.safetensors")))
	require.NoError(t, m.Close())
	return dir
}

func newSentences(t *testing.T) *transformers.SentenceTransformer {
	t.Helper()
	s, err := transformers.LoadSentenceTransformer(sentenceFolder(t))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

// tokensOf returns the tokens of texts.
func tokensOf(t *testing.T, s *transformers.SentenceTransformer, texts ...string) []transformers.Tokens {
	t.Helper()
	tokens, err := s.Tokenize(texts)
	require.NoError(t, err)
	return tokens
}

// heldEncoder is an encoder whose forward passes wait until they are allowed to run.
type heldEncoder struct {
	models.Encoder
	began, let chan struct{}
}

func holdEncoder(s *transformers.SentenceTransformer) *heldEncoder {
	h := &heldEncoder{s.Model, make(chan struct{}, 1000), make(chan struct{})}
	s.Model = h
	return h
}

//torchvet:ignore modulecall the model that it calls is the module
func (h *heldEncoder) Forward(ids *torch.Tensor, opts ...models.EncoderOption) (features, pooled *torch.Tensor) {
	h.began <- struct{}{}
	<-h.let
	return h.Encoder.Forward(ids, opts...)
}

// Many clients at once get the embeddings that each would get alone.
func TestClientsGetTheirOwnEmbeddings(t *testing.T) {
	t.Cleanup(torchtest.CheckLeaks(t))
	s := newSentences(t)
	for _, opts := range [][]serving.EmbedderOption{
		nil, {serving.BatchTokens(20)}, {serving.MaxBatch(1)}, {serving.MaxBatch(3), serving.BatchTokens(31)},
	} {
		t.Run(fmt.Sprint(opts), func(t *testing.T) {
			e := serving.NewEmbedder(s, opts...)
			var wait sync.WaitGroup
			texts, tokens := 0, 0
			for i := range 24 {
				var mine []string
				for k := range i {
					mine = append(mine, strings.Repeat(string(rune('a'+(i+k)%8))+" ", (7*k+i)%18))
				}
				for _, text := range tokensOf(t, s, mine...) {
					texts, tokens = texts+1, tokens+len(text.IDs)
				}
				wait.Go(func() {
					got, err := e.Embed(context.Background(), tokensOf(t, s, mine...))
					if !assert.NoError(t, err) || !assert.Len(t, got, len(mine)) {
						return
					}
					for k, text := range mine {
						x, err := s.Encode(context.Background(), []string{text})
						if assert.NoError(t, err) {
							assert.InDeltaSlice(t, x.Float32s(), got[k], 1e-5)
							assert.NoError(t, x.Close())
						}
					}
				})
			}
			wait.Wait()
			stats := e.Stats()
			assert.Equal(t, int64(texts), stats.Texts)
			assert.Equal(t, int64(tokens), stats.Tokens)
			assert.Zero(t, stats.InUse)
			require.NoError(t, e.Close())
		})
	}
}

// A small request does not wait until a large one is done.
func TestEmbedderTakesTurns(t *testing.T) {
	t.Cleanup(torchtest.CheckLeaks(t))
	s := newSentences(t)
	h := holdEncoder(s)
	e := serving.NewEmbedder(s, serving.MaxBatch(2))
	large, cancel := context.WithCancel(context.Background())
	var wait sync.WaitGroup
	wait.Go(func() {
		_, err := e.Embed(large, make2000(tokensOf(t, s, "a b c d e f g h")))
		assert.ErrorIs(t, err, context.Canceled)
	})
	<-h.began // the first batch of the large request
	wait.Go(func() {
		_, err := e.Embed(context.Background(), tokensOf(t, s, "a"))
		assert.NoError(t, err)
	})
	for e.Stats().InUse < 2001 { // until the small request is there
		runtime.Gosched()
	}
	for range 3 {
		h.let <- struct{}{}
		<-h.began
	}
	assert.Equal(t, int64(2+2+1), e.Stats().Texts)
	cancel()
	close(h.let)
	wait.Wait()
	require.NoError(t, e.Close())
}

func make2000(text []transformers.Tokens) (all []transformers.Tokens) {
	for range 2000 {
		all = append(all, text[0])
	}
	return all
}

// What does not fit, and what comes too late, is refused; the places are given back.
func TestEmbedderRefusals(t *testing.T) {
	t.Cleanup(torchtest.CheckLeaks(t))
	s := newSentences(t)
	h := holdEncoder(s)
	e := serving.NewEmbedder(s, serving.MaxTexts(2), serving.BatchTokens(10))
	assert.Equal(t, int64(10), e.MaxLength())
	two := tokensOf(t, s, "a", "b c")
	ctx := context.Background()
	_, err := e.Embed(ctx, append(two, two...))
	require.ErrorIs(t, err, torch.ErrValue)
	require.ErrorContains(t, err, "at most 2, got 4")
	_, err = e.Embed(ctx, []transformers.Tokens{{IDs: make([]int64, 11)}})
	require.ErrorIs(t, err, generation.ErrTooLong)
	_, err = e.Embed(ctx, []transformers.Tokens{{IDs: []int64{12}}})
	require.ErrorIs(t, err, torch.ErrIndex)
	_, err = e.Embed(ctx, []transformers.Tokens{{}})
	require.ErrorIs(t, err, torch.ErrValue)
	none, err := e.Embed(ctx, nil)
	require.NoError(t, err)
	assert.Empty(t, none)

	var wait sync.WaitGroup
	wait.Go(func() {
		_, err := e.Embed(ctx, two)
		assert.NoError(t, err)
	})
	<-h.began
	_, err = e.Embed(ctx, two[:1])
	require.ErrorIs(t, err, serving.ErrBusy)
	h.let <- struct{}{}
	wait.Wait()
	assert.Zero(t, e.Stats().InUse)

	ended, cancel := context.WithCancel(ctx)
	wait.Go(func() {
		_, err := e.Embed(ended, two)
		assert.ErrorIs(t, err, context.Canceled)
	})
	<-h.began
	cancel()
	wait.Wait()
	h.let <- struct{}{}
	wait.Go(func() {
		_, err := e.Embed(ctx, two)
		assert.NoError(t, err)
	})
	<-h.began
	drained := make(chan error)
	go func() { drained <- e.Drain(ctx) }()
	for err = nil; !errors.Is(err, serving.ErrClosed); { // until Drain has begun
		_, err = e.Embed(ctx, nil)
	}
	close(h.let)
	require.NoError(t, <-drained)
	wait.Wait()
	_, err = e.Embed(ctx, two)
	require.ErrorIs(t, err, serving.ErrClosed)
}

// brokenEncoder fails for texts with the token 4, and computes NaN for texts with the token 5.
type brokenEncoder struct{ models.Encoder }

//torchvet:ignore modulecall the model that it calls is the module
func (b brokenEncoder) Forward(ids *torch.Tensor, opts ...models.EncoderOption) (features, pooled *torch.Tensor) {
	if ids.EqScalar(4).Any().ItemBool() {
		panic(torch.NewError("Forward", torch.ErrOutOfMemory, "", "a secret of the server"))
	}
	features, pooled = b.Encoder.Forward(ids, opts...)
	return features.MaskedFill(ids.EqScalar(5).Unsqueeze(-1), math.NaN()), pooled
}

// A request whose forward pass fails gets an error, and the embedder goes on.
func TestEmbedderFailures(t *testing.T) {
	t.Cleanup(torchtest.CheckLeaks(t))
	s := newSentences(t)
	s.Model = brokenEncoder{s.Model}
	e := serving.NewEmbedder(s, serving.MaxBatch(1))
	ctx := context.Background()
	_, err := e.Embed(ctx, tokensOf(t, s, "c", "a", "c", "c"))
	require.ErrorIs(t, err, torch.ErrOutOfMemory)
	_, err = e.Embed(ctx, tokensOf(t, s, "c", "b"))
	require.ErrorContains(t, err, "not finite")
	_, err = e.Embed(ctx, tokensOf(t, s, "c", "d"))
	require.NoError(t, err)
	require.NoError(t, e.Close())
}
