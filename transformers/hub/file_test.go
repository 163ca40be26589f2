package hub_test

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/transformers/hub"
)

func TestFile(t *testing.T) {
	s := newServer(t)
	for name := range s.files {
		path, err := file(t, name)
		require.NoError(t, err)
		assert.Equal(t, filepath.Join(cache(), "models--owner--name", "snapshots", commit, name), path)
		s.has(path, name)
	}
	ref, err := os.ReadFile(filepath.Join(cache(), "models--owner--name", "refs", "main"))
	require.NoError(t, err)
	assert.Equal(t, commit, string(ref))
	s.requests()

	path, err := file(t, "config.json")
	require.NoError(t, err)
	s.has(path, "config.json")
	assert.Equal(t, []string{"HEAD /owner/name/resolve/main/config.json"}, s.requests(), "it may have changed")

	again, err := file(t, "config.json", hub.Revision(commit))
	require.NoError(t, err)
	assert.Equal(t, path, again)
	assert.Empty(t, s.requests(), "a commit cannot change")

	_, err = file(t, "config.json", hub.ForceDownload(true))
	require.NoError(t, err)
	assert.Len(t, s.requests(), 2)

	path, err = file(t, "empty", hub.Revision("refs/pr/1"))
	require.NoError(t, err)
	s.has(path, "empty")
	assert.FileExists(t, filepath.Join(cache(), "models--owner--name", "refs", "refs", "pr", "1"))
}

func TestNotFound(t *testing.T) {
	s := newServer(t)
	_, err := file(t, "none.json")
	require.ErrorIs(t, err, hub.ErrFileNotFound)
	require.ErrorIs(t, err, hub.ErrNotFound)
	require.NotErrorIs(t, err, hub.ErrRepoNotFound)
	assert.Equal(t, "hub.File: owner/name: none.json: no such file in the repository: message of EntryNotFound: "+
		"HTTP 404 from "+s.hub.URL+"/owner/name/resolve/main/none.json", err.Error())
	assert.FileExists(t, filepath.Join(cache(), "models--owner--name", ".no_exist", commit, "none.json"))
	_, err = file(t, "none.json", hub.LocalFilesOnly(true))
	require.ErrorIs(t, err, hub.ErrFileNotFound, "the cache knows it")

	_, err = file(t, "config.json", hub.Revision("none"))
	require.ErrorIs(t, err, hub.ErrRevisionNotFound)
	require.ErrorIs(t, err, hub.ErrNotFound)
	_, err = hub.File(t.Context(), "owner/other", "config.json")
	require.ErrorIs(t, err, hub.ErrRepoNotFound)
	var e *hub.Error
	require.ErrorAs(t, err, &e)
	assert.Equal(t, 404, e.Status)
	assert.Equal(t, "owner/other", e.Repo)
	_, err = file(t, "config.json", hub.RepoTypeDataset)
	require.ErrorIs(t, err, hub.ErrRepoNotFound)
	assert.Contains(t, strings.Join(s.requests(), "\n"), "HEAD /datasets/owner/name/resolve/main/config.json")
}

// The token of the environment, of the file or of the option goes to the hub, not to the
// host that a redirect names: serveCDN checks that.
func TestToken(t *testing.T) {
	s := newServer(t)
	s.token = "hf_secret"
	_, err := file(t, "config.json")
	require.ErrorIs(t, err, hub.ErrGated)
	assert.NotErrorIs(t, err, hub.ErrNotFound)

	path, err := file(t, "model.safetensors", hub.Token("hf_secret"))
	require.NoError(t, err)
	s.has(path, "model.safetensors")

	require.NoError(t, os.WriteFile(filepath.Join(os.Getenv("HF_HOME"), "token"), []byte("hf_secret\n"), 0o600))
	_, err = file(t, "config.json")
	require.NoError(t, err)
	_, err = file(t, "empty", hub.Token(""))
	require.ErrorIs(t, err, hub.ErrGated, "no token")
	t.Setenv("HF_HUB_DISABLE_IMPLICIT_TOKEN", "1")
	_, err = file(t, "empty")
	require.ErrorIs(t, err, hub.ErrGated)
	t.Setenv("HF_HUB_DISABLE_IMPLICIT_TOKEN", "")
	t.Setenv("HF_TOKEN", "hf_other")
	_, err = file(t, "empty")
	require.ErrorIs(t, err, hub.ErrGated, "the environment comes first")
	t.Setenv("HF_TOKEN", "hf_secret")
	_, err = file(t, "empty")
	require.NoError(t, err)
	path, err = file(t, "config.json", hub.Token("hf_other"))
	require.NoError(t, err, "the cache has it")
	s.has(path, "config.json")
	_, err = file(t, "config.json", hub.Token("hf_\nsecret"))
	require.ErrorIs(t, err, hub.ErrValue)
	assert.NotContains(t, err.Error(), "secret")
}

