package hub_test

import (
	"bytes"
	"context"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/pythontest"
	"github.com/gotorch/gotorch/transformers/hub"
)

// snapshot calls hub.Snapshot without waiting between attempts.
func snapshot(t testing.TB, opts ...hub.SnapshotOption) (string, error) {
	t.Helper()
	return hub.Snapshot(t.Context(), id, append([]hub.SnapshotOption{hub.RetryDelay(0)}, opts...)...)
}

// names returns the names of the files below a folder.
func names(t testing.TB, dir string) []string {
	t.Helper()
	var list []string
	require.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			name, _ := filepath.Rel(dir, path)
			list = append(list, name)
		}
		return err
	}))
	return list
}

func TestSnapshot(t *testing.T) {
	s := newServer(t)
	dir, err := snapshot(t)
	require.NoError(t, err)
	assert.Equal(t, filepath.Join(cache(), "models--owner--name", "snapshots", commit), dir)
	assert.Equal(t, slices.Sorted(maps.Keys(s.files)), names(t, dir))
	for name := range s.files {
		s.has(filepath.Join(dir, name), name)
	}
	s.requests()
	again, err := snapshot(t, hub.MaxWorkers(1))
	require.NoError(t, err)
	assert.Equal(t, dir, again)
	assert.Equal(t, []string{"GET /api/models/owner/name/revision/main"}, s.requests())
	offline, err := snapshot(t, hub.LocalFilesOnly(true))
	require.NoError(t, err)
	assert.Equal(t, dir, offline)
	s.hub.Close()
	offline, err = snapshot(t)
	require.NoError(t, err)
	assert.Equal(t, dir, offline)
	_, err = snapshot(t, hub.Revision("other"))
	require.ErrorIs(t, err, hub.ErrUnavailable)
	_, err = snapshot(t, hub.Revision("other"), hub.LocalFilesOnly(true))
	require.ErrorIs(t, err, hub.ErrNotCached)
}

func TestPatterns(t *testing.T) {
	s := newServer(t)
	s.files = map[string]stored{}
	for _, name := range []string{
		"a.json", "b.txt", "sub/c.json", "sub/d.bin", "sub/deep/e.json", "f[1].txt", "g-x.txt", "h^.txt",
	} {
		s.files[name] = stored{data: []byte(name)}
	}
	for _, c := range []struct {
		allow, ignore []string
		want          string
	}{
		{nil, nil, "a.json b.txt f[1].txt g-x.txt h^.txt sub/c.json sub/d.bin sub/deep/e.json"},
		{[]string{}, nil, ""},
		{[]string{"*.json"}, nil, "a.json sub/c.json sub/deep/e.json"},
		{[]string{"*.json"}, []string{"sub/*"}, "a.json"},
		{[]string{"sub/"}, nil, "sub/c.json sub/d.bin sub/deep/e.json"},
		{nil, []string{"sub/", "?.*"}, "f[1].txt g-x.txt h^.txt"},
		{[]string{"[ab].*"}, nil, "a.json b.txt"},
		{[]string{"[!ab]*"}, nil, "f[1].txt g-x.txt h^.txt sub/c.json sub/d.bin sub/deep/e.json"},
		{[]string{"f[[]1].txt", "[g]-x*", "h[x^].txt"}, nil, "f[1].txt g-x.txt h^.txt"},
		{[]string{"["}, nil, ""},
		{[]string{"a.jso"}, nil, ""},
	} {
		dir, err := snapshot(t, hub.CacheDir(t.TempDir()), hub.AllowPatterns(c.allow), hub.IgnorePatterns(c.ignore))
		require.NoError(t, err)
		assert.Equal(t, c.want, strings.Join(names(t, dir), " "), "%q %q", c.allow, c.ignore)
	}
	_, err := snapshot(t, hub.AllowPatterns{"[z-a]"})
	require.ErrorIs(t, err, hub.ErrValue)
}

// Names that lead outside of the folder are refused before anything is downloaded.
func TestHostileNames(t *testing.T) {
	s := newServer(t)
	for _, name := range []string{
		"../x", "/etc/passwd", "a/../../../x", "..", ".", "", "a//b", "a\\..\\x", "x\x00",
	} {
		s.names = []string{"config.json", name}
		_, err := snapshot(t, hub.AllowPatterns{"*.json"})
		require.ErrorIs(t, err, hub.ErrUnsafe, "%q", name)
	}
	assert.NoDirExists(t, cache())
	s.names = []string{"config.json", "config.json/x", "config.json"}
	s.files["config.json/x"] = stored{data: []byte("x")}
	_, err := snapshot(t, hub.MaxWorkers(1))
	require.Error(t, err, "a file that is a folder")
	require.NotErrorIs(t, err, hub.ErrUnsafe)
}

// Descriptions of the repository that are not what they should be.
func TestStrangeDescriptions(t *testing.T) {
	s := newServer(t)
	for _, text := range []string{
		"", "{", "[]", `{"siblings": []}`, `{"sha": "x"}`, `{"sha": "../../x", "siblings": []}`,
		`{"sha": "` + commit + `", "siblings": [1]}`, "<!doctype html>",
	} {
		s.set(func(w http.ResponseWriter, _ *http.Request, _ stored) bool {
			_, _ = w.Write([]byte(text))
			return true
		})
		_, err := snapshot(t)
		require.ErrorIs(t, err, hub.ErrResponse, text)
	}
	s.set(nil)
	_, err := snapshot(t, hub.Revision("none"))
	require.ErrorIs(t, err, hub.ErrRevisionNotFound)
	_, err = hub.Snapshot(t.Context(), "owner/other")
	require.ErrorIs(t, err, hub.ErrRepoNotFound)
	s.names = []string{"config.json", "none"}
	_, err = snapshot(t)
	require.ErrorIs(t, err, hub.ErrFileNotFound)
}

