package main

import (
	"bytes"
	"context"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torchtest"
)

// model returns the GGUF file of scripts/get_smollm2.sh.
func model(t *testing.T) string {
	t.Helper()
	script := filepath.Join("..", "..", "scripts", "get_smollm2.sh")
	out, err := exec.CommandContext(t.Context(), script, "--check").Output()
	if err != nil {
		t.Skip("SmolLM2 is not there: run scripts/get_smollm2.sh")
	}
	return filepath.Join(strings.TrimSpace(string(out)), "SmolLM2-135M-Instruct.Q4_1.gguf")
}

// A question gets a sensible answer, and a conversation remembers what was said.
func TestConversation(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	var out bytes.Buffer
	c := config{model: model(t), ask: "What is the capital of France?", tokens: 20, memory: true}
	require.NoError(t, run(context.Background(), c, nil, &out))
	answer, figures, _ := strings.Cut(out.String(), "\n")
	assert.Contains(t, answer, "Paris")
	assert.Contains(t, figures, "weights 96.6 MB, keys and values of 50 tokens 2.3 MB")

	out.Reset()
	c = config{model: c.model, tokens: 15}
	lines := "What is the capital of France?\nAnd of Italy?\n"
	require.NoError(t, run(context.Background(), c, strings.NewReader(lines), &out))
	assert.Regexp(t, `(?s)you: .*Paris.*you: .*Rome.*you: `, out.String())
}

// An interrupted answer ends with the context's error and leaves nothing open.
func TestInterruptedAnswer(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	ctx, cancel := context.WithCancel(context.Background())
	out := writer(func(p []byte) (int, error) { cancel(); return len(p), nil })
	err := run(ctx, config{model: model(t), ask: "Tell me a long story.", tokens: 500}, nil, out)
	assert.ErrorIs(t, err, context.Canceled)
}

type writer func(p []byte) (int, error)

func (w writer) Write(p []byte) (int, error) { return w(p) }

func TestModelThatIsNotThere(t *testing.T) {
	err := run(context.Background(), config{model: "nowhere.gguf", tokens: 1}, nil, nil)
	assert.ErrorContains(t, err, "nowhere.gguf")
}
