package ziparchive

import (
	"archive/zip"
	"fmt"

	"github.com/gotorch/gotorch/internal/fileerr"
)

// Inflation is the largest allowed ratio of the uncompressed entries' size to the file's
// size. PyTorch compresses little or nothing. If a user compresses an archive of PyTorch,
// it shrinks by less than this factor.
const Inflation = 16

// Rules determine which entries an index contains.
type Rules struct {
	// Key returns the name under which an entry is found, or false to ignore the entry.
	// If Key is nil, all entries are found under their own names.
	Key func(name string) (string, bool)
	// Spare is the number of bytes by which the entries may exceed [Inflation] times the
	// file's size; the default is a mebibyte. Option is the name of the option with which
	// the program can raise Spare. If Option is set, exceeding the limit does not mean
	// that the file is invalid.
	Spare  int64
	Option string
}

// Index finds the entries, checks what the directory states about them, and adds up their
// sizes. It reads no entry.
func (a *Archive) Index(rules Rules) error {
	a.key, a.Entries = rules.Key, make(map[string]*zip.File, len(a.Files))
	if a.key == nil {
		a.key = func(name string) (string, bool) { return name, true }
	}
	if rules.Spare == 0 && rules.Option == "" {
		rules.Spare = 1 << 20
	}
	left := uint64(a.Size)
	grown := left*Inflation + uint64(rules.Spare)
	for _, f := range a.Files {
		name, ours := a.key(f.Name)
		if !ours {
			continue
		}
		if err := a.look(f, a.Entries[name], left, grown, rules); err != nil {
			return err
		}
		a.Entries[name] = f
		left -= f.CompressedSize64
		grown -= f.UncompressedSize64
	}
	return nil
}

// look checks an entry. other is an earlier entry with the same key, or nil.
func (a *Archive) look(f, other *zip.File, left, grown uint64, rules Rules) error {
	what, at := "arrays", ""
	if !a.Arrays {
		what, at = "entries", fmt.Sprintf(", at %.80q", f.Name)
	}
	switch {
	case other != nil && other.Name != f.Name && !a.Arrays:
		return a.Fail(f, fileerr.ErrFormat, "%s occurs twice, or differs from another name only in case",
			a.entry(f))
	case other != nil:
		return a.Fail(f, fileerr.ErrFormat, "%s occurs twice", a.entry(f))
	case f.CompressedSize64 > left:
		return a.Fail(f, fileerr.ErrFormat, "%s that are larger than the file together%s", what, at)
	case f.UncompressedSize64 > grown && rules.Option != "":
		return a.Fail(f, fileerr.ErrUnsupported,
			"%s that grow to more than %d times the file and %d bytes%s: %s may permit it", what, Inflation,
			rules.Spare, at, rules.Option)
	case f.UncompressedSize64 > grown:
		return a.Fail(f, fileerr.ErrFormat, "%s that grow to more than %d times the file%s", what, Inflation, at)
	case f.Method == zip.Store && f.CompressedSize64 != f.UncompressedSize64:
		return a.Fail(f, fileerr.ErrFormat, "%s has %d bytes, stored in %d without compression", a.entry(f),
			f.UncompressedSize64, f.CompressedSize64)
	case a.Arrays:
		return nil
	}
	return a.readable(f)
}

// readable returns an error if an entry is encrypted or has an unsupported compression.
func (a *Archive) readable(f *zip.File) error {
	switch {
	case f.Flags&1 != 0:
		return a.Fail(f, fileerr.ErrUnsupported, "%s is encrypted", a.entry(f))
	case f.Method != zip.Store && f.Method != zip.Deflate:
		return a.Fail(f, fileerr.ErrUnsupported, "%s is compressed by method %d", a.entry(f), f.Method)
	}
	return nil
}
