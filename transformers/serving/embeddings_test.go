package serving_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"log/slog"
	"math"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/pythontest"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torchtest"
	"github.com/gotorch/gotorch/transformers"
	"github.com/gotorch/gotorch/transformers/serving"
)

// serveEmbeddings returns a server with only a model for embeddings.
func serveEmbeddings(t *testing.T, s *transformers.SentenceTransformer, opts ...serving.EmbedderOption) *api {
	t.Helper()
	a := &api{t: t, Server: &serving.Server{EmbeddingsName: "org/embed", Embedder: serving.NewEmbedder(s, opts...)}}
	a.start()
	t.Cleanup(func() { require.NoError(t, a.Embedder.Close()) })
	return a
}

// vectors returns the embeddings of texts with length 1, of dim features.
func vectors(t *testing.T, s *transformers.SentenceTransformer, dim int64, texts ...string) (out [][]float32) {
	t.Helper()
	torch.Scope(func() {
		x, err := s.Encode(context.Background(), texts, transformers.TruncateDim(dim))
		require.NoError(t, err)
		x = F.Normalize(x)
		for i := range x.Size(0) {
			out = append(out, x.Select(0, i).Contiguous().Float32s())
		}
	})
	return out
}

// embeddingsOf returns the embeddings of an answer, which may be in base64.
func embeddingsOf(t *testing.T, v map[string]any) (out [][]float32) {
	t.Helper()
	assert.Equal(t, "list", v["object"])
	for i, d := range v["data"].([]any) {
		assert.Equal(t, "embedding", at(d, "object"))
		assert.Equal(t, float64(i), at(d, "index"))
		var row []float32
		switch e := at(d, "embedding").(type) {
		case string:
			b, err := base64.StdEncoding.DecodeString(e)
			require.NoError(t, err)
			for ; len(b) > 0; b = b[4:] {
				row = append(row, math.Float32frombits(binary.LittleEndian.Uint32(b)))
			}
		case []any:
			for _, x := range e {
				row = append(row, float32(x.(float64)))
			}
		}
		out = append(out, row)
	}
	return out
}

func assertVectors(t *testing.T, want, got [][]float32) {
	t.Helper()
	if assert.Len(t, got, len(want)) {
		for i := range want {
			assert.InDeltaSlice(t, want[i], got[i], 1e-5)
		}
	}
}

func TestEmbeddings(t *testing.T) {
	t.Cleanup(torchtest.CheckLeaks(t))
	s := newSentences(t)
	a := serveEmbeddings(t, s)
	ids, err := json.Marshal(tokensOf(t, s, "a b c")[0].IDs)
	require.NoError(t, err)
	one := vectors(t, s, 16, "a b c")
	for _, input := range []string{
		`"a b c"`, `["a b c"]`, string(ids), "[" + string(ids) + "]", `" a b c\n"`,
	} {
		status, v := a.post("/v1/embeddings", `{"model": "org/embed", "user": "me", "input": `+input+"}")
		require.Equal(t, 200, status, v)
		assertVectors(t, one, embeddingsOf(t, v))
		assert.Equal(t, "org/embed", v["model"])
		assert.Equal(t, map[string]any{"prompt_tokens": 5.0, "total_tokens": 5.0}, v["usage"])
	}
	texts := []string{"a", "", "b c d e f g h a b c", "h", "a a a"}
	list, err := json.Marshal(texts)
	require.NoError(t, err)
	for _, format := range []string{"float", "base64"} {
		_, v := a.post("/v1/embeddings", `{"encoding_format": "`+format+`", "input": `+string(list)+"}")
		assertVectors(t, vectors(t, s, 16, texts...), embeddingsOf(t, v))
		_, v = a.post("/v1/embeddings", `{"dimensions": 7, "encoding_format": "`+format+`", "input": `+string(list)+"}")
		assertVectors(t, vectors(t, s, 7, texts...), embeddingsOf(t, v))
	}
	long := strings.Repeat("a b ", 30)
	_, v := a.post("/v1/embeddings", `{"truncate": true, "input": "`+long+`"}`)
	assertVectors(t, vectors(t, s, 16, long), embeddingsOf(t, v))
	assert.Equal(t, 20.0, at(v, "usage", "prompt_tokens"))
	_, v = a.post("/v1/embeddings", `{"truncate": true, "input": [4`+strings.Repeat(",4", 30)+`]}`)
	assert.Equal(t, 20.0, at(v, "usage", "prompt_tokens"))
	_, text := a.get("/metrics")
	assert.Contains(t, text, "gotorch_embedded_texts_total 27\n")
	assert.Contains(t, text, "gotorch_embedding_texts 0\n")
	_, text = a.get("/v1/models")
	assert.JSONEq(t, `{"object": "list", "data": [{"id": "org/embed", "object": "model", "created": 0,
		"owned_by": "gotorch"}]}`, text)
	for path, body := range map[string]string{
		"/v1/chat/completions": hello + "}", "/v1/completions": `{"prompt": "a"}`,
	} {
		status, v := a.post(path, body)
		assert.Equal(t, 404, status)
		assert.Equal(t, "the server has no language model", at(v, "error", "message"))
	}
	status, _ := a.get("/")
	assert.Equal(t, 404, status)
}

