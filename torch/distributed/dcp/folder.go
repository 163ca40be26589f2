package dcp

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"

	"github.com/gotorch/gotorch/internal/wholefile"
	"github.com/gotorch/gotorch/torch"
)

// dataName matches the names of data files: the rank that wrote the file, and a number.
var dataName = regexp.MustCompile(`^__(\d{1,9})_(\d{1,9})\.distcp$`)

// newNames returns unused file names for a new checkpoint, one for each rank, so the
// files of an older checkpoint stay unchanged.
func newNames(dir string, ranks int) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, systemError(dir, err)
	}
	next := 0
	for _, e := range entries {
		if m := dataName.FindStringSubmatch(e.Name()); m != nil {
			n, _ := strconv.Atoi(m[2]) // the pattern allows nine digits, which fit in an int
			next = max(next, n+1)
		}
	}
	names := make([]string, ranks)
	for r := range names {
		names[r] = fmt.Sprintf("__%d_%d.distcp", r, next)
	}
	return names, nil
}

// isOurs reports whether a file is part of a checkpoint, complete or not.
func isOurs(name string) bool {
	name = wholefile.Temporary.ReplaceAllString(name, "")
	return name == metadataName || dataName.MatchString(name)
}

// removeOld removes from a directory the checkpoint files that m does not use: files of
// other checkpoints, and files of saves that were killed. Files that cannot be removed
// stay and only take space.
func removeOld(dir string, m *Metadata) {
	used, _ := m.files()
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if name := e.Name(); isOurs(name) && name != metadataName && !slices.Contains(used, name) {
			_ = os.Remove(filepath.Join(dir, name))
		}
	}
}

// Info describes a checkpoint in a numbered subdirectory.
type Info struct {
	Path   string
	Number int64 // the number at the end of the folder's name
	Err    error // why the checkpoint is incomplete, or nil
}

var endsNumbered = regexp.MustCompile(`(\d{1,18})$`)

// List returns the checkpoints in the subdirectories of dir whose names end with a
// number, such as "step-1000" or "1000", sorted by number. A checkpoint is complete if
// its .metadata is readable and all files that .metadata lists exist with the right size.
// List does not read values, skips subdirectories without any checkpoint file, and does
// not follow links. It returns a [*torch.FileError] if dir cannot be read.
func List(dir string) ([]Info, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, systemError(dir, err)
	}
	var all []Info
	for _, e := range entries {
		m := endsNumbered.FindStringSubmatch(e.Name())
		if m == nil || !e.IsDir() {
			continue
		}
		info := Info{Path: filepath.Join(dir, e.Name())}
		info.Number, _ = strconv.ParseInt(m[1], 10, 64) // the pattern allows 18 digits, which fit in an int64
		inside, err := os.ReadDir(info.Path)
		if errors.Is(err, fs.ErrNotExist) {
			continue // another process has removed it
		}
		if err == nil && !slices.ContainsFunc(inside, func(e os.DirEntry) bool { return isOurs(e.Name()) }) {
			continue
		}
		info.Err = checkComplete(info.Path)
		all = append(all, info)
	}
	slices.SortStableFunc(all, func(a, b Info) int {
		return cmp.Or(cmp.Compare(a.Number, b.Number), cmp.Compare(a.Path, b.Path))
	})
	return all, nil
}

// checkComplete returns an error that says what a checkpoint lacks, or nil if it is
// complete.
func checkComplete(dir string) error {
	m, err := ReadMetadata(dir)
	if err != nil {
		return err
	}
	names, ends := m.files()
	for _, name := range names {
		path := filepath.Join(dir, name)
		info, err := os.Stat(path)
		switch {
		case err != nil:
			return systemError(path, err)
		case !info.Mode().IsRegular():
			return fileError(path, "", torch.ErrFormat, "expected a regular file")
		case info.Size() < ends[name]:
			return fileError(path, "", torch.ErrTruncated, "it has only %d of %d bytes", info.Size(), ends[name])
		}
	}
	return nil
}

