package transformers_test

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/pythontest"
	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torchtest"
	"github.com/gotorch/gotorch/transformers"
	"github.com/gotorch/gotorch/transformers/generation"
	"github.com/gotorch/gotorch/transformers/models"
)

// sentences has the folders of testdata/sentence.py, which runs once.
var sentences struct {
	once  sync.Once
	texts []string
	names []string
}

func sentenceFolders(t *testing.T) string {
	t.Helper()
	interpreter := pythontest.Interpreter(t, "torch", "transformers", "tokenizers")
	dir := filepath.Join(python.dir, "sentence")
	sentences.once.Do(func() {
		require.NoError(t, os.RemoveAll(dir))
		require.NoError(t, os.MkdirAll(dir, 0o700))
		pythontest.Run(t, interpreter, "", filepath.Join("testdata", "sentence.py"), dir)
		for name, v := range map[string]any{"texts.json": &sentences.texts, "names.json": &sentences.names} {
			b, err := os.ReadFile(filepath.Join(dir, name))
			require.NoError(t, err)
			require.NoError(t, json.Unmarshal(b, v))
		}
	})
	require.NotEmpty(t, sentences.names, "the script failed before")
	return dir
}

func loadSentences(t *testing.T, dir string) *transformers.SentenceTransformer {
	t.Helper()
	s, err := transformers.LoadSentenceTransformer(dir)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

// Embeddings of every kind of folder equal Python's, whatever the size of the batches.
func TestSentenceEmbeddingsEqualPython(t *testing.T) {
	dir := sentenceFolders(t)
	for _, name := range sentences.names {
		t.Run(name, func(t *testing.T) {
			t.Cleanup(torchtest.CheckLeaks(t))
			s := loadSentences(t, filepath.Join(dir, name))
			torch.Scope(func() {
				g := openGolden(t, filepath.Join(dir, name))
				check := func(golden string, opts ...transformers.EncodeOption) {
					x, err := s.Encode(context.Background(), sentences.texts, opts...)
					require.NoError(t, err)
					torchtest.AllClose(t, g.get(golden), x, torchtest.ATol(1e-6), torchtest.RTol(1e-5))
				}
				for _, size := range []transformers.BatchSize{1, 2, 32} {
					check("embeddings", size)
					check("other", transformers.Prompt("the sky "), size)
				}
				check("cut", transformers.TruncateDim(5), transformers.NormalizeEmbeddings(true))
				assert.Equal(t, g.get("embeddings").Size(1), s.EmbeddingDimension())
				none, err := s.Encode(context.Background(), nil)
				require.NoError(t, err)
				assert.Equal(t, torch.Shape{0, s.EmbeddingDimension()}, none.Shape())
			})
			plan, err := transformers.NewSentencePlan(filepath.Join(dir, name))
			require.NoError(t, err)
			assert.Equal(t, s.EmbeddingDimension(), plan.EmbeddingDimension)
			assert.Equal(t, s.Bytes(), plan.Weights)
			assert.GreaterOrEqual(t, s.VocabSize(), int64(s.Tokenizer.VocabSize()))
		})
	}
}

// Embeddings have the dtype of the weights, which an option may change.
func TestSentenceDTypes(t *testing.T) {
	t.Cleanup(torchtest.CheckLeaks(t))
	at := filepath.Join(sentenceFolders(t), "joined")
	s, err := transformers.LoadSentenceTransformer(at, models.DType(torch.BFloat16))
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close()) }()
	plan, err := transformers.NewSentencePlan(at, models.DType(torch.BFloat16))
	require.NoError(t, err)
	assert.Equal(t, s.Bytes(), plan.Weights)
	torch.Scope(func() {
		x, err := s.Encode(context.Background(), sentences.texts)
		require.NoError(t, err)
		assert.Equal(t, torch.BFloat16, x.DType())
		torchtest.AllClose(t, openGolden(t, at).get("embeddings"), x.Float(), torchtest.ATol(0.1), torchtest.RTol(0.1))
	})
}

