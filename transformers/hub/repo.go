package hub

import (
	"context"
	"net/url"
	"path/filepath"
	"strings"
)

// repo is a repository at a revision, with the settings of a call.
type repo struct {
	settings
	op     string
	id     string
	base   *url.URL // the endpoint
	client *client
	folder string // of the repository in the cache
	report *reporter
}

// newRepo checks the arguments of a call.
func newRepo[O SnapshotOption](op, id string, opts []O) (*repo, error) {
	r := &repo{settings: defaults(), op: op, id: id}
	for _, o := range opts {
		if any(o) == nil {
			return nil, r.fail("", ErrValue, "opts: a nil option")
		}
		if err := r.take(o); err != nil {
			return nil, r.fail("", ErrValue, "opts: %v", err)
		}
	}
	if err := r.check(); err != nil {
		return nil, r.fail("", ErrValue, "%v", err)
	}
	switch {
	case !validRepo(id):
		return nil, r.fail("", ErrValue, `expected the id of a repository, such as "owner/name"`)
	case !staysInside(r.revision):
		return nil, r.fail("", ErrUnsafe, "the revision")
	}
	base, err := url.Parse(strings.TrimRight(r.endpoint, "/"))
	if err != nil || base.Scheme != "https" && base.Scheme != "http" || base.Host == "" {
		return nil, r.fail("", ErrValue, "Endpoint: expected a URL of http or https, got %q", r.endpoint)
	}
	cache, err := filepath.Abs(r.cacheDir)
	if err != nil {
		return nil, r.system("", err)
	}
	r.base, r.cacheDir = base, cache
	r.folder = filepath.Join(cache, r.folderName())
	r.client = newClient(r)
	r.report = &reporter{to: r.progress}
	return r, nil
}

// folderName returns the name of the repository's folder, such as models--owner--name.
func (r *repo) folderName() string {
	return string(r.repoType) + "s--" + strings.ReplaceAll(r.id, "/", "--")
}

// prefix returns the start of paths of repositories of other types than models.
func (r *repo) prefix() string {
	if r.repoType == RepoTypeModel {
		return ""
	}
	return string(r.repoType) + "s/"
}

func (r *repo) fileURL(revision, file string) string {
	return r.base.String() + "/" + r.prefix() + r.id + "/resolve/" + url.PathEscape(revision) + "/" + escaped(file)
}

func (r *repo) infoURL() string {
	return r.base.String() + "/api/" + string(r.repoType) + "s/" + r.id + "/revision/" + url.PathEscape(r.revision)
}

// ended returns the context's error as an error about the repository, or nil.
func (r *repo) ended(ctx context.Context, file string) error {
	if ctx.Err() == nil {
		return nil
	}
	return r.system(file, context.Cause(ctx))
}
