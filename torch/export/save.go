package export

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/gotorch/gotorch/internal/fileerr"
	"github.com/gotorch/gotorch/internal/mapped"
	"github.com/gotorch/gotorch/internal/wholefile"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/serialization"
)

// Save writes the program with its present parameters and buffers to a file that
// torch.export.load reads in Python, and [Load] in Go. The name of the file should end with
// ".pt2". Train and Eval do not change what is saved: the program keeps the mode in which it
// was exported. Tensors on other devices are written as tensors on the CPU.
//
// The file is replaced atomically. The error is a [*torch.FileError]: ErrUnsupported for a
// module whose tensors no longer have the program's dtypes and shapes, for example after
// Double, or one that wraps the system's error. Save panics with ErrNil, ErrValue or
// ErrClosed as [Module.Run] does. Follows torch.export.save.
func (m *Module) Save(path string) error {
	name := strings.TrimSuffix(filepath.Base(path), ".pt2")
	return m.save("export.Module.Save", path, name, func(write func(w io.Writer) error) error {
		return wholefile.Write(path, write)
	})
}

// SaveTo is like [Module.Save], but writes to w. A nil w gives a *torch.Error of kind ErrNil.
func (m *Module) SaveTo(w io.Writer) error {
	const op = "export.Module.SaveTo"
	if w == nil {
		return torch.NewError(op, torch.ErrNil, "w", "a nil writer")
	}
	return m.save(op, "", "program", func(write func(w io.Writer) error) error { return write(w) })
}

func (m *Module) save(op, path, name string, put func(write func(w io.Writer) error) error) error {
	p := m.enter(op)
	defer m.shared.mu.RUnlock()
	s := &saver{shared: m.shared, files: map[string]*payloads{}}
	defer s.close()
	var err error
	if wrong := torch.Try(func() { torch.NoGrad(func() { torch.Scope(func() { err = s.collect() }) }) }); wrong != nil {
		err = wrong
	}
	if err == nil {
		err = put(func(w io.Writer) error { return s.write(w, name, p.program) })
	}
	return failed(path, err)
}

// failed returns a *torch.FileError for an error of Save.
func failed(path string, err error) error {
	var fe *torch.FileError
	if err == nil || errors.As(err, &fe) {
		return err
	}
	var te *torch.Error
	if errors.As(err, &te) {
		return &torch.FileError{
			Format: format, Path: path, Offset: fileerr.NoOffset, Kind: te.Kind, Detail: "the program cannot be saved",
			Err: err,
		}
	}
	var pe *fs.PathError
	if path == "" && errors.As(err, &pe) {
		path = pe.Path
	}
	return &torch.FileError{Format: format, Path: path, Offset: fileerr.NoOffset, Err: err}
}

// saver writes the tensors of a program. Those that share memory share it in the file.
type saver struct {
	*shared
	files    map[string]*payloads // the folders of the archive, with what describes their tensors
	storages []savedStorage
}

// savedStorage is the memory of tensors.
type savedStorage struct {
	folder, name string
	of           *torch.Tensor // one of the tensors
	whole        *torch.Tensor // all its bytes
}

func (s *saver) close() {
	for _, st := range s.storages {
		_ = st.whole.Close() // never fails
	}
}

// collect finds the tensors and their memory.
func (s *saver) collect() error {
	for _, folder := range []string{weightsFolder, constantsFolder} {
		s.files[folder] = &payloads{Config: map[string]payload{}}
	}
	for i := range s.program.inputs {
		in := &s.program.inputs[i]
		if s.inputs[i].i < 0 {
			continue
		}
		t := s.inputs[i].get(s.shared)
		if t.IsClosed() {
			return torch.NewError("export.Module.Save", torch.ErrClosed, in.name, "tensor used after Close")
		}
		if err := in.meta.fits(t); err != nil {
			return torch.NewError("export.Module.Save", torch.ErrUnsupported, in.name, err.Error())
		}
		folder, file := weightsFolder, "weight_%d"
		if in.kind == constantTensor || in.kind == buffer && !in.persistent {
			folder, file = constantsFolder, "tensor_%d"
		}
		s.files[folder].Config[in.name] = payload{
			Path: s.storage(folder, file, t), Parameter: in.kind == parameter, Meta: metaOf(t),
		}
	}
	return nil
}