func TestRefusedEmbeddings(t *testing.T) {
	t.Cleanup(torchtest.CheckLeaks(t))
	s := newSentences(t)
	a := serveEmbeddings(t, s, serving.MaxTexts(100))
	const invalid = "invalid_value"
	for _, c := range []struct {
		body       string
		status     int
		code       string
		param, has string
	}{
		{"", 400, invalid, "", "not a JSON object"},
		{`{}`, 400, invalid, "input", "expected a text"},
		{`{"input": null}`, 400, invalid, "input", "expected a text"},
		{`{"input": {"a": 1}}`, 400, invalid, "input", "expected a text"},
		{`{"input": ["a", 1]}`, 400, invalid, "input", "expected a text"},
		{`{"input": [1.5]}`, 400, invalid, "input", "expected a text"},
		{`{"input": []}`, 400, invalid, "input", "1 to 100 texts, got 0"},
		{`{"input": [[]]}`, 400, invalid, "input", "text 0 has no tokens"},
		{`{"input": [[4], [12]]}`, 400, invalid, "input", "text 1: token 12 is not in the vocabulary of 12"},
		{`{"input": [-1]}`, 400, invalid, "input", "token -1"},
		{`{"input": ["a"` + strings.Repeat(`, "a"`, 100) + `]}`, 400, invalid, "input", "1 to 100 texts, got 101"},
		{
			`{"input": ["a", "` + strings.Repeat("a ", 30) + `"]}`, 400, "context_length_exceeded", "input",
			"text 1 has 32 tokens; at most 20 fit",
		},
		{
			`{"input": [4` + strings.Repeat(",4", 20) + `]}`, 400, "context_length_exceeded", "input",
			"text 0 has 21 tokens; at most 20 fit",
		},
		{`{"input": "a", "dimensions": 0}`, 400, invalid, "dimensions", "1 to 16, got 0"},
		{`{"input": "a", "dimensions": 17}`, 400, invalid, "dimensions", "1 to 16, got 17"},
		{`{"input": "a", "dimensions": 1.5}`, 400, invalid, "dimensions", "a whole number"},
		{`{"input": "a", "encoding_format": "int8"}`, 400, invalid, "encoding_format", `"int8"`},
		{`{"input": "a", "encoding_format": 8}`, 400, invalid, "encoding_format", "a string"},
		{`{"input": "a", "model": "org/tiny"}`, 404, "model_not_found", "model", `"org/tiny"`},
	} {
		status, v := a.post("/v1/embeddings", c.body)
		name := c.body[:min(len(c.body), 100)]
		e, _ := v["error"].(map[string]any)
		require.NotNil(t, e, name)
		assert.Equal(t, c.status, status, name)
		assert.Equal(t, c.code, e["code"], name)
		assert.Equal(t, "invalid_request_error", e["type"], name)
		assert.Contains(t, e["message"], c.has, name)
		if c.param == "" {
			assert.Nil(t, e["param"], name)
		} else {
			assert.Equal(t, c.param, e["param"], name)
		}
	}
	assert.Zero(t, a.Embedder.Stats().InUse)
}

