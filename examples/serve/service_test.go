package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/batching"
	"github.com/gotorch/gotorch/torchtest"
)

func newConfig(model string) config {
	return config{model: model, batch: 8, queue: 64, workers: 1, threads: 1, timeout: time.Minute}
}

// started returns a service and a running HTTP server for it. Both are closed when the test
// ends.
func started(t *testing.T, c config) (*service, *httptest.Server) {
	t.Helper()
	check := torchtest.CheckLeaks(t)
	s, err := newService(c)
	require.NoError(t, err)
	server := httptest.NewServer(s.handler())
	t.Cleanup(func() {
		server.Close()
		assert.NoError(t, s.batcher.Close())
		s.close()
		check()
	})
	return s, server
}

// admin returns the address of a server of the service's adminHandler, which ends with the test.
func admin(t *testing.T, s *service) string {
	server := httptest.NewServer(s.adminHandler())
	t.Cleanup(server.Close)
	return server.URL
}

func post(t *testing.T, url, kind string, body []byte) (int, []byte) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, bytes.NewReader(body))
	require.NoError(t, err)
	request.Header.Set("Content-Type", kind)
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return response.StatusCode, text
}

func get(t *testing.T, url string) string {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	require.NoError(t, err)
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, response.StatusCode, "%s", text)
	return string(text)
}

// direct runs the model on one example without the batcher.
func direct(s *service, x []float32) (y []float32) {
	torch.NoGrad(func() {
		torch.Scope(func() {
			y = s.model.Load().net.Forward(torch.FromSlice(x, append(torch.Shape{1}, s.shape...)...)).Float32s()
		})
	})
	return y
}

func example(n, seed int) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = float32((i*7+seed*13)%11) / 11
	}
	return x
}

func close32(t *testing.T, want, got []float32) {
	t.Helper()
	if assert.Len(t, got, len(want)) {
		for i := range want {
			// The batch size affects how sums are rounded.
			assert.InDelta(t, want[i], got[i], 1e-5)
		}
	}
}

// Both models answer requests in both formats.
func TestPredict(t *testing.T) {
	for model, n := range map[string]int{"mlp": 32, "cnn": 784, "mlp optimized": 32, "cnn optimized": 784} {
		name, _, optimize := strings.Cut(model, " ")
		c := newConfig(name)
		c.optimize = optimize
		s, server := started(t, c)
		if optimize {
			assert.Equal(t, c.batch, s.model.Load().graphs.Len())
			torch.NoGrad(func() {
				for _, r := range s.model.Load().graphs.Report() {
					assert.Empty(t, r.Reason)
				}
			})
		}
		x := example(n, 1)
		want := direct(s, x)

		body, err := json.Marshal(map[string][]float32{"input": x})
		require.NoError(t, err)
		status, text := post(t, server.URL+"/predict", "application/json", body)
		require.Equal(t, http.StatusOK, status, "%s", text)
		var got output
		require.NoError(t, json.Unmarshal(text, &got))
		close32(t, want, got.Output)

		raw, err := binary.Append(nil, binary.LittleEndian, x)
		require.NoError(t, err)
		for _, kind := range []string{binaryType, "Application/Octet-Stream; x=y"} {
			status, text = post(t, server.URL+"/predict", kind, raw)
			require.Equal(t, http.StatusOK, status, "%s", text)
			y := make([]float32, len(text)/4)
			_, err = binary.Decode(text, binary.LittleEndian, y)
			require.NoError(t, err)
			close32(t, want, y)
		}
	}
}

