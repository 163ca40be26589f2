package serving_test

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/pythontest"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torchtest"
	"github.com/gotorch/gotorch/transformers"
	"github.com/gotorch/gotorch/transformers/chat"
	"github.com/gotorch/gotorch/transformers/models"
	"github.com/gotorch/gotorch/transformers/serving"
	"github.com/gotorch/gotorch/transformers/tokenizers"
)

// scripted is a model that answers each prompt with the next of its texts. A prompt has to pass in
// one step.
type scripted struct {
	models.CausalLM
	t      *testing.T
	lm     *transformers.LM
	texts  []string
	tokens []int64 // of the present answer that were not given yet

	mu    sync.Mutex
	asked []string // the prompts
}

// prompt returns the prompt i of those that the model was asked.
func (s *scripted) prompt(i int) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked[i]
}

// toolTemplate prints all that a template sees.
const toolTemplate = `{{ tools | tojson if tools }}{% for m in messages %}<|im_start|>{{ m.role }} {{ m.content }}` +
	`{% for c in m.tool_calls %}{{ c | tojson }}{% endfor %}{{ m.tool_call_id }}<|im_end|>{% endfor %}` +
	`<|im_start|>assistant `

// serveScript returns a server whose model answers with texts, in order.
func serveScript(t *testing.T, texts ...string) (*scripted, *api) {
	t.Helper()
	lm := newLongLM(t, 4096)
	var err error
	lm.Template, err = chat.Parse(toolTemplate)
	require.NoError(t, err)
	s := &scripted{CausalLM: lm.Model, t: t, lm: lm, texts: texts}
	a := serve(t, lm, s, serving.PrefillTokens(4096))
	a.MaxTokens = 1000
	a.start()
	return s, a
}

//torchvet:ignore modulecall the model that it calls is the module
func (s *scripted) Forward(ids *torch.Tensor, opts ...models.ForwardOption) *torch.Tensor {
	if ids.Size(1) > 1 {
		prompt, err := s.lm.Tokenizer.Decode(ids.Reshape(-1).Int64s(), tokenizers.SkipSpecialTokens(false))
		assert.NoError(s.t, err)
		s.mu.Lock()
		s.asked = append(s.asked, prompt)
		s.mu.Unlock()
		e, err := s.lm.Tokenizer.Encode(s.texts[0])
		assert.NoError(s.t, err)
		s.texts, s.tokens = s.texts[1:], append(e.IDs, s.lm.Config.EOSTokenIDs[0])
	}
	logits := s.CausalLM.Forward(ids, opts...).Zero_()
	logits.Select(-1, s.tokens[0]).Fill_(100)
	s.tokens = s.tokens[1:]
	return logits
}

const tools = `"tools": [{"type": "function", "function": {"name": "weather", "description": "The weather.",
	"parameters": {"type": "object", "properties": {"city": {"type": "string"}, "at": {"type": "string"}}}}}]`

// answered is what a client knows of an answer.
type answered struct {
	content any      // of the message
	calls   []string // names and arguments
	finish  string
}

// calls returns the names and arguments of calls, and checks the rest of them.
func calls(t *testing.T, list any, ids map[string]bool) (out []string) {
	t.Helper()
	all, _ := list.([]any)
	for _, c := range all {
		id := at(c, "id").(string)
		assert.True(t, strings.HasPrefix(id, "call_"))
		assert.False(t, ids[id], "an ID occurs twice")
		ids[id] = true
		assert.Equal(t, "function", at(c, "type"))
		out = append(out, at(c, "function", "name").(string)+at(c, "function", "arguments").(string))
	}
	return out
}

func (a *api) ask(body string) answered {
	a.t.Helper()
	status, v := a.post("/v1/chat/completions", body)
	require.Equal(a.t, 200, status, v)
	message := at(v, "choices", 0, "message").(map[string]any)
	return answered{
		message["content"], calls(a.t, message["tool_calls"], map[string]bool{}),
		at(v, "choices", 0, "finish_reason").(string),
	}
}

