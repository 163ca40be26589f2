package hub

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// A FileOption is an option of [File].
//
//gotorch:options Revision RepoType CacheDir LocalFilesOnly ForceDownload Token Endpoint
//gotorch:options Retries RetryDelay Timeout Progress
type FileOption interface {
	fileOption()
	SnapshotOption
}

// A SnapshotOption is an option of [Snapshot]: any [FileOption], [AllowPatterns],
// [IgnorePatterns] or [MaxWorkers].
//
//gotorch:options Revision RepoType CacheDir LocalFilesOnly ForceDownload Token Endpoint
//gotorch:options Retries RetryDelay Timeout Progress AllowPatterns IgnorePatterns MaxWorkers
type SnapshotOption interface{ snapshotOption() }

// Revision is a branch, a tag or a commit; revision in Python. The default is "main".
type Revision string

// RepoType is the type of a repository: [RepoTypeModel], [RepoTypeDataset] or
// [RepoTypeSpace]; repo_type in Python. The default is RepoTypeModel.
type RepoType string

// These are the types of repositories.
const (
	RepoTypeModel   RepoType = "model"
	RepoTypeDataset RepoType = "dataset"
	RepoTypeSpace   RepoType = "space"
)

// CacheDir is the folder of the cache; cache_dir in Python. The default is HF_HUB_CACHE,
// then the folder hub in HF_HOME, then ~/.cache/huggingface/hub.
type CacheDir string

// LocalFilesOnly (true) returns what is in the cache, without a request;
// local_files_only in Python. The default is HF_HUB_OFFLINE.
type LocalFilesOnly bool

// ForceDownload (true) downloads files that are in the cache, too; force_download in
// Python. The default is false.
type ForceDownload bool

// Token is the access token; token in Python. The empty Token sends none. The default is
// HF_TOKEN, then the token that Python's login has saved.
type Token string

// Endpoint is the URL of the hub; endpoint in Python. The default is HF_ENDPOINT, then
// https://huggingface.co.
type Endpoint string

// Retries is how often a request is repeated if the hub answers with status 408, 429 or
// 5xx, or if the connection breaks. A download that made progress starts to count again.
// The default is 5.
type Retries int

// RetryDelay is the time before a request is repeated the first time. Each time it
// doubles, up to eight times the delay, unless the hub says how long to wait. With 0,
// requests are repeated immediately in any case. The default is one second.
type RetryDelay time.Duration

// Timeout is how long to wait for a connection, an answer or the next bytes of it. The
// default is 30 seconds.
type Timeout time.Duration

// Progress is called while files are downloaded, by one goroutine at a time. See
// [ProgressBar].
type Progress func(Event)

// AllowPatterns are patterns of the files to download, as in Python's fnmatch:
// "*.json" also matches files in folders, and "folder/" all files in it. It is
// allow_patterns in Python. The default, and nil, is all files.
type AllowPatterns []string

// IgnorePatterns are patterns of files not to download; ignore_patterns in Python.
type IgnorePatterns []string

// MaxWorkers is how many files are downloaded at once; max_workers in Python. The default
// is 8.
type MaxWorkers int

// settings holds the values of options.
type settings struct {
	revision string
	repoType RepoType
	cacheDir string
	endpoint string
	token    string
	local    bool
	force    bool
	retries  int
	delay    time.Duration
	timeout  time.Duration
	progress func(Event)
	allow    []string // nil for all files
	ignore   []string
	workers  int
}

// take reads an option. It returns an error for an invalid value.
func (s *settings) take(o SnapshotOption) error {
	switch o := o.(type) {
	case Revision:
		s.revision = string(o)
	case RepoType:
		s.repoType = o
	case CacheDir:
		s.cacheDir = string(o)
	case LocalFilesOnly:
		s.local = bool(o)
	case ForceDownload:
		s.force = bool(o)
	case Token:
		s.token = string(o)
	case Endpoint:
		s.endpoint = string(o)
	case Retries:
		s.retries = int(o)
	case RetryDelay:
		s.delay = time.Duration(o)
	case Timeout:
		s.timeout = time.Duration(o)
	case Progress:
		s.progress = o
	case AllowPatterns:
		s.allow = o
	case IgnorePatterns:
		s.ignore = o
	case MaxWorkers:
		s.workers = int(o)
	default:
		return fmt.Errorf("expected an option of this package, got %T", o)
	}
	return nil
}

// check returns an error for a value that is out of range.
func (s *settings) check() error {
	switch s.repoType {
	case RepoTypeModel, RepoTypeDataset, RepoTypeSpace:
	default:
		return fmt.Errorf("RepoType: expected model, dataset or space, got %q", string(s.repoType))
	}
	switch {
	case strings.ContainsFunc(s.token, func(c rune) bool { return c <= ' ' || c > '~' }):
		return errors.New("Token: expected printable ASCII characters") // the error must not have the token
	case s.retries < 0:
		return fmt.Errorf("Retries: expected at least 0, got %d", s.retries)
	case s.delay < 0:
		return fmt.Errorf("RetryDelay: expected at least 0, got %v", s.delay)
	case s.timeout <= 0:
		return fmt.Errorf("Timeout: expected more than 0, got %v", s.timeout)
	case s.workers < 1:
		return fmt.Errorf("MaxWorkers: expected at least 1, got %d", s.workers)
	case s.force && s.local:
		return errors.New("ForceDownload: downloads are off (LocalFilesOnly or HF_HUB_OFFLINE)")
	}
	return nil
}
