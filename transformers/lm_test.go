package transformers_test

import (
	"errors"
	"iter"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/transformers"
	"github.com/gotorch/gotorch/transformers/tokenizers"
)

// letters is a language model without a model: token i is the i-th of these texts.
func letters(t *testing.T) (lm *transformers.LM, tokens func(texts ...string) []int64) {
	t.Helper()
	all := strings.Fields("a b c ab bc abc END STOP </s>")
	vocabulary := make([]string, len(all))
	for i, s := range all {
		vocabulary[i] = `["` + s + `", 0]`
	}
	tok, err := tokenizers.FromBytes([]byte(`{"model": {"type": "Unigram", "unk_id": 0, "vocab": [` +
		strings.Join(vocabulary, ", ") + `]}, "decoder": {"type": "Fuse"}}`))
	require.NoError(t, err)
	return &transformers.LM{Tokenizer: tok}, func(texts ...string) (ids []int64) {
		for _, s := range texts {
			id, ok := tok.TokenToID(s)
			require.True(t, ok, s)
			ids = append(ids, id)
		}
		return ids
	}
}

func stream(ids []int64, err error) iter.Seq2[int64, error] {
	return func(yield func(int64, error) bool) {
		for _, id := range ids {
			if !yield(id, nil) {
				return
			}
		}
		if err != nil {
			yield(0, err)
		}
	}
}

// Parts come as soon as they cannot be the beginning of a stop string, also one that begins
// in one token and ends in another.
func TestParts(t *testing.T) {
	lm, tokens := letters(t)
	ends := tokens("</s>")
	for _, c := range []struct {
		tokens string
		stops  []string
		want   string // the texts of the parts, and how the last one ends
	}{
		{"", nil, " length"},
		{"a b c", nil, "a|b|c| length"},
		{"a b </s> c", nil, "a|b| stop"},
		{"</s>", nil, " stop"},
		{"a END b", []string{"END"}, "a| stop"},
		{"a abc b", []string{"b"}, "a|a stop"},
		{"a b c a", []string{"bc"}, "a| stop"},
		{"a b b c", []string{"bc"}, "a|b| stop"},
		{"a b a b c", []string{"abc"}, "ab| stop"},
		{"a b a b", []string{"abc"}, "ab|ab length"},
		{"a b a b </s>", []string{"abc"}, "ab|ab stop"},
		{"ab ab c", []string{"abc", "x"}, "ab| stop"},
		{"a b c", []string{"cab", "bc"}, "a| stop"},
		{"abc abc", []string{"bc", "abc"}, " stop"},
		{"a b", []string{"zzz"}, "a|b| length"},
	} {
		var texts []string
		finish, n := "", 0
		for part, err := range lm.Parts(stream(tokens(strings.Fields(c.tokens)...), nil), ends, c.stops) {
			require.NoError(t, err)
			require.Empty(t, finish, "a part after the last")
			require.GreaterOrEqual(t, part.Tokens, n)
			texts, finish, n = append(texts, part.Text), part.Finish, part.Tokens
			require.True(t, part.Text != "" || finish != "", "an empty part")
		}
		assert.Equal(t, c.want, strings.Join(texts, "|")+" "+finish, "%s, stops %q", c.tokens, c.stops)
	}
}

// An error ends the parts, and a loop may end early.
func TestPartsEndEarly(t *testing.T) {
	lm, tokens := letters(t)
	failed := errors.New("failed")
	var text string
	var last error
	for part, err := range lm.Parts(stream(tokens("a", "b"), failed), nil, []string{"bc"}) {
		text, last = text+part.Text, err
	}
	assert.Equal(t, "a", text, "what is held back is not certain")
	assert.ErrorIs(t, last, failed)
	n := 0
	for range lm.Parts(stream(tokens("a", "b", "c"), nil), nil, nil) {
		n++
		break
	}
	assert.Equal(t, 1, n)
	last = nil
	for _, err := range lm.Parts(stream([]int64{0, 99}, nil), nil, nil) {
		last = err
	}
	assert.NoError(t, last, "decoding skips unknown tokens")
}