// askStream is ask with a stream. The content is nil if there is none.
func (a *api) askStream(body string) (out answered) {
	a.t.Helper()
	answer := a.send(context.Background(), "/v1/chat/completions", `{"stream": true, `+body[1:])
	ids, text, some := map[string]bool{}, "", false
	for i, e := range a.events(answer) {
		delta := at(e, "choices", 0, "delta").(map[string]any)
		assert.Equal(a.t, i == 0, delta["role"] != nil)
		if part, ok := delta["content"].(string); ok {
			text, some = text+part, true
		}
		if list, ok := delta["tool_calls"]; ok {
			assert.Equal(a.t, float64(len(out.calls)), at(list, 0, "index"))
			out.calls = append(out.calls, calls(a.t, list, ids)...)
		}
		if why := at(e, "choices", 0, "finish_reason"); why != nil {
			out.finish = why.(string)
		}
	}
	if out.content = any(text); len(out.calls) > 0 && text == "" {
		out.content = nil
	}
	assert.True(a.t, some || len(out.calls) > 0)
	return out
}

// Calls in the texts of models become calls of the answer, with and without a stream. Text
// that only looks like a call remains text.
func TestToolCalls(t *testing.T) {
	t.Cleanup(torchtest.CheckLeaks(t))
	const call, other = `<tool_call>
{"name": "weather", "arguments": {"city": "Paris", "at": "noon"}}
</tool_call>`, `<tool_call>{"arguments": {}, "name": "now"}</tool_call>`
	const paris = `weather{"city": "Paris", "at": "noon"}`
	for _, c := range []struct {
		text string
		want answered
	}{
		{"It is warm.", answered{"It is warm.", nil, "stop"}},
		{" two lines \n\n of text \n", answered{" two lines \n\n of text \n", nil, "stop"}},
		{"a < b <tool <tool_calls>", answered{"a < b <tool <tool_calls>", nil, "stop"}},
		{call, answered{nil, []string{paris}, "tool_calls"}},
		{"\n\n" + call + "\n", answered{nil, []string{paris}, "tool_calls"}},
		{"I look it up.\n" + call, answered{"I look it up.", []string{paris}, "tool_calls"}},
		{call + "\n" + other, answered{nil, []string{paris, "now{}"}, "tool_calls"}},
		{call + " one ", answered{"one ", []string{paris}, "tool_calls"}},
		{
			"One: " + call + " two:\n" + other + " done\n",
			answered{"One: two: done\n", []string{paris, "now{}"}, "tool_calls"},
		},
		{`<tool_call>{"name": "now"}</tool_call>`, answered{nil, []string{"now{}"}, "tool_calls"}},
		{
			`<tool_call>{"name": "f", "arguments": "{\"a\": 1}"}</tool_call>`,
			answered{nil, []string{`f{"a": 1}`}, "tool_calls"},
		},
		{
			`<tool_call>{"name": "f", "arguments": {"a": "</tool_call> \"<tool_call>\\"}}</tool_call>`,
			answered{nil, []string{`f{"a": "</tool_call> \"<tool_call>\\"}`}, "tool_calls"},
		},
		{strings.TrimSuffix(call, "</tool_call>"), answered{nil, []string{paris}, "tool_calls"}}, // without an end
		{"a <tool_call>{</tool_call> b", answered{"a <tool_call>{</tool_call> b", nil, "stop"}},
		{"a <tool_call>{", answered{"a <tool_call>{", nil, "stop"}},
		{`<tool_call>{"name": ""}</tool_call>`, answered{`<tool_call>{"name": ""}</tool_call>`, nil, "stop"}},
		{
			`<tool_call>{"name": "f", "arguments": [1]}</tool_call>`,
			answered{`<tool_call>{"name": "f", "arguments": [1]}</tool_call>`, nil, "stop"},
		},
		{`<tool_call>"</tool_call>` + other, answered{`<tool_call>"</tool_call>`, []string{"now{}"}, "tool_calls"}},
	} {
		t.Run(c.text, func(t *testing.T) {
			s, a := serveScript(t, c.text, c.text, c.text)
			assert.Equal(t, c.want, a.ask(hello+", "+tools+"}"))
			assert.Equal(t, c.want, a.askStream(hello+", "+tools+"}"))
			assert.Contains(t, s.prompt(0), `[{"type": "function", "function": {"name": "weather", "description": `+
				`"The weather.", "parameters": {"type": "object", "properties": {"city": {"type": "string"}, "at": `)
			assert.Equal(t, s.prompt(0), s.prompt(1))
			// Without tools, or with the choice "none", the model sees no tools, and all is text.
			assert.Equal(t, answered{c.text, nil, "stop"}, a.ask(hello+`, "tool_choice": "none", `+tools+"}"))
			assert.NotContains(t, s.prompt(2), "weather")
		})
	}
}