// After an error the other downloads end, and the next call continues.
func TestSnapshotFails(t *testing.T) {
	s := newServer(t)
	s.set(func(w http.ResponseWriter, r *http.Request, f stored) bool {
		if s.isCDN(r) {
			_, _ = w.Write(f.data[:100_000])
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
			return true
		}
		if strings.HasSuffix(r.URL.Path, "/empty") {
			w.WriteHeader(http.StatusForbidden)
			return true
		}
		return false
	})
	_, err := snapshot(t)
	require.ErrorIs(t, err, hub.ErrUnauthorized)
	assert.NotErrorIs(t, err, context.Canceled)
	s.set(nil)
	dir, err := snapshot(t)
	require.NoError(t, err)
	assert.Len(t, names(t, dir), 4)
}

func TestProgress(t *testing.T) {
	s := newServer(t)
	var bar bytes.Buffer
	draw := hub.ProgressBar(&bar)
	ended := map[string]int64{}
	var most hub.Event
	_, err := snapshot(t, hub.Progress(func(e hub.Event) {
		draw(e)
		most = e
		if e.Ended {
			ended[e.File] = e.Total
		}
	}))
	require.NoError(t, err)
	for name, f := range s.files {
		assert.Equal(t, int64(len(f.data)), ended[name], name)
	}
	assert.Equal(t, 4, most.Files)
	assert.Equal(t, 4, most.FilesEnded)
	assert.True(t, strings.HasSuffix(bar.String(), "\r[==============================] 4/4 files, 0.3 MB of 0.3 MB\n"),
		bar.String())
}

// Python finds what this package downloaded, without a request.
func TestPythonFindsIt(t *testing.T) {
	python := pythontest.Interpreter(t, "huggingface_hub")
	s := newServer(t)
	dir, err := snapshot(t)
	require.NoError(t, err)
	_, err = file(t, "none.json")
	require.ErrorIs(t, err, hub.ErrFileNotFound)
	s.requests()
	const script = `
from huggingface_hub import hf_hub_download, scan_cache_dir, snapshot_download, try_to_load_from_cache
from huggingface_hub.file_download import _CACHED_NO_EXIST
print(snapshot_download("owner/name", local_files_only=True))
for name in ["config.json", "model.safetensors", "sub/x y#.txt", "empty"]:
    print(hf_hub_download("owner/name", name, local_files_only=True))
assert try_to_load_from_cache("owner/name", "none.json") is _CACHED_NO_EXIST
info = scan_cache_dir()
assert not info.warnings, info.warnings
print([(r.repo_id, r.size_on_disk, [sorted(v.refs) for v in r.revisions]) for r in info.repos])
# With the hub, Python finds that nothing has to be downloaded.
print(hf_hub_download("owner/name", "model.safetensors"))
`
	out := pythontest.Script(t, python, "", script)
	want := []string{dir}
	for _, name := range []string{"config.json", "model.safetensors", "sub/x y#.txt", "empty"} {
		want = append(want, filepath.Join(dir, name))
	}
	want = append(want, "[('owner/name', 320012, [['main']])]", filepath.Join(dir, "model.safetensors"), "")
	assert.Equal(t, strings.Join(want, "\n"), out)
	assert.NotContains(t, strings.Join(s.requests(), "\n"), "GET /owner/")
}

// This package finds what Python downloaded, without a request.
func TestFindsPythons(t *testing.T) {
	python := pythontest.Interpreter(t, "huggingface_hub")
	s := newServer(t)
	const script = `
from huggingface_hub import snapshot_download
print(snapshot_download("owner/name"))
`
	want := strings.TrimSpace(pythontest.Script(t, python, "", script))
	s.requests()
	dir, err := snapshot(t, hub.LocalFilesOnly(true))
	require.NoError(t, err)
	assert.Equal(t, want, dir)
	for name := range s.files {
		path, err := file(t, name, hub.LocalFilesOnly(true))
		require.NoError(t, err)
		s.has(path, name)
	}
	assert.Empty(t, s.requests())
	_, err = snapshot(t)
	require.NoError(t, err)
	assert.Len(t, s.requests(), 1)

	// Python's list of files says that a snapshot is not complete.
	require.NoError(t, os.Remove(filepath.Join(dir, "empty")))
	_, err = snapshot(t, hub.LocalFilesOnly(true))
	require.ErrorIs(t, err, hub.ErrNotCached)
	_, err = snapshot(t, hub.LocalFilesOnly(true), hub.AllowPatterns{"*.json"})
	require.NoError(t, err)
}

// The lock of a process of Python keeps this package from downloading.
func TestLocksOfPython(t *testing.T) {
	python := pythontest.Interpreter(t, "filelock")
	s := newServer(t)
	etag := s.files["model.safetensors"].etag()
	lock := filepath.Join(cache(), ".locks", "models--owner--name", etag+".lock")
	require.NoError(t, os.MkdirAll(filepath.Dir(lock), 0o777))
	held, err := os.Create(lock)
	require.NoError(t, err)
	require.NoError(t, held.Close())
	const script = `
import sys
from filelock import FileLock, Timeout
lock = FileLock(sys.argv[1], mode=0o664)
try:
    with lock.acquire(blocking=False):
        print("got it")
except Timeout:
    print("held")
`
	var out string
	_, err = file(t, "model.safetensors", hub.Progress(func(e hub.Event) {
		if out == "" {
			out = pythontest.Script(t, python, "", script, lock)
		}
	}))
	require.NoError(t, err)
	assert.Equal(t, "held\n", out)
	assert.Equal(t, "got it\n", pythontest.Script(t, python, "", script, lock))
}