// miniLM returns a folder of all-MiniLM-L6-v2 as the hub has it, or skips the test.
func miniLM(t *testing.T) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), filepath.Join("..", "scripts", "get_minilm.sh"), "--check").Output()
	if err != nil {
		t.Skip("all-MiniLM-L6-v2 is not there: run scripts/get_minilm.sh")
	}
	dir := t.TempDir()
	for _, name := range []string{"model.safetensors", "tokenizer.json"} {
		require.NoError(t, os.Symlink(filepath.Join(strings.TrimSpace(string(out)), name), filepath.Join(dir, name)))
	}
	write(t, dir, "config.json", `{"model_type": "bert", "hidden_size": 384, "num_hidden_layers": 6,
		"intermediate_size": 1536}`)
	write(t, dir, "modules.json", `[{"path": "", "type": "sentence_transformers.models.Transformer"},
		{"path": "1_Pooling", "type": "sentence_transformers.models.Pooling"},
		{"path": "2_Normalize", "type": "sentence_transformers.models.Normalize"}]`)
	write(t, dir, "1_Pooling/config.json", `{"word_embedding_dimension": 384, "pooling_mode_cls_token": false,
		"pooling_mode_mean_tokens": true, "pooling_mode_max_tokens": false}`)
	write(t, dir, "sentence_bert_config.json", `{"max_seq_length": 256, "do_lower_case": false}`)
	return dir
}

func write(t *testing.T, dir, name, content string) {
	t.Helper()
	path := filepath.Join(dir, name)
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
	require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
}

// The plan knows the weights exactly, and that a batch needs no more than it says.
func TestSentencePlan(t *testing.T) {
	dir := miniLM(t)
	defer torchtest.CheckLeaks(t)()
	plan, err := transformers.NewSentencePlan(dir)
	require.NoError(t, err)
	s, err := transformers.LoadSentenceTransformer(dir)
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close()) }()
	assert.Equal(t, s.EmbeddingDimension(), plan.EmbeddingDimension)
	assert.InDelta(t, s.Bytes(), plan.Weights, 1<<13) // the file has position_ids, which are constants
	long := strings.Repeat("word ", 254)
	var texts []string
	for i := range 8 {
		texts = append(texts, long[:len(long)-5*i])
	}
	memory.ResetPeak(torch.CPU)
	before := memory.Requested(torch.CPU)
	x, err := s.Encode(context.Background(), texts)
	require.NoError(t, err)
	require.NoError(t, x.Close())
	used := memory.MaxRequested(torch.CPU) - before
	t.Logf("a batch of %d tokens needed %d bytes, the plan says %d", 8*256, used, plan.BatchBytes(8*256))
	assert.LessOrEqual(t, used, plan.BatchBytes(8*256))
	_, err = transformers.NewSentencePlan(t.TempDir())
	require.ErrorIs(t, err, os.ErrNotExist)
}

func TestMiniLMSentencesEqualPython(t *testing.T) {
	dir := miniLM(t)
	lines := filepath.Join("..", "examples", "embed", "sentences.txt")
	pythontest.Run(t, pythontest.Interpreter(t, "torch", "transformers", "tokenizers"), "", "models/testdata/minilm.py",
		dir, lines, filepath.Join(dir, "cases.safetensors"))
	defer torchtest.CheckLeaks(t)()
	s, err := transformers.LoadSentenceTransformer(dir)
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close()) }()
	text, err := os.ReadFile(lines)
	require.NoError(t, err)
	torch.Scope(func() {
		x, err := s.Encode(context.Background(), strings.Split(strings.TrimSpace(string(text)), "\n"),
			transformers.BatchSize(8))
		require.NoError(t, err)
		want := openGolden(t, dir).get("embeddings")
		t.Logf("the largest difference of %v numbers is %.2g", x.Shape(), want.Sub(x).Abs().Max().Item())
		torchtest.AllClose(t, want, x, torchtest.ATol(1e-6), torchtest.RTol(0))
	})
}

