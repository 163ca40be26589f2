// Package wholefile writes files atomically: either completely or not at all.
package wholefile

import (
	"bufio"
	"errors"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"syscall"
)

// Write calls write to fill a file, and moves it to path when it is complete. Until then,
// or if any step fails, an existing file stays unchanged. The writer is buffered. A new
// file has the process's default permissions, and a replacement has the old file's
// permissions. A link is replaced, and its target stays. System errors name path, not the
// temporary file.
//
// Devices and pipes are written directly, so that a file never replaces /dev/null.
func Write(path string, write func(w io.Writer) error) error {
	return put(path, write, system{rename: os.Rename})
}

// WriteDurable is like [Write], for a file that must survive a power failure. The bytes
// are on the disk before the file gets its name, and the name is on the disk before
// WriteDurable returns. If only writing the name to the disk fails, the file exists, and
// the error says that it may not survive.
func WriteDurable(path string, write func(w io.Writer) error) error {
	return put(path, write, system{begin: begin, sync: (*os.File).Sync, rename: os.Rename})
}

// Temporary matches the end of a temporary file's name. A process that ends while writing
// a file leaves such a file. The part of the name before the match is the start of the
// final file's name.
var Temporary = regexp.MustCompile(`\.tmp-[0-9a-z]+$`)

// system contains the functions that write a file's bytes and its name to the disk.
type system struct {
	begin  func(f *os.File, from, n int64) // starts writing bytes to the disk; nil to start only in sync
	sync   func(f *os.File) error          // waits until the bytes are on the disk; nil not to wait
	rename func(from, to string) error
}

func put(path string, write func(w io.Writer) error, sys system) error {
	p, err := prepare(path, write, sys)
	if err != nil {
		return err
	}
	return p.Place()
}

// Prepared is a complete file that does not have its final name yet. With it, several
// files can get their names at the same time.
type Prepared struct {
	path string
	made string // the temporary name, or "" if the bytes were written to a device
	sys  system
}

// Prepare is like [Write] without the last step, which [Prepared.Place] does. If the file
// is no longer needed because something else failed, call [Prepared.Discard] instead of
// Place.
func Prepare(path string, write func(w io.Writer) error) (*Prepared, error) {
	return prepare(path, write, system{rename: os.Rename})
}

func prepare(path string, write func(w io.Writer) error, sys system) (_ *Prepared, err error) {
	p := &Prepared{path: path, sys: sys}
	old, err := os.Stat(path)
	if err == nil && !old.Mode().IsRegular() && !old.IsDir() {
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return nil, err
		}
		return p, fill(f, write, system{})
	}
	f, err := create(path)
	if err != nil {
		return nil, err
	}
	p.made = f.Name()
	defer func() {
		var e *fs.PathError
		if errors.As(err, &e) && e.Path == f.Name() {
			e.Path = path
		}
	}()
	done := false
	defer func() { // also if write panics
		if !done {
			p.Discard()
		}
	}()
	if old != nil && old.Mode().IsRegular() {
		if err := f.Chmod(old.Mode().Perm()); err != nil {
			_ = f.Close()
			return nil, err
		}
	}
	if err := fill(f, write, sys); err != nil {
		return nil, err
	}
	done = true
	return p, nil
}

// Place gives the file its name. If that fails, it removes the file.
func (p *Prepared) Place() error {
	if p.made == "" {
		return nil
	}
	if err := p.sys.rename(p.made, p.path); err != nil {
		p.Discard()
		var e *os.LinkError
		if errors.As(err, &e) {
			err = &fs.PathError{Op: "create", Path: p.path, Err: e.Err}
		}
		return err
	}
	p.made = ""
	if p.sys.sync == nil {
		return nil
	}
	return p.sys.folder(filepath.Dir(p.path))
}

// Discard removes the file, unless it already has its name.
func (p *Prepared) Discard() {
	if p.made != "" {
		_ = os.Remove(p.made) // the error that led to Discard is more important
		p.made = ""
	}
}

// MakeFolder creates a directory and its parents, for files that must survive a power
// failure: the names of all created directories are on the disk when it returns.
func MakeFolder(dir string) error { return makeFolder(dir, system{sync: (*os.File).Sync}) }

func makeFolder(dir string, sys system) error {
	var above []string // the parents of folders that do not exist, innermost first
	for at := filepath.Clean(dir); ; at = filepath.Dir(at) {
		if _, err := os.Stat(at); !os.IsNotExist(err) || at == filepath.Dir(at) {
			break
		}
		above = append(above, filepath.Dir(at))
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	for _, folder := range slices.Backward(above) {
		if err := sys.folder(folder); err != nil {
			return err
		}
	}
	return nil
}

// folder writes the entries of a directory to the disk.
func (sys system) folder(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	err = sys.sync(d)
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported) {
		err = nil // a file system that cannot sync a folder does not need it
	}
	return errors.Join(err, d.Close())
}

// create creates a file with an unused name next to path. os.CreateTemp would create a
// file that only its owner can read, whatever the process's umask is.
func create(path string) (*os.File, error) {
	const most = 200 // bytes of the name, to leave room for the number
	dir, base := filepath.Split(path)
	for try := 0; ; try++ {
		name := dir + base[:min(len(base), most)] + ".tmp-" + strconv.FormatUint(rand.Uint64(), 36)
		f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
		if err == nil {
			return f, nil
		}
		if errors.Is(err, fs.ErrExist) && try < 1000 {
			continue
		}
		var e *fs.PathError
		if errors.As(err, &e) {
			err = &fs.PathError{Op: "create", Path: path, Err: e.Err}
		}
		return nil, err
	}
}

// fill calls write to fill an open file, and closes it even if write panics.
func fill(f *os.File, write func(w io.Writer) error, sys system) (err error) {
	defer func() {
		if e := f.Close(); err == nil {
			err = e
		}
	}()
	var to io.Writer = f
	if sys.begin != nil {
		to = &early{f: f, start: sys.begin}
	}
	b := bufio.NewWriterSize(to, 1<<16)
	if err := write(b); err != nil {
		return err
	}
	if err := b.Flush(); err != nil || sys.sync == nil {
		return err
	}
	return sys.sync(f)
}
