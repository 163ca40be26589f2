package tokenizers_test

import (
	"encoding/json"
	"errors"
	"os"
	"testing"

	"github.com/gotorch/gotorch/transformers/tokenizers"
	"github.com/stretchr/testify/require"
)

func FuzzFromBytes(f *testing.F) {
	for _, file := range tokenizerFiles(f) {
		data, err := os.ReadFile(file)
		require.NoError(f, err)
		var doc map[string]any
		require.NoError(f, json.Unmarshal(data, &doc))
		delete(doc, "added_tokens")
		doc["model"] = map[string]any{"type": "WordLevel", "unk_token": "u", "vocab": map[string]any{"u": 0, "a": 1}}
		data, err = json.Marshal(doc) // with a small model, so that the fuzzer is fast
		require.NoError(f, err)
		f.Add(data)
	}
	f.Add([]byte(`{"model": {"type": "WordPiece", "vocab": {"a": 0, "##b": 1, "u": 2}, "unk_token": "u",` +
		`"continuing_subword_prefix": "##", "max_input_chars_per_word": 9},` +
		`"added_tokens": [{"id": 3, "content": "x",` +
		`"single_word": true, "lstrip": true, "rstrip": true, "normalized": true, "special": true}]}`))
	f.Add([]byte(`{"model": {"type": "Unigram", "vocab": [["u", 0], ["a", -1.5]],` +
		`"unk_id": 0, "byte_fallback": true}}`))
	f.Add([]byte(`{"model": {"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2}, "merges": ["a b"]},` +
		`"normalizer": {"type": "NFC"}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		tok, err := tokenizers.FromBytes(data)
		var e *tokenizers.Error
		if err != nil {
			if !errors.As(err, &e) {
				t.Fatalf("%T", err)
			}
			return
		}
		for _, s := range hostile[:30] {
			enc, err := tok.Encode(s, tokenizers.PaddingNone)
			if err != nil {
				if !errors.As(err, &e) {
					t.Fatalf("%T", err)
				}
				continue
			}
			if _, err := tok.Decode(enc.IDs); err != nil && !errors.As(err, &e) {
				t.Fatalf("%T", err)
			}
		}
	})
}

func FuzzEncode(f *testing.F) {
	for _, s := range hostile {
		f.Add(s, s)
	}
	var toks []*tokenizers.Tokenizer
	for _, file := range tokenizerFiles(f) {
		toks = append(toks, load(f, file))
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		for _, tok := range toks {
			e, err := tok.EncodePair(a, b)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := tok.Decode(e.IDs); err != nil {
				t.Fatal(err)
			}
		}
	})
}