// Conversations are answered while embeddings are computed, and the other way round. A request
// for which there is no room gets status 429.
func TestEmbeddingsBesideChat(t *testing.T) {
	t.Cleanup(torchtest.CheckLeaks(t))
	lm, s := newLM(t), newSentences(t)
	a := serve(t, lm, lm.Model)
	_, v := a.post("/v1/embeddings", `{"input": "a"}`)
	assert.Equal(t, "the server has no model for embeddings", at(v, "error", "message"))
	want := vectors(t, s, 16, "a")
	h := holdEncoder(s)
	a.EmbeddingsName, a.Embedder = "org/embed", serving.NewEmbedder(s, serving.MaxTexts(1))
	t.Cleanup(func() { require.NoError(t, a.Embedder.Close()) })
	a.start()
	_, text := a.get("/v1/models")
	assert.Contains(t, text, `"org/tiny"`)
	assert.Contains(t, text, `"org/embed"`)
	status, _ := a.get("/v1/models/org/embed")
	assert.Equal(t, 200, status)
	var wait sync.WaitGroup
	wait.Go(func() {
		status, v := a.post("/v1/embeddings", `{"model": "org/embed", "input": "a"}`)
		assert.Equal(t, 200, status, v)
		assertVectors(t, want, embeddingsOf(t, v))
	})
	<-h.began
	status, v = a.post("/v1/chat/completions", hello+`, "model": "org/tiny"}`)
	assert.Equal(t, 200, status, v)
	answer := a.send(context.Background(), "/v1/embeddings", `{"input": "b"}`)
	assert.Equal(t, 429, answer.StatusCode)
	assert.Equal(t, "1", answer.Header.Get("Retry-After"))
	status, _ = a.post("/v1/chat/completions", hello+`, "model": "org/embed"}`)
	assert.Equal(t, 404, status)
	close(h.let)
	wait.Wait()
}

// An error of the model tells clients nothing about the server.
func TestFailuresOfEmbeddings(t *testing.T) {
	t.Cleanup(torchtest.CheckLeaks(t))
	s := newSentences(t)
	s.Model = brokenEncoder{s.Model}
	a := serveEmbeddings(t, s)
	var log bytes.Buffer
	a.Log = slog.New(slog.NewTextHandler(&log, nil))
	a.start()
	for input, logged := range map[string]string{"a": "a secret of the server", "b": "not finite"} {
		status, v := a.post("/v1/embeddings", `{"input": "`+input+`"}`)
		assert.Equal(t, 500, status)
		assert.Equal(t, "the model failed", at(v, "error", "message"))
		assert.Contains(t, log.String(), logged)
	}
	status, _ := a.post("/v1/embeddings", `{"input": "c"}`)
	assert.Equal(t, 200, status)
}

// OpenAI's package for Python gets embeddings in both formats.
func TestOpenAIEmbeddingsForPython(t *testing.T) {
	python := pythontest.Interpreter(t, "openai")
	s := newSentences(t)
	a := serveEmbeddings(t, s)
	var got struct {
		Default, Floats, Tokens, Short [][]float32
		Usage                          []int
		Errors                         map[string][]any
	}
	out := pythontest.Run(t, python, "", "testdata/embeddings.py", a.http.URL+"/v1")
	require.NoError(t, json.Unmarshal([]byte(out), &got))
	texts := []string{"a b c", "d", "e f g h a b"}
	want := vectors(t, s, 16, texts...)
	assertVectors(t, want, got.Default)
	assertVectors(t, want, got.Floats)
	assertVectors(t, want[1:2], got.Tokens)
	assertVectors(t, vectors(t, s, 5, texts...), got.Short)
	assert.Equal(t, []int{16, 16}, got.Usage)
	assert.Equal(t, map[string][]any{
		"model":      {404.0, "model_not_found", "model"},
		"dimensions": {400.0, "invalid_value", "dimensions"},
		"length":     {400.0, "context_length_exceeded", "input"},
	}, got.Errors)
}
