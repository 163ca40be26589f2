package hub_test

import (
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/transformers/hub"
)

const (
	id     = "owner/name"
	commit = "0123456789abcdef0123456789abcdef01234567"
)

// stored is a file of the server. Large files are on another host, as on the hub.
type stored struct {
	data  []byte
	large bool
}

func (s stored) etag() string {
	if s.large {
		sum := sha256.Sum256(s.data)
		return hex.EncodeToString(sum[:])
	}
	sum := sha1.Sum(append([]byte("blob "+strconv.Itoa(len(s.data))+"\x00"), s.data...))
	return hex.EncodeToString(sum[:])
}

// server answers as the hub's API does, for one repository, from two hosts.
type server struct {
	t     testing.TB
	files map[string]stored
	token string   // the token that gives access; "" if everyone has it
	names []string // the names that the server lists, if not those of files

	hub, cdn *httptest.Server
	mu       sync.Mutex
	log      []string                                                    // the requests
	fault    func(w http.ResponseWriter, r *http.Request, s stored) bool // answers in place of the server
}

func newServer(t testing.TB) *server {
	s := &server{t: t, files: map[string]stored{
		"config.json":       {data: []byte(`{"a": 1}`)},
		"model.safetensors": {data: slices.Repeat([]byte("0123456789abcdef"), 20_000), large: true},
		"sub/x y#.txt":      {data: []byte("text")},
		"empty":             {},
	}}
	s.hub = httptest.NewUnstartedServer(http.HandlerFunc(s.serveHub))
	s.cdn = httptest.NewUnstartedServer(http.HandlerFunc(s.serveCDN))
	s.cdn.Start()
	s.hub.Start()
	t.Cleanup(s.hub.Close)
	t.Cleanup(s.cdn.Close)
	for _, name := range []string{
		"HF_HOME", "HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE", "HF_TOKEN", "HUGGING_FACE_HUB_TOKEN", "HF_HUB_OFFLINE",
		"TRANSFORMERS_OFFLINE", "HF_TOKEN_PATH", "HF_HUB_DISABLE_IMPLICIT_TOKEN", "XDG_CACHE_HOME",
	} {
		t.Setenv(name, "") // so that the old value comes back
		require.NoError(t, os.Unsetenv(name))
	}
	t.Setenv("HF_ENDPOINT", s.hub.URL)
	t.Setenv("HF_HOME", t.TempDir())
	return s
}

// cache returns the folder of the cache.
func cache() string { return filepath.Join(os.Getenv("HF_HOME"), "hub") }

func (s *server) note(r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	line := r.Method + " " + r.URL.Path
	if v := r.Header.Get("Range"); v != "" {
		line += " " + v
	}
	s.log = append(s.log, line)
}

// requests returns the requests since the last call, sorted.
func (s *server) requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	log := s.log
	s.log = nil
	slices.Sort(log)
	return log
}

// set sets the function that answers in place of the server if it returns true.
func (s *server) set(fault func(w http.ResponseWriter, r *http.Request, s stored) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fault = fault
}

func (s *server) fails(w http.ResponseWriter, r *http.Request, f stored) bool {
	s.mu.Lock()
	fault := s.fault
	s.mu.Unlock()
	return fault != nil && fault(w, r, f)
}

func refuse(w http.ResponseWriter, status int, code string) {
	w.Header().Set("X-Error-Code", code)
	w.Header().Set("X-Error-Message", "message of "+code)
	w.WriteHeader(status)
}

func (s *server) serveHub(w http.ResponseWriter, r *http.Request) {
	s.note(r)
	if s.token != "" && r.Header.Get("Authorization") != "Bearer "+s.token {
		refuse(w, http.StatusUnauthorized, "GatedRepo")
		return
	}
	if api, ok := strings.CutPrefix(r.URL.EscapedPath(), "/api/models/"+id+"/"); ok {
		s.serveAPI(w, r, api)
		return
	}
	rest, ok := strings.CutPrefix(r.URL.EscapedPath(), "/"+id+"/resolve/")
	if !ok {
		refuse(w, http.StatusNotFound, "RepoNotFound")
		return
	}
	revision, name, _ := strings.Cut(rest, "/")
	name, _ = url.PathUnescape(name)
	if revision != "main" && revision != commit && revision != "refs%2Fpr%2F1" {
		refuse(w, http.StatusNotFound, "RevisionNotFound")
		return
	}
	w.Header().Set("X-Repo-Commit", commit)
	file, ok := s.files[name]
	if !ok {
		refuse(w, http.StatusNotFound, "EntryNotFound")
		return
	}
	if s.fails(w, r, file) {
		return
	}
	if file.large {
		w.Header().Set("X-Linked-Etag", `"`+file.etag()+`"`)
		w.Header().Set("X-Linked-Size", strconv.Itoa(len(file.data)))
		http.Redirect(w, r, s.cdn.URL+"/blobs/"+name+"?signature=secret", http.StatusFound)
		return
	}
	w.Header().Set("ETag", `W/"`+file.etag()+`"`)
	content(w, r, file)
}

