package serialization

import (
	"bytes"
	"io"
	"path/filepath"
	"strings"

	"github.com/gotorch/gotorch/internal/pickle"
	"github.com/gotorch/gotorch/internal/wholefile"
	"github.com/gotorch/gotorch/torch"
)

// Save writes a value to a file that torch.load(weights_only=True) reads. It accepts the
// values that [Load] returns, and
//
//	integers and floats of any type, *big.Int
//	slices of any kind    as lists
//	arrays of any kind    as tuples
//	maps with string keys, sorted, as dicts
//	types with the methods Names and Map, such as [*StateDict], as an OrderedDict
//	types with the method Each, such as the state dicts of optimizers, schedulers
//	and scalers, as the dict that Python's load_state_dict takes
//
// Tensors that share memory share it in the file. As in Python, the whole storage is
// written even if the tensor is a view of a part of it; to write only that part, save a
// Clone. A partial element at the end of a storage is left out. Autograd graphs are not
// saved. Tensors may be on any device, which the file records.
//
// The file is replaced atomically: an existing file stays until the new one is complete.
// Errors of the system are returned.
//
// If a value cannot be saved, the error is a *torch.Error that says where the value is:
// ErrType for an unsupported type, ErrDType for quantized tensors and for tensors of
// several dtypes over the same storage, and ErrClosed or ErrNil for unusable tensors. For
// values nested more than 1000 deep, strings that are not UTF-8 and two tensors with one
// name, the kind is ErrValue. Invalid options panic. Follows torch.save.
func Save(value any, path string, opts ...SaveOption) error {
	const op = "serialization.Save"
	a, err := newArchive(op, value, readSaving(op, archiveName(path), opts))
	if err != nil {
		return err
	}
	defer func() { _ = a.Close() }()
	return (&file{path: path}).wrapWrite(wholefile.Write(path, func(w io.Writer) error {
		_, err := a.write(w)
		return err
	}))
}

// SaveTo is like [Save], but writes to w. A nil w gives a *torch.Error of kind ErrNil.
func SaveTo(w io.Writer, value any, opts ...SaveOption) error {
	const op = "serialization.SaveTo"
	if w == nil {
		return torch.NewError(op, torch.ErrNil, "w", "a nil writer")
	}
	a, err := newArchive(op, value, readSaving(op, "archive", opts))
	if err != nil {
		return err
	}
	defer func() { _ = a.Close() }()
	_, err = a.write(w)
	return err
}

// Archive is a value that is ready to be written to a file. The bytes of its tensors
// have not been copied. [NewArchive] makes one.
type Archive struct {
	name string
	data bytes.Buffer // the pickle
	s    *saver
}

// NewArchive does the first part of [SaveTo]: it inspects the whole value and copies no
// tensor. [Archive.WriteTo] does the rest, possibly later or on another goroutine. Until
// the archive is closed, it keeps the memory of the tensors alive. If a tensor changes
// before WriteTo, the file contains the new elements. The errors are the same as for SaveTo.
// Python has no such function.
func NewArchive(value any, opts ...SaveOption) (*Archive, error) {
	const op = "serialization.NewArchive"
	return newArchive(op, value, readSaving(op, "archive", opts))
}

func newArchive(op string, value any, name string) (*Archive, error) {
	a := &Archive{name: name, s: &saver{op: op, memo: map[any]uint32{}, at: map[place]*savedStorage{}}}
	a.s.p = pickle.NewWriter(&a.data)
	err := torch.Try(func() { a.s.value(value, 0) })
	if err == nil {
		err = a.s.p.Close()
	}
	if err != nil {
		_ = a.Close()
		return nil, err
	}
	for _, st := range a.s.storages {
		torch.Disown(st.whole)
	}
	return a, nil
}

// WriteTo writes the file's bytes to w and returns their number. For CPU tensors it calls
// no operator, so it uses no threads of libtorch. The error is w's, or a *torch.Error:
// ErrNil for a nil w, ErrClosed for a closed archive, or another kind if a device fails.
// Tensors on other devices are copied to the host one at a time. The copies stay until
// the archive is closed.
func (a *Archive) WriteTo(w io.Writer) (int64, error) {
	const op = "serialization.Archive.WriteTo"
	if w == nil {
		return 0, torch.NewError(op, torch.ErrNil, "w", "a nil writer")
	}
	if a == nil || a.s == nil {
		return 0, torch.NewError(op, torch.ErrClosed, "receiver", "the archive is closed")
	}
	return a.write(w)
}

// Close releases the memory of the tensors. It may be called more than once.
func (a *Archive) Close() error {
	if a != nil && a.s != nil {
		a.s.close()
		a.s = nil
	}
	return nil
}

// archiveName returns the name that Python gives to the archive's top-level directory.
func archiveName(path string) string {
	base := strings.ToValidUTF8(filepath.Base(path), "_")
	if dot := strings.LastIndexByte(base, '.'); dot >= 0 {
		base = base[:dot]
	}
	return base
}

func (f *file) wrapWrite(err error) error {
	if err == nil {
		return nil
	}
	if te := (*torch.Error)(nil); asTorch(err, &te) {
		return te
	}
	fe := f.fail(nil, -1, "")
	fe.Err = err
	return fe
}

// write writes the pickle first, and then the bytes of the storages.
func (a *Archive) write(w io.Writer) (int64, error) {
	z := newArchiveWriter(w, a.name)
	z.entry("data.pkl", a.data.Bytes())
	z.entry(".format_version", []byte("1"))
	z.entry(".storage_alignment", []byte("64"))
	z.entry("byteorder", []byte("little"))
	for _, st := range a.s.storages {
		if z.err != nil {
			break
		}
		if err := torch.Try(func() { z.entry("data/"+st.key, st.bytes()) }); err != nil {
			return int64(z.at), err //nolint:gosec // bytes of a file
		}
	}
	err := z.close()
	return int64(z.at), err //nolint:gosec // as above
}

// word writes a string. It refuses invalid UTF-8, because Python would replace invalid
// bytes, and two keys of a dict could become equal.
func (s *saver) word(text string) {
	if !pickle.IsText(text) {
		s.bad(torch.ErrValue, "the string %.80q is not valid UTF-8; use a []byte for arbitrary bytes", text)
	}
	s.p.Word(text)
}
