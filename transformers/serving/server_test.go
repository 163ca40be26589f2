package serving_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torchtest"
	"github.com/gotorch/gotorch/transformers"
	"github.com/gotorch/gotorch/transformers/chat"
	"github.com/gotorch/gotorch/transformers/generation"
	"github.com/gotorch/gotorch/transformers/models"
	"github.com/gotorch/gotorch/transformers/models/llama"
	"github.com/gotorch/gotorch/transformers/serving"
	"github.com/gotorch/gotorch/transformers/tokenizers"
)

const template = `{% for m in messages %}{% if m.role == "forbidden" %}{{ raise_exception("no such role") }}` +
	`{% endif %}<|im_start|>{{ m.role }} {{ m.content }}<|im_end|>{% endfor %}<|im_start|>assistant `

// newLM returns a model with random weights, and a tokenizer that knows some words.
func newLM(t *testing.T) *transformers.LM { return newLongLM(t, 256) }

// newLongLM is newLM with another largest length of a text.
func newLongLM(t *testing.T, longest int) *transformers.LM {
	t.Helper()
	words := "user system assistant say something about the sea, the sun and the moon; say it twice.\n"
	tok, err := tokenizers.TrainBPE(slices.Values([]string{strings.Repeat(words, 3)}), tokenizers.VocabSize(300),
		tokenizers.SpecialTokens{"<|im_end|>", "<|im_start|>"})
	require.NoError(t, err)
	torch.ManualSeed(3)
	c, err := llama.ParseConfig(fmt.Appendf(nil, `{"model_type": "llama", "vocab_size": %d, "hidden_size": 32,
		"intermediate_size": 48, "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2,
		"max_position_embeddings": %d, "initializer_range": 0.5}`, tok.VocabSize(), longest))
	require.NoError(t, err)
	m, err := llama.NewForCausalLM(c)
	require.NoError(t, err)
	m.Eval()
	t.Cleanup(func() { require.NoError(t, m.Close()) })
	lm := &transformers.LM{Model: m, Tokenizer: tok, Config: generation.DefaultConfig()}
	lm.Template, err = chat.Parse(template)
	require.NoError(t, err)
	lm.Config.EOSTokenIDs = generation.IDs{0}
	return lm
}

// api is a server and its client.
type api struct {
	*serving.Server
	t    *testing.T
	http *httptest.Server
}

func serve(t *testing.T, lm *transformers.LM, m models.CausalLM, opts ...serving.Option) *api {
	t.Helper()
	e := serving.NewEngine(m, opts...)
	a := &api{t: t, Server: &serving.Server{Name: "org/tiny", LM: lm, Engine: e, MaxTokens: 12}}
	a.start()
	t.Cleanup(func() { require.NoError(t, e.Close()) })
	return a
}

// start starts the HTTP server, after changes of the settings again.
func (a *api) start() {
	a.http = httptest.NewServer(a.Handler())
	a.t.Cleanup(a.http.Close)
}

func (a *api) send(ctx context.Context, path, body string) *http.Response {
	a.t.Helper()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, a.http.URL+path, strings.NewReader(body))
	require.NoError(a.t, err)
	answer, err := a.http.Client().Do(r)
	require.NoError(a.t, err)
	a.t.Cleanup(func() { _ = answer.Body.Close() })
	return answer
}

// post returns the status and the JSON of an answer.
func (a *api) post(path, body string) (int, map[string]any) {
	a.t.Helper()
	answer := a.send(context.Background(), path, body)
	assert.Equal(a.t, "application/json", answer.Header.Get("Content-Type"))
	var v map[string]any
	require.NoError(a.t, json.NewDecoder(answer.Body).Decode(&v))
	return answer.StatusCode, v
}

func (a *api) get(path string) (int, string) {
	a.t.Helper()
	answer, err := a.http.Client().Get(a.http.URL + path)
	require.NoError(a.t, err)
	defer func() { _ = answer.Body.Close() }()
	b, err := io.ReadAll(answer.Body)
	require.NoError(a.t, err)
	return answer.StatusCode, string(b)
}

// at returns a part of JSON.
func at(v any, path ...any) any {
	for _, p := range path {
		switch p := p.(type) {
		case string:
			v = v.(map[string]any)[p]
		case int:
			v = v.([]any)[p]
		}
	}
	return v
}

// events returns the events of a stream; the last one is "[DONE]".
func (a *api) events(answer *http.Response) (all []map[string]any) {
	a.t.Helper()
	assert.Equal(a.t, "text/event-stream", answer.Header.Get("Content-Type"))
	done := false
	for s := bufio.NewScanner(answer.Body); s.Scan(); {
		line := s.Text()
		if line == "" {
			continue
		}
		data, ok := strings.CutPrefix(line, "data: ")
		require.True(a.t, ok, line)
		if done = data == "[DONE]"; done {
			continue
		}
		var v map[string]any
		require.NoError(a.t, json.Unmarshal([]byte(data), &v))
		all = append(all, v)
	}
	assert.True(a.t, done, "the stream has no end")
	return all
}

