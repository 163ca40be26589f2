package serving_test

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/pythontest"
	"github.com/gotorch/gotorch/transformers"
	"github.com/gotorch/gotorch/transformers/chat"
	"github.com/gotorch/gotorch/transformers/generation"
)

// OpenAI's package for Python works with the server.
func TestOpenAIForPython(t *testing.T) {
	python := pythontest.Interpreter(t, "openai")
	lm := newLM(t)
	a := serve(t, lm, lm.Model)
	checkClient(t, lm, pythontest.Run(t, python, "", "testdata/client.py", a.http.URL+"/v1"))
}

// OpenAI's package for Node works with the server. NODE_PATH names the folder node_modules
// with it: npm install openai.
func TestOpenAIForNode(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil || os.Getenv("NODE_PATH") == "" {
		t.Skip("there is no node in PATH, or NODE_PATH does not name a folder with the package openai")
	}
	lm := newLM(t)
	a := serve(t, lm, lm.Model)
	out, err := exec.CommandContext(t.Context(), node, "testdata/client.js", a.http.URL+"/v1").Output()
	require.NoError(t, err)
	checkClient(t, lm, string(out))
}

func checkClient(t *testing.T, lm *transformers.LM, out string) {
	t.Helper()
	var got map[string]any
	require.NoError(t, json.Unmarshal([]byte(out), &got))
	answer, err := lm.Chat(context.Background(), []chat.Message{{Role: "user", Content: "say something"}},
		generation.MaxNewTokens(20))
	require.NoError(t, err)
	var texts []any
	for _, prompt := range []string{"the sun", "the moon"} {
		text, err := lm.Generate(context.Background(), prompt, generation.MaxNewTokens(5))
		require.NoError(t, err)
		texts = append(texts, text)
	}
	assert.Equal(t, map[string]any{
		"models": []any{"org/tiny"}, "model": "org/tiny",
		"chat": []any{answer, "length", 20.0}, "stream": []any{answer, "length", 20.0},
		"completions": texts, "completion stream": texts[0],
		"errors": map[string]any{
			"model":       []any{404.0, "model_not_found", "model"},
			"temperature": []any{400.0, "invalid_value", "temperature"},
			"length":      []any{400.0, "context_length_exceeded", "messages"},
			"size":        []any{413.0, "too_large", nil},
		},
	}, got)
}