// Latest returns the path of the newest complete checkpoint in dir: the checkpoint with
// the greatest number that [List] returns. The error is a [*torch.FileError]. If there is
// no complete checkpoint, it is fs.ErrNotExist, and reports what is wrong with the newest
// incomplete one. If another process is saving at the same time, ranks may find different
// checkpoints, and [Load] then fails. To avoid that, call Latest on one rank, and
// broadcast its result with BroadcastObject.
func Latest(dir string) (string, error) {
	all, err := List(dir)
	if err != nil {
		return "", err
	}
	for _, info := range slices.Backward(all) {
		if info.Err == nil {
			return info.Path, nil
		}
	}
	e := fileError(dir, "", nil, "none of the folder's numbered subfolders has a checkpoint")
	e.Err = fs.ErrNotExist
	if len(all) > 0 {
		e.Detail = "none of the folder's numbered subfolders has a complete checkpoint"
		e.Err = &incompleteError{all[len(all)-1].Err}
	}
	return "", e
}

// incompleteError is the error for a directory whose checkpoints are all incomplete. err
// is the reason.
type incompleteError struct{ err error }

// Error returns the reason why the checkpoint is incomplete.
func (e *incompleteError) Error() string { return e.err.Error() }

// Is reports whether target is fs.ErrNotExist, or the reason.
func (e *incompleteError) Is(target error) bool {
	return target == fs.ErrNotExist || errors.Is(e.err, target)
}

// Prune removes old checkpoints in dir and returns their paths. keep is how many complete
// checkpoints to keep: the newest of those that [List] returns. Prune also removes
// incomplete checkpoints that are older than the newest complete one. Newer incomplete
// ones stay, because another process may be writing them. .metadata is removed first, so
// a partly removed checkpoint never looks complete. If the directory of a checkpoint has
// other files, these and the directory stay. Call Prune on one rank only, while no other
// rank loads or saves.
//
// The error is a *torch.Error of kind ErrValue if keep is below 1, and a
// [*torch.FileError] otherwise.
func Prune(dir string, keep int) (removed []string, err error) {
	const op = "dcp.Prune"
	if keep < 1 {
		return nil, torch.NewError(op, torch.ErrValue, "keep", fmt.Sprintf("expected 1 or more, got %d", keep))
	}
	all, err := List(dir)
	if err != nil {
		return nil, err
	}
	newest, left := int64(math.MinInt64), keep
	for _, info := range slices.Backward(all) {
		switch {
		case info.Err == nil && left > 0:
			left--
			newest = max(newest, info.Number)
			continue
		case info.Err != nil && (info.Number >= newest || isUnread(info.Err)):
			continue
		}
		if err := removeFrom(info.Path); err != nil {
			return removed, err
		}
		removed = append(removed, info.Path)
	}
	return removed, nil
}

// isUnread reports whether err says that the system could not read a checkpoint. Such a
// checkpoint may be complete.
func isUnread(err error) bool {
	var fe *torch.FileError
	return errors.As(err, &fe) && fe.Kind == nil && !errors.Is(err, fs.ErrNotExist)
}

// removeFrom removes the files of a checkpoint, and its directory if it is then empty.
func removeFrom(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return systemError(dir, err)
	}
	slices.SortStableFunc(entries, func(a, b os.DirEntry) int {
		switch {
		case a.Name() == metadataName:
			return -1
		case b.Name() == metadataName:
			return 1
		}
		return 0
	})
	others := false
	for _, e := range entries {
		if !isOurs(e.Name()) || e.IsDir() {
			others = true
			continue
		}
		path := filepath.Join(dir, e.Name())
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return systemError(path, err)
		}
	}
	if others {
		return nil
	}
	if err := os.Remove(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return systemError(dir, err)
	}
	return nil
}
