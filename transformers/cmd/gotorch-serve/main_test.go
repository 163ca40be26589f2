package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torchtest"
)

// model returns the GGUF file of scripts/get_smollm2.sh.
func model(t *testing.T) string {
	t.Helper()
	script := filepath.Join("..", "..", "..", "scripts", "get_smollm2.sh")
	out, err := exec.CommandContext(t.Context(), script, "--check").Output()
	if err != nil {
		t.Skip("SmolLM2 is not there: run scripts/get_smollm2.sh")
	}
	return filepath.Join(strings.TrimSpace(string(out)), "SmolLM2-135M-Instruct.Q4_1.gguf")
}

// miniLM returns a folder of all-MiniLM-L6-v2 as the hub has it, with the weights of
// scripts/get_minilm.sh.
func miniLM(t *testing.T) string {
	t.Helper()
	script := filepath.Join("..", "..", "..", "scripts", "get_minilm.sh")
	out, err := exec.CommandContext(t.Context(), script, "--check").Output()
	if err != nil {
		t.Skip("all-MiniLM-L6-v2 is not there: run scripts/get_minilm.sh")
	}
	dir := filepath.Join(t.TempDir(), "all-MiniLM-L6-v2")
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "1_Pooling"), 0o700))
	for _, name := range []string{"model.safetensors", "tokenizer.json"} {
		require.NoError(t, os.Symlink(filepath.Join(strings.TrimSpace(string(out)), name), filepath.Join(dir, name)))
	}
	for name, content := range map[string]string{
		"config.json": `{"model_type": "bert", "hidden_size": 384, "num_hidden_layers": 6, "intermediate_size": 1536}`,
		"modules.json": `[{"path": "", "type": "sentence_transformers.models.Transformer"},
			{"path": "1_Pooling", "type": "sentence_transformers.models.Pooling"},
			{"path": "2_Normalize", "type": "sentence_transformers.models.Normalize"}]`,
		"1_Pooling/config.json":     `{"word_embedding_dimension": 384, "pooling_mode_mean_tokens": true}`,
		"sentence_bert_config.json": `{"max_seq_length": 256}`,
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600))
	}
	return dir
}

// output collects what the command prints, and tells the address that it listens on.
type output struct {
	mu      sync.Mutex
	text    bytes.Buffer
	address chan string
	done    bool
}

var listens = regexp.MustCompile(`on (http://\S+)\n`)

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.text.Write(p)
	if m := listens.FindStringSubmatch(o.text.String()); m != nil && !o.done {
		o.done = true
		o.address <- m[1]
	}
	return len(p), nil
}

// The command answers, and a request in progress at a signal is finished.
func TestServe(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	out, errs := &output{address: make(chan string, 1)}, &bytes.Buffer{}
	signals, status := make(chan os.Signal, 2), make(chan int)
	go func() {
		status <- run([]string{"-model", model(t), "-name", "smol", "-listen", "localhost:0", "-cache-tokens", "1024"},
			signals, out, errs)
	}()
	var at string
	select {
	case at = <-out.address:
	case code := <-status:
		t.Fatalf("status %d: %s%s", code, &out.text, errs)
	}
	answer, err := http.Post(at+"/v1/chat/completions", "application/json", strings.NewReader(
		`{"messages": [{"role": "user", "content": "What is the capital of France?"}],
			"temperature": 0, "stream": true}`))
	require.NoError(t, err)
	signals <- syscall.SIGTERM
	body, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	require.NoError(t, answer.Body.Close())
	assert.Contains(t, string(body), "Paris")
	assert.Contains(t, string(body), "[DONE]")
	assert.Equal(t, 0, <-status, errs.String())
	text := out.text.String()
	assert.Contains(t, text, "plan: weights 92.1 MiB, keys and values of 1024 tokens 45.0 MiB (45.0 KiB a token)")
	assert.Contains(t, text, "in use: weights 92.1 MiB, keys and values 45.0 MiB")
	assert.Contains(t, text, "served 1 texts")
}

