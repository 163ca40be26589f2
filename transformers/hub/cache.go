package hub

import (
	"context"
	"crypto/rand"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// The cache has the layout of Python's package huggingface_hub:
//
//	models--owner--name/blobs/HASH               the contents of files, by their hash
//	models--owner--name/blobs/HASH.incomplete    a download that has not ended
//	models--owner--name/refs/main                the commit of a branch or tag
//	models--owner--name/snapshots/COMMIT/FILE    a link to ../../blobs/HASH
//	models--owner--name/.no_exist/COMMIT/FILE    an empty file: the commit lacks FILE
//	models--owner--name/trees/COMMIT.json        the names of all files, if Python wrote it
//	.locks/models--owner--name/HASH.lock         locked while HASH is downloaded

func (r *repo) blobPath(etag string) string { return filepath.Join(r.folder, "blobs", etag) }

func (r *repo) refPath() string {
	return filepath.Join(r.folder, "refs", filepath.FromSlash(r.revision))
}

func (r *repo) snapshotPath(commit string) string {
	return filepath.Join(r.folder, "snapshots", commit)
}

func (r *repo) pointerPath(commit, file string) string {
	return filepath.Join(r.snapshotPath(commit), filepath.FromSlash(file))
}

func (r *repo) noExistPath(commit, file string) string {
	return filepath.Join(r.folder, ".no_exist", commit, filepath.FromSlash(file))
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// cachedCommit returns the commit of the revision in the cache, or "".
func (r *repo) cachedCommit() string {
	if commitHash.MatchString(r.revision) {
		return r.revision
	}
	b, err := os.ReadFile(r.refPath())
	if err != nil {
		return ""
	}
	if commit := strings.TrimSpace(string(b)); commitHash.MatchString(commit) {
		return commit
	}
	return ""
}

// saveRef writes which commit the revision is.
func (r *repo) saveRef(commit string) error {
	if r.revision == commit || r.cachedCommit() == commit {
		return nil
	}
	return r.replace(r.refPath(), func(temporary string) error {
		return os.WriteFile(temporary, []byte(commit), 0o666) //nolint:gosec // as the umask allows, for a shared cache
	})
}

// saveNoExist writes that a commit lacks a file. It ignores errors, because the file is
// only a cache.
func (r *repo) saveNoExist(commit, file string) {
	path := r.noExistPath(commit, file)
	if makeFolder(filepath.Dir(path)) == nil {
		if f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o666); err == nil { //nolint:gosec // as above
			_ = f.Close()
		}
	}
	_ = r.saveRef(commit)
}

// link makes the link of a file to its contents.
func (r *repo) link(commit, file, etag string) (string, error) {
	path := r.pointerPath(commit, file)
	target, err := filepath.Rel(filepath.Dir(path), r.blobPath(etag))
	if err != nil {
		return "", err
	}
	if at, err := os.Readlink(path); err == nil && at == target {
		return path, nil
	}
	return path, r.replace(path, func(temporary string) error { return os.Symlink(target, temporary) })
}

// replace calls write with the name of a new file in the folder of blobs, and moves it to
// path.
func (r *repo) replace(path string, write func(temporary string) error) error {
	blobs := filepath.Join(r.folder, "blobs")
	for _, dir := range []string{blobs, filepath.Dir(path)} {
		if err := makeFolder(dir); err != nil {
			return err
		}
	}
	temporary := filepath.Join(blobs, rand.Text()+".tmp")
	err := write(temporary)
	if err == nil {
		err = os.Rename(temporary, path)
	}
	if err != nil {
		_ = os.Remove(temporary)
	}
	return err
}

func makeFolder(path string) error {
	return os.MkdirAll(path, 0o777) //nolint:gosec // as the umask allows, for a shared cache
}

// tagText marks the folder as a cache for backup programs.
const tagText = `Signature: 8a477f597d28d172789f06886806bc55
# This file is a cache directory tag created by huggingface_hub.
# For information about cache directory tags, see https://bford.info/cachedir/
`

// prepare makes the folder of the cache.
func (r *repo) prepare() error {
	if err := makeFolder(filepath.Join(r.folder, "blobs")); err != nil {
		return err
	}
	tag := filepath.Join(r.cacheDir, "CACHEDIR.TAG")
	if !exists(tag) {
		_ = os.WriteFile(tag, []byte(tagText), 0o666) //nolint:gosec // as above; the cache works without it
	}
	return nil
}

// lock waits for the lock of a hash and returns a function that releases it.
func (r *repo) lock(ctx context.Context, etag string) (unlock func(), err error) {
	path := filepath.Join(r.cacheDir, ".locks", r.folderName(), etag+".lock")
	if err := makeFolder(filepath.Dir(path)); err != nil {
		return nil, err
	}
	for {
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o664) //nolint:gosec // as Python, for a shared cache
		if err != nil {
			return nil, err
		}
		if err := locked(ctx, f); err != nil {
			return nil, err
		}
		// Python removes the file after use. Another process may have locked a new one then.
		a, errA := f.Stat()
		b, errB := os.Stat(path)
		if errA == nil && errB == nil && os.SameFile(a, b) {
			return func() { _ = f.Close() }, nil // closing unlocks
		}
		_ = f.Close()
	}
}

// locked locks a file, or closes it and returns the context's error.
func locked(ctx context.Context, f *os.File) error {
	try := func(how int) error {
		for {
			err := syscall.Flock(int(f.Fd()), how)
			if err != syscall.EINTR {
				return err
			}
		}
	}
	err := try(syscall.LOCK_EX | syscall.LOCK_NB)
	if err == nil || err == syscall.ENOTSUP || err == syscall.ENOSYS { //nolint:errorlint // as above
		return nil // a file system without locks; hashes still protect the cache
	}
	if err != syscall.EWOULDBLOCK { //nolint:errorlint // as above
		_ = f.Close()
		return os.NewSyscallError("flock", err)
	}
	done := make(chan error, 1)
	go func() { done <- try(syscall.LOCK_EX) }()
	select {
	case err := <-done:
		if err != nil {
			_ = f.Close()
			return os.NewSyscallError("flock", err)
		}
		return nil
	case <-ctx.Done():
		go func() { // a blocked flock cannot be interrupted: release it when it gets the lock
			_ = errors.Join(<-done, f.Close()) // nobody waits for it any more
		}()
		return context.Cause(ctx)
	}
}
