package generation_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/compilefail"
	"github.com/gotorch/gotorch/internal/optiontest"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torchtest"
	"github.com/gotorch/gotorch/transformers/generation"
	"github.com/gotorch/gotorch/transformers/kvcache"
	"github.com/gotorch/gotorch/transformers/models/gpt2"
	"github.com/gotorch/gotorch/transformers/models/t5"
)

// TestOptions tests each option alone, after another value, and next to a nil option. The
// outcome has the settings that [generation.Read] returns; a test of package transformers
// compares their effects with Python.
func TestOptions(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	config := gpt2.DefaultConfig()
	config.VocabSize, config.Positions, config.Embd, config.Layers, config.Heads = 8, 64, 8, 1, 2
	m, err := gpt2.NewForCausalLM(config)
	require.NoError(t, err)
	defer func() { require.NoError(t, m.Close()) }()
	m.Eval()
	small := t5.DefaultConfig()
	small.VocabSize, small.Model, small.KeyValue, small.FeedForward = 8, 8, 4, 8
	small.Layers, small.DecoderLayers, small.Heads = 1, 1, 2
	pair, err := t5.NewForConditionalGeneration(small)
	require.NoError(t, err)
	defer func() { require.NoError(t, pair.Close()) }()
	pair.Eval()
	in := generation.Seq2SeqInput{Input: torch.FromSlice([]int64{1, 2}, 1, 2)}
	defer func() { require.NoError(t, in.Input.Close()) }()
	settings := func(opts []generation.Option) string {
		c := generation.Read("test", opts)
		pad, cached := int64(-1), c.Cache() != nil
		if c.PadTokenID != nil {
			pad = *c.PadTokenID
		}
		c.PadTokenID = nil
		c = generation.Read("test", []generation.Option{c, generation.UseCache(nil)})
		return fmt.Sprintf("%+v %d %t", c, pad, cached)
	}
	var caches []*kvcache.Contiguous
	defer func() {
		for _, c := range caches {
			require.NoError(t, c.Close())
		}
	}()
	values, refused := optiontest.Values, optiontest.Refused
	other := generation.DefaultConfig()
	other.MaxNewTokens = 3
	pairs := func(spec kvcache.Spec, more ...optiontest.Pair) []optiontest.Pair {
		cache := func() any {
			caches = append(caches, kvcache.New(spec, kvcache.Capacity(40)))
			return generation.UseCache(caches[len(caches)-1])
		}
		return append([]optiontest.Pair{
			values(other, generation.DefaultConfig()), refused(generation.Config{}),
			values(generation.MaxNewTokens(1), generation.MaxNewTokens(2)), refused(generation.MaxNewTokens(0)),
			values(generation.MinNewTokens(1), generation.MinNewTokens(0)), refused(generation.MinNewTokens(-1)),
			values(generation.DoSample(true), generation.DoSample(false)),
			values(generation.Temperature(0.5), generation.Temperature(1)), refused(generation.Temperature(0)),
			values(generation.TopK(3), generation.TopK(0)), refused(generation.TopK(-1)),
			values(generation.TopP(0.5), generation.TopP(0)), refused(generation.TopP(1.5)),
			values(generation.MinP(0.5), generation.MinP(0)), refused(generation.MinP(-1)),
			values(generation.RepetitionPenalty(2), generation.RepetitionPenalty(1)),
			refused(generation.RepetitionPenalty(0)),
			values(generation.NoRepeatNGramSize(2), generation.NoRepeatNGramSize(0)),
			refused(generation.NoRepeatNGramSize(-1)),
			values(generation.LengthPenalty(2), generation.LengthPenalty(0)),
			values(generation.EarlyStopping(true), generation.EarlyStopping(false)),
			values(generation.SuppressTokens{1}, generation.SuppressTokens(nil)),
			values(generation.BeginSuppressTokens{1}, generation.BeginSuppressTokens(nil)),
			values(generation.EOSTokenID{1}, generation.EOSTokenID(nil)),
			values(generation.PadTokenID(1), generation.PadTokenID(0)),
			values(generation.PrefillChunkSize(1), generation.PrefillChunkSize(0)),
			refused(generation.PrefillChunkSize(-1)),
			values(cache, generation.UseCache(nil)),
			refused(generation.StopStrings{"x"}), refused(generation.StopStrings{""}),
			refused(generation.NumBeams(0)), refused(generation.NumReturnSequences(0)),
		}, more...)
	}
	optiontest.Read(t, ".").Run(t, map[string]optiontest.Row{
		"Generate": optiontest.For(func(opts ...generation.Option) optiontest.Outcome {
			torch.ManualSeed(1)
			ids, err := generation.Generate(context.Background(), m, [][]int64{{1, 2}}, opts...)
			require.NoError(t, err)
			return optiontest.Outcome{"settings": fmt.Sprint(settings(opts), len(ids))}
		}, pairs(m.CacheSpec(), values(generation.NumBeams(2), generation.NumBeams(1)),
			refused(generation.NumReturnSequences(2)))...),
		"GenerateSeq2Seq": optiontest.For(func(opts ...generation.Option) optiontest.Outcome {
			torch.ManualSeed(1)
			ids, err := generation.GenerateSeq2Seq(context.Background(), pair, in, opts...)
			require.NoError(t, err)
			return optiontest.Outcome{"settings": fmt.Sprint(settings(opts), len(ids))}
		}, pairs(pair.CacheSpec(), values(generation.NumBeams(2), generation.NumBeams(1)),
			refused(generation.NumReturnSequences(2)))...),
		"Stream": optiontest.For(func(opts ...generation.Option) optiontest.Outcome {
			torch.ManualSeed(1)
			n := 0
			for _, err := range generation.Stream(context.Background(), m, []int64{1, 2}, opts...) {
				require.NoError(t, err)
				n++
			}
			return optiontest.Outcome{"settings": fmt.Sprint(settings(opts), n)}
		}, pairs(m.CacheSpec(), refused(generation.NumBeams(2)),
			refused(generation.NumReturnSequences(2)))...),
	})
}

func TestForeignOptions(t *testing.T) {
	s := compilefail.Scope{
		Imports: []string{
			"context", "github.com/gotorch/gotorch/transformers/generation",
			"github.com/gotorch/gotorch/transformers/models",
		},
		Decls: "var m models.CausalLM\nvar ctx context.Context",
	}
	s.Accepts(t, "generation.Generate(ctx, m, nil, generation.MaxNewTokens(1))")
	s.Rejects(t, "generation.Generate(ctx, m, nil, models.LogitsToKeep(1))", "generation.Generate(ctx, m, nil, 1)")
}