// fits returns an error if a tensor is not what the program expects.
func (m *tensorMeta) fits(t *torch.Tensor) error {
	size, _, _, err := m.extent()
	switch {
	case err != nil:
		return err
	case dtypes[m.DType] != t.DType().Code() || !torch.Shape(size).Equal(t.Shape()):
		return fmt.Errorf("it is a tensor of %v %v, but the program has %v %v", t.DType(), t.Shape(),
			torch.DTypeOf(dtypes[m.DType]), torch.Shape(size))
	case t.Layout() != torch.Strided:
		return fmt.Errorf("it is a tensor of layout %v, not a dense one", t.Layout())
	}
	return nil
}

func metaOf(t *torch.Tensor) *tensorMeta {
	ints := func(ns []int64) []union {
		us := make([]union, len(ns))
		for i, n := range ns {
			us[i] = member("as_int", n)
		}
		return us
	}
	return &tensorMeta{
		DType: numberOf(dtypes, t.DType().Code()), RequiresGrad: t.RequiresGrad(), Device: device{Type: "cpu"},
		Sizes: ints(t.Shape()), Strides: ints(t.Stride()), Offset: member("as_int", t.StorageOffset()), Layout: 7,
	}
}

// storage returns the name of the file with the memory of t.
func (s *saver) storage(folder, file string, t *torch.Tensor) string {
	n := 0
	for _, st := range s.storages {
		if st.folder != folder {
			continue
		}
		if st.of == t || st.of.SharesStorage(t) {
			return st.name
		}
		n++
	}
	size := t.DType().Size()
	whole := t.Detach().AsStrided([]int64{t.StorageBytes() / size}, []int64{1}, 0)
	name := fmt.Sprintf(file, n)
	s.storages = append(s.storages, savedStorage{folder, name, t, torch.Disown(whole)})
	return name
}

// write writes the archive.
func (s *saver) write(w io.Writer, name string, p *program) error {
	z := zip.NewWriter(w)
	entry := func(file string, data []byte) error {
		e, err := z.CreateHeader(&zip.FileHeader{Name: name + "/" + file, Method: zip.Store})
		if err == nil {
			_, err = e.Write(data)
		}
		return err
	}
	for _, st := range s.storages {
		if err := s.bytes(st, func(data []byte) error { return entry(st.folder+st.name, data) }); err != nil {
			return err
		}
	}
	files := []struct{ name, data string }{
		{"models/model.json", string(p.text)},
		{"data/sample_inputs/model.pt", string(p.sample)},
		{"archive_format", "pt2"},
		{"archive_version", "0"},
		{".data/version", "3\n"},
		{"byteorder", "little"},
	}
	for folder, config := range s.files {
		text, err := json.Marshal(config)
		if err != nil {
			return err
		}
		files = append(files, struct{ name, data string }{configOf(folder, "model"), string(text)})
	}
	for _, f := range files {
		if err := entry(f.name, []byte(f.data)); err != nil {
			return err
		}
	}
	return z.Close()
}

// bytes calls fn with the bytes of a storage.
func (s *saver) bytes(st savedStorage, fn func(data []byte) error) (err error) {
	torch.NoGrad(func() {
		torch.Scope(func() {
			whole := st.whole
			if !whole.Device().IsCPU() {
				whole = whole.To(torch.CPU)
			}
			err = fn(mapped.Memory(whole))
		})
	})
	return err
}

// sampleOf returns the file with the example inputs.
func sampleOf(inputs []*torch.Tensor) ([]byte, error) {
	args := make(Tuple, len(inputs))
	for i, x := range inputs {
		args[i] = x
	}
	var b bytes.Buffer
	err := serialization.SaveTo(&b, Tuple{args, NewDict()})
	return b.Bytes(), err
}
