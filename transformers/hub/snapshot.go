package hub

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"sync"
)

const (
	maxInfo  = 64 << 20 // limit on the hub's description of a repository, in bytes
	maxFiles = 1 << 20  // limit on the files of a repository
)

// Snapshot returns the folder of a repository in the cache, and downloads its files first if
// necessary: all of them, or those that AllowPatterns and IgnorePatterns select. It is
// snapshot_download in Python.
//
// A request finds out which commit the revision is, unless it is a commit that the cache
// has. If the hub cannot be reached or refuses access, Snapshot returns the cached folder,
// if there is one. If one file cannot be downloaded, Snapshot cancels the other downloads and
// returns the error; files that are complete stay in the cache.
//
// The errors are those of [File]. The kind is ErrUnsafe if the hub lists a file whose name
// leads outside of the folder, even if the patterns do not select it.
func Snapshot(ctx context.Context, repoID string, opts ...SnapshotOption) (string, error) {
	r, err := newRepo("hub.Snapshot", repoID, opts)
	if err != nil {
		return "", err
	}
	selected, err := r.selection()
	if err != nil {
		return "", r.fail("", ErrValue, "patterns: %v", err)
	}
	if err := r.ended(ctx, ""); err != nil {
		return "", err
	}
	if r.local {
		return r.cachedSnapshot(selected, nil)
	}
	commit, files, err := r.list(ctx)
	if err != nil {
		if r.force || ctx.Err() != nil || !mayUseCache(err) || errors.Is(err, ErrUnsafe) {
			return "", err
		}
		return r.cachedSnapshot(selected, err)
	}
	if err := r.saveRef(commit); err != nil {
		return "", r.system("", err)
	}
	r.revision = commit // all files of one commit, even if the branch moves meanwhile
	if err := r.all(ctx, slices.DeleteFunc(files, func(name string) bool { return !selected(name) })); err != nil {
		return "", err
	}
	dir := r.snapshotPath(commit)
	if err := makeFolder(dir); err != nil { // no file was selected
		return "", r.system("", err)
	}
	return dir, nil
}

// selection returns a function that reports whether a file is wanted.
func (r *repo) selection() (func(name string) bool, error) {
	allow, err := matcher(r.allow)
	if err != nil {
		return nil, err
	}
	ignore, err := matcher(r.ignore)
	if err != nil {
		return nil, err
	}
	return func(name string) bool { return (r.allow == nil || allow(name)) && !ignore(name) }, nil
}

// list asks which commit the revision is and which files it has.
func (r *repo) list(ctx context.Context) (commit string, files []string, err error) {
	resp, err := r.client.get(ctx, http.MethodGet, r.infoURL(), "", nil)
	if err != nil {
		return "", nil, err
	}
	defer func() { _ = resp.Body.Close() }() // errors of reading are reported
	bad := func(kind error, format string, args ...any) error {
		e := r.fail("", kind, format, args...)
		e.URL, e.Status = plainURL(resp.url.String()), resp.StatusCode
		return e
	}
	text, err := io.ReadAll(io.LimitReader(resp.Body, maxInfo+1))
	switch {
	case r.ended(ctx, "") != nil:
		return "", nil, r.ended(ctx, "")
	case err != nil:
		return "", nil, bad(ErrUnavailable, "%v", err)
	case len(text) > maxInfo:
		return "", nil, bad(ErrResponse, "a description of more than %d bytes", maxInfo)
	}
	var info struct {
		SHA      string `json:"sha"`
		Siblings []struct {
			Name string `json:"rfilename"`
		} `json:"siblings"`
	}
	if err := json.Unmarshal(text, &info); err != nil {
		return "", nil, bad(ErrResponse, "expected JSON: %v", err)
	}
	if !commitHash.MatchString(info.SHA) || commitHash.MatchString(r.revision) && info.SHA != r.revision {
		return "", nil, bad(ErrResponse, "expected the commit of the revision as sha, got %q", clip(info.SHA))
	}
	if len(info.Siblings) > maxFiles {
		return "", nil, bad(ErrResponse, "more than %d files", maxFiles)
	}
	seen := map[string]bool{}
	for _, s := range info.Siblings {
		if !staysInside(s.Name) {
			return "", nil, bad(ErrUnsafe, "the repository has a file named %q", clip(s.Name))
		}
		if !seen[s.Name] {
			seen[s.Name] = true
			files = append(files, s.Name)
		}
	}
	return info.SHA, files, nil
}

// all downloads files, several at once. After the first error it cancels the others.
func (r *repo) all(ctx context.Context, files []string) error {
	r.report.expect(len(files))
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	next := make(chan string)
	go func() {
		defer close(next)
		for _, file := range files {
			select {
			case next <- file:
			case <-ctx.Done():
				return
			}
		}
	}()
	var wg sync.WaitGroup
	var once sync.Once
	var first error
	for range min(r.workers, len(files)) {
		wg.Go(func() {
			for file := range next {
				if _, err := r.get(ctx, file); err != nil {
					once.Do(func() { first = err })
					cancel(err)
					return
				}
			}
		})
	}
	wg.Wait()
	if first == nil {
		first = r.ended(ctx, "") // before any file began
	}
	return first
}

// cachedSnapshot returns the folder in the cache. Without one, the error is cause, or
// ErrNotCached if there is no cause.
func (r *repo) cachedSnapshot(selected func(string) bool, cause error) (string, error) {
	commit := r.cachedCommit()
	dir := r.snapshotPath(commit)
	if commit == "" || !exists(dir) {
		if cause != nil {
			return "", cause
		}
		return "", r.fail("", ErrNotCached, "in %s", r.cacheDir)
	}
	for _, file := range r.tree(commit) {
		if staysInside(file) && selected(file) && !exists(r.pointerPath(commit, file)) {
			e := r.fail(file, ErrNotCached, "the snapshot in the cache is not complete")
			e.Err = cause
			return "", e
		}
	}
	return dir, nil
}

// tree returns the names of a commit's files, if Python has saved them.
func (r *repo) tree(commit string) []string {
	path := filepath.Join(r.folder, "trees", commit+".json")
	if size(path) > maxInfo {
		return nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	var tree struct {
		Files map[string]json.RawMessage `json:"files"`
	}
	if json.Unmarshal(text, &tree) != nil {
		return nil
	}
	names := make([]string, 0, len(tree.Files))
	for name := range tree.Files {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