// Without parallel calls, the first one counts. A text that ends in a call because it is too long
// has no call.
func TestToolCallSettings(t *testing.T) {
	t.Cleanup(torchtest.CheckLeaks(t))
	const two = `<tool_call>{"name": "a"}</tool_call><tool_call>{"name": "b"}</tool_call>`
	_, a := serveScript(t, two, two, two, two)
	assert.Equal(t, answered{nil, []string{"a{}"}, "tool_calls"},
		a.ask(hello+`, "parallel_tool_calls": false, `+tools+"}"))
	assert.Equal(t, answered{nil, []string{"a{}", "b{}"}, "tool_calls"},
		a.ask(hello+`, "parallel_tool_calls": true, "tool_choice": "auto", `+tools+"}"))
	assert.Equal(t, answered{"<tool_", nil, "length"}, a.ask(hello+`, "max_tokens": 6, `+tools+"}"))
	assert.Equal(t, answered{"<tool_call>", nil, "length"}, a.ask(hello+`, "max_tokens": 11, `+tools+"}"))
}

// Templates see the calls of earlier answers, with arguments as objects, and the results.
func TestConversationsWithTools(t *testing.T) {
	t.Cleanup(torchtest.CheckLeaks(t))
	s, a := serveScript(t, "It is warm.")
	const conversation = `{"messages": [{"role": "user", "content": "the weather?"},
		{"role": "assistant", "content": null, "refusal": null, "tool_calls": [
			{"id": "call_1", "type": "function", "function": {"name": "weather", "arguments":
				"{\"city\": \"Paris\", \"at\": 1}"}},
			{"id": "call_2", "type": "function", "function": {"name": "now", "arguments": ""}}]},
		{"role": "tool", "tool_call_id": "call_1", "content": "20 degrees"},
		{"role": "tool", "tool_call_id": "call_2", "content": [{"type": "text", "text": "noon"}]}], `
	assert.Equal(t, answered{"It is warm.", nil, "stop"}, a.ask(conversation+tools+"}"))
	_, prompt, _ := strings.Cut(s.prompt(0), "<|im_start|>")
	assert.Equal(t, `user the weather?<|im_end|><|im_start|>assistant `+
		`{"id": "call_1", "type": "function", "function": {"name": "weather", "arguments": `+
		`{"city": "Paris", "at": 1}}}`+
		`{"id": "call_2", "type": "function", "function": {"name": "now", "arguments": {}}}<|im_end|>`+
		`<|im_start|>tool 20 degreescall_1<|im_end|><|im_start|>tool nooncall_2<|im_end|>`+
		`<|im_start|>assistant `, prompt)
}

// OpenAI's package for Python calls tools, with and without a stream.
func TestOpenAIToolsForPython(t *testing.T) {
	python := pythontest.Interpreter(t, "openai")
	const call = `Wait.<tool_call>{"name": "weather", "arguments": {"city": "Paris"}}</tool_call>`
	s, a := serveScript(t, call, "It is warm in Paris.", call+call)
	var got any
	out := pythontest.Run(t, python, "", "testdata/tools.py", a.http.URL+"/v1")
	require.NoError(t, json.Unmarshal([]byte(out), &got))
	weather := []any{"weather", map[string]any{"city": "Paris"}}
	assert.Equal(t, map[string]any{
		"first": []any{"Wait.", "tool_calls", weather}, "second": []any{"It is warm in Paris.", "stop"},
		"stream": []any{"Wait.Wait.", "tool_calls", weather, weather},
		"error":  []any{400.0, "invalid_value", "tool_choice"},
	}, got)
	assert.Contains(t, s.prompt(1), `"function": {"name": "weather", "arguments": {"city": "Paris"}}}<|im_end|>`)
	assert.Contains(t, s.prompt(1), "<|im_start|>tool 20 degreescall_")
}
