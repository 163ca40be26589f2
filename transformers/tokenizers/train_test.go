package tokenizers_test

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/gotorch/gotorch/internal/pythontest"
	"github.com/gotorch/gotorch/transformers/tokenizers"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// trainInPython trains on the lines of the files in argv[4:] and prints the model.
const trainInPython = `
import json, sys
from tokenizers import Regex, Tokenizer, models, pre_tokenizers, trainers
size, frequency, pattern = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
tok = Tokenizer(models.BPE())
tok.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
if pattern:
    tok.pre_tokenizer = pre_tokenizers.Sequence([
        pre_tokenizers.Split(Regex(pattern), "isolated"), pre_tokenizers.ByteLevel(add_prefix_space=False,
        use_regex=False),
    ])
trainer = trainers.BpeTrainer(
    vocab_size=size, min_frequency=frequency, special_tokens=["<s>", "</s>"], show_progress=False,
    initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
)
lines = [line for f in sys.argv[4:] for line in open(f).read().split("\n")]
tok.train_from_iterator(lines, trainer)
print(json.dumps(json.loads(tok.to_str())["model"]))
`

type bpeModel struct {
	Vocab  map[string]int64 `json:"vocab"`
	Merges [][]string       `json:"merges"`
}

func TestTrainBPEAsInPython(t *testing.T) {
	python := pythontest.Interpreter(t, "tokenizers")
	files := []string{"testdata/corpus.txt", "testdata/make_tokenizers.py", "normalizers.go", "regex_parse.go"}
	var lines []string
	for _, f := range files {
		data, err := os.ReadFile(f)
		require.NoError(t, err)
		lines = append(lines, strings.Split(string(data), "\n")...)
	}
	for _, c := range []struct {
		size, frequency int
		pattern         string
		special         int
	}{{400, 0, "", 2}, {2000, 2, "", 2}, {100000, 2, `\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+|\s+`, 2}} {
		args := []string{itoa(c.size), itoa(c.frequency), c.pattern}
		var want bpeModel
		require.NoError(t, json.Unmarshal([]byte(pythontest.Script(t, python, "", trainInPython, append(args,
			files...)...)), &want))
		opts := []tokenizers.TrainOption{
			tokenizers.VocabSize(c.size), tokenizers.MinFrequency(c.frequency), tokenizers.SpecialTokens{"<s>", "</s>"},
		}
		if c.pattern != "" {
			opts = append(opts, tokenizers.SplitPattern(c.pattern))
		}
		tok, err := tokenizers.TrainBPE(slices.Values(lines), opts...)
		require.NoError(t, err)
		var got struct {
			Model bpeModel `json:"model"`
		}
		data, err := json.Marshal(tok)
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(data, &got))
		require.Len(t, got.Model.Merges, len(want.Merges))
		for i := range want.Merges {
			require.Equal(t, want.Merges[i], got.Model.Merges[i], "merge %d of size %d", i, c.size)
		}
		require.Equal(t, want.Vocab, got.Model.Vocab)
	}
}

func itoa(n int) string {
	b, _ := json.Marshal(n)
	return string(b)
}

func TestTrainBPERefusesBadOptions(t *testing.T) {
	none := slices.Values([]string(nil))
	for _, o := range []tokenizers.TrainOption{
		nil, tokenizers.VocabSize(-1), tokenizers.MinFrequency(-1), tokenizers.VocabSize(1 << 30),
	} {
		_, err := tokenizers.TrainBPE(none, o)
		assert.ErrorIs(t, err, tokenizers.ErrValue)
	}
	_, err := tokenizers.TrainBPE(none, tokenizers.SplitPattern("("))
	assert.ErrorIs(t, err, tokenizers.ErrFormat)
}
