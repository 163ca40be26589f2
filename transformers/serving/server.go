package serving

import (
	"cmp"
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gotorch/gotorch/transformers"
	"github.com/gotorch/gotorch/transformers/generation"
)

//go:embed page.html
var page embed.FS

// A Server answers HTTP requests in the form of OpenAI's API: chat completions and text
// completions, each with streaming, embeddings, and models. It also has a page for conversations
// at /, /health for load balancers and /metrics for Prometheus. It has a language model, a model
// for embeddings, or both. Requests for the one that it lacks get status 404.
type Server struct {
	Name   string           // of the language model, in requests and answers
	LM     *transformers.LM // with a tokenizer, or nil
	Engine *Engine          // of LM.Model, or nil

	EmbeddingsName string    // of the model for embeddings, in requests and answers
	Embedder       *Embedder // of that model, or nil

	MaxTokens   int           // new tokens of an answer if the request sets no limit, by default 256
	MaxBody     int64         // bytes of a request, by default 1 MiB
	MaxRequests int           // requests at a time, by default 1024
	Timeout     time.Duration // for a request, by default 10 minutes
	Log         *slog.Logger  // by default slog.Default

	once      sync.Once
	preparing chan struct{} // has an element for each request that is prepared
	draining  atomic.Bool
	inFlight  atomic.Int64
	counts    counts
}

// Handler returns the handler of all paths. It refuses POST requests of pages of other
// sites.
func (s *Server) Handler() http.Handler {
	s.once.Do(func() { s.preparing = make(chan struct{}, runtime.GOMAXPROCS(0)) })
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/chat/completions", s.handle(s.generates(s.chat)))
	mux.HandleFunc("POST /v1/completions", s.handle(s.generates(s.complete)))
	mux.HandleFunc("POST /v1/embeddings", s.handle(s.embeddings))
	mux.HandleFunc("GET /v1/models", s.models)
	mux.HandleFunc("GET /v1/models/{name...}", s.model)
	mux.HandleFunc("GET /health", s.health)
	mux.HandleFunc("GET /metrics", s.metrics)
	if s.LM != nil {
		mux.HandleFunc("GET /{$}", servePage)
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		fail(w, problem{http.StatusNotFound, "not_found", "", fmt.Sprintf("there is no %s %s", r.Method, r.URL.Path)})
	})
	origins := http.NewCrossOriginProtection()
	origins.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fail(w, problem{http.StatusForbidden, "cross_origin", "", "pages of other sites may not use this server"})
	}))
	return origins.Handler(mux)
}

// servePage serves the page for conversations. It may connect to this server alone.
func servePage(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Security-Policy", "default-src 'none'; script-src 'unsafe-inline'; "+
		"style-src 'unsafe-inline'; img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; "+
		"frame-ancestors 'none'")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Cache-Control", "no-cache")
	http.ServeFileFS(w, r, page, "page.html")
}

// Drain makes /health report that the server is shutting down, with status 503, and refuses new
// requests with the same status. Requests in progress are still answered: [Engine.Drain] and
// [Embedder.Drain] wait for them.
func (s *Server) Drain() { s.draining.Store(true) }

// problem is an error that a client gets.
type problem struct {
	status               int
	code, param, message string
}

func (p problem) Error() string { return p.message }

func bad(param, format string, args ...any) error {
	return problem{http.StatusBadRequest, "invalid_value", param, fmt.Sprintf(format, args...)}
}

// asProblem returns what a client is told about an error.
func asProblem(err error) problem {
	var p problem
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &p):
		return p
	case errors.As(err, &tooLarge):
		return problem{
			http.StatusRequestEntityTooLarge, "too_large", "",
			fmt.Sprintf("a request has at most %d bytes", tooLarge.Limit),
		}
	case errors.Is(err, generation.ErrTooLong):
		return problem{http.StatusBadRequest, "context_length_exceeded", "messages", err.Error()}
	case errors.Is(err, ErrBusy):
		return problem{http.StatusTooManyRequests, "rate_limit_exceeded", "", "too many requests wait: try again later"}
	case errors.Is(err, ErrClosed):
		return problem{http.StatusServiceUnavailable, "shutting_down", "", "the server is shutting down"}
	case errors.Is(err, context.DeadlineExceeded):
		return problem{http.StatusGatewayTimeout, "timeout", "", "the request took too long"}
	}
	return problem{http.StatusInternalServerError, "internal_error", "", "the model failed"}
}

