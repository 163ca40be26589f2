package transformers_test

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/compilefail"
	"github.com/gotorch/gotorch/internal/optiontest"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/transformers"
)

// Each option has an effect alone, the last value counts, and invalid ones are refused.
func TestSentenceOptions(t *testing.T) {
	s := loadSentences(t, filepath.Join(sentenceFolders(t), "prompt"))
	ctx, texts := context.Background(), []string{"the sun is bright", "moon"}
	values, refused := optiontest.Values, optiontest.Refused
	say := func(x *torch.Tensor, err error) optiontest.Outcome {
		require.NoError(t, err)
		defer func() { require.NoError(t, x.Close()) }()
		return optiontest.Outcome{"embeddings": fmt.Sprint(x.Shape(), x.Contiguous().Float32s()[:4])}
	}
	const batches = "the sizes of batches change no embedding"
	const short = "both texts are short: TestSentencesThatAreRefused has long ones"
	shaping := []optiontest.Pair{
		values(transformers.BatchSize(1), transformers.BatchSize(2)).Hides("embeddings", batches),
		refused(transformers.BatchSize(0)), refused(transformers.BatchSize(-1)),
		values(transformers.NormalizeEmbeddings(true), transformers.NormalizeEmbeddings(false)),
		values(transformers.TruncateDim(4), transformers.TruncateDim(5)),
		refused(transformers.TruncateDim(0)), refused(transformers.TruncateDim(25)),
	}
	prompts := []optiontest.Pair{
		values(transformers.Prompt("sea "), transformers.Prompt("")),
		values(transformers.PromptName("query"), transformers.PromptName("none")),
		values(transformers.PromptName("query"), transformers.PromptName("")),
		values(transformers.Prompt("sea "), transformers.PromptName("query")),
		refused(transformers.PromptName("nothing")),
	}
	truncation := values(transformers.Truncation(true), transformers.Truncation(false))
	source := optiontest.Read(t, ".")
	maps.DeleteFunc(source.Functions, func(name, _ string) bool { // other packages test the options of the rest
		return !strings.HasPrefix(name, "SentenceTransformer.")
	})
	source.Run(t, map[string]optiontest.Row{
		"SentenceTransformer.Encode": optiontest.For(func(opts ...transformers.EncodeOption) optiontest.Outcome {
			return say(s.Encode(ctx, texts, opts...))
		}, append(append(shaping, prompts...), truncation.Hides("embeddings", short))...),
		"SentenceTransformer.EncodeTokens": optiontest.For(
			func(opts ...transformers.EncodeTokensOption) optiontest.Outcome {
				return say(s.EncodeTokens(ctx, []transformers.Tokens{{IDs: []int64{2, 5, 3}}}, opts...))
			}, shaping...),
		"SentenceTransformer.Tokenize": optiontest.For(func(opts ...transformers.TokenizeOption) optiontest.Outcome {
			tokens, err := s.Tokenize(texts, opts...)
			require.NoError(t, err)
			return optiontest.Outcome{"tokens": fmt.Sprint(tokens)}
		}, append(prompts, truncation.Hides("tokens", short))...),
	})
}

func TestForeignSentenceOptions(t *testing.T) {
	s := compilefail.Scope{
		Imports: []string{"context", "github.com/gotorch/gotorch/transformers"},
		Decls:   "var s *transformers.SentenceTransformer; var ctx context.Context",
	}
	s.Accepts(t, "s.Encode(ctx, nil, transformers.BatchSize(1), transformers.Prompt(``))")
	s.Rejects(t, "s.EncodeTokens(ctx, nil, transformers.Prompt(``))", "s.Tokenize(nil, transformers.BatchSize(1))")
}