// Texts that are too long, tokens outside the vocabulary and a context that ends are errors,
// which leave nothing behind.
func TestSentencesThatAreRefused(t *testing.T) {
	t.Cleanup(torchtest.CheckLeaks(t))
	s := loadSentences(t, filepath.Join(sentenceFolders(t), "short"))
	ctx := context.Background()
	_, err := s.Encode(ctx, []string{"sun", "the sun is bright"}, transformers.Truncation(false))
	require.NoError(t, err)
	_, err = s.Encode(ctx, []string{"sun", "the sun is bright and deep"}, transformers.Truncation(false))
	require.ErrorIs(t, err, generation.ErrTooLong)
	require.ErrorContains(t, err, "text 1 has 8 tokens; at most 6 fit")
	tokens, err := s.Tokenize([]string{"the sun is bright and deep"})
	require.NoError(t, err)
	assert.Equal(t, []transformers.Tokens{{IDs: []int64{2, 4, 6, 10, 12, 3}}}, tokens)
	for _, c := range []struct {
		text transformers.Tokens
		kind error
		says string
	}{
		{transformers.Tokens{}, torch.ErrValue, "text 1 has no tokens"},
		{transformers.Tokens{IDs: make([]int64, 7)}, generation.ErrTooLong, "text 1 has 7 tokens"},
		{transformers.Tokens{IDs: []int64{-1}}, torch.ErrIndex, "the token -1"},
		{transformers.Tokens{IDs: []int64{1000}}, torch.ErrIndex, "the token 1000"},
		{transformers.Tokens{IDs: []int64{1}, Prompt: -1}, torch.ErrValue, "Prompt"},
	} {
		_, err := s.EncodeTokens(ctx, []transformers.Tokens{{IDs: []int64{1}}, c.text})
		require.ErrorIs(t, err, c.kind)
		require.ErrorContains(t, err, c.says)
		require.ErrorIs(t, s.CheckTokens([]transformers.Tokens{c.text}), c.kind)
	}
	require.NoError(t, s.CheckTokens([]transformers.Tokens{{IDs: []int64{1}, Prompt: 5}}))
	ended, cancel := context.WithCancel(ctx)
	cancel()
	_, err = s.Encode(ended, []string{"sun"})
	require.ErrorIs(t, err, context.Canceled)
}