func TestStatuses(t *testing.T) {
	s := newServer(t)
	for status, kind := range map[int]error{
		401: hub.ErrRepoNotFound, 403: hub.ErrUnauthorized, 404: hub.ErrNotFound, 418: hub.ErrResponse,
		408: hub.ErrUnavailable, 429: hub.ErrUnavailable, 500: hub.ErrUnavailable, 503: hub.ErrUnavailable,
	} {
		s.set(func(w http.ResponseWriter, _ *http.Request, _ stored) bool {
			w.WriteHeader(status)
			return true
		})
		s.requests()
		_, err := file(t, "config.json", hub.Retries(3))
		require.ErrorIs(t, err, kind, "%d", status)
		want := 1
		if errors.Is(kind, hub.ErrUnavailable) {
			want = 4
		}
		assert.Len(t, s.requests(), want, "%d", status)
	}
	s.set(func(w http.ResponseWriter, _ *http.Request, _ stored) bool {
		w.Header().Set("X-Error-Message", "Invalid credentials in Authorization header")
		w.WriteHeader(http.StatusUnauthorized)
		return true
	})
	_, err := file(t, "config.json")
	require.ErrorIs(t, err, hub.ErrUnauthorized)
}

// The hub fails twice and then works.
func TestRetries(t *testing.T) {
	s := newServer(t)
	var mu sync.Mutex
	times := map[string]int{}
	s.set(func(w http.ResponseWriter, r *http.Request, _ stored) bool {
		mu.Lock()
		defer mu.Unlock()
		key := r.Method + r.URL.Path
		times[key]++
		switch times[key] {
		case 1:
			w.Header().Set("Retry-After", "300")
			w.WriteHeader(http.StatusTooManyRequests)
		case 2:
			panic(http.ErrAbortHandler)
		default:
			return false
		}
		return true
	})
	path, err := file(t, "model.safetensors")
	require.NoError(t, err)
	s.set(nil)
	s.has(path, "model.safetensors")
}

// Answers without the hub's headers are errors.
func TestNotAHub(t *testing.T) {
	s := newServer(t)
	for name, header := range map[string]map[string]string{
		"no commit":       {"X-Repo-Commit": "", "ETag": `"` + s.files["config.json"].etag() + `"`},
		"commit is path":  {"X-Repo-Commit": "../../..", "ETag": `"` + s.files["config.json"].etag() + `"`},
		"no etag":         {"X-Repo-Commit": commit},
		"etag is path":    {"X-Repo-Commit": commit, "ETag": `"../../x"`},
		"etag is unknown": {"X-Repo-Commit": commit, "X-Linked-Etag": `"abc"`},
		"redirect":        {"Location": "ftp://example.com/x"},
		"redirects":       {"Location": "/owner/name/resolve/main/config.json"},
	} {
		s.set(func(w http.ResponseWriter, _ *http.Request, _ stored) bool {
			w.Header().Del("X-Repo-Commit")
			for k, v := range header {
				w.Header().Set(k, v)
			}
			if header["Location"] != "" {
				w.WriteHeader(http.StatusFound)
			}
			return true
		})
		_, err := file(t, "config.json")
		require.ErrorIs(t, err, hub.ErrResponse, name)
		require.NoDirExists(t, filepath.Join(cache(), "models--owner--name", "blobs"), name)
	}
}

// A repository that was renamed redirects within the hub, and keeps the token.
func TestRenamed(t *testing.T) {
	s := newServer(t)
	s.token = "hf_secret"
	moved := http.NewServeMux()
	moved.HandleFunc("/old/name/", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, strings.Replace(r.URL.Path, "/old/name/", "/owner/name/", 1), http.StatusTemporaryRedirect)
	})
	moved.HandleFunc("/", s.serveHub)
	s.hub.Config.Handler = moved
	path, err := hub.File(t.Context(), "old/name", "model.safetensors", hub.Token("hf_secret"))
	require.NoError(t, err)
	s.has(path, "model.safetensors")
}

// If the hub cannot be reached, the cache answers.
func TestUnreachable(t *testing.T) {
	s := newServer(t)
	want, err := file(t, "config.json")
	require.NoError(t, err)
	s.hub.Close()
	path, err := file(t, "config.json")
	require.NoError(t, err)
	assert.Equal(t, want, path)
	_, err = file(t, "empty")
	require.ErrorIs(t, err, hub.ErrUnavailable)
	_, err = file(t, "config.json", hub.ForceDownload(true))
	require.ErrorIs(t, err, hub.ErrUnavailable)
}

func TestOffline(t *testing.T) {
	s := newServer(t)
	want, err := file(t, "config.json")
	require.NoError(t, err)
	s.requests()
	t.Setenv("HF_HUB_OFFLINE", "yes")
	path, err := file(t, "config.json")
	require.NoError(t, err)
	assert.Equal(t, want, path)
	_, err = file(t, "empty")
	require.ErrorIs(t, err, hub.ErrNotCached)
	_, err = file(t, "config.json", hub.Revision("other"))
	require.ErrorIs(t, err, hub.ErrNotCached)
	_, err = file(t, "config.json", hub.ForceDownload(true))
	require.ErrorIs(t, err, hub.ErrValue)
	assert.Empty(t, s.requests())
	_, err = file(t, "empty", hub.LocalFilesOnly(false))
	require.NoError(t, err, "the option comes last")
}

