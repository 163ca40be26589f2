package serving_test

import (
	"io"
	"log"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torchtest"
	"github.com/gotorch/gotorch/transformers/chat"
	"github.com/gotorch/gotorch/transformers/serving"
)

// Every request that the server cannot answer gets an error in OpenAI's form, and the server
// goes on.
func TestRefusals(t *testing.T) {
	t.Cleanup(torchtest.CheckLeaks(t))
	lm := newLM(t)
	a := serve(t, lm, lm.Model, serving.CacheTokens(128))
	message := func(content string) string { return `{"messages": [{"role": "user", "content": ` + content + `}]}` }
	with := func(settings string) string { return hello + ", " + settings + "}" }
	called := func(calls string) string { return `{"messages": [{"role": "assistant", "tool_calls": ` + calls + `}]}` }
	long := strings.Repeat("long ", 400)
	const invalid = "invalid_value"
	deep := strings.Repeat("[", 5000) + strings.Repeat("]", 5000)
	for _, c := range []struct {
		path, body string
		status     int
		code       string
		param, has string // parts of the answer
	}{
		{"chat/completions", "", 400, invalid, "", "not a JSON object"},
		{"chat/completions", "[]", 400, invalid, "", "not a JSON object"},
		{"chat/completions", "null", 400, invalid, "messages", "there are none"},
		{"chat/completions", "{}", 400, invalid, "messages", "there are none"},
		{"chat/completions", hello + "} more", 400, invalid, "", "not a JSON object"},
		{"chat/completions", `{"messages": "hello"}`, 400, invalid, "messages", "expected a list, got"},
		{"chat/completions", `{"messages": [null]}`, 400, invalid, "messages", "has no role"},
		{"chat/completions", `{"messages": [{"content": "x"}]}`, 400, invalid, "messages", "has no role"},
		{"chat/completions", `{"messages": [{"role": 5}]}`, 400, invalid, "messages", "has no role"},
		{"chat/completions", `{"messages": [{"role": "forbidden"}]}`, 400, invalid, "messages", "no such role"},
		{"chat/completions", message("7"), 400, invalid, "messages", "expected a text or a list of parts"},
		{"chat/completions", message(`[{"type": "image_url"}]`), 400, invalid, "messages", "not a text"},
		{"chat/completions", `{"messages": ` + strings.Repeat("[", 1e5), 400, invalid, "", "depth"},
		{"chat/completions", `{"messages": [{"role": "user", "x": ` + deep + `}]}`, 400, invalid, "messages", ""},
		{"chat/completions", with(`"model": "other"`), 404, "model_not_found", "model", `"other"`},
		{"chat/completions", with(`"temperature": "hot"`), 400, invalid, "temperature", "a number"},
		{"chat/completions", with(`"temperature": 3`), 400, invalid, "temperature", "from 0 to 2"},
		{"chat/completions", with(`"temperature": 1e999`), 400, invalid, "temperature", ""},
		{"chat/completions", with(`"top_p": 1.5`), 400, invalid, "top_p", "from 0 to 1"},
		{"chat/completions", with(`"min_p": -1`), 400, invalid, "min_p", "from 0 to 1"},
		{"chat/completions", with(`"top_k": -1`), 400, invalid, "top_k", "top_k"},
		{"chat/completions", with(`"repetition_penalty": 0`), 400, invalid, "repetition_penalty", ""},
		{"chat/completions", with(`"max_tokens": 0`), 400, invalid, "max_tokens", "from 1"},
		{"chat/completions", with(`"max_tokens": 1.5`), 400, invalid, "max_tokens", "a whole number"},
		{"chat/completions", with(`"max_tokens": 1000`), 400, "context_length_exceeded", "messages", "at most 129 fit"},
		{"chat/completions", with(`"n": 0`), 400, invalid, "n", "from 1"},
		{"chat/completions", with(`"n": 129`), 400, invalid, "n", "to 128"},
		{"chat/completions", with(`"stop": [""]`), 400, invalid, "stop", "1 to 1000"},
		{"chat/completions", with(`"stop": 7`), 400, invalid, "stop", "a list of texts"},
		{"chat/completions", with(`"stream": "yes"`), 400, invalid, "stream", "true or false"},
		{"chat/completions", with(`"logprobs": true`), 400, invalid, "logprobs", "not supported"},
		{"chat/completions", with(`"response_format": {"type": "x"}`), 400, invalid, "response_format", "supported"},
		{"chat/completions", with(`"tool_choice": "required"`), 400, invalid, "tool_choice", `"auto" and "none" alone`},
		{"chat/completions", with(`"tool_choice": {"type": "function"}`), 400, invalid, "tool_choice", "alone"},
		{"chat/completions", with(`"tools": {}`), 400, invalid, "tools", "a list"},
		{"chat/completions", with(`"tools": [{"type": "mcp"}]`), 400, invalid, "tools", "tool 0: expected"},
		{"chat/completions", with(`"tools": [{"type": "function"}]`), 400, invalid, "tools", "tool 0: expected"},
		{"chat/completions", with(`"tools": [7]`), 400, invalid, "tools", "tool 0: expected"},
		{"chat/completions", with(`"tools": [` + strings.Repeat("1,", 128) + `1]`), 400, invalid, "tools", "got 129"},
		{"chat/completions", with(`"parallel_tool_calls": 1`), 400, invalid, "parallel_tool_calls", "true or false"},
		{"chat/completions", called(`7`), 400, invalid, "messages", "a list of calls"},
		{"chat/completions", called(`[7]`), 400, invalid, "messages", "call 0: expected"},
		{"chat/completions", called(`[{"type": "x", "function": {"name": "f"}}]`), 400, invalid, "messages", "type"},
		{"chat/completions", called(`[{"function": {"name": ""}}]`), 400, invalid, "messages", "call 0: expected"},
		{
			"chat/completions", called(`[{"function": {"name": "f", "arguments": "{"}}]`), 400, invalid, "messages",
			`the arguments of "f" are no JSON object`,
		},
		{"chat/completions", called(`[{"function": {"name": "f", "arguments": 1}}]`), 400, invalid, "messages", `"f"`},
		{"chat/completions", with(`"presence_penalty": 1`), 400, invalid, "presence_penalty", "not supported"},
		{"chat/completions", message(`"` + long + `"`), 400, "context_length_exceeded", "messages", "fit"},
		{"completions", `{}`, 400, invalid, "prompt", "expected a text"},
		{"completions", `{"prompt": []}`, 400, invalid, "prompt", "1 to 128"},
		{"completions", `{"prompt": [[]]}`, 400, invalid, "prompt", "no tokens"},
		{"completions", `{"prompt": ""}`, 400, invalid, "prompt", "no tokens"},
		{"completions", `{"prompt": [1, -1]}`, 400, invalid, "prompt", "token -1"},
		{"completions", `{"prompt": [100000]}`, 400, invalid, "prompt", "token 100000"},
		{"completions", `{"prompt": {"a": 1}}`, 400, invalid, "prompt", "expected a text"},
		{"completions", `{"prompt": ["a", 1]}`, 400, invalid, "prompt", "expected a text"},
		{"completions", `{"prompt": [` + strings.Repeat(`"a", `, 128) + `"a"]}`, 400, invalid, "prompt", "got 129"},
		{"completions", `{"prompt": ["a", "b"], "n": 100}`, 400, invalid, "n", "are 200"},
		{"completions", `{"prompt": "a", "echo": true}`, 400, invalid, "echo", "not supported"},
		{"nothing", `{}`, 404, "not_found", "", "/v1/nothing"},
	} {
		for _, stream := range []string{"", `"stream": true, `} {
			if stream != "" && (!strings.HasPrefix(c.body, "{\"") || strings.Contains(c.body, `"stream"`)) {
				continue
			}
			body := c.body
			if stream != "" {
				body = "{" + stream + body[1:]
			}
			status, v := a.post("/v1/"+c.path, body)
			name := c.path + " " + body[:min(len(body), 200)]
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
	}
	status, _ := a.post("/v1/chat/completions", hello+"}")
	assert.Equal(t, 200, status)
	_, text := a.get("/metrics")
	assert.Contains(t, text, `gotorch_http_requests_total{status="200"} 1`)
	assert.Contains(t, text, `gotorch_http_requests_total{status="404"}`)
	assert.Equal(t, a.Engine.Stats().CacheTokens, a.Engine.Stats().CacheFree)
}

func TestTemplatesThatFail(t *testing.T) {
	lm := newLM(t)
	a := serve(t, lm, lm.Model)
	const loops = `{% for a in range(10000) %}{% for b in range(10000) %}{% for c in range(10000) %}` +
		`{% endfor %}{% endfor %}{% endfor %}`
	const long = `{% set x = namespace(s="aaaaaaaa") %}{% for i in range(100) %}{% set x.s = x.s + x.s %}` +
		`{% endfor %}{{ x.s }}`
	for source, want := range map[string]string{
		loops: "messages: ",
		long:  "messages: ",
		`{{ messages[0].content.nothing.at.all }}`: "messages: ",
		`{{ 1 // 0 }}`: "messages: ",
		``:             "no tokens",
	} {
		var err error
		lm.Template, err = chat.Parse(source)
		require.NoError(t, err)
		status, v := a.post("/v1/chat/completions", hello+"}")
		assert.Equal(t, 400, status, source)
		assert.Contains(t, at(v, "error", "message"), want)
	}
	lm.Template = nil
	_, v := a.post("/v1/chat/completions", hello+"}")
	assert.Contains(t, at(v, "error", "message"), "/v1/completions")
}

// A request that fails with a panic does not count as in progress for ever.
func TestPanics(t *testing.T) {
	lm := newLM(t)
	broken := *lm
	broken.Tokenizer = nil
	a := serve(t, &broken, lm.Model)
	a.MaxRequests = 2
	a.http.Close()
	a.http = httptest.NewUnstartedServer(a.Handler())
	a.http.Config.ErrorLog = log.New(io.Discard, "", 0)
	a.http.Start()
	t.Cleanup(a.http.Close)
	for range 4 { // a request that counted for ever would make the third one fail with a status
		answer, err := a.http.Client().Post(a.http.URL+"/v1/chat/completions", "", strings.NewReader(hello+"}"))
		if !assert.Error(t, err) {
			assert.NoError(t, answer.Body.Close())
		}
	}
}
