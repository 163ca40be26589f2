package jit

import (
	"bytes"
	"io"
	"strings"

	"github.com/gotorch/gotorch/internal/fileerr"
	"github.com/gotorch/gotorch/internal/ziparchive"
	"github.com/gotorch/gotorch/torch"
)

// libtorch's reader trusts its input, so the checks in this file run first. They check
// lengths, checksums and pickles. They also check how deeply the source code is nested,
// because libtorch's parser is recursive.

// archive is the TorchScript archive that is being read.
type archive struct {
	path   string
	r      io.ReaderAt
	size   int64
	prefix string // the path of the folder that contains all entries, with a slash at its end

	*ziparchive.Archive // compares names without regard to case, as libtorch does
}

// memory is an archive that has been read into memory.
type memory []byte

// ReadAt implements io.ReaderAt.
func (m memory) ReadAt(b []byte, at int64) (int, error) { return bytes.NewReader(m).ReadAt(b, at) }

// check returns an error if libtorch's reader would not handle the archive safely.
func (a *archive) check() (err error) {
	a.Archive, err = ziparchive.Open(ziparchive.Source{Format: format, Path: a.path, Reader: a.r, Size: a.size},
		a.other)
	if err != nil {
		return err
	}
	if err := a.ends(len(a.Files)); err != nil {
		return err
	}
	if err := a.index(); err != nil {
		return err
	}
	for _, f := range a.Files {
		if err := a.Check(f); err != nil {
			return err
		}
		if f.CRC32 == 0 && f.UncompressedSize64 != 0 {
			return a.Fail(f, torch.ErrFormat, "entry %.80q has no checksum", f.Name)
		}
	}
	for _, name := range []string{"data.pkl", "constants.pkl"} {
		if err := a.pickle(name); err != nil {
			return err
		}
	}
	return a.source()
}

// other returns an error that says what the file is, if it is not a zip archive.
func (a *archive) other(head []byte) error {
	if what := fileerr.Instead(head); what != "" {
		return a.fail(torch.ErrFormat, 0, "%s", what)
	}
	switch {
	case len(head) > 8 && string(head[4:8]) == "PTMF":
		return a.fail(torch.ErrUnsupported, 0,
			"a file of the lite interpreter for mobile devices; save it with torch.jit.save")
	case head[0] == 0x80:
		return a.fail(torch.ErrFormat, 0,
			"a pickle written by torch.save before PyTorch 1.6, not a program; package torch/serialization reads it")
	}
	return a.fail(torch.ErrFormat, 0, "not a zip archive, so not written by torch.jit.save")
}

// index finds the top-level directory, which must contain all entries, and indexes the
// entries.
func (a *archive) index() error {
	first := a.Files[0]
	folder, _, ok := strings.Cut(first.Name, "/")
	if what := ziparchive.Kind(ziparchive.Names(a.Files)); what != "" && what != ziparchive.TorchScript {
		return a.Fail(first, torch.ErrFormat, "%s", what)
	}
	if !ok {
		return a.Fail(first, torch.ErrFormat,
			"entry %.80q is not in a folder, so torch.jit.save did not write the archive", first.Name)
	}
	a.prefix = folder + "/"
	for _, f := range a.Files {
		switch {
		case !strings.HasPrefix(f.Name, a.prefix):
			return a.Fail(f, torch.ErrFormat, "entry %.80q is not in the folder %.80q of the other entries", f.Name,
				a.prefix)
		case len(f.Name) > longestName:
			return a.Fail(f, torch.ErrFormat, "an entry has a name of %d bytes", len(f.Name))
		}
	}
	inside := func(name string) (string, bool) { return folded(strings.TrimPrefix(name, a.prefix)), true }
	if err := a.Index(ziparchive.Rules{Key: inside}); err != nil {
		return err
	}
	return a.complete()
}

// complete returns an error if an entry is missing, or if the archive was not written by
// torch.jit.save.
func (a *archive) complete() error {
	switch {
	case a.Entries["model.json"] != nil:
		return a.Fail(a.Entries["model.json"], torch.ErrUnsupported,
			"the archive was written before PyTorch 1.4; load it in Python and save it again")
	case a.Entries["data.pkl"] == nil:
		return a.fail(torch.ErrFormat, a.size,
			"the file is a zip archive without data.pkl, so torch.jit.save did not write it")
	case a.Entries["version"] == nil && a.Entries[".data/version"] == nil:
		return a.fail(torch.ErrFormat, a.size, "the archive has no version")
	}
	if f := a.Entries["byteorder"]; f != nil {
		word, err := a.Read(f)
		if err != nil {
			return err
		}
		if string(word) != "little" {
			return a.Fail(f, torch.ErrUnsupported, "unknown byte order %.20q", word)
		}
	}
	return nil
}

func (a *archive) extras(want ExtraFiles) error {
	for name := range want {
		f := a.Entries[folded("extra/"+name)]
		if f == nil {
			continue
		}
		text, err := a.Read(f)
		if err != nil {
			return err
		}
		want[name] = string(text)
	}
	return nil
}