func fail(w http.ResponseWriter, p problem) {
	w.Header().Set("Content-Type", "application/json")
	if p.status == http.StatusTooManyRequests || p.status == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", "1")
	}
	w.WriteHeader(p.status)
	_ = json.NewEncoder(w).Encode(object{"error": p.body()})
}

func (p problem) body() object {
	kind := "invalid_request_error"
	if p.status >= 500 || p.status == http.StatusTooManyRequests {
		kind = "server_error"
	}
	return object{"message": p.message, "type": kind, "param": orNil(p.param), "code": p.code}
}

type object = map[string]any

func orNil(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// clientLeft is the status that is counted for a request whose client has left.
const clientLeft = 499

// generates is for handlers that need the language model.
func (s *Server) generates(fn func(w http.ResponseWriter, r *http.Request) error,
) func(w http.ResponseWriter, r *http.Request) error {
	if s.LM != nil {
		return fn
	}
	return func(http.ResponseWriter, *http.Request) error {
		return problem{http.StatusNotFound, "not_found", "", "the server has no language model"}
	}
}

// handle limits the size, the time and the number of requests, counts them and reports
// their errors.
func (s *Server) handle(fn func(w http.ResponseWriter, r *http.Request) error) http.HandlerFunc {
	limit, timeout := cmp.Or(s.MaxBody, 1<<20), cmp.Or(s.Timeout, 10*time.Minute)
	most := int64(cmp.Or(s.MaxRequests, 1024))
	return func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), timeout)
		defer cancel()
		body := r.Body
		r.Body = http.MaxBytesReader(w, body, limit)
		err := s.limited(most, func() error { return fn(w, r.WithContext(ctx)) })
		if errors.Is(err, ErrClosed) && s.draining.Load() {
			w.Header().Set("Connection", "close")
		}
		status := http.StatusOK
		switch {
		case err == nil:
		case r.Context().Err() != nil:
			status = clientLeft
		default:
			status = s.report(w, r, body, err)
		}
		s.counts.request(status)
	}
}

// limited calls fn unless most requests are in progress or the server shuts down.
func (s *Server) limited(most int64, fn func() error) error {
	n := s.inFlight.Add(1)
	defer s.inFlight.Add(-1) // also after a panic, which net/http recovers
	switch {
	case s.draining.Load():
		return ErrClosed
	case n > most:
		return ErrBusy
	}
	return fn()
}

// report answers with an error and returns its status.
func (s *Server) report(w http.ResponseWriter, r *http.Request, body io.Reader, err error) int {
	var begun started
	var tooLarge *http.MaxBytesError
	p := asProblem(err)
	switch {
	case p.status == http.StatusInternalServerError:
		s.log().Error("request failed", "path", r.URL.Path, "error", err)
	case errors.As(err, &tooLarge):
		_, _ = io.CopyN(io.Discard, body, drained)
	}
	if !errors.As(err, &begun) {
		fail(w, p)
	}
	return p.status
}

func (s *Server) log() *slog.Logger {
	if s.Log != nil {
		return s.Log
	}
	return slog.Default()
}

func (s *Server) health(w http.ResponseWriter, _ *http.Request) {
	if s.draining.Load() {
		http.Error(w, "shutting down", http.StatusServiceUnavailable)
		return
	}
	fmt.Fprintln(w, "ok")
}

// names returns the names of the models.
func (s *Server) names() (all []string) {
	if s.LM != nil {
		all = append(all, s.Name)
	}
	if s.Embedder != nil {
		all = append(all, s.EmbeddingsName)
	}
	return all
}

func describe(name string) object {
	return object{"id": name, "object": "model", "created": 0, "owned_by": "gotorch"}
}

func (s *Server) models(w http.ResponseWriter, _ *http.Request) {
	data := []object{}
	for _, name := range s.names() {
		data = append(data, describe(name))
	}
	reply(w, object{"object": "list", "data": data})
}

func (s *Server) model(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	if !slices.Contains(s.names(), name) {
		fail(w, unknownModel(name))
		return
	}
	reply(w, describe(name))
}

func unknownModel(name string) problem {
	return problem{http.StatusNotFound, "model_not_found", "model", fmt.Sprintf("there is no model %q", name)}
}

func reply(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v)
}