// A client whose request is invalid gets an error. Requests of other clients are not
// affected.
func TestBadRequests(t *testing.T) {
	s, server := started(t, newConfig("mlp"))
	long, err := json.Marshal(input{make([]float32, s.maxBody())})
	require.NoError(t, err)
	// Responses must never quote the request.
	const marker = "1234567e98765"
	nan := bytes.Repeat([]byte{0xff}, 128)
	for name, c := range map[string]struct {
		kind, body string
		status     int
		text       string
	}{
		"no JSON":        {"application/json", "{", http.StatusBadRequest, "expected"},
		"another JSON":   {"application/json", `{"inputs": [1]}`, http.StatusBadRequest, "no input"},
		"strings":        {"application/json", `{"input": ["a"]}`, http.StatusBadRequest, "expected"},
		"another number": {"application/json", `{"input": [` + marker + `]}`, http.StatusBadRequest, "before byte"},
		"a key":          {"application/json", `{"` + marker + `"}`, http.StatusBadRequest, "before byte"},
		"null":           {"application/json", `{"input": [1, null]}`, http.StatusBadRequest, "null for a number"},
		"a long string": {
			"application/json", `{"input": "` + strings.Repeat("long ", 200) + `"}`,
			http.StatusBadRequest, "expected",
		},
		"too few": {
			"application/json", `{"input": [1, 2]}`, http.StatusBadRequest,
			"expected the 32 values of one example of shape (32,), got 2",
		},
		"too large":       {"application/json", string(long), http.StatusRequestEntityTooLarge, "too large"},
		"part of a float": {binaryType, "abc", http.StatusBadRequest, "4 bytes each, got 3"},
		"empty":           {binaryType, "", http.StatusBadRequest, "got 0"},
		"not a number":    {binaryType, string(nan), http.StatusOK, ""},
	} {
		status, text := post(t, server.URL+"/predict", c.kind, []byte(c.body))
		assert.Equal(t, c.status, status, "%s: %s", name, text)
		assert.Contains(t, string(text), c.text, name)
		assert.LessOrEqual(t, len(text), maxError+1, name)
		assert.NotContains(t, string(text), marker, name)
	}
	status, _ := post(t, admin(t, s)+"/swap?seed=x", "", nil)
	assert.Equal(t, http.StatusBadRequest, status)
	require.NoError(t, s.batcher.Close())
	status, _ = post(t, server.URL+"/predict", binaryType, make([]byte, 128))
	assert.Equal(t, http.StatusServiceUnavailable, status)

	_, err = newService(newConfig("lstm"))
	require.ErrorContains(t, err, `no model "lstm"`)
}

// fail returns the right status for errors that the requests of the other tests cannot
// cause.
func TestFail(t *testing.T) {
	for err, status := range map[error]int{
		context.DeadlineExceeded:        http.StatusGatewayTimeout,
		batching.ErrQueueFull:           http.StatusServiceUnavailable,
		torch.ErrRuntime:                http.StatusInternalServerError,
		torch.ErrClosed:                 http.StatusInternalServerError,
		fmt.Errorf("x: %w", errBody):    http.StatusBadRequest,
		&batching.PanicError{Value: ""}: http.StatusInternalServerError,
	} {
		w := httptest.NewRecorder()
		assert.Equal(t, status, fail(w, err), "%v", err)
		assert.Equal(t, status, w.Code)
		assert.Equal(t, status == http.StatusServiceUnavailable, w.Header().Get("Retry-After") != "")
	}
	w := httptest.NewRecorder()
	assert.Equal(t, 499, fail(w, context.Canceled))
	assert.Zero(t, w.Body.Len())
}

// A web page on another site cannot change the server through a browser that can reach
// it.
func TestOtherSites(t *testing.T) {
	s, server := started(t, newConfig("mlp"))
	before := s.model.Load()
	for _, path := range []string{admin(t, s) + "/swap?seed=7", server.URL + "/predict"} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, path, nil)
		require.NoError(t, err)
		request.Header.Set("Origin", "https://example.com")
		request.Header.Set("Sec-Fetch-Site", "cross-site")
		response, err := http.DefaultClient.Do(request)
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
		assert.Equal(t, http.StatusForbidden, response.StatusCode, path)
	}
	assert.Same(t, before, s.model.Load())
}

// Clients reach neither the pages nor the functions for those who run the server.
func TestAdminHasItsOwnAddress(t *testing.T) {
	s, server := started(t, newConfig("mlp"))
	before := s.model.Load()
	for _, path := range []string{
		"/swap?seed=7", "/metrics", "/debug/pprof/", "/debug/pprof/cmdline", "/debug/pprof/heap",
	} {
		for _, method := range []string{http.MethodGet, http.MethodPost} {
			request, err := http.NewRequestWithContext(t.Context(), method, server.URL+path, nil)
			require.NoError(t, err)
			response, err := http.DefaultClient.Do(request)
			require.NoError(t, err)
			require.NoError(t, response.Body.Close())
			assert.Equal(t, http.StatusNotFound, response.StatusCode, "%s %s", method, path)
		}
	}
	assert.Same(t, before, s.model.Load())
}