const hello = `{"messages": [{"role": "user", "content": "say something"}]`

func sampled(seed int) string { return fmt.Sprintf(`, "temperature": 1, "seed": %d}`, seed) }

func TestChat(t *testing.T) {
	t.Cleanup(torchtest.CheckLeaks(t))
	lm := newLM(t)
	a := serve(t, lm, lm.Model)
	want, err := lm.Chat(context.Background(), []chat.Message{{Role: "user", Content: "say something"}},
		generation.MaxNewTokens(12))
	require.NoError(t, err)
	status, v := a.post("/v1/chat/completions", hello+`, "model": "org/tiny", "user": "me", "logprobs": false}`)
	require.Equal(t, 200, status, v)
	assert.Equal(t, want, at(v, "choices", 0, "message", "content"))
	assert.Equal(t, "assistant", at(v, "choices", 0, "message", "role"))
	assert.Equal(t, "length", at(v, "choices", 0, "finish_reason"))
	assert.Equal(t, "chat.completion", v["object"])
	assert.Equal(t, "org/tiny", v["model"])
	prompt, err := lm.Prompt([]chat.Message{{Role: "user", Content: "say something"}})
	require.NoError(t, err)
	ids, err := lm.Tokenizer.Encode(prompt)
	require.NoError(t, err)
	n := float64(ids.Len())
	assert.Equal(t, map[string]any{"prompt_tokens": n, "completion_tokens": 12.0, "total_tokens": n + 12}, v["usage"])

	_, parts := a.post("/v1/chat/completions",
		`{"messages": [{"role": "user", "content": [{"type": "text", "text": "say "},
			{"type": "text", "text": "something"}]}]}`)
	assert.Equal(t, want, at(parts, "choices", 0, "message", "content"))
	_, short := a.post("/v1/chat/completions", hello+`, "max_completion_tokens": 3}`)
	assert.Equal(t, 3.0, at(short, "usage", "completion_tokens"))
	assert.True(t, strings.HasPrefix(want, at(short, "choices", 0, "message", "content").(string)))
}

// A stream has the parts of the whole answer, for every choice.
func TestStreamsEqualAnswers(t *testing.T) {
	t.Cleanup(torchtest.CheckLeaks(t))
	lm := newLM(t)
	a := serve(t, lm, lm.Model)
	for seed := range 8 {
		body := strings.TrimSuffix(hello+sampled(seed), "}") + `, "n": 3, "max_tokens": 30`
		_, whole := a.post("/v1/chat/completions", body+"}")
		events := a.events(a.send(context.Background(), "/v1/chat/completions",
			body+`, "stream": true, "stream_options": {"include_usage": true}}`))
		var texts, finish [3]string
		for _, e := range events[:len(events)-1] {
			assert.Equal(t, "chat.completion.chunk", e["object"])
			assert.Equal(t, events[0]["id"], e["id"])
			assert.Nil(t, e["usage"])
			i := int(at(e, "choices", 0, "index").(float64))
			if at(e, "choices", 0, "delta", "role") != nil {
				assert.Empty(t, texts[i], "the role comes first")
			}
			texts[i] += at(e, "choices", 0, "delta", "content").(string)
			if why := at(e, "choices", 0, "finish_reason"); why != nil {
				finish[i] = why.(string)
			}
		}
		for i, text := range texts {
			assert.Equal(t, at(whole, "choices", i, "message", "content"), text)
			assert.Equal(t, at(whole, "choices", i, "finish_reason"), finish[i])
		}
		assert.Equal(t, whole["usage"], events[len(events)-1]["usage"])
		assert.Empty(t, events[len(events)-1]["choices"])
	}
}

func TestTextCompletions(t *testing.T) {
	t.Cleanup(torchtest.CheckLeaks(t))
	lm := newLM(t)
	a := serve(t, lm, lm.Model)
	want := func(prompt string) string {
		text, err := lm.Generate(context.Background(), prompt, generation.MaxNewTokens(5))
		require.NoError(t, err)
		return text
	}
	_, v := a.post("/v1/completions", `{"prompt": ["the sun", "the moon"], "max_tokens": 5, "n": 2, "temperature": 0}`)
	require.Len(t, v["choices"], 4, v)
	for i := range 4 {
		assert.Equal(t, want([]string{"the sun", "the moon"}[i/2]), at(v, "choices", i, "text"))
		assert.Equal(t, float64(i), at(v, "choices", i, "index"))
	}
	assert.Equal(t, "text_completion", v["object"])
	e, err := lm.Tokenizer.Encode("the sun")
	require.NoError(t, err)
	ids, err := json.Marshal(e.IDs)
	require.NoError(t, err)
	for _, prompt := range []string{string(ids), "[" + string(ids) + "]", `"the sun"`} {
		_, v = a.post("/v1/completions", `{"max_tokens": 5, "prompt": `+prompt+`}`)
		assert.Equal(t, want("the sun"), at(v, "choices", 0, "text"), prompt)
	}
	all := ""
	answer := a.send(context.Background(), "/v1/completions", `{"max_tokens": 5, "prompt": "the sun", "stream": true}`)
	for _, e := range a.events(answer) {
		all += at(e, "choices", 0, "text").(string)
	}
	assert.Equal(t, want("the sun"), all)
}

