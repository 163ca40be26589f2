package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/examples/internal/tiles/tilestest"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torchtest"
)

// modelFolder returns the directory to which scripts/get_minilm.sh downloads the model.
func modelFolder(t *testing.T) string {
	t.Helper()
	script := filepath.Join("..", "..", "scripts", "get_minilm.sh")
	out, err := exec.CommandContext(t.Context(), script, "--check").Output()
	if err != nil {
		t.Skip("all-MiniLM-L6-v2 is not there: run scripts/get_minilm.sh")
	}
	return strings.TrimSpace(string(out))
}

// golden is one case in the file that make_goldens.py writes.
type golden struct {
	Text   string
	Tokens []int64
	Vector []float32
}

func goldens(t *testing.T) (all []golden) {
	t.Helper()
	text, err := os.ReadFile("testdata/goldens.json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &all))
	require.Greater(t, len(all), 300)
	return all
}

func TestTokensAreHuggingFaces(t *testing.T) {
	tokenizer, err := OpenTokenizer(modelFolder(t))
	require.NoError(t, err)
	for _, g := range goldens(t) {
		assert.Equal(t, g.Tokens, tokenizer.Encode(g.Text), "%.80q", g.Text)
	}
	assert.Equal(t, []int64{101, 7592, 102}, tokenizer.Encode("hel\xfflo"), "invalid UTF-8 is left out")
}

// For single texts and batches, the vectors equal the transformers model's, up to 1e-5. The
// differences arise because sums of a few hundred float32 numbers are computed in different
// orders.
func TestVectorsArePythons(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	encoder, err := OpenEncoder(modelFolder(t))
	require.NoError(t, err)
	defer func() { require.NoError(t, encoder.Close()) }()
	var texts []string
	var want []float32
	for _, g := range goldens(t) {
		if g.Vector != nil {
			texts = append(texts, g.Text)
			want = append(want, g.Vector...)
		}
	}
	require.Len(t, texts, 12)
	for _, batch := range []int{1, 5, 32} {
		torch.Scope(func() {
			encoder.Batch = batch
			got := encoder.Encode(texts)
			assert.InDeltaSlice(t, want, got.Flatten().Float32s(), 1e-5, "batches of %d", batch)
		})
	}
}

func TestSearch(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	folder := modelFolder(t)
	path := filepath.Join(t.TempDir(), "lines.txt")
	lines := "The cat sleeps on the sofa.\n\nInterest rates went up again.\nA kitten naps in an armchair.\n"
	require.NoError(t, os.WriteFile(path, []byte(lines), 0o600))
	var out strings.Builder
	require.NoError(t, run(config{model: folder, query: "a sleeping cat", file: path, top: 2}, &out))
	found := strings.Split(out.String(), "\n")
	require.Len(t, found, 3)
	assert.Contains(t, found[0], path+":1: The cat sleeps")
	assert.Contains(t, found[1], path+":4: A kitten naps")
	c := config{model: folder, query: "x", file: path, plot: filepath.Join(t.TempDir(), "likeness.png"), top: 1}
	require.NoError(t, run(c, &out))
	tilestest.PNG(t, c.plot)
	c.plot = filepath.Join(t.TempDir(), "no", "likeness.png")
	require.ErrorIs(t, run(c, &out), os.ErrNotExist)
	out.Reset()
	require.NoError(t, run(config{model: folder, file: path, bench: 1}, &out))
	assert.Regexp(t, `^bench b1=\d+ b32=\d+\n$`, out.String())
}

// A line's cosine with itself is 1. The last row is for the first line.
func TestCompare(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	encoder, err := OpenEncoder(modelFolder(t))
	require.NoError(t, err)
	defer func() { require.NoError(t, encoder.Close()) }()
	m := compare(encoder,
		[]string{"A cat sleeps on the sofa.", "A kitten naps in an armchair.", "Interest rates went up again."})
	for i := range 3 {
		assert.InDelta(t, 1, m.Z(i, 2-i), 1e-5)
	}
	assert.Greater(t, m.Z(1, 2), m.Z(2, 2)+0.2)
	assert.InDelta(t, m.Z(1, 2), m.Z(0, 1), 1e-5)
}

func TestWhatIsNotThere(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	lines := write("lines.txt", "a line\n")
	require.ErrorContains(t, run(config{file: write("empty.txt", "")}, nil), "the file has no lines")
	require.ErrorIs(t, run(config{file: filepath.Join(dir, "none")}, nil), os.ErrNotExist)
	require.ErrorIs(t, run(config{model: dir, file: lines}, nil), os.ErrNotExist)
	write("vocab.txt", "a\nb\n")
	require.ErrorContains(t, run(config{model: dir, file: lines}, nil), "vocab.txt: the vocabulary lacks [PAD]")
	write("vocab.txt", "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n")
	require.ErrorIs(t, run(config{model: dir, file: lines}, nil), os.ErrNotExist)
	write("model.safetensors", "no model")
	require.ErrorContains(t, run(config{model: dir, file: lines}, nil), "model.safetensors")
}
