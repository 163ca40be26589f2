package chat

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// A Template is a chat template. It is safe for use by several goroutines at once.
type Template struct {
	source string
	body   []stmt
}

// Parse reads a template. It returns ErrSyntax for invalid Jinja and ErrUnsupported for parts
// of Jinja that this package lacks.
func Parse(template string) (t *Template, err error) {
	defer caught(&err)
	if len(template) > maxSource {
		fail(ErrLimit, 0, "a template of more than %d bytes", maxSource)
	}
	if !utf8.ValidString(template) {
		fail(ErrSyntax, 0, "the template is not UTF-8")
	}
	p := &parser{toks: lex(template)}
	body, _ := p.body()
	return &Template{source: template, body: body}, nil
}

// A Message is a message of a conversation.
type Message struct {
	// Role is who says it, such as "system", "user", "assistant" or "tool".
	Role string
	// Content is its text.
	Content string
	// Parts is its content as a list, in place of Content. A part is, for example,
	// map[string]any{"type": "text", "text": "Hi"}.
	Parts []any
	// NoContent leaves the content out, for messages that only call tools.
	NoContent bool
	// ToolCalls are the calls of tools in the message. An element may be any value that
	// encoding/json can write.
	ToolCalls []any
	// Extra has other fields, such as "reasoning_content" or "name". A nil value is left out.
	Extra map[string]any
}

// value converts the message to the dictionary that templates see.
func (m *Message) value() *dict {
	d := newDict()
	d.set("role", m.Role)
	switch {
	case m.Parts != nil:
		d.set("content", toValue(m.Parts, 0))
	case !m.NoContent:
		d.set("content", m.Content)
	}
	if m.ToolCalls != nil {
		d.set("tool_calls", toValue(m.ToolCalls, 0))
	}
	for _, k := range sortedKeys(m.Extra) {
		if m.Extra[k] != nil {
			d.set(k, toValue(m.Extra[k], 1))
		}
	}
	for _, k := range []string{"reasoning_content", "thinking", "reasoning"} {
		if v, ok := d.get(k); ok {
			return aliased(d, v)
		}
	}
	return d
}

// aliased gives a message its reasoning under the names that templates use.
func aliased(d *dict, reasoning any) *dict {
	out := newDict()
	out.set("thinking", reasoning)
	for _, k := range d.keys {
		out.set(k, d.at(k))
	}
	out.set("reasoning_content", reasoning)
	return out
}

// A RenderOption changes what Render passes to the template.
type RenderOption interface{ renderOption() }

// AddGenerationPrompt says whether the text ends with the start of an answer.
type AddGenerationPrompt bool

// ContinueFinalMessage says whether the text ends with the content of the last message, so
// that the model continues it.
type ContinueFinalMessage bool

// Tools are the tools that the model may call, as JSON schemas. An element may be any value
// that encoding/json can write. Structs and json.RawMessage keep the order of their fields;
// maps are sorted.
type Tools []any

// Documents are texts for the model to look up, usually with the keys title and text.
type Documents []any

// Vars are variables of the template, such as bos_token, eos_token or enable_thinking.
type Vars map[string]any

// Now is the time that the function strftime_now sees. The default is the current time.
type Now time.Time

func (AddGenerationPrompt) renderOption()  {}
func (ContinueFinalMessage) renderOption() {}
func (Tools) renderOption()                {}
func (Documents) renderOption()            {}
func (Vars) renderOption()                 {}
func (Now) renderOption()                  {}

// tag marks the end of the final message. transformers uses the same one.
const tag = "CONTINUE_FINAL_MESSAGE_TAG "

// Render renders the template. It returns ErrRaised if the template refuses the messages,
// ErrRender if it fails, ErrLimit if it needs too much time or memory, and ErrValue for
// invalid arguments.
func (t *Template) Render(messages []Message, opts ...RenderOption) (text string, err error) {
	defer caught(&err)
	r := &renderer{out: &strings.Builder{}}
	vars := map[string]any{"tools": nil, "documents": nil, "add_generation_prompt": false}
	prompt, resume := false, false
	for _, o := range opts {
		switch o := o.(type) {
		case AddGenerationPrompt:
			prompt = bool(o)
			vars["add_generation_prompt"] = prompt
		case ContinueFinalMessage:
			resume = bool(o)
		case Tools:
			vars["tools"] = toValue([]any(o), 0)
		case Documents:
			vars["documents"] = toValue([]any(o), 0)
		case Vars:
			for k, v := range o {
				vars[k] = toValue(v, 0)
			}
		case Now:
			r.now = time.Time(o)
		default:
			fail(ErrValue, 0, "RenderOption is nil, or a type that embeds an option")
		}
	}
	if prompt && resume {
		fail(ErrValue, 0, "AddGenerationPrompt and ContinueFinalMessage exclude each other")
	}
	if r.now.IsZero() {
		r.now = time.Now()
	}
	list := &list{items: []any{}}
	for i := range messages {
		list.items = append(list.items, messages[i].value())
	}
	final := ""
	if resume {
		final = t.mark(list.items)
	}
	vars["messages"] = list
	s := &scope{vars: vars}
	r.block(t.body, s.child())
	if !resume {
		return r.out.String(), nil
	}
	return cutAtTag(r.out.String(), final), nil
}

// mark appends the tag to the content of the last message, and returns the content.
func (t *Template) mark(messages []any) string {
	if len(messages) == 0 {
		fail(ErrValue, 0, "ContinueFinalMessage without messages")
	}
	if !strings.Contains(t.source, "content") {
		fail(ErrValue, 0, "ContinueFinalMessage, but the template does not use the content")
	}
	last := messages[len(messages)-1].(*dict)
	content, _ := last.get("content")
	switch c := content.(type) {
	case string:
		last.set("content", c+tag)
		return c
	case *list:
		for i := len(c.items) - 1; i >= 0; i-- {
			if d, ok := c.items[i].(*dict); ok {
				if s, ok := d.values["text"].(string); ok {
					d.set("text", s+tag)
					return s
				}
			}
		}
	}
	fail(ErrValue, 0, "ContinueFinalMessage, but the last message has no text")
	return ""
}

// cutAtTag ends the text where the tag is.
func cutAtTag(text, final string) string {
	short := strings.TrimSpace(tag)
	at := strings.LastIndex(text, short)
	if at < 0 || !strings.Contains(text, strings.TrimFunc(final, isSpace)) {
		fail(ErrRender, 0, "the template does not keep the final message as it is, so it cannot be continued")
	}
	if strings.HasPrefix(text[at:], tag) {
		return text[:at]
	}
	return strings.TrimRightFunc(text[:at], unicode.IsSpace)
}