// With -admin, the program has two addresses.
func TestRunWithAdmin(t *testing.T) {
	c := newConfig("mlp")
	c.addr, c.admin, c.drained = "127.0.0.1:0", "127.0.0.1:0", time.Minute
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	out, ended := &watched{said: make(chan string, 8)}, make(chan error, 1)
	go func() { ended <- run(ctx, c, out) }()
	var urls []string
	for range 2 {
		_, url, ok := strings.Cut(strings.TrimSpace(<-out.said), " on ")
		require.True(t, ok)
		urls = append(urls, url)
	}
	assert.Equal(t, "ok\n", get(t, urls[0]+"/healthz"))
	assert.Contains(t, get(t, urls[1]+"/metrics"), "serve_queue_length 0")
	cancel()
	require.NoError(t, <-ended)

	c.admin = "not an address"
	require.Error(t, run(t.Context(), c, io.Discard))
}

// A large request leaves no large buffer behind, and slow clients are disconnected.
func TestLimits(t *testing.T) {
	c := newConfig("cnn")
	c.timeout = 10 * time.Second
	s, server := started(t, c)
	s.shape = torch.Shape{1 << 12}
	large := bytes.Repeat([]byte(" "), int(s.maxBody()))
	for _, body := range [][]byte{large, append(large, ' ')} {
		status, _ := post(t, server.URL+"/predict", "application/json", body)
		assert.Contains(t, []int{http.StatusBadRequest, http.StatusRequestEntityTooLarge}, status)
		for range 100 {
			kept := bodies.Get().(*bytes.Buffer)
			assert.LessOrEqual(t, kept.Cap(), maxKept)
		}
	}
	h := newServer(s, s.handler())
	for name, limit := range map[string]time.Duration{
		"header": h.ReadHeaderTimeout, "read": h.ReadTimeout,
		"idle": h.IdleTimeout,
	} {
		assert.Positive(t, limit, name)
	}
	assert.Greater(t, h.WriteTimeout, h.ReadTimeout+c.timeout)
	assert.Positive(t, h.MaxHeaderBytes)
}

// While models are swapped, every response is from one of the models.
func TestSwap(t *testing.T) {
	swapUnderLoad(t, newConfig("mlp"))
	c := newConfig("mlp")
	c.optimize = true
	swapUnderLoad(t, c)
}

func swapUnderLoad(t *testing.T, c config) {
	t.Helper()
	s, server := started(t, c)
	x := example(32, 2)
	answers := map[string]bool{}
	key := func(y []float32) string { return fmt.Sprintf("%.3f", y) }
	for seed := range uint64(3) {
		require.NoError(t, s.swap(seed))
		answers[key(direct(s, x))] = true
	}
	require.Len(t, answers, 3)
	body, err := json.Marshal(input{x})
	require.NoError(t, err)
	swap := admin(t, s) + "/swap?seed="
	var asking, swapping sync.WaitGroup
	stop := make(chan struct{})
	swapping.Go(func() {
		for seed := 0; ; seed++ {
			select {
			case <-stop:
				return
			default:
				status, _ := post(t, fmt.Sprint(swap, seed%3), "", nil)
				assert.Equal(t, http.StatusNoContent, status)
			}
		}
	})
	for range 4 {
		asking.Go(func() {
			for range 50 {
				status, text := post(t, server.URL+"/predict", "application/json", body)
				var y output
				if assert.Equal(t, http.StatusOK, status, "%s", text) && assert.NoError(t, json.Unmarshal(text, &y)) {
					assert.True(t, answers[key(y.Output)], "%v", y.Output)
				}
			}
		})
	}
	asking.Wait()
	close(stop)
	swapping.Wait()
}

