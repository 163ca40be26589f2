package export

import (
	"archive/zip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/gotorch/gotorch/internal/fileerr"
	"github.com/gotorch/gotorch/internal/ziparchive"
	"github.com/gotorch/gotorch/torch"
)

// format is the name of the file format in error messages.
const format = "pt2"

// archive is an open file that torch.export.save wrote.
type archive struct{ *ziparchive.Archive }

func (a *archive) fail(kind error, offset int64, text string, args ...any) *torch.FileError {
	return &torch.FileError{
		Format: format, Path: a.Path, Offset: offset, Kind: kind,
		Detail: fmt.Sprintf(text, args...),
	}
}

func openArchive(r io.ReaderAt, size int64, path string) (*archive, error) {
	a := &archive{}
	source := ziparchive.Source{Format: format, Path: path, Reader: r, Size: size}
	var err error
	a.Archive, err = ziparchive.Open(source, func(head []byte) error {
		a.Archive = &ziparchive.Archive{Source: source}
		if what := fileerr.Instead(head); what != "" {
			return a.fail(torch.ErrFormat, 0, "%s", what)
		}
		return a.fail(torch.ErrFormat, 0, "expected an exported program, which is a zip archive")
	})
	if err != nil {
		return nil, err
	}
	return a, a.index()
}

// index finds the entries. Their names start with a folder, which does not count.
func (a *archive) index() error {
	var folder string
	if first, _, ok := strings.Cut(a.Files[0].Name, "/"); ok {
		folder = first + "/"
	}
	inside := func(name string) (string, bool) { return strings.TrimPrefix(name, folder), true }
	if err := a.Index(ziparchive.Rules{Key: inside}); err != nil {
		return err
	}
	names := a.programs()
	switch what := ziparchive.Kind(ziparchive.Names(a.Files)); {
	case len(names) > 0:
		return nil
	case what != "":
		return a.fail(torch.ErrUnsupported, a.Size, "%s", what)
	}
	return a.fail(torch.ErrFormat, a.Size, "the zip archive has no models/*.json, so it holds no exported program")
}

// oldProgram is the entry with the program in a file that PyTorch 2.7 or older saved.
const oldProgram = "serialized_exported_program.json"

// programs returns the names of the programs in the archive.
func (a *archive) programs() []string {
	if a.Entries[oldProgram] != nil {
		return []string{"model"}
	}
	var names []string
	for entry := range maps.Keys(a.Entries) {
		if rest, ok := strings.CutPrefix(entry, "models/"); ok {
			if name, ok := strings.CutSuffix(rest, ".json"); ok {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return names
}

// choose returns the name of the program to load. want is "" for the only one.
func (a *archive) choose(want string) (string, error) {
	names := a.programs()
	switch {
	case want == "" && len(names) == 1:
		return names[0], nil
	case want == "" && slices.Contains(names, "model"):
		return "model", nil
	case want == "":
		return "", a.fail(torch.ErrNotFound, fileerr.NoOffset,
			"there are several programs: use ModelName with one of %.200q", names)
	case slices.Contains(names, want):
		return want, nil
	}
	return "", a.fail(torch.ErrNotFound, fileerr.NoOffset, "there is no program %.80q; the programs are %.200q",
		want, names)
}

// program returns the entry with the program of the given name.
func (a *archive) program(model string) string {
	if a.Entries[oldProgram] != nil {
		return oldProgram
	}
	return "models/" + model + ".json"
}

// JSON may contain at most fewObjects objects, lists and nulls, plus one for each
// bytesOfObject bytes. The limit is needed because each takes more memory than its text.
const (
	fewObjects    = 1 << 12
	bytesOfObject = 8
)

// read decodes an entry that contains JSON.
func (a *archive) read(name string, v any) error {
	text, err := a.bytes(name)
	if err != nil {
		return err
	}
	return a.decode(name, text, v)
}

// bytes reads an entry.
func (a *archive) bytes(name string) ([]byte, error) {
	f := a.Entries[name]
	if f == nil {
		return nil, a.fail(torch.ErrFormat, a.Size, "the archive has no %.80q", name)
	}
	r, err := a.Open(f, true)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, a.because(f, err)
	}
	return data, nil
}

// decode decodes the JSON in an entry.
func (a *archive) decode(name string, text []byte, v any) error {
	f := a.Entries[name]
	if tooMany(text) {
		return a.Fail(f, torch.ErrFormat, "%.80q has more objects than a program of its size", name)
	}
	if err := json.Unmarshal(text, v); err != nil {
		return a.Fail(f, torch.ErrFormat, "%.80q is not the JSON of an exported program: %.200q", name, err.Error())
	}
	return nil
}

// sample reads the example inputs of a program, if the archive has them.
func (a *archive) sample(model string) ([]byte, error) {
	name := "data/sample_inputs/" + model + ".pt"
	if a.Entries[oldProgram] != nil {
		name = "serialized_example_inputs.pt"
	}
	if a.Entries[name] == nil {
		return nil, nil
	}
	return a.bytes(name)
}

// tooMany reports whether JSON has more objects, lists and nulls than the limit.
func tooMany(text []byte) bool {
	n, quoted, escaped := 0, false, false
	for _, c := range text {
		switch {
		case escaped:
			escaped = false
		case quoted && c == '\\':
			escaped = true
		case c == '"':
			quoted = !quoted
		case (c == '{' || c == '[' || c == 'n') && !quoted: // no other bare word begins with n
			n++
		}
	}
	return n > fewObjects+len(text)/bytesOfObject
}

// because returns the error for an entry that cannot be read.
func (a *archive) because(f *zip.File, err error) error {
	var fe *torch.FileError
	if errors.As(err, &fe) {
		return fe
	}
	e := a.Fail(f, torch.ErrFormat, "entry %.80q cannot be read", f.Name)
	e.Err = err
	return e
}
