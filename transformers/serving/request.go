package serving

import (
	"encoding/json"
	"errors"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"

	"github.com/gotorch/gotorch/transformers/chat"
	"github.com/gotorch/gotorch/transformers/generation"
	"github.com/gotorch/gotorch/transformers/tokenizers"
)

// common are the fields of a request that chat and text completions share.
type common struct {
	Model               string          `json:"model"`
	MaxTokens           *int            `json:"max_tokens"`
	MaxCompletionTokens *int            `json:"max_completion_tokens"`
	Temperature         *float64        `json:"temperature"`
	TopP                *float64        `json:"top_p"`
	TopK                *int            `json:"top_k"`              // not OpenAI's
	MinP                *float64        `json:"min_p"`              // not OpenAI's
	RepetitionPenalty   *float64        `json:"repetition_penalty"` // not OpenAI's
	Seed                *int64          `json:"seed"`
	N                   *int            `json:"n"`
	Stop                json.RawMessage `json:"stop"`
	Stream              bool            `json:"stream"`
	StreamOptions       struct {
		IncludeUsage bool `json:"include_usage"`
	} `json:"stream_options"`
}

// refused are the fields whose effect the server lacks, with values that have none. Others
// that it does not know, such as user and metadata, describe the request.
var refused = map[string][]string{
	"logprobs": {"false", "null"}, "top_logprobs": {"0", "null"}, "logit_bias": {"{}", "null"},
	"presence_penalty": {"0", "0.0", "null"}, "frequency_penalty": {"0", "0.0", "null"}, "best_of": {"1", "null"},
	"echo": {"false", "null"}, "suffix": {`""`, "null"}, "tool_choice": {`"none"`, `"auto"`, "null"},
	"functions": {"[]", "null"}, "response_format": {`{"type":"text"}`, "null"}, "modalities": {`["text"]`, "null"},
	"audio": {"null"}, "prediction": {"null"}, "reasoning_effort": {"null"},
}

// drained is how much of a body that is too large the server reads and drops. A client that
// still sends does not see the answer otherwise.
const drained = 64 << 20

// decode reads the body of a request into v, a pointer to a struct.
func decode(body []byte, v any) error {
	var all map[string]json.RawMessage
	if err := json.Unmarshal(body, &all); err != nil {
		return bad("", "the body is not a JSON object: %v", err)
	}
	for _, name := range slices.Sorted(maps.Keys(refused)) {
		if value, ok := all[name]; ok && !slices.Contains(refused[name], compact(value)) {
			if name == "tool_choice" {
				return bad(name, `tool_choice: the server can do "auto" and "none" alone`)
			}
			return bad(name, "%s is not supported", name)
		}
	}
	err := json.Unmarshal(body, v)
	var kind *json.UnmarshalTypeError
	var p problem
	switch {
	case err == nil:
		return nil
	case errors.As(err, &p):
		return p
	case errors.As(err, &kind):
		field := strings.TrimPrefix(strings.TrimPrefix(kind.Field, "common."), "toolFields.")
		return bad(field, "%s: expected %s, got a JSON %s", field, jsonKind(kind.Type), kind.Value)
	}
	return bad("", "%v", err)
}

// jsonKind names the JSON values of a type.
func jsonKind(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Int, reflect.Int64:
		return "a whole number"
	case reflect.Float64:
		return "a number"
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true or false"
	case reflect.Slice:
		return "a list"
	}
	return "an object"
}

func compact(b json.RawMessage) string {
	var v any
	_ = json.Unmarshal(b, &v) // it was read before
	out, _ := json.Marshal(v)
	return string(out)
}

// settings returns the settings of a generation for prompts of at most longest tokens.
func (s *Server) settings(q *common, longest int) (c generation.Config, err error) {
	c = s.LM.Config
	c.NumBeams, c.NumReturnSequences = 1, 1
	c.MaxNewTokens = s.MaxTokens
	if c.MaxNewTokens == 0 {
		c.MaxNewTokens = 256
	}
	c.MaxNewTokens = max(1, int(min(int64(c.MaxNewTokens), s.Engine.MaxLength()-int64(longest))))
	for _, n := range []*int{q.MaxTokens, q.MaxCompletionTokens} {
		if n == nil {
			continue
		}
		if c.MaxNewTokens = *n; *n < 1 || *n > 1<<20 {
			return c, bad("max_tokens", "max_tokens: expected a number from 1 to %d, got %d", 1<<20, *n)
		}
	}
	c.MinNewTokens = min(c.MinNewTokens, c.MaxNewTokens)
	if t := q.Temperature; t != nil {
		if !(*t >= 0 && *t <= 2) {
			return c, bad("temperature", "temperature: expected a number from 0 to 2, got %v", *t)
		}
		// Divided by less, logits overflow.
		if c.DoSample = *t >= 1e-3; c.DoSample {
			c.Temperature = *t
		}
		c.TopK = 0 // OpenAI's API has no such limit
	}
	for _, f := range []struct {
		name        string
		from        *float64
		to          *float64
		least, most float64
	}{
		{"top_p", q.TopP, &c.TopP, 0, 1},
		{"min_p", q.MinP, &c.MinP, 0, 1},
		{"repetition_penalty", q.RepetitionPenalty, &c.RepetitionPenalty, 0.01, 100},
	} {
		if f.from == nil {
			continue
		}
		if *f.to = *f.from; !(*f.from >= f.least && *f.from <= f.most) {
			return c, bad(f.name, "%s: expected a number from %g to %g, got %v", f.name, f.least, f.most, *f.from)
		}
	}
	if q.TopK != nil {
		if c.TopK = *q.TopK; c.TopK < 0 || c.TopK > 1<<30 {
			return c, bad("top_k", "top_k: expected a number from 0 to %d, got %d", 1<<30, c.TopK)
		}
	}
	if q.N != nil && (*q.N < 1 || *q.N > maxChoices) {
		return c, bad("n", "n: expected a number from 1 to %d, got %d", maxChoices, *q.N)
	}
	return c, nil
}

