package live_test

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	_ "net/http/pprof" // registers its patterns with the default mux
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/profiler/live"
)

// ask sends a request to a handler.
func ask(h http.Handler, r *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func request(host, query string) *http.Request {
	r := httptest.NewRequest(http.MethodGet, live.Path+query, nil)
	r.Host = host
	return r
}

func TestBesidePprof(t *testing.T) {
	require.NotPanics(t, func() { http.Handle(live.Pattern, live.Handler()) })
	busy(t)
	w := ask(http.DefaultServeMux, request("localhost", "?seconds=0.01&debug=1"))
	assert.Equal(t, http.StatusOK, w.Code)
	assert.Contains(t, w.Body.String(), "aten::")
	w = ask(http.DefaultServeMux, httptest.NewRequest(http.MethodGet, "/debug/pprof/", nil))
	assert.Contains(t, w.Body.String(), "goroutine")
}

func TestHosts(t *testing.T) {
	quick := "?seconds=0.01"
	named := live.Handler(live.Hosts{"Trainer.default.svc", "10.1.2.3", "fd00::1"})
	for _, c := range []struct {
		h    http.Handler
		host string
		want int
	}{
		{live.Handler(), "localhost:6060", 200},
		{live.Handler(), "LOCALHOST.", 200},
		{live.Handler(), "app.localhost:1", 200},
		{live.Handler(), "127.0.0.1:6060", 200},
		{live.Handler(), "127.8.9.10", 200},
		{live.Handler(), "[::1]:6060", 200},
		{live.Handler(), "[::ffff:127.0.0.1]", 200},
		{live.Handler(), "evil.example:6060", 403},
		{live.Handler(), "localhost.evil.example", 403},
		{live.Handler(), "evillocalhost", 403},
		{live.Handler(), "127.0.0.1.evil.example", 403},
		{live.Handler(), "10.1.2.3:6060", 403},
		{live.Handler(), "", 403},
		{named, "trainer.DEFAULT.svc:80", 200},
		{named, "trainer.default.svc.", 200},
		{named, "10.1.2.3:6060", 200},
		{named, "[fd00:0::1]:6060", 200},
		{named, "localhost", 200},
		{named, "other.default.svc", 403},
		{live.Handler(live.Hosts{live.AnyHost}), "other.default.svc", 200},
		{live.Handler(live.Hosts{live.AnyHost}, live.Hosts{}), "other.default.svc", 403},
	} {
		assert.Equal(t, c.want, ask(c.h, request(c.host, quick)).Code, c.host)
	}
	for _, c := range []struct {
		header, value string
		want          int
	}{
		{"Origin", "http://evil.example", 403},
		{"Origin", "null", 403},
		{"Origin", "http://localhost:3000", 200},
		{"Origin", "https://trainer.default.svc", 200},
		{"Sec-Fetch-Site", "cross-site", 403},
		{"Sec-Fetch-Site", "same-site", 403},
		{"Sec-Fetch-Site", "same-origin", 200},
		{"Sec-Fetch-Site", "none", 200},
	} {
		r := request("localhost", quick)
		r.Header.Set(c.header, c.value)
		assert.Equal(t, c.want, ask(named, r).Code, c.header+" "+c.value)
	}
	assert.PanicsWithError(t, torch.NewError("live.Handler", torch.ErrValue, "Hosts", "an empty host").Error(), func() {
		live.Handler(live.Hosts{""})
	})
	for _, bad := range []live.Option{live.MemoryLimit(0), live.MemoryLimit(-1), nil} {
		assert.Panics(t, func() { live.Handler(bad) })
	}
}

// unread fails the test if the body is read.
type unread struct{ t *testing.T }

func (u unread) Read([]byte) (int, error) {
	u.t.Error("the body is read")
	return 0, context.Canceled
}

func TestBodiesAreNotRead(t *testing.T) {
	for _, method := range []string{
		http.MethodPost, http.MethodPut, http.MethodHead, http.MethodDelete,
		http.MethodGet,
	} {
		r := httptest.NewRequest(method, live.Path+"?seconds=0.01", unread{t})
		r.Host = "localhost"
		r.Header.Set("Content-Type", "multipart/form-data; boundary=x")
		w := ask(live.Handler(), r)
		if method == http.MethodGet {
			assert.Equal(t, http.StatusOK, w.Code)
			continue
		}
		assert.Equal(t, http.StatusMethodNotAllowed, w.Code, method)
		assert.Equal(t, "GET", w.Header().Get("Allow"))
	}
	for _, query := range []string{
		"?second=1", "?seconds=1&seconds=2", "?debug=<script>", "?%zz", "?seconds=<script>",
		"?<script>=1",
	} {
		w := ask(live.Handler(), request("localhost", query))
		assert.Equal(t, http.StatusBadRequest, w.Code, query)
		assert.Equal(t, "text/plain; charset=utf-8", w.Header().Get("Content-Type"))
	}
}

func TestMemoryLimit(t *testing.T) {
	busy(t)
	h := live.Handler(live.MemoryLimit(1 << 20))
	start := time.Now()
	w := ask(h, request("localhost", "?seconds=300")) // the profile reaches its limit much earlier
	assert.Less(t, time.Since(start), 300*time.Second)
	require.Equal(t, http.StatusOK, w.Code)
	after, err := time.ParseDuration(w.Header().Get(live.Truncated))
	require.NoError(t, err)
	assert.Positive(t, after)
	path := filepath.Join(t.TempDir(), "ops")
	require.NoError(t, os.WriteFile(path, w.Body.Bytes(), 0o600))
	text, err := exec.Command("go", "tool", "pprof", "-comments", path).CombinedOutput()
	require.NoError(t, err)
	assert.Contains(t, string(text), "at the limit of 1048576 bytes")

	w = ask(h, request("localhost", "?seconds=300&debug=1"))
	assert.Contains(t, w.Body.String(), "The profile reached its memory limit after")
	w = ask(h, request("localhost", "?seconds=300&debug=2"))
	assert.Contains(t, w.Body.String(), ", truncated after ")
	w = ask(h, request("localhost", "?seconds=0.01"))
	if w.Header().Get(live.Truncated) == "" { // always true, unless the machine reaches the limit in 0.01 s
		assert.False(t, bytes.Contains(w.Body.Bytes(), []byte("limit")))
	}
}
