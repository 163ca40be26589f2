package serving

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"math/rand/v2"
	"net/http"
	"sync"
	"time"

	"github.com/gotorch/gotorch/transformers"
	"github.com/gotorch/gotorch/transformers/chat"
	"github.com/gotorch/gotorch/transformers/generation"
)

// started is an error after the first byte of an answer was written.
type started struct{ error }

func (s started) Unwrap() error { return s.error }

// chat answers POST /v1/chat/completions.
func (s *Server) chat(w http.ResponseWriter, r *http.Request) error {
	var q common
	var ids []int64
	var form chatForm
	err := s.prepare(r, func(body []byte) (err error) {
		q, ids, form, err = s.readChat(body)
		return err
	})
	if err != nil {
		return err
	}
	return s.answer(w, r, &q, [][]int64{ids}, form)
}

// readChat returns the settings, the prompt and the form of a chat completion.
func (s *Server) readChat(body []byte) (common, []int64, chatForm, error) {
	var q struct {
		common
		toolFields
		Messages []message `json:"messages"`
	}
	if err := decode(body, &q); err != nil {
		return q.common, nil, chatForm{}, err
	}
	if err := s.check(q.Model); err != nil {
		return q.common, nil, chatForm{}, err
	}
	if len(q.Messages) == 0 {
		return q.common, nil, chatForm{}, bad("messages", "messages: there are none")
	}
	if s.LM.Template == nil {
		return q.common, nil, chatForm{},
			bad("messages", "the model has no template for conversations: use /v1/completions")
	}
	var messages []chat.Message
	for _, m := range q.Messages {
		messages = append(messages, m.Message)
	}
	tools, err := q.tools()
	if err != nil {
		return q.common, nil, chatForm{}, err
	}
	var opts []chat.RenderOption
	if len(tools) > 0 {
		opts = append(opts, tools)
	}
	prompt, err := s.LM.Prompt(messages, opts...)
	if err != nil {
		return q.common, nil, chatForm{}, bad("messages", "messages: %v", err)
	}
	ids, err := s.encode("messages", prompt, false)
	return q.common, ids, chatForm{calls: q.mostCalls(tools)}, err
}

// complete answers POST /v1/completions.
func (s *Server) complete(w http.ResponseWriter, r *http.Request) error {
	var q struct {
		common
		Prompt json.RawMessage `json:"prompt"`
	}
	var prompts [][]int64
	err := s.prepare(r, func(body []byte) (err error) {
		if err = decode(body, &q); err == nil {
			err = s.check(q.Model)
		}
		if err == nil {
			prompts, err = s.prompts(q.Prompt)
		}
		return err
	})
	if err != nil {
		return err
	}
	q.Prompt = nil
	return s.answer(w, r, &q.common, prompts, textForm{})
}

// prepare reads the body of a request and calls fn. JSON, templates and tokenizers need much
// more memory than the body, so few calls of fn run at a time.
func (s *Server) prepare(r *http.Request, fn func(body []byte) error) error {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return err
	}
	select {
	case s.preparing <- struct{}{}:
	case <-r.Context().Done():
		return r.Context().Err()
	}
	defer func() { <-s.preparing }()
	return fn(body)
}

// A form is how chat and text completions differ in their answers.
type form interface {
	prefix() string
	object(stream bool) string
	reader() func(transformers.Part) piece // of one choice
	choice(all piece) object               // of a whole answer
	delta(p piece, first bool) object      // of a part
}

// A piece is a part of an answer, or all of it.
type piece struct {
	text   string
	calls  []toolCall
	finish string // of the last piece
}

// plain returns a part of a text as it is.
func plain(p transformers.Part) piece { return piece{text: p.Text, finish: p.Finish} }

// chatForm is the form of chat completions.
type chatForm struct {
	calls int // the largest number of calls of tools; if it is 0, they are text like any other
}

func (chatForm) prefix() string { return "chatcmpl-" }

func (chatForm) object(stream bool) string {
	if stream {
		return "chat.completion.chunk"
	}
	return "chat.completion"
}

func (f chatForm) reader() func(transformers.Part) piece {
	if f.calls == 0 {
		return plain
	}
	r := &callReader{most: f.calls}
	return func(p transformers.Part) piece { return r.read(p.Text, p.Finish) }
}

func (chatForm) choice(all piece) object {
	message := object{"role": "assistant", "content": all.text, "refusal": nil}
	if len(all.calls) > 0 {
		message["content"] = orNil(all.text)
		calls := make([]object, len(all.calls))
		for i, c := range all.calls {
			calls[i] = c.object()
		}
		message["tool_calls"] = calls
	}
	return object{"message": message}
}

func (chatForm) delta(p piece, first bool) object {
	d := object{}
	if p.text != "" || len(p.calls) == 0 {
		d["content"] = p.text
	}
	if len(p.calls) > 0 {
		calls := make([]object, len(p.calls))
		for i, c := range p.calls {
			calls[i] = c.object()
			calls[i]["index"] = c.index
		}
		d["tool_calls"] = calls
	}
	if first {
		d["role"] = "assistant"
	}
	return object{"delta": d}
}

type textForm struct{}

func (textForm) prefix() string                        { return "cmpl-" }
func (textForm) object(bool) string                    { return "text_completion" }
func (textForm) reader() func(transformers.Part) piece { return plain }
func (textForm) choice(all piece) object               { return object{"text": all.text} }
func (textForm) delta(p piece, _ bool) object          { return object{"text": p.text} }

// event is a part of choice i.
type event struct {
	i    int
	part transformers.Part
	err  error
}

// readers returns a reader for each of n choices.
func readers(f form, n int) []func(transformers.Part) piece {
	all := make([]func(transformers.Part) piece, n)
	for i := range all {
		all[i] = f.reader()
	}
	return all
}

