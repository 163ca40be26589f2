package tokenizers_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/gotorch/gotorch/transformers/tokenizers"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

type fields = map[string]any

// fileOf returns a tokenizer.json with a small model and some other parts.
func fileOf(t *testing.T, parts fields) []byte {
	file := fields{
		"version": "1.0", "added_tokens": []any{}, "model": fields{
			"type": "WordLevel", "unk_token": "u", "vocab": fields{"u": 0, "a": 1, "b": 2},
		},
	}
	for k, v := range parts {
		file[k] = v
	}
	b, err := json.Marshal(file)
	require.NoError(t, err)
	return b
}

func addedToken(content string, left, right, normalized bool) fields {
	return fields{
		"id": 9, "content": content, "lstrip": left, "rstrip": right, "normalized": normalized,
		"single_word": false, "special": false,
	}
}

func splitAt(pattern string) fields {
	return fields{
		"type": "Split", "pattern": fields{"Regex": pattern}, "behavior": "Isolated", "invert": false,
	}
}

func model(kind string, more fields) fields {
	more["type"] = kind
	return fields{"model": more}
}

// hostileFiles are files that would need far too much time or memory for the text.
func hostileFiles() map[string]struct {
	parts fields
	text  string
} {
	long := strings.Repeat("a", 1<<20)
	ids := slices.Repeat([]int{1}, 100000)
	type hostile = struct {
		parts fields
		text  string
	}
	return map[string]hostile{
		"tokens of a template": {fields{"post_processor": fields{
			"type": "TemplateProcessing", "pair": []any{},
			"single": slices.Repeat([]any{fields{"SpecialToken": fields{"id": "x", "type_id": 0}}}, 20000),
			"special_tokens": fields{"x": fields{
				"id": "x", "ids": ids, "tokens": make([]string, len(ids)),
			}},
		}}, "a"},
		"pieces of a template": {fields{"post_processor": fields{
			"type": "TemplateProcessing", "pair": []any{}, "special_tokens": fields{},
			"single": slices.Repeat([]any{fields{"Sequence": fields{"id": "A", "type_id": 0}}}, 20000),
		}}, "a"},
		"normalized tokens": {fields{
			"added_tokens": []any{addedToken("c", false, false, true)},
			"normalizer":   fields{"type": "Prepend", "prepend": long},
		}, "a"},
		"normalized pieces": {fields{
			"added_tokens": []any{addedToken("c", false, false, false)},
			"normalizer":   fields{"type": "Prepend", "prepend": long},
		}, strings.Repeat("ca", 20000)},
		"components": {fields{"normalizer": fields{
			"type": "Sequence", "normalizers": slices.Repeat([]any{fields{"type": "Prepend", "prepend": "x"}}, 50000),
		}}, "a"},
		"lookahead in repeats": {fields{
			"pre_tokenizer": splitAt(strings.Repeat("(?=(?:a|b){790})", 300)),
		}, "a"},
		"long lookbehind": {fields{
			"pre_tokenizer": splitAt("(?<=z(?:.{1000}){1000})b"),
		}, strings.Repeat("b", 1<<20)},
		"operands of a class": {fields{"pre_tokenizer": splitAt("[a" + strings.Repeat("&&", 10000) + "]")}, "a"},
		"a long added token": {fields{
			"added_tokens": []any{addedToken(long+"b", false, false, false)},
		}, long},
		"a long token": {model("Unigram", fields{
			"unk_id": 0, "vocab": [][]any{{"u", 0}, {long, -1}},
		}), long},
		"a long word": {model("WordPiece", fields{
			"unk_token": "u", "continuing_subword_prefix": "", "max_input_chars_per_word": 1 << 30,
			"vocab": fields{"u": 0, "a": 1, strings.Repeat("b", 1<<17): 2},
		}), long[:1<<17]},
		"a long prefix": {model("BPE", fields{
			"unk_token": "u", "continuing_subword_prefix": long, "merges": []any{}, "vocab": fields{"u": 0},
		}), long[:1000]},
		"a long suffix": {model("BPE", fields{
			"unk_token": "u", "end_of_word_suffix": long, "merges": []any{}, "vocab": fields{"u": 0},
		}), long[:1000]},
		"choices of a pattern": {fields{
			"pre_tokenizer": splitAt("(?:" + strings.Repeat("(?:(?=a)|(?=a))", 60) + "a)*"),
		}, long},
	}
}

func TestHostileFiles(t *testing.T) {
	for name, c := range hostileFiles() {
		t.Run(name, func(t *testing.T) {
			tk, err := tokenizers.FromBytes(fileOf(t, c.parts))
			if err == nil {
				_, err = tk.Encode(c.text)
			}
			assert.ErrorIs(t, err, tokenizers.ErrLimit)
		})
	}
}

// TestNestedPatterns compiles patterns that once took a time of 2 or 3 to the power of 90, or
// gigabytes.
func TestNestedPatterns(t *testing.T) {
	tk, err := tokenizers.FromBytes(fileOf(t, fields{
		"pre_tokenizer": splitAt("(?i)" + strings.Repeat("[", 90) + "x" + strings.Repeat("]", 90)),
	}))
	require.NoError(t, err)
	e, err := tk.Encode("aXb")
	require.NoError(t, err)
	assert.Equal(t, []int64{1, 0, 2}, e.IDs)
	_, err = tokenizers.FromBytes(fileOf(t, fields{
		"pre_tokenizer": splitAt("(?:(?<=(?:(?<=" + strings.Repeat("b", 900) + ")a){300})a){900}"),
	}))
	require.NoError(t, err)
	_, err = tokenizers.FromBytes(fileOf(t, fields{
		"pre_tokenizer": splitAt("(?<=" + strings.Repeat("(", 90) + "a" + strings.Repeat("|b)", 90) + ")c"),
	}))
	assert.ErrorIs(t, err, tokenizers.ErrUnsupported)
}

// TestAddedTokensWithBlanks has tokens within the white space that other tokens take. This
// was once a panic, or took quadratic time.
func TestAddedTokensWithBlanks(t *testing.T) {
	for _, tokens := range [][]any{
		{addedToken("x", false, true, false), addedToken(" ", true, false, false)},
		{addedToken(" ", true, false, false)},
		{addedToken(" ", false, true, false)},
		{addedToken(" ", true, true, false)},
	} {
		tk, err := tokenizers.FromBytes(fileOf(t, fields{"added_tokens": tokens}))
		require.NoError(t, err)
		e, err := tk.Encode("x" + strings.Repeat(" ", 1<<17))
		require.NoError(t, err)
		assert.Greater(t, e.Len(), 1<<17)
	}
}

func TestHostileIDs(t *testing.T) {
	long := strings.Repeat("b", 1<<20)
	for _, decoder := range []any{
		nil, fields{"type": "Replace", "pattern": fields{"String": "b"}, "content": strings.Repeat("c", 1<<7)},
	} {
		parts := model("WordLevel", fields{"unk_token": "u", "vocab": fields{"u": 0, long: 1}})
		parts["decoder"] = decoder
		tk, err := tokenizers.FromBytes(fileOf(t, parts))
		require.NoError(t, err)
		_, err = tk.Decode(slices.Repeat([]int64{1}, 10000))
		assert.ErrorIs(t, err, tokenizers.ErrLimit)
	}
}
