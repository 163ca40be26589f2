package hub_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/transformers/hub"
)

// A download whose connection breaks again and again continues each time.
func TestResume(t *testing.T) {
	s := newServer(t)
	s.set(func(w http.ResponseWriter, r *http.Request, f stored) bool {
		from, _ := strconv.Atoi(strings.TrimSuffix(strings.TrimPrefix(r.Header.Get("Range"), "bytes="), "-"))
		if s.isCDN(r) && from+40_000 < len(f.data) {
			cut(w, r, f, 40_000)
		}
		return false
	})
	path, err := file(t, "model.safetensors", hub.Retries(1))
	require.NoError(t, err, "each attempt made progress")
	s.has(path, "model.safetensors")
	assert.Contains(t, strings.Join(s.requests(), "\n"), "bytes=40000-")
}

// An earlier download that ended continues, whether its bytes are right or wrong.
func TestEarlierDownload(t *testing.T) {
	for name, c := range map[string]struct {
		data  func(whole []byte) []byte
		wants string
	}{
		"half":       {func(b []byte) []byte { return b[:1000] }, "bytes=1000-"},
		"all":        {func(b []byte) []byte { return b }, ""},
		"too long":   {func(b []byte) []byte { return append(b[:len(b):len(b)], 1) }, ""},
		"wrong":      {func([]byte) []byte { return []byte("wrong") }, "bytes=5-"},
		"all, wrong": {func(b []byte) []byte { return make([]byte, len(b)) }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := newServer(t)
			f := s.files["model.safetensors"]
			blobs := filepath.Join(cache(), "models--owner--name", "blobs")
			require.NoError(t, os.MkdirAll(blobs, 0o777))
			require.NoError(t, os.WriteFile(filepath.Join(blobs, f.etag()+".incomplete"), c.data(f.data), 0o600))
			path, err := file(t, "model.safetensors")
			require.NoError(t, err)
			s.has(path, "model.safetensors")
			log := strings.Join(s.requests(), "\n")
			assert.Contains(t, log, c.wants)
			assert.Equal(t, name != "all", strings.Contains(log, "/blobs/"))
		})
	}
}

// Servers may ignore Range, refuse it, or answer with another part.
func TestRange(t *testing.T) {
	for name, answer := range map[string]func(w http.ResponseWriter, f stored){
		"ignored": func(w http.ResponseWriter, f stored) { _, _ = w.Write(f.data) },
		"refused": func(w http.ResponseWriter, _ stored) { w.WriteHeader(http.StatusRequestedRangeNotSatisfiable) },
		"another": func(w http.ResponseWriter, f stored) {
			w.Header().Set("Content-Range", "bytes 0-319999/320000")
			w.WriteHeader(http.StatusPartialContent)
			_, _ = w.Write(f.data)
		},
		"nonsense": func(w http.ResponseWriter, f stored) {
			w.Header().Set("Content-Range", "lines 1-2")
			w.WriteHeader(http.StatusPartialContent)
			_, _ = w.Write(f.data)
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newServer(t)
			var first atomic.Bool
			s.set(func(w http.ResponseWriter, r *http.Request, f stored) bool {
				if !s.isCDN(r) {
					return false
				}
				if r.Header.Get("Range") != "" {
					answer(w, f)
					return true
				}
				if first.CompareAndSwap(false, true) {
					cut(w, r, f, 1000)
				}
				return false
			})
			path, err := file(t, "model.safetensors")
			require.NoError(t, err)
			s.has(path, "model.safetensors")
		})
	}
}

// Wrong bytes are downloaded once more, and are then an error. The cache does not get them.
func TestWrongHash(t *testing.T) {
	for _, name := range []string{"model.safetensors", "config.json"} {
		s := newServer(t)
		var times atomic.Int64
		s.set(func(w http.ResponseWriter, r *http.Request, f stored) bool {
			if r.Method != http.MethodGet || s.isCDN(r) != f.large || len(f.data) == 0 {
				return false
			}
			times.Add(1)
			wrong := make([]byte, len(f.data))
			_, _ = w.Write(wrong)
			return true
		})
		_, err := file(t, name)
		require.ErrorIs(t, err, hub.ErrHash)
		assert.Equal(t, int64(2), times.Load())
		assert.NoFileExists(t, filepath.Join(cache(), "models--owner--name", "blobs", s.files[name].etag()))
		_, err = file(t, name, hub.LocalFilesOnly(true))
		require.ErrorIs(t, err, hub.ErrNotCached)
		s.set(nil)
		path, err := file(t, name)
		require.NoError(t, err)
		s.has(path, name)
	}
}

// A server that sends more than the file has, or compressed bytes.
func TestStrangeBodies(t *testing.T) {
	s := newServer(t)
	s.set(func(w http.ResponseWriter, r *http.Request, f stored) bool {
		if s.isCDN(r) {
			_, _ = w.Write(append(f.data[:len(f.data):len(f.data)], "more"...))
		}
		return s.isCDN(r)
	})
	path, err := file(t, "model.safetensors")
	require.NoError(t, err, "the bytes of the file are right")
	s.has(path, "model.safetensors")
	s.set(func(w http.ResponseWriter, r *http.Request, f stored) bool {
		if r.Method == http.MethodGet {
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = w.Write(f.data)
		}
		return r.Method == http.MethodGet
	})
	_, err = file(t, "config.json")
	require.ErrorIs(t, err, hub.ErrResponse)
}

// A server that breaks the connection and then refuses to continue makes no progress.
func TestNoProgress(t *testing.T) {
	s := newServer(t)
	var n atomic.Int64
	s.set(func(w http.ResponseWriter, r *http.Request, f stored) bool {
		if !s.isCDN(r) {
			return false
		}
		if n.Add(1); n.Load() > 1000 {
			panic(http.ErrAbortHandler)
		}
		if r.Header.Get("Range") != "" {
			w.WriteHeader(http.StatusRequestedRangeNotSatisfiable)
			return true
		}
		cut(w, r, f, 1000)
		return true
	})
	_, err := file(t, "model.safetensors", hub.Retries(3))
	require.ErrorIs(t, err, hub.ErrUnavailable)
	assert.Less(t, n.Load(), int64(20))
}

// The names of files are a stranger's text.
func TestNamesInErrors(t *testing.T) {
	newServer(t)
	_, err := file(t, "a\x1b[2Jb")
	require.ErrorIs(t, err, hub.ErrFileNotFound)
	assert.NotContains(t, err.Error(), "\x1b")
}
