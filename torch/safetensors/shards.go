package safetensors

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/gotorch/gotorch/torch"
)

const (
	extension      = ".safetensors"
	indexExtension = ".index.json"
	singleName     = "model" + extension
)

// Sharded are several files that an index makes one set of tensors. [OpenSharded] makes it;
// methods of any other, and of nil, panic with an *torch.Error of kind ErrNil. They may be
// called from several goroutines at once.
type Sharded struct {
	path     string
	files    map[string]*File // by the name in the index
	where    map[string]*File // of each tensor
	metadata map[string]string
}

// OpenSharded opens the files that an index names, such as model.safetensors.index.json,
// and reads their headers. path is the index, or the folder of model.safetensors.index.json
// or, if it has none, of model.safetensors. Close it when no more tensors are to come of
// it; those that came stay.
//
// A file has to be in the index's folder or below it, and to be called .safetensors. Its
// tensors that the index does not have count too, as in Python. It returns a *[FileError]:
// ErrMismatch for a tensor that is not where the index says or is in two files of which it
// says neither, ErrFormat for an index that is none or names files elsewhere, and those of
// [Open]. Wrong options panic. huggingface_hub and transformers write and read such sets.
func OpenSharded(path string, opts ...OpenOption) (*Sharded, error) {
	o, err := readOpening("safetensors.OpenSharded", opts)
	if err != nil {
		return nil, err
	}
	return openSharded(path, o)
}

// LoadSharded returns all tensors of the files that an index names, see [OpenSharded].
// They are owned by the innermost scope, else by the collector; after an error there are
// none.
func LoadSharded(path string, opts ...OpenOption) (map[string]*torch.Tensor, error) {
	o, err := readOpening("safetensors.LoadSharded", opts)
	if err != nil {
		return nil, err
	}
	s, err := openSharded(path, o)
	if err != nil {
		return nil, err
	}
	defer func() { _ = s.Close() }() // of files that were read
	return s.Tensors()
}

func openSharded(path string, o opening) (*Sharded, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		folder := path
		path = filepath.Join(folder, singleName+indexExtension)
		if _, err := os.Stat(path); os.IsNotExist(err) {
			return openSingle(filepath.Join(folder, singleName), o)
		}
	}
	index, err := readIndex(path)
	if err != nil {
		return nil, err
	}
	s := &Sharded{path: path, files: map[string]*File{}, where: map[string]*File{}, metadata: index.metadata}
	for _, name := range slices.Sorted(maps.Values(index.files)) {
		if s.files[name] != nil {
			continue
		}
		f, err := open(filepath.Join(filepath.Dir(path), filepath.FromSlash(name)), o)
		if err != nil {
			_ = s.Close() // the first error counts
			return nil, err
		}
		s.files[name] = f
	}
	if err := s.place(index); err != nil {
		_ = s.Close()
		return nil, err
	}
	return s, nil
}

// openSingle is a set of one file, which needs no index.
func openSingle(path string, o opening) (*Sharded, error) {
	f, err := open(path, o)
	if err != nil {
		return nil, err
	}
	s := &Sharded{path: path, files: map[string]*File{singleName: f}, where: map[string]*File{}, metadata: f.Metadata()}
	for _, tensor := range f.OffsetNames() {
		s.where[tensor] = f
	}
	return s, nil
}

// place finds the file of each tensor.
func (s *Sharded) place(index *index) error {
	for tensor, name := range index.files {
		f := s.files[name]
		if _, err := f.info(tensor); err != nil {
			return of(tensor, fault(s.path, ErrMismatch, -1, "the index says that it is in %s, which does not have it", quote(name)))
		}
		s.where[tensor] = f
	}
	for _, name := range slices.Sorted(maps.Keys(s.files)) {
		for _, tensor := range s.files[name].OffsetNames() {
			if index.files[tensor] != "" {
				continue
			}
			if s.where[tensor] != nil {
				return of(tensor, fault(s.path, ErrMismatch, -1, "it is in several files, among them %s, and the index does not say which counts", quote(name)))
			}
			s.where[tensor] = s.files[name]
		}
	}
	return nil
}