// serveAPI answers for the description of the repository.
func (s *server) serveAPI(w http.ResponseWriter, r *http.Request, api string) {
	type sibling struct {
		Name string `json:"rfilename"`
	}
	names := s.names
	if names == nil {
		for name := range s.files {
			names = append(names, name)
		}
		slices.Sort(names)
	}
	if s.fails(w, r, stored{}) {
		return
	}
	kind, revision, _ := strings.Cut(api, "/")
	switch {
	case revision != "main" && revision != commit && revision != "refs%2Fpr%2F1":
		refuse(w, http.StatusNotFound, "RevisionNotFound")
	case kind == "revision":
		var siblings []sibling
		for _, name := range names {
			siblings = append(siblings, sibling{name})
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"id": id, "modelId": id, "sha": commit, "siblings": siblings})
	case kind == "tree": // Python asks for it
		list := []any{}
		for _, name := range names {
			file := s.files[name]
			entry := map[string]any{"type": "file", "path": name, "size": len(file.data), "oid": file.etag()}
			if file.large {
				entry["oid"] = strings.Repeat("0", 40)
				entry["lfs"] = map[string]any{"oid": file.etag(), "size": len(file.data), "pointerSize": 100}
			}
			list = append(list, entry)
		}
		_ = json.NewEncoder(w).Encode(list)
	default:
		refuse(w, http.StatusNotFound, "RepoNotFound")
	}
}

func (s *server) serveCDN(w http.ResponseWriter, r *http.Request) {
	s.note(r)
	assert.Empty(s.t, r.Header.Get("Authorization"), "the token is not for this host")
	assert.Equal(s.t, "secret", r.URL.Query().Get("signature"))
	file, ok := s.files[strings.TrimPrefix(r.URL.Path, "/blobs/")]
	if !ok {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	if s.fails(w, r, file) {
		return
	}
	content(w, r, file)
}

// content sends a file, or the part of it that the request asks for.
func content(w http.ResponseWriter, r *http.Request, file stored) {
	var from int
	if v := r.Header.Get("Range"); v != "" {
		if _, err := fmt.Sscanf(v, "bytes=%d-", &from); err != nil || from >= len(file.data) {
			w.WriteHeader(http.StatusRequestedRangeNotSatisfiable)
			return
		}
		w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", from, len(file.data)-1, len(file.data)))
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(file.data)-from))
	if r.Header.Get("Range") != "" {
		w.WriteHeader(http.StatusPartialContent)
	}
	if r.Method != http.MethodHead {
		_, _ = w.Write(file.data[from:])
	}
}

// isCDN reports whether a request is for the host of large files.
func (s *server) isCDN(r *http.Request) bool { return "http://"+r.Host == s.cdn.URL }

// cut sends some bytes of a file and breaks the connection.
func cut(w http.ResponseWriter, r *http.Request, file stored, n int) {
	from := 0
	_, _ = fmt.Sscanf(r.Header.Get("Range"), "bytes=%d-", &from)
	w.Header().Set("Content-Length", strconv.Itoa(len(file.data)-from))
	if from > 0 {
		w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", from, len(file.data)-1, len(file.data)))
		w.WriteHeader(http.StatusPartialContent)
	}
	_, _ = w.Write(file.data[from : from+n])
	_ = http.NewResponseController(w).Flush()
	panic(http.ErrAbortHandler)
}

// file calls hub.File without waiting between attempts.
func file(t testing.TB, name string, opts ...hub.FileOption) (string, error) {
	t.Helper()
	return hub.File(t.Context(), id, name, append([]hub.FileOption{hub.RetryDelay(0)}, opts...)...)
}

// has checks that a path has the contents of a file of the server.
func (s *server) has(path, name string) {
	s.t.Helper()
	got, err := os.ReadFile(path)
	require.NoError(s.t, err)
	assert.Equal(s.t, string(s.files[name].data), string(got), name)
	target, err := os.Readlink(path)
	require.NoError(s.t, err)
	assert.Equal(s.t, s.files[name].etag(), filepath.Base(target), name)
	assert.False(s.t, filepath.IsAbs(target), name)
	assert.NoFileExists(s.t, filepath.Join(filepath.Dir(path), target+".incomplete"))
}