// The command computes embeddings, alone and beside a language model, and its memory is in the
// plan.
func TestServeEmbeddings(t *testing.T) {
	for name, more := range map[string][]string{"alone": nil, "beside": {"-model", model(t), "-cache-tokens", "1024"}} {
		t.Run(name, func(t *testing.T) {
			defer torchtest.CheckLeaks(t)()
			out, errs := &output{address: make(chan string, 1)}, &bytes.Buffer{}
			signals, status := make(chan os.Signal, 2), make(chan int)
			args := []string{"-embeddings", miniLM(t), "-embeddings-name", "mini", "-listen", "localhost:0"}
			go func() { status <- run(append(args, more...), signals, out, errs) }()
			var at string
			select {
			case at = <-out.address:
			case code := <-status:
				t.Fatalf("status %d: %s%s", code, &out.text, errs)
			}
			answer, err := http.Post(at+"/v1/embeddings", "application/json", strings.NewReader(
				`{"model": "mini", "input": ["A cat sleeps.", "The market fell.", "An animal rests."]}`))
			require.NoError(t, err)
			var v struct {
				Data []struct{ Embedding []float64 }
			}
			require.NoError(t, json.NewDecoder(answer.Body).Decode(&v))
			require.NoError(t, answer.Body.Close())
			require.Len(t, v.Data, 3)
			likeness := func(i, k int) (sum float64) {
				for j, x := range v.Data[i].Embedding {
					sum += x * v.Data[k].Embedding[j]
				}
				return sum
			}
			assert.InDelta(t, 1, likeness(0, 0), 1e-5)
			assert.Greater(t, likeness(0, 2), 2*likeness(0, 1))
			signals <- syscall.SIGTERM
			assert.Equal(t, 0, <-status, errs.String())
			text := out.text.String()
			assert.Contains(t, text, "weights for embeddings 86.6 MiB, batches of 4096 tokens 96.0 MiB, "+
				"answers with 4096 embeddings 30.0 MiB, program about "+map[string]string{
				"alone": "200.0 MiB: 412.6 MiB\n", "beside": "264.0 MiB: 613.8 MiB\n",
			}[name])
			assert.Contains(t, text, "weights for embeddings 86.6 MiB, all tensors ")
			assert.Contains(t, text, "embedded 3 texts, ")
		})
	}
}

func TestCommandLine(t *testing.T) {
	for args, want := range map[string]string{
		"":                         "-model and -embeddings are missing",
		"-model x -embeddings y/x": `both models have the name "x"`,
		"-embeddings x -embeddings-batch-tokens 0": "from 1 to 1<<30",
		"-embeddings x -embeddings-max-texts -1":   "from 1 to 1<<30",
		"-model x y":                               `unexpected argument "y"`,
		"-model x -dtype int8":                     "-dtype int8: expected float32",
		"-model x -max-batch 0":                    "at least 1",
		"-model x -timeout 0s":                     "more than 0",
		"-nothing":                                 "not defined",
		"-model x -max-queue 2e99":                 "invalid value",
	} {
		var errs bytes.Buffer
		assert.Equal(t, 2, run(strings.Fields(args), nil, io.Discard, &errs), args)
		assert.Contains(t, errs.String(), want, args)
	}
	assert.Equal(t, 0, run([]string{"-h"}, nil, io.Discard, io.Discard))
}

func TestModelsThatCannotBeServed(t *testing.T) {
	var errs bytes.Buffer
	for _, flag := range []string{"-model", "-embeddings"} {
		assert.Equal(t, 1, run([]string{flag, "nowhere"}, nil, io.Discard, &errs))
		assert.Contains(t, errs.String(), "nowhere")
	}
	errs.Reset()
	assert.Equal(t, 1, run([]string{"-model", model(t), "-cache-tokens", "1073741824"}, nil, io.Discard, &errs))
	assert.Contains(t, errs.String(), "reduce -cache-tokens")
}

// A limit of the memory below the plan is an error before the model is loaded.
func TestPlanAboveALimit(t *testing.T) {
	var out bytes.Buffer
	path := model(t)
	before := debug.SetMemoryLimit(300 << 20)
	defer debug.SetMemoryLimit(before)
	err := plan(config{model: path, cacheTokens: 16384}, &out)
	assert.ErrorContains(t, err, "the plan of 1012.1 MiB is more than the 300.0 MiB of GOMEMLIMIT")
	assert.NoError(t, plan(config{model: path, cacheTokens: 32}, &out))
	err = plan(config{embeddings: miniLM(t), batchTokens: 4096, maxTexts: 4096}, &out)
	assert.ErrorContains(t, err, "reduce -embeddings-batch-tokens or -embeddings-max-texts, use a smaller model")
	assert.NoError(t, plan(config{embeddings: miniLM(t), batchTokens: 256, maxTexts: 10}, &out))
}
