package aoti

import (
	"archive/zip"
	"cmp"
	"errors"
	"io"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gotorch/gotorch/internal/fileerr"
	"github.com/gotorch/gotorch/internal/ziparchive"
	"github.com/gotorch/gotorch/torch"
)

// archive is an open .pt2 package.
type archive struct {
	*ziparchive.Archive
	file   *os.File
	models map[string][]*zip.File // the files in each model's directory; the key is the model's name
	shared []*zip.File            // files with constants that all models share
}

func openArchive(name string) (*archive, error) {
	f, size, err := fileerr.Open(format, name)
	if err != nil {
		return nil, err
	}
	a := &archive{file: f, models: map[string][]*zip.File{}}
	a.Archive, err = ziparchive.Open(ziparchive.Source{Format: format, Path: name, Reader: f, Size: size},
		func(head []byte) error {
			if what := fileerr.Instead(head); what != "" {
				return fileerr.At(fail(name, torch.ErrFormat, "%s", what), 0)
			}
			return fileerr.At(fail(name, torch.ErrFormat, "expected a .pt2 package, which is a zip archive"), 0)
		})
	if err == nil {
		a.sort()
		err = a.check()
	}
	if err != nil {
		a.close() // only the first error is returned
		return nil, err
	}
	return a, nil
}

func (a *archive) close() { _ = a.file.Close() } // the archive was only read, so closing it loses no data

func (a *archive) sort() {
	for _, f := range a.Files {
		name := f.Name
		if first, rest, found := strings.Cut(name, "/"); found && first != "data" {
			name = rest
		}
		if rest, ok := strings.CutPrefix(name, "data/constants/"); ok && rest != "" {
			a.shared = append(a.shared, f)
		}
		if rest, ok := strings.CutPrefix(name, "data/aotinductor/"); ok {
			if model, file, ok := strings.Cut(rest, "/"); ok && file != "" {
				a.models[model] = append(a.models[model], f)
			}
		}
	}
}

// check returns an error if the package is damaged or the archive is of a different kind.
func (a *archive) check() error {
	if len(a.models) > 0 {
		return a.Index(ziparchive.Rules{})
	}
	if what := ziparchive.Kind(ziparchive.Names(a.Files)); what != "" {
		return fileerr.At(fail(a.Path, torch.ErrUnsupported, "%s", what), a.Size)
	}
	return fileerr.At(fail(a.Path, torch.ErrFormat,
		"the zip archive has no data/aotinductor, so it is not an AOTInductor package"), a.Size)
}

func (a *archive) find(name string) ([]*zip.File, error) {
	if files := a.models[name]; files != nil {
		return files, nil
	}
	return nil, fileerr.At(fail(a.Path, torch.ErrNotFound, "there is no model %q; the models are %.200q", name,
		slices.Sorted(maps.Keys(a.models))), a.Size)
}

// sources are the extensions of source and object files. extract skips these files,
// because only the compiled library is loaded.
var sources = []string{".cpp", ".h", ".hpp", ".o"}

// extract writes files to a directory under their base names, so that no name in the
// archive can refer to a file outside the directory.
func (a *archive) extract(files []*zip.File, dir string) error {
	for _, f := range files {
		base := path.Base(f.Name)
		if strings.HasSuffix(f.Name, "/") || slices.Contains(sources, path.Ext(base)) {
			continue
		}
		if !filepath.IsLocal(base) || strings.ContainsAny(base, "\\\x00") {
			return a.Fail(f, torch.ErrFormat, "entry %.80q is not a valid file name", f.Name)
		}
		if err := a.write(f, filepath.Join(dir, base)); err != nil {
			return err
		}
	}
	return nil
}

func (a *archive) write(f *zip.File, to string) error {
	r, err := a.Open(f, true)
	if err != nil {
		return err
	}
	w, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o700) //nolint:gosec // libraries are executable
	if errors.Is(err, os.ErrExist) {
		return a.Fail(f, torch.ErrFormat, "two entries have the name %.80q", path.Base(f.Name))
	}
	if err == nil {
		_, err = io.Copy(w, r)
		err = cmp.Or(err, w.Close())
	}
	if err == nil || errors.As(err, new(*torch.FileError)) { // a FileError already names the entry
		return err
	}
	return because(a.Path, nil, err, "the package cannot be extracted to "+filepath.Dir(to))
}
