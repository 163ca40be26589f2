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
//	map[string]any, map[string]*torch.Tensor and other maps of strings, sorted, as dicts
//	what has the methods Names and Map, such as a [*StateDict]    as an OrderedDict
//
// Tensors that share memory share it in the file, which has it once; as in Python all of
// a storage is written, also for a view of a part of it: Clone leaves the rest out. Graphs
// are not saved. Tensors may be on any device; that is noted in the file.
//
// The file is there as a whole or not at all: whatever was at path stays until it is
// complete, and if something goes wrong. The error is of the system, or an *torch.Error
// that names the place of the value that cannot be saved: of kind ErrType for a type that
// PyTorch's files do not have, ErrDType for quantized tensors and for tensors of several
// dtypes over one storage, ErrClosed and ErrNil for unusable tensors, and ErrValue for
// values more than 1000 deep. It panics with an *torch.Error for an option that is wrong.
// Follows torch.save.
func Save(value any, path string, opts ...SaveOption) error {
	name := readSaving("Save", archiveName(path), opts)
	return save("Save", value, name, func(write func(w io.Writer) error) error {
		return (&file{path: path}).wrapWrite(wholefile.Write(path, write))
	})
}

// SaveTo is [Save] to a writer. It panics with an *torch.Error of kind ErrNil for a nil w.
func SaveTo(w io.Writer, value any, opts ...SaveOption) error {
	const op = "SaveTo"
	if w == nil {
		panic(torch.NewError(op, torch.ErrNil, "w", "a writer is needed"))
	}
	name := readSaving(op, "archive", opts)
	return save(op, value, name, func(write func(w io.Writer) error) error { return write(w) })
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

// save writes the pickle first: whatever is wrong with the value, nothing is written.
func save(op string, value any, name string, to func(write func(w io.Writer) error) error) error {
	s := &saver{op: op, memo: map[any]uint32{}, at: map[place]*savedStorage{}}
	defer s.close()
	var data bytes.Buffer
	s.p = pickle.NewWriter(&data)
	if err := torch.Try(func() { s.value(value, 0) }); err != nil {
		return err
	}
	if err := s.p.Close(); err != nil {
		return err
	}
	return to(func(w io.Writer) error {
		z := newArchiveWriter(w, name)
		z.entry("data.pkl", data.Bytes())
		z.entry(".format_version", []byte("1"))
		z.entry(".storage_alignment", []byte("64"))
		z.entry("byteorder", []byte("little"))
		for _, st := range s.storages {
			if z.err != nil {
				break
			}
			if err := torch.Try(func() { z.entry("data/"+st.key, st.bytes()) }); err != nil {
				return err
			}
		}
		return z.close()
	})
}
