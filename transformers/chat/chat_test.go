package chat_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/gotorch/gotorch/internal/pythontest"
	"github.com/gotorch/gotorch/transformers/chat"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A row is a request to testdata/oracle.py.
type row struct {
	Template  string            `json:"template,omitempty"`
	File      string            `json:"file,omitempty"`
	Messages  []json.RawMessage `json:"messages,omitempty"`
	Tools     []json.RawMessage `json:"tools,omitempty"`
	Documents []json.RawMessage `json:"documents,omitempty"`
	Vars      map[string]any    `json:"vars,omitempty"`
	Prompt    bool              `json:"prompt,omitempty"`
	Resume    bool              `json:"resume,omitempty"`
}

// A golden is the text that Python renders, or its error.
type golden struct{ Text, Error string }

func raws(lines ...string) []json.RawMessage {
	var out []json.RawMessage
	for _, s := range lines {
		out = append(out, json.RawMessage(s))
	}
	return out
}

var tools = raws(
	`{"type": "function", "function": {"name": "get_weather", "description": "The weather.\nOf a place <b> 'ü'.",`+
		`"parameters":`+
		`{"type": "object", "properties": {"place": {"type": "string"}, "days": {"type": ["integer", "null"]}, "tags":`+
		`{"type": "array", "items": {"type": "number"}}}, "required": ["place"]}, "return": {"type": "string"}}}`,
	`{"type": "function", "function": {"name": "now", "description": "",`+
		`"parameters": {"type": "object", "properties": {}}}}`,
)

// conversations are messages in the order in which templates meet them.
var conversations = map[string]row{
	"plain": {Messages: raws(
		`{"role": "user", "content": "Hi  "}`, `{"role": "assistant", "content": " Hello!\n"}`,
		`{"role": "user", "content": "What's 1 < 2 & \"3\"? 😀"}`)},
	"system": {Prompt: true, Messages: raws(
		`{"role": "system", "content": " Be brief. "}`, `{"role": "user", "content": "Hi"}`)},
	"tools": {Prompt: true, Tools: tools, Messages: raws(
		`{"role": "system", "content": "You have tools."}`, `{"role": "user", "content": "Weather in Köln?"}`,
		`{"role": "assistant", "tool_calls": [{"id": "abcdefghi", "type": "function", "function": {`+
			`"name": "get_weather","arguments": {"place": "Köln", "days": "3"}}}]}`,
		`{"role": "tool", "content": "{\"t\": 12.5}", "tool_call_id": "abcdefghi", "name": "get_weather"}`,
		`{"role": "assistant", "content": "12.5 °C"}`, `{"role": "user", "content": "Thanks"}`)},
	"calls": {Messages: raws(
		`{"role": "user", "content": "a"}`,
		`{"role": "assistant", "content": "b", "tool_calls": [{"type": "function",`+
			`"function": {"name": "f", "arguments": {}}},`+
			`{"type": "function", "function": {"name": "g", "arguments": {"x": [1, 2.5, null, true]}}}]}`,
		`{"role": "tool", "content": "1"}`, `{"role": "tool", "content": "2"}`)},
	"thinking": {Prompt: true, Vars: map[string]any{"enable_thinking": false}, Messages: raws(
		`{"role": "user", "content": "q"}`, `{"role": "assistant", "content": "<think>\nhm\n</think>\n\nA"}`,
		`{"role": "user", "content": "r"}`, `{"role": "assistant", "content": "B", "reasoning_content": "\nwell\n"}`)},
	"parts": {Prompt: true, Messages: raws(
		`{"role": "system", "content": [{"type": "text", "text": "S"}]}`,
		`{"role": "user", "content": [{"type": "image"}, {"type": "text", "text": " What is it? "}]}`)},
	"resume": {Resume: true, Messages: raws(
		`{"role": "user", "content": "Count."}`, `{"role": "assistant", "content": "One, two, "}`)},
	"documents": {Documents: raws(`{"title": "T", "text": "a b"}`, `{"title": "U", "text": "c"}`), Messages: raws(
		`{"role": "user", "content": "Q"}`)},
	"roles":     {Messages: raws(`{"role": "assistant", "content": "A"}`, `{"role": "critic", "content": "B"}`)},
	"no system": {Messages: raws(`{"role": "user", "content": "A"}`, `{"role": "user", "content": "B"}`)},
	"empty":     {Prompt: true},
}

