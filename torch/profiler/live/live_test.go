package live_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/profiler"
	"github.com/gotorch/gotorch/torch/profiler/live"
)

func get(t *testing.T, url string) (status int, body []byte) {
	t.Helper()
	r, err := http.Get(url)
	require.NoError(t, err)
	body, err = io.ReadAll(r.Body)
	require.NoError(t, err)
	require.NoError(t, r.Body.Close())
	return r.StatusCode, body
}

// busy runs operators until the test ends.
func busy(t *testing.T) {
	stop := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		x := torch.Ones(torch.Shape{8})
		defer func() { _ = x.Close() }()
		for {
			select {
			case <-stop:
				return
			default:
				torch.Scope(func() { x.Exp() })
			}
		}
	})
	t.Cleanup(func() {
		close(stop)
		wg.Wait()
	})
}

func TestHandler(t *testing.T) {
	mux := http.NewServeMux()
	mux.Handle(live.Pattern, live.Handler())
	server := httptest.NewServer(mux)
	defer server.Close()
	url := server.URL + live.Path
	busy(t)

	status, body := get(t, url+"?seconds=0.1")
	require.Equal(t, http.StatusOK, status)
	path := filepath.Join(t.TempDir(), "ops")
	require.NoError(t, os.WriteFile(path, body, 0o600))
	text, err := exec.Command("go", "tool", "pprof", "-top", path).CombinedOutput()
	require.NoError(t, err, string(text))
	assert.Contains(t, string(text), "aten::exp")
	assert.Contains(t, string(text), "live_test.busy")

	status, body = get(t, url+"?seconds=0.1&debug=1")
	require.Equal(t, http.StatusOK, status)
	assert.Contains(t, string(body), "aten::exp")
	assert.Contains(t, string(body), "live_test.go(")

	status, body = get(t, url+"?seconds=0.1&debug=2")
	require.Equal(t, http.StatusOK, status)
	assert.Contains(t, string(body), "<title>Profile: ")

	for _, query := range []string{"?seconds=0", "?seconds=x", "?seconds=NaN", "?seconds=1e9", "?debug=9"} {
		status, _ = get(t, url+query)
		assert.Equal(t, http.StatusBadRequest, status, query)
	}
	_, err = profiler.Run(func(*profiler.Profile) {
		status, body = get(t, url+"?seconds=0.1")
		assert.Equal(t, http.StatusConflict, status)
		assert.Contains(t, string(body), "another profile")
	})
	require.NoError(t, err)
}

// When a client disconnects, its profile ends.
func TestClientGoesAway(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r := httptest.NewRequestWithContext(ctx, http.MethodGet, live.Path+"?seconds=300", nil)
	live.Handler().ServeHTTP(httptest.NewRecorder(), r)
	_, err := profiler.Run(func(*profiler.Profile) {})
	require.NoError(t, err)
}
