package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/examples/internal/tiles/tilestest"
	"github.com/gotorch/gotorch/internal/again"
)

// TestMain makes the test binary a server if its arguments contain an address.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == "server" {
		server := &http.Server{Addr: os.Args[2], Handler: answering(http.StatusOK, nil), ReadHeaderTimeout: time.Second}
		_ = server.ListenAndServe()
		return
	}
	os.Exit(m.Run())
}

func answering(status int, count *atomic.Int64) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/healthz", func(http.ResponseWriter, *http.Request) {})
	mux.HandleFunc("POST /predict", func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || !strings.HasPrefix(string(body), `{"input":[`) {
			status = http.StatusBadRequest
		}
		if count != nil {
			count.Add(1)
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, `{"output":[1,2,3]}`)
	})
	return mux
}

func newConfig(url string) config {
	return config{url: url, model: "mlp", clients: 3, requests: 50, warmup: 10, limit: time.Minute}
}

var line = regexp.MustCompile(`(?m)^bench ns=\d+ p50=\d+ p99=\d+$`)

func TestLoad(t *testing.T) {
	var count atomic.Int64
	server := httptest.NewServer(answering(http.StatusOK, &count))
	defer server.Close()
	var out strings.Builder
	require.NoError(t, run(t.Context(), newConfig(server.URL), nil, &out))
	assert.EqualValues(t, 60, count.Load())
	assert.Regexp(t, line, out.String())
	assert.Contains(t, out.String(), "50 requests of 3 clients")

	c := newConfig(server.URL)
	c.plot = filepath.Join(t.TempDir(), "latency.png")
	require.NoError(t, run(t.Context(), c, nil, &out))
	for _, n := range crowds {
		assert.Contains(t, out.String(), fmt.Sprintf("\n%d clients: ", n))
	}
	tilestest.PNG(t, c.plot)
}

func TestLoadStartsAServer(t *testing.T) {
	self := again.Command("server", "HOST:PORT")
	var out strings.Builder
	require.NoError(t, run(t.Context(), newConfig(""), self.Args, &out))
	assert.Regexp(t, line, out.String())
}

func TestMistakes(t *testing.T) {
	failing := httptest.NewServer(answering(http.StatusTeapot, nil))
	defer failing.Close()
	c := newConfig(failing.URL)
	require.ErrorContains(t, run(t.Context(), c, nil, io.Discard), "status 418")
	require.ErrorContains(t, run(t.Context(), c, []string{"/nowhere/at/all"}, io.Discard), "no such file")
	c.clients = 0
	require.ErrorContains(t, run(t.Context(), c, nil, io.Discard), "must be positive")
	require.ErrorContains(t, run(t.Context(), newConfig("http://example.com"), nil, io.Discard), "on this machine")
}

func TestQuantile(t *testing.T) {
	r := &result{latencies: []time.Duration{1, 2, 3, 4}}
	assert.Equal(t, []time.Duration{1, 3, 4, 4},
		[]time.Duration{r.quantile(0), r.quantile(0.5), r.quantile(0.99), r.quantile(1)})
}
