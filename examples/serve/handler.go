package main

import (
	"bytes"
	"context"
	"errors"
	"log"
	"mime"
	"net/http"
	"net/http/pprof"
	"strconv"
	"strings"
	"sync"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/batching"
)

const (
	// maxKept is the largest capacity, in bytes, of a buffer that is kept for reuse.
	maxKept = 64 << 10
	// maxError is the maximum length of an error message in a response. Longer messages
	// are truncated, because they may quote the request.
	maxError = 200
)

// bodies contains buffers for requests and responses.
var bodies = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// maxBody returns the maximum length of a request in bytes. It has room for all numbers,
// with many digits and spaces.
func (s *service) maxBody() int64 { return 1<<10 + 64*s.shape.Numel() }

// handler serves the clients.
func (s *service) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /predict", s.predict)
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("ok\n")) })
	return http.NewCrossOriginProtection().Handler(s.closing(mux)) // rejects requests from web pages of other sites
}

// adminHandler serves the people who run the server. Clients must not reach it.
func (s *service) adminHandler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /swap", s.swapModel)
	mux.Handle("GET /metrics", s.metrics.handler())
	mux.HandleFunc("GET /debug/pprof/", pprof.Index) // includes the torch_tensors profile
	mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	mux.HandleFunc("GET /debug/pprof/cmdline", pprof.Cmdline)
	mux.HandleFunc("GET /debug/pprof/symbol", pprof.Symbol)
	return http.NewCrossOriginProtection().Handler(mux)
}

// closing wraps a handler. While the server is shutting down, each response makes the
// client's connection close.
func (s *service) closing(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.ending.Load() {
			w.Header().Set("Connection", "close")
		}
		next.ServeHTTP(w, r)
	})
}

// predict handles one request, and measures the total time for reading, computing and
// writing.
func (s *service) predict(w http.ResponseWriter, r *http.Request) {
	done := s.metrics.begin()
	status := s.answer(w, r)
	done(status)
}

// answer writes the response and returns its status.
func (s *service) answer(w http.ResponseWriter, r *http.Request) int {
	body := bodies.Get().(*bytes.Buffer)
	defer func() {
		if body.Cap() <= maxKept {
			bodies.Put(body)
		}
	}()
	body.Reset()
	if _, err := body.ReadFrom(http.MaxBytesReader(w, r.Body, s.maxBody())); err != nil {
		return fail(w, err)
	}
	binary := isBinary(r.Header.Get("Content-Type"))
	x, err := decode(body.Bytes(), binary)
	if err != nil {
		return fail(w, err)
	}
	ctx, cancel := context.WithTimeout(r.Context(), s.timeout)
	defer cancel()
	y, err := s.batcher.DoFloat32s(ctx, x)
	if err != nil {
		return fail(w, err)
	}
	body.Reset()
	if err := encode(body, y, binary); err != nil {
		return fail(w, err)
	}
	kind := "application/json"
	if binary {
		kind = binaryType
	}
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Content-Length", strconv.Itoa(body.Len()))
	_, _ = w.Write(body.Bytes()) // fails only if the client has disconnected
	return http.StatusOK
}

func isBinary(contentType string) bool {
	if contentType == binaryType {
		return true
	}
	kind, _, err := mime.ParseMediaType(contentType)
	return err == nil && kind == binaryType
}

// fail writes an error response and returns its status.
func fail(w http.ResponseWriter, err error) int {
	status := http.StatusInternalServerError
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		status = http.StatusRequestEntityTooLarge
	case errors.Is(err, errBody), errors.Is(err, torch.ErrShape):
		status = http.StatusBadRequest
	case errors.Is(err, batching.ErrQueueFull), errors.Is(err, batching.ErrClosed):
		w.Header().Set("Retry-After", "1")
		status = http.StatusServiceUnavailable
	case errors.Is(err, context.DeadlineExceeded):
		status = http.StatusGatewayTimeout
	case errors.Is(err, context.Canceled):
		return 499 // the client has disconnected; 499 is what proxies log then
	}
	text := err.Error()
	if status == http.StatusInternalServerError {
		log.Print(text)
		text = http.StatusText(status)
	}
	http.Error(w, strings.ToValidUTF8(text[:min(len(text), maxError)], ""), status)
	return status
}

// swapModel replaces the model with a model that has new random weights.
func (s *service) swapModel(w http.ResponseWriter, r *http.Request) {
	seed, err := strconv.ParseUint(r.URL.Query().Get("seed"), 10, 64)
	if err != nil {
		http.Error(w, "seed: expected a whole number, 0 or more", http.StatusBadRequest)
		return
	}
	if err := s.swap(seed); err != nil {
		fail(w, err)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}
