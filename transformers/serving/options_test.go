package serving_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/compilefail"
	"github.com/gotorch/gotorch/internal/optiontest"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torchtest"
	"github.com/gotorch/gotorch/transformers/generation"
	"github.com/gotorch/gotorch/transformers/kvcache"
	"github.com/gotorch/gotorch/transformers/serving"
)

// TestOptions tests each option alone, after another value, and next to a nil option. Only
// CacheTokens shows in the state of an idle engine; the other tests of this package show
// the effects of the rest.
func TestOptions(t *testing.T) {
	m, sentences := newModels(t)["gpt2"], newSentences(t)
	defer torchtest.CheckLeaks(t)()
	idle := serving.NewEngine(m)
	defer func() { require.NoError(t, idle.Close()) }()
	values, refused := optiontest.Values, optiontest.Refused
	const why = "it shows only under load"
	optiontest.Read(t, ".").Run(t, map[string]optiontest.Row{
		"NewEngine": optiontest.For(func(opts ...serving.Option) optiontest.Outcome {
			e := serving.NewEngine(m, opts...)
			defer func() { require.NoError(t, e.Close()) }()
			return optiontest.Outcome{"stats": fmt.Sprint(e.Stats())}
		},
			values(serving.CacheTokens(64), serving.CacheTokens(32)), refused(serving.CacheTokens(0)),
			values(serving.MaxBatch(1), serving.MaxBatch(2)).Hides("stats", why), refused(serving.MaxBatch(0)),
			values(serving.MaxQueue(1), serving.MaxQueue(2)).Hides("stats", why), refused(serving.MaxQueue(-1)),
			values(serving.PrefillTokens(1), serving.PrefillTokens(2)).Hides("stats", why),
			refused(serving.PrefillTokens(0)), refused(serving.PrefillTokens(1<<31))),
		"NewEmbedder": optiontest.For(func(opts ...serving.EmbedderOption) optiontest.Outcome {
			e := serving.NewEmbedder(sentences, opts...)
			defer func() { require.NoError(t, e.Close()) }()
			return optiontest.Outcome{"longest": fmt.Sprint(e.MaxLength())}
		},
			values(serving.BatchTokens(3), serving.BatchTokens(4)), refused(serving.BatchTokens(0)),
			values(serving.MaxBatch(1), serving.MaxBatch(2)).Hides("longest", why), refused(serving.MaxBatch(0)),
			values(serving.MaxTexts(1), serving.MaxTexts(2)).Hides("longest", why), refused(serving.MaxTexts(1<<31))),
		// Package generation tests its options, and TestRefusedSettings those that are errors.
		"Engine.Submit": optiontest.For(func(opts ...generation.Option) optiontest.Outcome {
			idle.Submit(t.Context(), []int64{1}, 0, opts...)
			return optiontest.Outcome{}
		}),
	})
}

// The options of a generation that a stream cannot have are errors.
func TestRefusedSettings(t *testing.T) {
	m := newModels(t)["gpt2"]
	e := serving.NewEngine(m)
	defer func() { require.NoError(t, e.Close()) }()
	for _, o := range []generation.Option{
		generation.NumBeams(2), generation.UseCache(kvcache.New(m.CacheSpec())), generation.StopStrings{"x"},
	} {
		assert.ErrorIs(t, torch.Try(func() { e.Submit(t.Context(), []int64{1}, 0, o) }), torch.ErrValue)
	}
	several := []generation.Option{generation.DoSample(true), generation.NumReturnSequences(2)}
	assert.ErrorIs(t, torch.Try(func() { e.Submit(t.Context(), []int64{1}, 0, several...) }), torch.ErrValue)
	assert.ErrorIs(t, torch.Try(func() { e.Submit(t.Context(), []int64{1}, 0, nil) }), torch.ErrNil)
}

func TestForeignOptions(t *testing.T) {
	s := compilefail.Scope{
		Imports: []string{
			"github.com/gotorch/gotorch/transformers/serving", "github.com/gotorch/gotorch/transformers/models",
			"github.com/gotorch/gotorch/transformers/generation", "github.com/gotorch/gotorch/transformers/kvcache",
			"github.com/gotorch/gotorch/transformers",
		},
		Decls: "var m models.CausalLM; var s *transformers.SentenceTransformer",
	}
	s.Accepts(t, "serving.NewEngine(m, serving.MaxBatch(1))", "serving.NewEmbedder(s, serving.MaxBatch(1))")
	s.Rejects(t, "serving.NewEngine(m, generation.MaxNewTokens(1))", "serving.NewEngine(m, kvcache.Capacity(1))",
		"serving.NewEmbedder(s, serving.MaxQueue(1))", "serving.NewEngine(m, serving.MaxTexts(1))")
}