// Folders with files that do not fit are refused; the errors say which and why.
func TestSentenceFoldersThatAreRefused(t *testing.T) {
	dir := sentenceFolders(t)
	const mean, bertConfig = "mean_tokens", "sentence_bert_config.json"
	const dense, prompts = "3_Dense/config.json", "config_sentence_transformers.json"
	const module = `{"path": "", "type": "sentence_transformers.models.Transformer"}`
	modules := func(more string) string { return "[" + module + "," + more + "]" }
	const pooling = `{"path": "1_Pooling", "type": "sentence_transformers.models.Pooling"}`
	for _, c := range []struct {
		from, file, content string
		kind                error
		says                string
	}{
		{mean, "modules.json", "{", torch.ErrFormat, "modules.json"},
		{mean, "modules.json", "[]", torch.ErrFormat, "expected 2 to 64 modules, got 0"},
		{mean, "modules.json", "[" + module + "]", torch.ErrFormat, "got 1"},
		{mean, "modules.json", modules(module), torch.ErrUnsupported, `"Transformer", not a Pooling`},
		{mean, "modules.json", modules(`{"path": "x", "type": "custom.Model"}`), torch.ErrUnsupported, "custom"},
		{
			mean, "modules.json", modules(`{"path": "../mean_tokens/1_Pooling", "type":
				"sentence_transformers.models.Pooling"}`), torch.ErrFormat, "leaves the folder",
		},
		{
			mean, "modules.json", modules(pooling + `, {"path": "2_CNN", "type":
				"sentence_transformers.models.CNN"}`), torch.ErrUnsupported, "sentence_transformers.models.CNN",
		},
		{
			mean, "modules.json", modules(`{"path": "9_Pooling", "type": "sentence_transformers.models.Pooling"}`),
			os.ErrNotExist, "9_Pooling",
		},
		{mean, "1_Pooling/config.json", "[", torch.ErrFormat, "1_Pooling"},
		{mean, "1_Pooling/config.json", `{"word_embedding_dimension": 25}`, torch.ErrFormat, "25"},
		{mean, "1_Pooling/config.json", `{"pooling_mode": "median"}`, torch.ErrUnsupported, `"median"`},
		{mean, "1_Pooling/config.json", `{"pooling_mode": []}`, torch.ErrFormat, "1 to 6 modes"},
		{mean, "1_Pooling/config.json", `{"pooling_mode": 3}`, torch.ErrFormat, "pooling_mode"},
		{mean, "1_Pooling/config.json", `{"pooling_mode_x": true}`, torch.ErrUnsupported, "pooling_mode_x"},
		{mean, "1_Pooling/config.json", `{"include_prompt": 1}`, torch.ErrFormat, "include_prompt"},
		{mean, bertConfig, `{"max_seq_length": 1}`, torch.ErrFormat, "max_seq_length is 1"},
		{mean, bertConfig, `{"max_seq_length": -5}`, torch.ErrFormat, "max_seq_length is -5"},
		{mean, bertConfig, `{"max_seq_length": "x"}`, torch.ErrFormat, "max_seq_length"},
		{mean, bertConfig, `{"transformer_task": "fill-mask"}`, torch.ErrUnsupported, "fill"},
		{
			mean, bertConfig, `{"module_output_name": "scores"}`, torch.ErrUnsupported, "scores",
		},
		{"model_max_length", "tokenizer_config.json", `{"model_max_length": 0}`, torch.ErrFormat, "length is 0"},
		{"prompt", prompts, `{"default_prompt_name": "x"}`, torch.ErrFormat, `"x" is not in`},
		{"prompt", prompts, `{"prompts": []}`, torch.ErrFormat, "config_sentence"},
		{mean, "config.json", `{"model_type": "gpt2"}`, torch.ErrUnsupported, `"gpt2"`},
		{mean, "tokenizer.json", `{`, nil, ""},
		{"dense", dense, `{"in_features": 23, "out_features": 10}`, torch.ErrFormat, "in_features is 23"},
		{"dense", dense, `{"in_features": 24, "out_features": 0}`, torch.ErrFormat, "out_features"},
		{"dense", dense, `{"in_features": 24, "out_features": 11}`, nil, "3_Dense"},
		{
			"dense", dense, `{"in_features": 24, "out_features": 10, "activation_function": "os.system"}`,
			torch.ErrUnsupported, "os.system",
		},
		{
			"dense", dense, `{"in_features": 24, "out_features": 10, "module_input_name": "x"}`,
			torch.ErrUnsupported, `"x"`,
		},
		{"dense", dense, `{"in_features": 24, "out_features": 10, "bias": false}`, nil, "bias"},
		{"dense", "3_Dense/model.safetensors", "short", nil, "3_Dense"},
		{"dense", "4_LayerNorm/config.json", `{"dimension": 11}`, torch.ErrFormat, "dimension is 11"},
		{"dense", "4_LayerNorm/config.json", "", torch.ErrFormat, "4_LayerNorm"},
	} {
		t.Run(c.file+c.content, func(t *testing.T) {
			defer torchtest.CheckLeaks(t)()
			at := t.TempDir()
			require.NoError(t, os.CopyFS(at, os.DirFS(filepath.Join(dir, c.from))))
			write(t, at, c.file, c.content)
			_, err := transformers.LoadSentenceTransformer(at)
			require.Error(t, err)
			if c.kind != nil {
				require.ErrorIs(t, err, c.kind)
			}
			assert.ErrorContains(t, err, c.says)
			assert.ErrorContains(t, err, "transformers.LoadSentenceTransformer: ")
		})
	}
	at := t.TempDir()
	require.NoError(t, os.CopyFS(at, os.DirFS(filepath.Join(dir, "dense"))))
	require.NoError(t, os.Remove(filepath.Join(at, "4_LayerNorm", "config.json")))
	_, err := transformers.LoadSentenceTransformer(at)
	require.ErrorContains(t, err, "4_LayerNorm: ")
	require.ErrorContains(t, err, "no config.json")
	_, err = transformers.LoadSentenceTransformer(t.TempDir())
	require.Error(t, err)
}
