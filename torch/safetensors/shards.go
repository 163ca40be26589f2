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

// Sharded is a set of files with an index. [OpenSharded] returns it. Methods of nil and
// of the zero Sharded panic with a *torch.Error of kind ErrNil. A Sharded is safe for
// use by several goroutines.
type Sharded struct {
	path     string
	files    map[string]*File // the open files, by their names in the index
	where    map[string]*File // for each tensor, the file that contains it
	metadata map[string]string
}

// OpenSharded opens the files that an index lists and reads their headers. path is an
// index, such as model.safetensors.index.json, or a directory that contains
// model.safetensors.index.json or, without an index, model.safetensors. Close the set
// when you need no more tensors from it; tensors already read stay valid.
//
// The files must be in or below the index's directory and end in .safetensors. Tensors in
// the files that the index does not list are included, as in Python. The error is a
// [*torch.FileError]: ErrMismatch for a tensor that is not in the file that the index
// names, or that is in two files and not in the index; ErrFormat for an invalid index or
// one that lists files elsewhere; and the errors of [Open]. Invalid options panic.
// huggingface_hub and transformers write and read such sets.
func OpenSharded(path string, opts ...OpenOption) (*Sharded, error) {
	o, err := readOpening("safetensors.OpenSharded", opts)
	if err != nil {
		return nil, err
	}
	return openSharded(path, o)
}

// LoadSharded returns all tensors of a set of files; see [OpenSharded]. If it fails, it
// returns no tensors.
func LoadSharded(path string, opts ...OpenOption) (map[string]*torch.Tensor, error) {
	o, err := readOpening("safetensors.LoadSharded", opts)
	if err != nil {
		return nil, err
	}
	s, err := openSharded(path, o)
	if err != nil {
		return nil, err
	}
	defer func() { _ = s.Close() }() // the files were only read, so closing them loses no data
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
			_ = s.Close() // only the first error is returned
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

// openSingle opens a set that consists of one file without an index.
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

// place sets s.where, which maps each tensor to its file.
func (s *Sharded) place(index *index) error {
	for tensor, name := range index.files {
		f := s.files[name]
		if _, err := f.info(tensor); err != nil {
			return of(tensor, fault(s.path, torch.ErrMismatch, -1, "the index says that it is in %s, which does not "+
				"have it", quote(name)))
		}
		s.where[tensor] = f
	}
	for _, name := range slices.Sorted(maps.Keys(s.files)) {
		for _, tensor := range s.files[name].OffsetNames() {
			if index.files[tensor] != "" {
				continue
			}
			if s.where[tensor] != nil {
				return of(tensor, fault(s.path, torch.ErrMismatch, -1,
					"the tensor is in several files, including %s, but the index does not list it", quote(name)))
			}
			s.where[tensor] = s.files[name]
		}
	}
	return nil
}

// Close closes all files. Tensors stay valid. Closing twice, or closing nil, does
// nothing.
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

// Names returns the tensor names of all files, in alphabetical order.
func (s *Sharded) Names() []string {
	s.must("safetensors.Sharded.Names")
	return slices.Sorted(maps.Keys(s.where))
}

// must panics unless OpenSharded returned s.
func (s *Sharded) must(op string) {
	if s == nil || s.files == nil {
		panic(torch.NewError(op, torch.ErrNil, "s", "was not returned by OpenSharded"))
	}
}

// Metadata returns a copy of the index's or the only file's metadata, or nil if there is
// none. Values that are not strings are formatted as JSON: total_size may be "28966928".
func (s *Sharded) Metadata() map[string]string {
	s.must("safetensors.Sharded.Metadata")
	return maps.Clone(s.metadata)
}

// File returns the file that contains a tensor, or a [*torch.FileError] of kind
// ErrNotFound. Closing s closes the file.
func (s *Sharded) File(name string) (*File, error) {
	s.must("safetensors.Sharded.File")
	return s.file(name)
}

func (s *Sharded) file(name string) (*File, error) {
	if f := s.where[name]; f != nil {
		return f, nil
	}
	return nil, of(name, fault(s.path, torch.ErrNotFound, -1, "none of the %d files has this tensor", len(s.files)))
}

// Info calls [File.Info] on the file that contains the tensor.
func (s *Sharded) Info(name string) (Info, error) {
	s.must("safetensors.Sharded.Info")
	f, err := s.file(name)
	if err != nil {
		return Info{}, err
	}
	return f.Info(name)
}

// Path returns the path of the index, or of the only file.
func (s *Sharded) Path() string {
	s.must("safetensors.Sharded.Path")
	return s.path
}

// Meta calls [File.Meta] on the file that contains the tensor.
func (s *Sharded) Meta(name string) (*torch.Tensor, error) {
	s.must("safetensors.Sharded.Meta")
	f, err := s.file(name)
	if err != nil {
		return nil, err
	}
	return f.Meta(name)
}

// Tensor calls [File.Tensor] on the file that contains the tensor.
func (s *Sharded) Tensor(name string) (*torch.Tensor, error) {
	s.must("safetensors.Sharded.Tensor")
	f, err := s.file(name)
	if err != nil {
		return nil, err
	}
	return f.Tensor(name)
}

// Slice calls [File.Slice] on the file that contains the tensor.
func (s *Sharded) Slice(name string, indices ...any) (*torch.Tensor, error) {
	s.must("safetensors.Sharded.Slice")
	f, err := s.file(name)
	if err != nil {
		return nil, err
	}
	return f.Slice(name, indices...)
}

// Tensors returns all tensors by name; see [File.Tensor]. If it fails, it returns no tensors.
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

// String returns a description of the set of files, for logs.
func (s *Sharded) String() string {
	s.must("safetensors.Sharded.String")
	return s.path + ": " + strconv.Itoa(len(s.where)) + " tensors in " + strconv.Itoa(len(s.files)) + " files"
}