// answer generates all choices at once and writes them.
func (s *Server) answer(w http.ResponseWriter, r *http.Request, q *common, prompts [][]int64, f form) error {
	longest := 0
	for _, p := range prompts {
		longest = max(longest, len(p))
	}
	c, err := s.settings(q, longest)
	if err != nil {
		return err
	}
	ends, err := stops(q.Stop)
	if err != nil {
		return err
	}
	if n := len(prompts) * q.count(); n > maxChoices {
		return bad("n", "n: %d prompts with %d choices each are %d; at most %d are allowed", len(prompts),
			q.count(), n, maxChoices)
	}
	ends, c.StopStrings = append(ends, c.StopStrings...), nil
	head := object{
		"id": fmt.Sprintf("%s%016x", f.prefix(), rand.Uint64()), "object": f.object(q.Stream),
		"created": time.Now().Unix(), "model": s.Name,
	}
	events := s.generate(r, q, prompts, c, ends)
	if q.Stream {
		return s.stream(w, q, head, prompts, f, events)
	}
	n := len(prompts) * q.count()
	all, tokens, read := make([]piece, n), make([]int, n), readers(f, n)
	for e := range events {
		if e.err != nil {
			return e.err
		}
		p := read[e.i](e.part)
		all[e.i].text += p.text
		all[e.i].calls = append(all[e.i].calls, p.calls...)
		all[e.i].finish, tokens[e.i] = p.finish, e.part.Tokens
	}
	choices := make([]object, n)
	for i, c := range all {
		choices[i] = f.choice(c)
		choices[i]["index"], choices[i]["finish_reason"], choices[i]["logprobs"] = i, c.finish, nil
	}
	head["choices"], head["usage"] = choices, usage(prompts, tokens)
	reply(w, head)
	return nil
}

func usage(prompts [][]int64, tokens []int) object {
	in, out := 0, 0
	for _, p := range prompts {
		in += len(p)
	}
	for _, n := range tokens {
		out += n
	}
	return object{"prompt_tokens": in, "completion_tokens": out, "total_tokens": in + out}
}

// generate runs all choices of all prompts and yields each part once it is there. Leaving
// the loop cancels the rest.
func (s *Server) generate(
	r *http.Request, q *common, prompts [][]int64, c generation.Config, ends []string,
) iter.Seq[event] {
	return func(yield func(event) bool) {
		all, stop, seed := make(chan event), make(chan struct{}), q.seed()
		ctx, cancel := context.WithCancel(r.Context())
		var wait sync.WaitGroup
		begun := time.Now()
		for i := range len(prompts) * q.count() {
			wait.Go(func() {
				tokens := s.timed(s.Engine.Submit(ctx, prompts[i/q.count()], seed+uint64(i), c), begun)
				for part, err := range s.LM.Parts(tokens, c.EOSTokenIDs, ends) {
					select {
					case all <- event{i, part, err}:
					case <-stop:
						return
					}
				}
			})
		}
		go func() { wait.Wait(); close(all) }()
		defer func() {
			cancel()
			close(stop)
			for range all { // until the goroutines are done
			}
		}()
		for e := range all {
			if !yield(e) {
				return
			}
		}
	}
}

// timed counts the time from begun to the first of the tokens.
func (s *Server) timed(tokens iter.Seq2[int64, error], begun time.Time) iter.Seq2[int64, error] {
	return func(yield func(int64, error) bool) {
		first := true
		for id, err := range tokens {
			if first && err == nil {
				s.counts.first(time.Since(begun))
			}
			first = false
			if !yield(id, err) {
				return
			}
		}
	}
}

// writeTimeout is how long a client may take for an event of a stream, or for embeddings.
const writeTimeout = 30 * time.Second

// stream writes the parts as server-sent events.
func (s *Server) stream(
	w http.ResponseWriter, q *common, head object, prompts [][]int64, f form, events iter.Seq[event],
) error {
	begun := false
	send := func(v any) error {
		if !begun {
			w.Header().Set("Content-Type", "text/event-stream")
			w.Header().Set("Cache-Control", "no-cache")
			begun = true
		}
		b, err := json.Marshal(v)
		if err != nil {
			return err
		}
		out := http.NewResponseController(w)
		err = out.SetWriteDeadline(time.Now().Add(writeTimeout))
		if err != nil && !errors.Is(err, http.ErrNotSupported) {
			return err
		}
		if _, err := fmt.Fprintf(w, "data: %s\n\n", b); err != nil {
			return err
		}
		return out.Flush()
	}
	n := len(prompts) * q.count()
	first, tokens, read := make([]bool, n), make([]int, n), readers(f, n)
	for e := range events {
		if e.err != nil {
			if !begun {
				return e.err
			}
			_ = send(object{"error": asProblem(e.err).body()})
			return started{e.err}
		}
		p := read[e.i](e.part)
		tokens[e.i] = e.part.Tokens
		if p.text == "" && p.calls == nil && p.finish == "" { // it may be the beginning of a call
			continue
		}
		choice := f.delta(p, !first[e.i])
		first[e.i] = true
		choice["index"], choice["finish_reason"], choice["logprobs"] = e.i, orNil(p.finish), nil
		head["choices"] = []object{choice}
		if q.StreamOptions.IncludeUsage {
			head["usage"] = nil
		}
		if err := send(head); err != nil {
			return started{err}
		}
	}
	if q.StreamOptions.IncludeUsage {
		head["choices"], head["usage"] = []object{}, usage(prompts, tokens)
		if err := send(head); err != nil {
			return started{err}
		}
	}
	_, err := fmt.Fprint(w, "data: [DONE]\n\n")
	if err != nil {
		return started{err}
	}
	return nil
}
