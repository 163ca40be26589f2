package hub

import (
	"context"
	"errors"
	"net/http"
	"os"
	"strconv"
	"strings"
)

// File returns the path of a file of a repository in the cache, and downloads it first if
// necessary. filename is its path in the repository, with slashes. It is hf_hub_download in
// Python.
//
// A request finds out whether the file has changed since it was cached, unless Revision is a
// commit. If the hub cannot be reached or refuses access, File returns the cached file, if
// there is one.
//
// The error is an [*Error]. It is of kind ErrFileNotFound, ErrRevisionNotFound or
// ErrRepoNotFound if there is no such file, revision or repository (errors.Is reports
// ErrNotFound for all of them); ErrGated or ErrUnauthorized if the token does not give
// access; ErrNotCached if downloads are off and the cache lacks the file; ErrUnavailable or
// ErrResponse if the hub does not answer as it should; ErrHash for wrong bytes; ErrUnsafe for
// a name that leads outside of the cache; and ErrValue for invalid arguments.
func File(ctx context.Context, repoID, filename string, opts ...FileOption) (string, error) {
	r, err := newRepo("hub.File", repoID, opts)
	if err != nil {
		return "", err
	}
	r.report.expect(1)
	return r.get(ctx, filename)
}

// metadata is what the hub says about a file before it is downloaded.
type metadata struct {
	commit string
	etag   string
	size   int64 // -1 if unknown
}

// get returns the path of a file.
func (r *repo) get(ctx context.Context, file string) (string, error) {
	if !staysInside(file) {
		return "", r.fail(file, ErrUnsafe, "expected a path below the repository's folder")
	}
	if err := r.ended(ctx, file); err != nil {
		return "", err
	}
	if !r.force && (r.local || commitHash.MatchString(r.revision)) {
		if path := r.cached(file); path != "" {
			return path, nil
		}
	}
	if r.local {
		return "", r.missing(file)
	}
	m, err := r.head(ctx, file)
	if err != nil {
		path := ""
		if !r.force && mayUseCache(err) {
			path = r.cached(file)
		}
		if path == "" || ctx.Err() != nil {
			return "", err
		}
		return path, nil
	}
	return r.fetch(ctx, m, file)
}

// cached returns the path of a file in the cache, or "".
func (r *repo) cached(file string) string {
	commit := r.cachedCommit()
	if path := r.pointerPath(commit, file); commit != "" && exists(path) {
		r.report.end(file, size(path))
		return path
	}
	return ""
}

func size(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}

// missing returns the error for a file that the cache lacks.
func (r *repo) missing(file string) error {
	if commit := r.cachedCommit(); commit != "" && exists(r.noExistPath(commit, file)) {
		return r.fail(file, ErrFileNotFound, "as an earlier request found")
	}
	return r.fail(file, ErrNotCached, "in %s", r.cacheDir)
}

// mayUseCache reports whether the cache is an answer to a failed request. It is not if the
// hub says that there is no such file or revision.
func mayUseCache(err error) bool {
	return !errors.Is(err, ErrFileNotFound) && !errors.Is(err, ErrRevisionNotFound)
}

// fetch returns the path of a file whose metadata is known.
func (r *repo) fetch(ctx context.Context, m *metadata, file string) (string, error) {
	path := r.pointerPath(m.commit, file)
	if !r.force && exists(path) {
		_ = r.saveRef(m.commit) // the cache may be read-only
		r.report.end(file, size(path))
		return path, nil
	}
	if r.force || !exists(r.blobPath(m.etag)) {
		if err := r.blob(ctx, m, file); err != nil {
			return "", err
		}
	}
	path, err := r.link(m.commit, file, m.etag)
	if err == nil {
		err = r.saveRef(m.commit)
	}
	if err != nil {
		return "", r.system(file, err)
	}
	r.report.end(file, size(path))
	return path, nil
}

// head asks for the metadata of a file.
func (r *repo) head(ctx context.Context, file string) (*metadata, error) {
	m := &metadata{size: -1}
	known := func(resp *response) bool {
		h := resp.Header
		if m.commit == "" {
			m.commit = h.Get("X-Repo-Commit")
		}
		if etag := h.Get("X-Linked-Etag"); etag != "" && m.etag == "" {
			m.etag = normalized(etag)
			m.size = sizeOf(h.Get("X-Linked-Size"), -1)
		}
		return m.commit != "" && m.etag != ""
	}
	resp, err := r.client.get(ctx, http.MethodHead, r.fileURL(r.revision, file), file, func(resp *response) bool {
		return known(resp)
	})
	if err != nil {
		r.noteMissing(err, file)
		return nil, err
	}
	_ = resp.Body.Close() // the answer to HEAD has no body
	if !known(resp) && m.etag == "" {
		m.etag = normalized(resp.Header.Get("ETag"))
		m.size = sizeOf(resp.Header.Get("X-Linked-Size"), resp.ContentLength)
	}
	bad := func(format string, args ...any) error {
		e := r.fail(file, ErrResponse, format, args...)
		e.Status, e.URL = resp.StatusCode, plainURL(resp.url.String())
		return e
	}
	switch {
	case !commitHash.MatchString(m.commit):
		return nil, bad("expected a commit in the header X-Repo-Commit, got %q", clip(m.commit))
	case commitHash.MatchString(r.revision) && m.commit != r.revision:
		return nil, bad("expected the commit %s in the header X-Repo-Commit, got %q", r.revision, m.commit)
	case !validETag(m.etag):
		return nil, bad("expected a hash in the header X-Linked-Etag or ETag, got %q", clip(m.etag))
	}
	return m, nil
}

// noteMissing writes to the cache that a commit lacks a file.
func (r *repo) noteMissing(err error, file string) {
	var e *Error
	if errors.As(err, &e) && errors.Is(e, ErrFileNotFound) && commitHash.MatchString(e.commit) {
		r.saveNoExist(e.commit, file)
	}
}

// normalized returns an entity tag without quotes and without the mark of a weak one.
func normalized(etag string) string { return strings.Trim(strings.TrimPrefix(etag, "W/"), `"`) }

// sizeOf returns the number of bytes in a header, or other if there is none.
func sizeOf(s string, other int64) int64 {
	if n, err := strconv.ParseInt(s, 10, 64); err == nil && n >= 0 {
		return n
	}
	return other
}
