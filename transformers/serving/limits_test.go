package serving_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torchtest"
	"github.com/gotorch/gotorch/transformers/generation"
	"github.com/gotorch/gotorch/transformers/models"
	"github.com/gotorch/gotorch/transformers/serving"
)

// held is a model whose forward passes wait until they are allowed to run.
type held struct {
	models.CausalLM
	began, let chan struct{}
}

func hold(m models.CausalLM) *held { return &held{m, make(chan struct{}, 1000), make(chan struct{})} }

//torchvet:ignore modulecall the model that it calls is the module
func (h *held) Forward(ids *torch.Tensor, opts ...models.ForwardOption) *torch.Tensor {
	h.began <- struct{}{}
	<-h.let
	return h.CausalLM.Forward(ids, opts...)
}

// A full queue, and too many requests, get status 429; those that wait are answered.
func TestBackPressure(t *testing.T) {
	lm := newLM(t)
	h := hold(lm.Model)
	a := serve(t, lm, h, serving.MaxBatch(1), serving.MaxQueue(1))
	var wait sync.WaitGroup
	wait.Go(func() {
		status, v := a.post("/v1/chat/completions", hello+"}")
		assert.Equal(t, 200, status, v)
	})
	<-h.began
	answer := a.send(context.Background(), "/v1/chat/completions", hello+`, "n": 2}`)
	assert.Equal(t, 429, answer.StatusCode)
	assert.Equal(t, "1", answer.Header.Get("Retry-After"))
	a.MaxRequests = -1
	a.start()
	status, v := a.post("/v1/chat/completions", hello+"}")
	assert.Equal(t, 429, status)
	assert.Equal(t, "rate_limit_exceeded", at(v, "error", "code"))
	close(h.let)
	wait.Wait()
}

// While the server shuts down, requests in progress are answered and new ones refused.
func TestShutdown(t *testing.T) {
	lm := newLM(t)
	h := hold(lm.Model)
	a := serve(t, lm, h)
	status, text := a.get("/health")
	assert.Equal(t, 200, status)
	assert.Equal(t, "ok\n", text)
	var wait sync.WaitGroup
	wait.Go(func() {
		status, v := a.post("/v1/chat/completions", hello+"}")
		assert.Equal(t, 200, status, v)
		assert.Equal(t, 12.0, at(v, "usage", "completion_tokens"))
	})
	<-h.began
	a.Drain()
	status, _ = a.get("/health")
	assert.Equal(t, 503, status)
	status, v := a.post("/v1/chat/completions", hello+"}")
	assert.Equal(t, 503, status)
	assert.Equal(t, "shutting_down", at(v, "error", "code"))
	close(h.let)
	require.NoError(t, a.Engine.Drain(context.Background()))
	wait.Wait()
}

// Drain ends the rest when its time is over.
func TestDrainThatTakesTooLong(t *testing.T) {
	lm := newLM(t)
	h := hold(lm.Model)
	a := serve(t, lm, h)
	var wait sync.WaitGroup
	wait.Go(func() {
		status, _ := a.post("/v1/chat/completions", hello+"}")
		assert.Equal(t, 503, status)
	})
	<-h.began
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	drained := make(chan error)
	go func() { drained <- a.Engine.Drain(ctx) }()
	for begun := false; !begun; {
		for _, err := range a.Engine.Submit(context.Background(), []int64{1}, 0, generation.MaxNewTokens(1000)) {
			begun = errors.Is(err, serving.ErrClosed)
		}
	}
	close(h.let)
	assert.ErrorIs(t, <-drained, context.Canceled)
	wait.Wait()
}

// A client that leaves gives its place to the next one.
func TestClientsThatLeave(t *testing.T) {
	t.Cleanup(torchtest.CheckLeaks(t))
	lm := newLM(t)
	a := serve(t, lm, lm.Model, serving.CacheTokens(224))
	for range 20 {
		ctx, cancel := context.WithCancel(context.Background())
		answer := a.send(ctx, "/v1/chat/completions", hello+`, "max_tokens": 190, "temperature": 1, "stream": true}`)
		_, err := bufio.NewReader(answer.Body).ReadString('\n')
		require.NoError(t, err)
		cancel()
	}
	status, v := a.post("/v1/chat/completions", hello+`, "max_tokens": 190, "temperature": 1, "stop": "never"}`)
	assert.Equal(t, 200, status, v)
	assert.Equal(t, a.Engine.Stats().CacheTokens, a.Engine.Stats().CacheFree)
}

// failing is a model whose third forward pass fails.
type failing struct {
	models.CausalLM
	passes int
}

//torchvet:ignore modulecall the model that it calls is the module
func (f *failing) Forward(ids *torch.Tensor, opts ...models.ForwardOption) *torch.Tensor {
	if f.passes++; f.passes == 3 {
		panic(torch.NewError("Forward", torch.ErrOutOfMemory, "", "a secret of the server"))
	}
	return f.CausalLM.Forward(ids, opts...)
}

// An error in the middle of a stream ends the stream with an event, and tells clients
// nothing about the server.
func TestFailures(t *testing.T) {
	t.Cleanup(torchtest.CheckLeaks(t))
	lm := newLM(t)
	a := serve(t, lm, &failing{CausalLM: lm.Model})
	var log bytes.Buffer
	a.Log = slog.New(slog.NewTextHandler(&log, nil))
	a.start()
	answer := a.send(context.Background(), "/v1/chat/completions",
		hello+`, "temperature": 1, "seed": 1, "stream": true}`)
	body, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	lines := strings.Split(strings.TrimSpace(string(body)), "\n\n")
	var last map[string]any
	require.NoError(t, json.Unmarshal([]byte(strings.TrimPrefix(lines[len(lines)-1], "data: ")), &last))
	assert.Equal(t, "internal_error", at(last, "error", "code"))
	assert.NotContains(t, string(body), "secret")
	assert.Contains(t, log.String(), "a secret of the server")
	status, _ := a.post("/v1/chat/completions", hello+"}")
	assert.Equal(t, 200, status)
}

// Requests whose JSON needs much memory are prepared a few at a time.
func TestManyLargeRequests(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	lm := newLM(t)
	a := serve(t, lm, lm.Model)
	body := hello + `, "tools": [{"type": "function", "function": {"name": "f", "parameters": [` +
		strings.Repeat("{},", 100_000) + `{}]}}], "max_tokens": 1}`
	var most atomic.Uint64
	done := make(chan struct{})
	var watch, wait sync.WaitGroup
	watch.Go(func() {
		var m runtime.MemStats
		for {
			select {
			case <-done:
				return
			default:
				runtime.ReadMemStats(&m)
				most.Store(max(most.Load(), m.HeapInuse))
			}
		}
	})
	const n = 60
	for range n {
		wait.Go(func() {
			answer := a.send(context.Background(), "/v1/chat/completions", body)
			assert.Equal(t, 200, answer.StatusCode)
		})
	}
	wait.Wait()
	close(done)
	watch.Wait()
	assert.Less(t, most.Load(), uint64(200<<20), "all at once need 430 MB, two at a time 80 MB")
}