// Close closes all files. Tensors stay. It may be called twice, and on nil.
func (s *Sharded) Close() error {
	if s == nil {
		return nil
	}
	var first error
	for _, name := range slices.Sorted(maps.Keys(s.files)) {
		if err := s.files[name].Close(); first == nil {
			first = err
		}
	}
	return first
}

// Names returns the names of the tensors of all files in alphabetical order.
func (s *Sharded) Names() []string {
	s.must("safetensors.Sharded.Names")
	return slices.Sorted(maps.Keys(s.where))
}

// must panics for a set that OpenSharded did not make.
func (s *Sharded) must(op string) {
	if s == nil || s.files == nil {
		panic(torch.NewError(op, torch.ErrNil, "s", "is no set that OpenSharded returned"))
	}
}

// Metadata returns a copy of the index's metadata, values that are no strings as JSON:
// total_size is "28966928". Without an index it is that of the file. It is nil if there is
// none.
func (s *Sharded) Metadata() map[string]string {
	s.must("safetensors.Sharded.Metadata")
	return maps.Clone(s.metadata)
}

// File returns the file that has a tensor, which s closes; a *[FileError] of kind
// ErrNotFound if none has it.
func (s *Sharded) File(name string) (*File, error) {
	s.must("safetensors.Sharded.File")
	return s.file(name)
}

func (s *Sharded) file(name string) (*File, error) {
	if f := s.where[name]; f != nil {
		return f, nil
	}
	return nil, of(name, fault(s.path, ErrNotFound, -1, "none of the %d files has such a tensor", len(s.files)))
}

// Info is [File.Info] of the file that has the tensor.
func (s *Sharded) Info(name string) (Info, error) {
	s.must("safetensors.Sharded.Info")
	f, err := s.file(name)
	if err != nil {
		return Info{}, err
	}
	return f.Info(name)
}

// Path returns the name of the index, or of the one file of a set without.
func (s *Sharded) Path() string {
	s.must("safetensors.Sharded.Path")
	return s.path
}

// Meta is [File.Meta] of the file that has the tensor.
func (s *Sharded) Meta(name string) (*torch.Tensor, error) {
	s.must("safetensors.Sharded.Meta")
	f, err := s.file(name)
	if err != nil {
		return nil, err
	}
	return f.Meta(name)
}

// Tensor is [File.Tensor] of the file that has the tensor.
func (s *Sharded) Tensor(name string) (*torch.Tensor, error) {
	s.must("safetensors.Sharded.Tensor")
	f, err := s.file(name)
	if err != nil {
		return nil, err
	}
	return f.Tensor(name)
}

// Slice is [File.Slice] of the file that has the tensor.
func (s *Sharded) Slice(name string, indices ...any) (*torch.Tensor, error) {
	s.must("safetensors.Sharded.Slice")
	f, err := s.file(name)
	if err != nil {
		return nil, err
	}
	return f.Slice(name, indices...)
}

// Tensors returns all tensors by name, each as [File.Tensor] does; after an error none.
func (s *Sharded) Tensors() (map[string]*torch.Tensor, error) {
	s.must("safetensors.Sharded.Tensors")
	tensors := make(map[string]*torch.Tensor, len(s.where))
	for _, name := range s.Names() {
		t, err := s.Tensor(name)
		if err != nil {
			closeAll(tensors)
			return nil, err
		}
		tensors[name] = t
	}
	return tensors, nil
}

// String says what there is, for logs.
func (s *Sharded) String() string {
	s.must("safetensors.Sharded.String")
	return s.path + ": " + strconv.Itoa(len(s.where)) + " tensors in " + strconv.Itoa(len(s.files)) + " files"
}
