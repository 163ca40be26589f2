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

// Save writes a value to a file that torch.load(weights_only=True) reads. It takes the
// values that [Load] returns, and
//
//	integers and floats of any type, *big.Int
//	slices of any kind    as lists
//	arrays of any kind    as tuples
//	map[string]any, map[string]*torch.Tensor and other maps of strings, sorted, as dicts
//	what has the methods Names and Map, such as a [*StateDict]    as an OrderedDict
//	what has the method Each, such as the state dicts of optimizers, schedulers and
//	scalers    as the dict that Python's load_state_dict takes
//
// Tensors that share memory share it in the file, which has it once; as in Python all of
// a storage is written, also for a view of a part of it: Clone leaves the rest out. (Of a
// storage that ends within an element the whole ones are written, as Python reads it.) Graphs
// are not saved. Tensors may be on any device; that is noted in the file.
//
// The file is there as a whole or not at all: whatever was at path stays until it is
// complete, and if something goes wrong. The error is of the system, or an *torch.Error
// that names the place of the value that cannot be saved: of kind ErrType for a type that
// PyTorch's files do not have, ErrDType for quantized tensors and for tensors of several
// dtypes over one storage, ErrClosed and ErrNil for unusable tensors, and ErrValue for
// values more than 1000 deep and texts that are no UTF-8. It panics with an *torch.Error for an option that is wrong.
// Follows torch.save.
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

// SaveTo is [Save] to a writer. It panics with an *torch.Error of kind ErrNil for a nil w.
func SaveTo(w io.Writer, value any, opts ...SaveOption) error {
	const op = "serialization.SaveTo"
	if w == nil {
		panic(torch.NewError(op, torch.ErrNil, "w", "a writer is needed"))
	}
	a, err := newArchive(op, value, readSaving(op, "archive", opts))
	if err != nil {
		return err
	}
	defer func() { _ = a.Close() }()
	_, err = a.write(w)
	return err
}

// Archive is a value in the form of a file, of which only the bytes of its tensors are
// still where they were. [NewArchive] makes one.
type Archive struct {
	name string
	data bytes.Buffer // the pickle
	s    *saver
}

// NewArchive does the first part of [SaveTo], which looks at all of the value, so that
// [Archive.WriteTo] can do the rest at another time or on another goroutine: it copies
// nothing. Until the archive is closed it holds the memory of the tensors, and what is
// written into them before WriteTo is what the file has. The errors are those of SaveTo.
// Python has nothing like it.
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

// WriteTo writes the file's bytes to w. For tensors on the CPU it calls no operator, so
// it takes no threads from those of other goroutines. It returns how many bytes were
// written; the error is w's, or an *torch.Error of kind ErrNil for a nil w, of kind ErrClosed
// for a closed archive, and of another kind if a device fails. Tensors of devices are
// copied to the host one after the other, and the copies stay until the archive is closed.
func (a *Archive) WriteTo(w io.Writer) (int64, error) {
	const op = "serialization.Archive.WriteTo"
	if w == nil {
		return 0, torch.NewError(op, torch.ErrNil, "w", "a writer is needed")
	}
	if a == nil || a.s == nil {
		return 0, torch.NewError(op, torch.ErrClosed, "receiver", "the archive is closed")
	}
	return a.write(w)
}

// Close lets go of the tensors' memory. It may be called more than once.
func (a *Archive) Close() error {
	if a != nil && a.s != nil {
		a.s.close()
		a.s = nil
	}
	return nil
}

// archiveName is what Python calls the folder in an archive.
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

// write writes the pickle first, then the storages.
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

// word writes a text. One that Python cannot read would become another, which two keys of a
// dict may share.
func (s *saver) word(text string) {
	if !pickle.IsText(text) {
		s.bad(torch.ErrValue, "a text that is no UTF-8, %.80q; a []byte may have any bytes", text)
	}
	s.p.Word(text)
}
