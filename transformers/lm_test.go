package transformers_test

import (
	"errors"
	"fmt"
	"iter"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torchtest"
	"github.com/gotorch/gotorch/transformers"
	"github.com/gotorch/gotorch/transformers/chat"
	"github.com/gotorch/gotorch/transformers/generation"
	"github.com/gotorch/gotorch/transformers/gguf"
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

// A tokenizer, a template and settings of files that do not fit the model give errors.
func TestFilesThatDoNotFit(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	f := smallGGUF()
	f.keys["tokenizer.ggml.model"], f.keys["tokenizer.ggml.bos_token_id"] = "llama", uint32(0)
	f.keys["tokenizer.ggml.add_bos_token"] = false
	f.keys["tokenizer.ggml.tokens"] = []string{"a", "b", "▁", "c"}
	f.keys["tokenizer.ggml.scores"] = make([]float32, 4)
	f.keys["tokenizer.chat_template"] = "{{ messages[0].content }}"
	lm, err := transformers.Load(f.write(t, gguf.TypeF32))
	require.NoError(t, err)
	defer func() { require.NoError(t, lm.Close()) }()
	chats := func(text string) error {
		_, err := lm.Chat(t.Context(), []chat.Message{{Role: "user", Content: text}}, generation.MaxNewTokens(2))
		return err
	}
	require.NoError(t, chats("a b"))
	require.ErrorIs(t, chats(""), torch.ErrValue)
	for i := range 40 {
		_, err = lm.Tokenizer.AddSpecialTokens(fmt.Sprint("<", i, ">"))
		require.NoError(t, err)
	}
	require.ErrorIs(t, chats("a<39>"), torch.ErrIndex)
	for _, text := range []string{
		`{"num_beams": 2}`, `{"num_return_sequences": 2, "do_sample": true}`, `{"suppress_tokens": [100000000000, -7]}`,
		`{"begin_suppress_tokens": [41, -1]}`, `{"eos_token_id": [-5, 99999], "min_new_tokens": 1}`,
		`{"no_repeat_ngram_size": 1073741824}`, `{"repetition_penalty": 1e-300, "do_sample": true}`,
		`{"do_sample": true, "temperature": 1e-300}`, `{"prefill_chunk_size": 1073741824}`,
		`{"bos_token_id": -1, "pad_token_id": -1}`, `{"stop_strings": ["a"]}`, `{"top_p": 0, "do_sample": true}`,
	} {
		c, err := generation.ParseConfig([]byte(text))
		require.NoError(t, err, text)
		lm.Config = c
		require.NotPanics(t, func() { _ = chats("a b") }, text)
	}
	own := torch.NewError("op", torch.ErrValue, "x", "of the loop")
	require.ErrorIs(t, torch.Try(func() {
		for range lm.Stream(t.Context(), "a b") {
			panic(own)
		}
	}), own)
}
