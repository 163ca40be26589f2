package generation_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/transformers/generation"
)

func TestParseConfig(t *testing.T) {
	c, err := generation.ParseConfig([]byte(`{}`))
	require.NoError(t, err)
	assert.Equal(t, generation.DefaultConfig(), c)
	c, err = generation.ParseConfig([]byte(`{"eos_token_id": 3, "stop_strings": "x", "top_k": null, "pad_token_id": 0,
		"typical_p": 1.0, "bad_words_ids": null, "suppress_tokens": [], "transformers_version": "5"}`))
	require.NoError(t, err)
	assert.Equal(t, generation.IDs{3}, c.EOSTokenIDs)
	assert.Equal(t, generation.Strings{"x"}, c.StopStrings)
	assert.Equal(t, 50, c.TopK)
	assert.Zero(t, *c.PadTokenID)
	assert.Nil(t, c.Cache())
	c, err = generation.ParseConfig([]byte(`{"eos_token_id": [3, 4], "stop_strings": ["x", "y"]}`))
	require.NoError(t, err)
	assert.Equal(t, generation.IDs{3, 4}, c.EOSTokenIDs)
	assert.Equal(t, generation.Strings{"x", "y"}, c.StopStrings)
	c, err = generation.ParseConfig([]byte(`{"eos_token_id": null, "stop_strings": null}`))
	require.NoError(t, err)
	assert.Nil(t, c.EOSTokenIDs)
	assert.Nil(t, c.StopStrings)
}

func TestParseConfigErrors(t *testing.T) {
	for text, says := range map[string]string{
		``:                                    "",
		`[]`:                                  "",
		`3`:                                   "",
		`{"max_new_tokens": 0}`:               "MaxNewTokens",
		`{"max_new_tokens": 1.5}`:             "max_new_tokens",
		`{"max_new_tokens": 9999999999}`:      "MaxNewTokens",
		`{"min_new_tokens": -1}`:              "MinNewTokens",
		`{"min_new_tokens": 21}`:              "MinNewTokens",
		`{"temperature": 0}`:                  "Temperature",
		`{"temperature": -1}`:                 "Temperature",
		`{"temperature": "hot"}`:              "temperature",
		`{"top_k": -1}`:                       "TopK",
		`{"top_p": 1.1}`:                      "TopP",
		`{"top_p": -1}`:                       "TopP",
		`{"min_p": 2}`:                        "MinP",
		`{"repetition_penalty": 0}`:           "RepetitionPenalty",
		`{"no_repeat_ngram_size": -1}`:        "NoRepeatNGramSize",
		`{"num_beams": 0}`:                    "NumBeams",
		`{"num_beams": 2, "do_sample": true}`: "DoSample",
		`{"num_return_sequences": 2}`:         "NumReturnSequences",
		`{"num_return_sequences": 0}`:         "NumReturnSequences",
		`{"eos_token_id": "x"}`:               "",
		`{"eos_token_id": [1.5]}`:             "",
		`{"stop_strings": 3}`:                 "",
		`{"stop_strings": [""]}`:              "StopStrings",
		`{"prefill_chunk_size": -1}`:          "PrefillChunkSize",
	} {
		_, err := generation.ParseConfig([]byte(text))
		require.ErrorIs(t, err, torch.ErrFormat, text)
		assert.ErrorContains(t, err, says, text)
	}
	for _, text := range []string{
		`{"guidance_scale": 1.5}`, `{"penalty_alpha": 0.6}`, `{"bad_words_ids": [[3]]}`,
		`{"forced_bos_token_id": 3}`, `{"typical_p": 0.9}`, `{"num_beam_groups": 2}`, `{"max_time": 3}`,
	} {
		_, err := generation.ParseConfig([]byte(text))
		assert.ErrorIs(t, err, torch.ErrUnsupported, text)
	}
}

// No text makes ParseConfig panic, and every Config that it returns is a valid option.
func FuzzParseConfig(f *testing.F) {
	f.Add([]byte(`{"eos_token_id": [3, 4], "stop_strings": "x", "do_sample": true, "top_p": 0.9}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		if c, err := generation.ParseConfig(b); err == nil {
			generation.Read("test", []generation.Option{c})
		}
	})
}
