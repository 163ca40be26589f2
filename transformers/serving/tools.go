package serving

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/gotorch/gotorch/transformers/chat"
)

// maxTools is the largest number of tools of a request, as OpenAI has it.
const maxTools = 128

// toolFields are the fields of a request for chat that are about tools.
type toolFields struct {
	Tools      []json.RawMessage `json:"tools"`
	ToolChoice string            `json:"tool_choice"` // decode has refused other kinds
	Parallel   *bool             `json:"parallel_tool_calls"`
}

// tools returns the tools for the template, in the order of their fields. With the choice "none"
// the model does not see them.
func (q *toolFields) tools() (chat.Tools, error) {
	if len(q.Tools) > maxTools {
		return nil, bad("tools", "tools: expected at most %d, got %d", maxTools, len(q.Tools))
	}
	var all chat.Tools
	for i, raw := range q.Tools {
		var t struct {
			Type     string `json:"type"`
			Function struct {
				Name string `json:"name"`
			} `json:"function"`
		}
		if err := json.Unmarshal(raw, &t); err != nil || t.Type != "function" || t.Function.Name == "" {
			return nil, bad("tools", `tools: tool %d: expected {"type": "function", "function": {"name": ...}}`, i)
		}
		if q.ToolChoice != "none" {
			all = append(all, raw)
		}
	}
	return all, nil
}

// mostCalls returns the largest number of calls of an answer.
func (q *toolFields) mostCalls(tools chat.Tools) int {
	switch {
	case len(tools) == 0:
		return 0
	case q.Parallel != nil && !*q.Parallel:
		return 1
	}
	return math.MaxInt
}

// call is a call in a message of a conversation, as templates expect it.
type call struct {
	ID       string `json:"id,omitempty"`
	Type     string `json:"type"`
	Function struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"` // an object; in requests it is a string with JSON
	} `json:"function"`
}

func readCall(raw json.RawMessage) (c call, err error) {
	if err := json.Unmarshal(raw, &c); err != nil || c.Function.Name == "" || c.Type != "" && c.Type != "function" {
		return c, errors.New(`expected {"type": "function", "function": {"name": ..., "arguments": ...}}`)
	}
	c.Type = "function"
	var ok bool
	if c.Function.Arguments, ok = arguments(c.Function.Arguments); !ok {
		return c, fmt.Errorf("the arguments of %q are no JSON object", c.Function.Name)
	}
	return c, nil
}

// arguments returns the arguments of a call as an object. They may be a string with JSON, and may
// be absent.
func arguments(raw json.RawMessage) (json.RawMessage, bool) {
	raw = bytes.TrimSpace(raw)
	var text string
	if len(raw) > 0 && raw[0] == '"' {
		if json.Unmarshal(raw, &text) != nil {
			return nil, false
		}
		raw = bytes.TrimSpace([]byte(text))
	}
	if len(raw) == 0 || string(raw) == "null" {
		return json.RawMessage("{}"), true
	}
	return raw, raw[0] == '{' && json.Valid(raw)
}

// The tags around a call in the texts of Hermes and Qwen models.
const callTag, callEnd = "<tool_call>", "</tool_call>"

// toolCall is a call in an answer.
type toolCall struct {
	index           int
	id              string
	name, arguments string
}

func (c toolCall) object() object {
	return object{"id": c.id, "type": "function", "function": object{"name": c.name, "arguments": c.arguments}}
}

// parseCall reads what is between the tags.
func parseCall(text string) (c toolCall, ok bool) {
	var v struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	}
	if json.Unmarshal([]byte(strings.TrimSpace(text)), &v) != nil || v.Name == "" {
		return c, false
	}
	raw, ok := arguments(v.Arguments)
	return toolCall{name: v.Name, arguments: string(raw)}, ok
}