// A seed gives the same answer, alone and among others; without one answers differ.
func TestSeedsOfRequests(t *testing.T) {
	lm := newLM(t)
	a := serve(t, lm, lm.Model)
	ask := func(settings string) string {
		_, v := a.post("/v1/chat/completions", hello+settings)
		return at(v, "choices", 0, "message", "content").(string)
	}
	first := ask(sampled(5))
	var wait sync.WaitGroup
	for range 6 {
		wait.Go(func() { assert.Equal(t, first, ask(sampled(5))) })
		wait.Go(func() { assert.NotEqual(t, first, ask(sampled(6))) })
	}
	wait.Wait()
	one, other := ask(`, "temperature": 1}`), ask(`, "temperature": 1}`)
	assert.NotEqual(t, one, other)
	greedy := ask("}")
	for _, settings := range []string{
		`, "temperature": 0}`, `, "temperature": 1e-300}`, `, "temperature": 1, "top_k": 1}`,
		`, "temperature": 1, "top_p": 0}`, `, "temperature": 1, "min_p": 1}`,
	} {
		assert.Equal(t, greedy, ask(settings), settings)
	}
}

// A text ends before the first stop string, which no part of a stream contains.
func TestStopStrings(t *testing.T) {
	lm := newLM(t)
	a := serve(t, lm, lm.Model)
	_, v := a.post("/v1/chat/completions", hello+`, "max_tokens": 30}`)
	whole := []rune(at(v, "choices", 0, "message", "content").(string))
	require.Greater(t, len(whole), 12)
	for i := 1; i+3 < len(whole); i += 4 {
		stop := string(whole[i : i+3])
		want, _, _ := strings.Cut(string(whole), stop)
		b, err := json.Marshal([]string{stop, "never in any text"})
		require.NoError(t, err)
		body := hello + `, "max_tokens": 30, "stop": ` + string(b)
		_, v := a.post("/v1/chat/completions", body+"}")
		assert.Equal(t, want, at(v, "choices", 0, "message", "content"))
		assert.Equal(t, "stop", at(v, "choices", 0, "finish_reason"))
		streamed := ""
		for _, e := range a.events(a.send(context.Background(), "/v1/chat/completions", body+`, "stream": true}`)) {
			streamed += at(e, "choices", 0, "delta", "content").(string)
		}
		assert.Equal(t, want, streamed)
	}
}

func TestBodiesThatAreTooLarge(t *testing.T) {
	lm := newLM(t)
	a := serve(t, lm, lm.Model)
	a.MaxBody = 1000
	a.start()
	status, v := a.post("/v1/chat/completions", hello+`, "user": "`+strings.Repeat("x", 8<<20)+`"}`)
	assert.Equal(t, 413, status)
	assert.Equal(t, "too_large", at(v, "error", "code"))
	assert.Contains(t, at(v, "error", "message"), "1000 bytes")
	status, _ = a.post("/v1/chat/completions", hello+"}")
	assert.Equal(t, 200, status)
}

func TestDeadlines(t *testing.T) {
	lm := newLM(t)
	a := serve(t, lm, lm.Model)
	a.Timeout = 1
	a.start()
	for _, settings := range []string{"}", `, "stream": true}`} {
		status, v := a.post("/v1/chat/completions", hello+settings)
		assert.Equal(t, 504, status)
		assert.Equal(t, "timeout", at(v, "error", "code"))
		assert.Equal(t, "server_error", at(v, "error", "type"))
	}
}

func TestOtherPaths(t *testing.T) {
	lm := newLM(t)
	a := serve(t, lm, lm.Model)
	for _, path := range []string{"/v1/models/org/tiny", "/v1/models/org%2Ftiny"} {
		status, text := a.get(path)
		assert.Equal(t, 200, status)
		assert.JSONEq(t, `{"id": "org/tiny", "object": "model", "created": 0, "owned_by": "gotorch"}`, text)
	}
	status, text := a.get("/v1/models")
	assert.Equal(t, 200, status)
	assert.Contains(t, text, `"data":[{`)
	status, text = a.get("/v1/models/other")
	assert.Equal(t, 404, status)
	assert.Contains(t, text, "model_not_found")
	r, err := http.NewRequest(http.MethodPost, a.http.URL+"/v1/chat/completions", strings.NewReader(hello+"}"))
	require.NoError(t, err)
	r.Header.Set("Sec-Fetch-Site", "cross-site")
	answer, err := a.http.Client().Do(r)
	require.NoError(t, err)
	require.NoError(t, answer.Body.Close())
	assert.Equal(t, 403, answer.StatusCode)
	_, text = a.get("/metrics")
	assert.Contains(t, text, "# TYPE gotorch_first_token_seconds histogram")
	assert.Contains(t, text, fmt.Sprintf("gotorch_cache_bytes %d\n", a.Engine.Stats().CacheBytes))
}