func TestMetrics(t *testing.T) {
	s, server := started(t, newConfig("mlp"))
	pages := admin(t, s)
	body, err := json.Marshal(input{make([]float32, 32)})
	require.NoError(t, err)
	for range 3 {
		status, _ := post(t, server.URL+"/predict", "application/json", body)
		require.Equal(t, http.StatusOK, status)
	}
	post(t, server.URL+"/predict", "application/json", []byte("{}"))
	text := get(t, pages+"/metrics")
	for _, line := range []string{
		`serve_answers_total{result="answered"} 3`,
		`serve_latency_seconds_count 3`,
		`serve_latency_seconds{quantile="0.99"} `,
		`serve_batch_size_bucket{le="1"} 3`,
		`serve_batch_size_bucket{le="8"} 3`,
		`serve_wait_seconds_count 3`,
		`serve_queue_length 0`,
		`serve_request_seconds_count{code="200"} 3`,
		`serve_request_seconds_count{code="400"} 1`,
		`gotorch_memory_allocated_bytes{device="cpu"} `,
		`gotorch_collections_total `,
		`gotorch_tensors `,
		`process_resident_memory_bytes `,
	} {
		assert.Contains(t, text, "\n"+line)
	}
	assert.Equal(t, "ok\n", get(t, server.URL+"/healthz"))
	assert.Contains(t, get(t, pages+"/debug/pprof/"), "torch_tensors")
	assert.Contains(t, get(t, pages+"/debug/pprof/torch_tensors?debug=1"), "torch_tensors")
}

// watched is a writer that also sends each write to a channel.
type watched struct {
	mu   sync.Mutex
	text strings.Builder
	said chan string
}

func (w *watched) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.text.Write(p)
	w.said <- string(p)
	return len(p), nil
}

// Every client that has connected before the signal gets an answer.
func TestRunAnswersWhoHasConnected(t *testing.T) {
	c := newConfig("mlp")
	c.addr, c.drained, c.queue = "127.0.0.1:0", time.Minute, 1024
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	out, ended := &watched{said: make(chan string, 8)}, make(chan error, 1)
	go func() { ended <- run(ctx, c, out) }()
	_, addr, ok := strings.Cut(strings.TrimSpace(<-out.said), " on http://")
	require.True(t, ok)
	text := "POST /predict HTTP/1.1\r\nHost: serve\r\nContent-Type: " + binaryType + "\r\nContent-Length: 128\r\n\r\n" +
		string(make([]byte, 128))
	var connections []net.Conn
	for range 200 {
		connection, err := new(net.Dialer).DialContext(t.Context(), "tcp", addr)
		require.NoError(t, err)
		defer connection.Close()
		_, err = io.WriteString(connection, text)
		require.NoError(t, err)
		connections = append(connections, connection)
	}
	cancel()
	for i, connection := range connections {
		response, err := http.ReadResponse(bufio.NewReader(connection), nil)
		if assert.NoError(t, err, i) {
			assert.Equal(t, http.StatusOK, response.StatusCode)
			assert.NoError(t, response.Body.Close())
		}
	}
	require.NoError(t, <-ended)
}

// After a signal, the program ends only when all clients have their responses.
func TestRunEndsInOrder(t *testing.T) {
	c := newConfig("mlp")
	c.addr, c.drained = "127.0.0.1:0", time.Minute
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	out, ended := &watched{said: make(chan string, 8)}, make(chan error, 1)
	go func() { ended <- run(ctx, c, out) }()
	line := <-out.said
	_, url, ok := strings.Cut(strings.TrimSpace(line), " on ")
	require.True(t, ok, line)
	status, _ := post(t, url+"/predict", binaryType, make([]byte, 128))
	require.Equal(t, http.StatusOK, status)
	cancel()
	require.NoError(t, <-ended)
	assert.Contains(t, out.text.String(), "1 requests in 1 passes")

	c.losses = filepath.Join(t.TempDir(), "answers")
	require.NoError(t, run(t.Context(), c, io.Discard), "it asks itself, and ends")
	text, err := os.ReadFile(c.losses)
	require.NoError(t, err)
	assert.Equal(t, 200*10+1, strings.Count(string(text), "\n"), "the numbers of all answers, and the peak")

	c.addr, c.losses = "127.0.0.1:0", filepath.Join(t.TempDir(), "no", "answers")
	require.ErrorIs(t, run(t.Context(), c, io.Discard), os.ErrNotExist)
	c.addr, c.losses = "not an address", ""
	require.Error(t, run(t.Context(), c, io.Discard))
	c.batch = 0
	require.ErrorIs(t, run(t.Context(), c, io.Discard), torch.ErrValue)
}