// stops returns the stop strings of a request.
func stops(raw json.RawMessage) ([]string, error) {
	var s generation.Strings
	if len(raw) > 0 {
		if err := json.Unmarshal(raw, &s); err != nil {
			return nil, bad("stop", "stop: expected a text or a list of texts")
		}
	}
	wrong := func(text string) bool { return text == "" || len(text) > 1000 }
	if len(s) > 16 || slices.ContainsFunc(s, wrong) {
		return nil, bad("stop", "stop: expected at most 16 texts, of 1 to 1000 bytes")
	}
	return s, nil
}

// seed returns the seed of a request, a random one if it has none.
func (q *common) seed() uint64 {
	if q.Seed != nil {
		return uint64(*q.Seed)
	}
	return rand.Uint64()
}

func (q *common) count() int {
	if q.N == nil {
		return 1
	}
	return *q.N
}

// message is a message of a conversation: its content is a text or a list of parts.
type message struct {
	chat.Message
}

// UnmarshalJSON reads a message. Fields that the API has beyond role and content, such as
// name and tool_calls, go to the template.
func (m *message) UnmarshalJSON(b []byte) error {
	var fields map[string]any
	if err := json.Unmarshal(b, &fields); err != nil {
		return err
	}
	role, ok := fields["role"].(string)
	if !ok || role == "" {
		return bad("messages", "messages: a message has no role")
	}
	m.Role = role
	switch content := fields["content"].(type) {
	case nil:
		m.NoContent = true
	case string:
		m.Content = content
	case []any:
		var all strings.Builder
		for i, part := range content {
			p, _ := part.(map[string]any)
			text, ok := p["text"].(string)
			if !ok || p["type"] != "text" {
				return bad("messages", "messages: part %d of a message is not a text; only texts are supported", i)
			}
			all.WriteString(text)
		}
		m.Content = all.String()
	default:
		return bad("messages", "messages: expected a text or a list of parts as content")
	}
	var raw struct {
		ToolCalls []json.RawMessage `json:"tool_calls"`
	}
	if err := json.Unmarshal(b, &raw); err != nil {
		return bad("messages", "messages: expected a list of calls as tool_calls")
	}
	for i, call := range raw.ToolCalls {
		c, err := readCall(call)
		if err != nil {
			return bad("messages", "messages: tool_calls: call %d: %v", i, err)
		}
		m.ToolCalls = append(m.ToolCalls, c)
	}
	for name, v := range fields {
		if name != "role" && name != "content" && name != "tool_calls" {
			if m.Extra == nil {
				m.Extra = map[string]any{}
			}
			m.Extra[name] = v
		}
	}
	return nil
}

// encode returns the tokens of a prompt, which param has.
func (s *Server) encode(param, prompt string, special bool) ([]int64, error) {
	e, err := s.LM.Tokenizer.Encode(prompt, tokenizers.AddSpecialTokens(special))
	if err != nil {
		return nil, bad(param, "%s: %v", param, err)
	}
	return e.IDs, s.known(param, e.IDs)
}

// known reports tokens that the model cannot continue.
func (s *Server) known(param string, ids []int64) error {
	if len(ids) == 0 {
		return bad(param, "%s: there are no tokens", param)
	}
	for _, id := range ids {
		if id < 0 || id >= s.LM.Model.VocabSize() {
			return bad(param, "%s: token %d is not in the vocabulary of %d", param, id, s.LM.Model.VocabSize())
		}
	}
	return nil
}

// prompts returns the tokens of the prompts of a text completion: a text, a list of texts, a
// list of tokens or a list of these.
func (s *Server) prompts(raw json.RawMessage) ([][]int64, error) {
	var texts generation.Strings
	if len(raw) > 0 && json.Unmarshal(raw, &texts) == nil && texts != nil {
		var out [][]int64
		if err := fewChoices(len(texts)); err != nil {
			return nil, err
		}
		for _, text := range texts {
			ids, err := s.encode("prompt", text, true)
			if err != nil {
				return nil, err
			}
			out = append(out, ids)
		}
		return out, nil
	}
	var one []int64
	var all [][]int64
	if json.Unmarshal(raw, &one) == nil {
		all = [][]int64{one}
	} else if json.Unmarshal(raw, &all) != nil {
		return nil, bad("prompt", "prompt: expected a text, tokens, or a list of these")
	}
	if err := fewChoices(len(all)); err != nil {
		return nil, err
	}
	for _, ids := range all {
		if err := s.known("prompt", ids); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// maxChoices is the largest number of texts that a request may ask for.
const maxChoices = 128

func fewChoices(n int) error {
	if n < 1 || n > maxChoices {
		return bad("prompt", "prompt: expected 1 to %d prompts, got %d", maxChoices, n)
	}
	return nil
}

// check reports a model that the server does not have.
func (s *Server) check(name string) error {
	if name != "" && name != s.Name {
		return unknownModel(name)
	}
	return nil
}