// The environment says where the cache is.
func TestCacheFolder(t *testing.T) {
	s := newServer(t)
	dir := t.TempDir()
	check := func(folder string, opts ...hub.FileOption) {
		t.Helper()
		path, err := file(t, "config.json", opts...)
		require.NoError(t, err)
		s.has(path, "config.json")
		assert.True(t, strings.HasPrefix(path, folder+"/models--"), path)
		assert.FileExists(t, filepath.Join(folder, "CACHEDIR.TAG"))
	}
	t.Setenv("HOME", filepath.Join(dir, "home"))
	t.Setenv("HF_HOME", "")
	check(filepath.Join(dir, "home/.cache/huggingface/hub"))
	t.Setenv("XDG_CACHE_HOME", filepath.Join(dir, "xdg"))
	check(filepath.Join(dir, "xdg/huggingface/hub"))
	t.Setenv("HF_HOME", "~/hf")
	check(filepath.Join(dir, "home/hf/hub"))
	t.Setenv("HUGGINGFACE_HUB_CACHE", "$HOME/legacy")
	check(filepath.Join(dir, "home/legacy"))
	t.Setenv("HF_HUB_CACHE", filepath.Join(dir, "cache"))
	check(filepath.Join(dir, "cache"))
	check(filepath.Join(dir, "option"), hub.CacheDir(filepath.Join(dir, "option")))
}

// Many goroutines that want a file at once download it once.
func TestOneDownload(t *testing.T) {
	s := newServer(t)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			path, err := file(t, "model.safetensors")
			if assert.NoError(t, err) {
				s.has(path, "model.safetensors")
			}
		})
	}
	wg.Wait()
	assert.Equal(t, 1, strings.Count(strings.Join(s.requests(), "\n"), "/blobs/"))
}

// A context that ends stops a download and a wait for a lock. The next call continues.
func TestCancel(t *testing.T) {
	s := newServer(t)
	ctx, cancel := context.WithCancel(t.Context())
	s.set(func(w http.ResponseWriter, r *http.Request, f stored) bool {
		if !s.isCDN(r) {
			return false
		}
		w.Header().Set("Content-Length", strconv.Itoa(len(f.data)))
		_, _ = w.Write(f.data[:100_000])
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
		return true
	})
	waiting := make(chan error)
	_, err := hub.File(ctx, id, "model.safetensors", hub.Progress(func(e hub.Event) {
		if e.Done == 100_000 {
			go func() { // it waits for the lock
				_, err := hub.File(ctx, id, "model.safetensors")
				waiting <- err
			}()
			cancel()
		}
	}))
	require.ErrorIs(t, err, context.Canceled)
	require.ErrorIs(t, <-waiting, context.Canceled)
	_, err = hub.File(ctx, id, "model.safetensors")
	require.ErrorIs(t, err, context.Canceled)
	s.set(nil)
	s.requests()
	path, err := file(t, "model.safetensors")
	require.NoError(t, err)
	s.has(path, "model.safetensors")
	assert.Contains(t, strings.Join(s.requests(), "\n"), "bytes=100000-")
}

// A hub that does not answer in time is not available.
func TestTimeout(t *testing.T) {
	s := newServer(t)
	s.set(func(_ http.ResponseWriter, r *http.Request, _ stored) bool {
		<-r.Context().Done()
		return true
	})
	_, err := file(t, "config.json", hub.Timeout(time.Millisecond), hub.Retries(1))
	require.ErrorIs(t, err, hub.ErrUnavailable)
	assert.NotErrorIs(t, err, context.Canceled)
}

func TestInvalidArguments(t *testing.T) {
	s := newServer(t)
	for _, repo := range []string{
		"", "a/b/c", "../x", "a/..", "/x", "a//b", "a/b.git", "a--b/c", "-a", "a.", ".a", "a b", "a/b\x00", "a\\b",
		strings.Repeat("a", 97),
	} {
		_, err := hub.File(t.Context(), repo, "config.json")
		require.ErrorIs(t, err, hub.ErrValue, "%q", repo)
	}
	for _, name := range []string{
		"", "/etc/passwd", "../x", "a/../../x", "a/..", ".", "a//b", "a/", "a\\..\\b", "a\x00b", "..",
	} {
		_, err := file(t, name)
		require.ErrorIs(t, err, hub.ErrUnsafe, "%q", name)
		_, err = file(t, "config.json", hub.Revision(name))
		require.ErrorIs(t, err, hub.ErrUnsafe, "%q", name)
	}
	for _, o := range []hub.FileOption{
		nil, hub.RepoType("x"), hub.Retries(-1), hub.RetryDelay(-1), hub.Timeout(0), hub.Endpoint("ftp://x"),
		hub.Endpoint("x"), hub.Endpoint(""),
		struct{ hub.FileOption }{hub.Retries(1)},
	} {
		_, err := file(t, "config.json", o)
		require.ErrorIs(t, err, hub.ErrValue, "%v", o)
	}
	assert.Empty(t, s.requests())
}
