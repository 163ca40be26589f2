package hub

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/gotorch/gotorch/internal/plain"
)

// These are the kinds of [Error], for errors.Is.
var (
	// ErrNotFound says that something does not exist. ErrRepoNotFound, ErrRevisionNotFound
	// and ErrFileNotFound say what, and errors.Is reports ErrNotFound for them, too.
	ErrNotFound = errors.New("not found on the hub")

	// ErrRepoNotFound says that the repository does not exist, or that it is private and
	// the token does not give access to it: the hub does not tell which.
	ErrRepoNotFound = errors.New("no such repository, or no access to it")

	ErrRevisionNotFound = errors.New("no such revision")
	ErrFileNotFound     = errors.New("no such file in the repository")

	// ErrGated says that the authors of the repository have to give access to it first.
	// Ask for it on the repository's page, and use a token.
	ErrGated = errors.New("access to the repository has to be requested on its page")

	ErrUnauthorized = errors.New("the token is not valid or has no permission")
	ErrNotCached    = errors.New("not in the cache, and downloads are off")
	ErrHash         = errors.New("the downloaded bytes do not have the expected hash")
	ErrUnavailable  = errors.New("the hub cannot be reached or does not work")
	ErrResponse     = errors.New("unexpected answer; expected one of a Hugging Face hub")
	ErrUnsafe       = errors.New("a name that leads outside of the cache")
	ErrValue        = errors.New("invalid argument")
)

// Error says what could not be downloaded and why.
type Error struct {
	Op       string // such as "hub.File"
	Repo     string
	Revision string // "" if the error is not about a revision
	File     string // "" if the error is not about a single file
	URL      string // of the request that failed, without its query; "" if there was none
	Status   int    // of the answer; 0 if there was none
	Kind     error  // one of the Err variables; nil if the system failed
	Detail   string // what was found and what was expected
	Err      error  // the underlying error, if any

	commit string // the commit that the answer names, "" if none
}

// Error returns a text such as "hub.File: owner/name: config.json: no such file in the
// repository: HTTP 404 from https://...".
func (e *Error) Error() string {
	parts := []string{e.Op}
	for _, s := range []string{plain.Text(e.Repo), plain.Text(e.File)} {
		if s != "" {
			parts = append(parts, s)
		}
	}
	if e.Revision != "" && e.Revision != defaultRevision {
		parts = append(parts, "revision "+e.Revision)
	}
	if e.Kind != nil {
		parts = append(parts, e.Kind.Error())
	}
	if e.Detail != "" {
		parts = append(parts, e.Detail)
	}
	if e.Err != nil {
		parts = append(parts, e.Err.Error())
	}
	switch {
	case e.Status != 0:
		parts = append(parts, "HTTP "+strconv.Itoa(e.Status)+" from "+e.URL)
	case e.URL != "" && e.Err == nil:
		parts = append(parts, e.URL)
	}
	return strings.Join(parts, ": ")
}

// Is reports whether target is the error's kind.
func (e *Error) Is(target error) bool {
	switch e.Kind {
	case nil:
		return false
	case ErrRepoNotFound, ErrRevisionNotFound, ErrFileNotFound:
		return target == e.Kind || target == ErrNotFound
	}
	return target == e.Kind
}

// Unwrap returns the underlying error.
func (e *Error) Unwrap() error { return e.Err }

// fail returns an error about the repository, or about one of its files.
func (r *repo) fail(file string, kind error, format string, args ...any) *Error {
	return &Error{
		Op: r.op, Repo: r.id, Revision: r.revision, File: file, Kind: kind, Detail: fmt.Sprintf(format, args...),
	}
}

// system returns an error of the system.
func (r *repo) system(file string, err error) *Error {
	return &Error{Op: r.op, Repo: r.id, File: file, Err: err}
}