func (r row) render(t testing.TB) (string, error) {
	t.Helper()
	source := r.Template
	if r.File != "" {
		data, err := os.ReadFile(filepath.Join("testdata/templates", r.File))
		require.NoError(t, err)
		source = string(data)
	}
	tmpl, err := chat.Parse(source)
	if err != nil {
		return "", err
	}
	var messages []chat.Message
	for _, raw := range r.Messages {
		messages = append(messages, message(t, raw))
	}
	opts := []chat.RenderOption{
		chat.AddGenerationPrompt(r.Prompt), chat.ContinueFinalMessage(r.Resume),
		chat.Vars(r.Vars),
	}
	if r.Tools != nil {
		opts = append(opts, chat.Tools(anys(r.Tools)))
	}
	if r.Documents != nil {
		opts = append(opts, chat.Documents(anys(r.Documents)))
	}
	return tmpl.Render(messages, opts...)
}

func anys(raw []json.RawMessage) []any {
	var out []any
	for _, r := range raw {
		out = append(out, r)
	}
	return out
}

func message(t testing.TB, raw json.RawMessage) chat.Message {
	t.Helper()
	var fields map[string]json.RawMessage
	require.NoError(t, json.Unmarshal(raw, &fields))
	m := chat.Message{NoContent: fields["content"] == nil, Extra: map[string]any{}}
	for k, v := range fields {
		switch k {
		case "role":
			require.NoError(t, json.Unmarshal(v, &m.Role))
		case "content":
			if v[0] == '"' {
				require.NoError(t, json.Unmarshal(v, &m.Content))
			} else {
				var parts []json.RawMessage
				require.NoError(t, json.Unmarshal(v, &parts))
				m.Parts = anys(parts)
			}
		case "tool_calls":
			var calls []json.RawMessage
			require.NoError(t, json.Unmarshal(v, &calls))
			m.ToolCalls = anys(calls)
		default:
			m.Extra[k] = v
		}
	}
	return m
}

func TestTemplatesAsInPython(t *testing.T) {
	files, err := filepath.Glob("testdata/templates/*.jinja")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	rows := map[string]any{}
	for _, f := range files {
		for name, c := range conversations {
			c.File = filepath.Base(f)
			vars := map[string]any{"bos_token": "<s>", "eos_token": "</s>"}
			for k, v := range c.Vars {
				vars[k] = v
			}
			c.Vars = vars
			rows[c.File+" "+name] = c
		}
	}
	compare(t, "testdata/templates.json", rows)
}

func compare(t *testing.T, path string, rows map[string]any) {
	t.Helper()
	for name, want := range pythontest.Goldens[golden](t, path, rows, "testdata/oracle.py") {
		got, err := rows[name].(row).render(t)
		if want.Error != "" {
			assert.Error(t, err, "%s: Python says %s, but Go renders %q", name, want.Error, got)
			var e *chat.Error
			assert.True(t, err == nil || errors.As(err, &e), name)
			continue
		}
		if assert.NoError(t, err, name) {
			assert.Equal(t, want.Text, got, name)
		}
	}
}

func TestExpressionsAsInPython(t *testing.T) {
	rows := map[string]any{}
	for i, s := range snippets {
		rows[fmt.Sprintf("%03d %s", i, s)] = row{Template: s, Vars: map[string]any{
			"x": 3, "s": "Hello, World", "l": []any{3, 1, 2}, "d": map[string]any{
				"a": 1, "b": []any{"x", nil, 1.5},
				"items": 7,
			},
			"u": " ünïcödé \n", "people": []any{
				map[string]any{"name": "Bob", "age": 30},
				map[string]any{"name": "al", "age": 25},
				map[string]any{"name": "Cy"},
			},
		}}
	}
	compare(t, "testdata/snippets.json", rows)
}
