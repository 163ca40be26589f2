package safetensors

import (
	"errors"
	"io"
	"maps"
	"os"
	"slices"
	"sync"

	"github.com/gotorch/gotorch/internal/fileerr"
	"github.com/gotorch/gotorch/internal/mapped"
	"github.com/gotorch/gotorch/torch"
)

// File is an open file. [Open] returns it. Methods of nil and of the zero File panic
// with a *torch.Error of kind ErrNil. A File is safe for use by several goroutines.
type File struct {
	path string
	head *header
	opening

	mu     sync.Mutex // guards the fields below
	file   *os.File
	mapped *mapped.File // with BackendMmap
	closed bool
}

// Open opens a file and reads its header. Close the file when you need no more tensors
// from it; tensors already read stay valid.
//
// The error is a [*torch.FileError]: ErrFormat or ErrTruncated for a damaged file or a
// file in a different format, fs.ErrNotExist for a missing file, or an error of the
// system. For an unavailable [Device] it is a *torch.Error of kind ErrDevice. Invalid
// options panic. Follows safetensors.safe_open.
func Open(path string, opts ...OpenOption) (*File, error) {
	o, err := readOpening("safetensors.Open", opts)
	if err != nil {
		return nil, err
	}
	return open(path, o)
}

func open(path string, o opening) (*File, error) {
	f, size, err := fileerr.Open(formatName, path)
	if err != nil {
		return nil, err
	}
	r := &File{path: path, opening: o}
	if err := r.read(f, size); err != nil {
		_ = f.Close() // only the first error is returned
		return nil, err
	}
	return r, nil
}

// read reads the header of an open file. With BackendMmap it also maps the file.
func (f *File) read(file *os.File, size int64) error {
	var err error
	if f.head, err = readHeader(f.path, file, size); err != nil {
		return err
	}
	f.file = file
	if f.backend == BackendPread {
		return nil
	}
	f.mapped, err = mapped.Map(file, size)
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF): // the file has been truncated since it was opened
		return &torch.FileError{
			Format: formatName, Path: f.path, Offset: fileerr.NoOffset, Kind: torch.ErrTruncated,
			Err: err,
		}
	case err != nil:
		return ioFault(f.path, "cannot be mapped", err)
	}
	return nil
}

// must panics unless Open returned f.
func (f *File) must(op string) {
	if f == nil || f.head == nil {
		panic(torch.NewError(op, torch.ErrNil, "f", "was not returned by Open"))
	}
}

// Close closes the file. Its tensors stay valid; if they use the mapping, the mapping stays
// too. Methods that use only the header, such as Names and Info, still work. Closing twice,
// or closing nil, does nothing.
func (f *File) Close() error {
	if f == nil {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return nil
	}
	f.closed = true
	if f.mapped != nil {
		f.mapped.Close()
	}
	if f.file == nil { // the file was closed before, or Open did not return f
		return nil
	}
	if err := f.file.Close(); err != nil {
		return ioFault(f.path, "", err)
	}
	return nil
}

// Names returns the names of the tensors in alphabetical order, like Python's keys.
func (f *File) Names() []string {
	f.must("safetensors.File.Names")
	names := f.OffsetNames()
	slices.Sort(names)
	return names
}

// OffsetNames returns the names of the tensors in the order in which they are in the
// file. Follows safe_open's offset_keys.
func (f *File) OffsetNames() []string {
	f.must("safetensors.File.OffsetNames")
	names := make([]string, len(f.head.infos))
	for i := range f.head.infos {
		names[i] = f.head.infos[i].Name
	}
	return names
}

// Metadata returns a copy of the file's metadata, or nil if the file has none. Follows
// safe_open's metadata.
func (f *File) Metadata() map[string]string {
	f.must("safetensors.File.Metadata")
	return maps.Clone(f.head.metadata)
}

// Info returns the header's information about a tensor. For a missing tensor it returns
// a [*torch.FileError] of kind ErrNotFound.
func (f *File) Info(name string) (Info, error) {
	f.must("safetensors.File.Info")
	i, err := f.info(name)
	if err != nil {
		return Info{}, err
	}
	info := *i
	info.Shape = slices.Clone(i.Shape)
	return info, nil
}

// Path returns the path passed to Open.
func (f *File) Path() string {
	f.must("safetensors.File.Path")
	return f.path
}

// Meta returns a tensor on the meta device with the shape and dtype of a tensor in the
// file. It does not read the file. Its errors are ErrNotFound and ErrUnsupported.
func (f *File) Meta(name string) (*torch.Tensor, error) {
	f.must("safetensors.File.Meta")
	info, err := f.info(name)
	if err != nil {
		return nil, err
	}
	if err := info.supported(f.path); err != nil {
		return nil, err
	}
	return mapped.Try(func() *torch.Tensor { return torch.Empty(info.torchShape(), info.DType, torch.Meta) })
}

func (f *File) info(name string) (*Info, error) {
	i, ok := f.head.byName[name]
	if !ok {
		return nil, of(name, fault(f.path, torch.ErrNotFound, -1, "the file has no such tensor"))
	}
	return &f.head.infos[i], nil
}

// Tensor reads a tensor of the file. Each call reads it again and returns a new tensor.
//
// With [BackendMmap], on the CPU, it does not read the elements: the tensor's memory is the
// mapping. If you read the same name again, both tensors share this memory. Writing to the
// tensor changes only this process's copy of the pages. A tensor that is not aligned to the
// size of its elements is copied; no known program writes such files.
//
// The error is a [*torch.FileError]: ErrNotFound, ErrUnsupported for a dtype that libtorch
// does not have, or ErrTruncated if the file has been truncated. It may also be a
// *torch.Error: ErrClosed after Close, or an error of libtorch, such as ErrOutOfMemory.
// Follows safe_open's get_tensor.
func (f *File) Tensor(name string) (*torch.Tensor, error) {
	const op = "safetensors.File.Tensor"
	f.must(op)
	return f.on(f.device, op, name)
}

// Slice returns a part of a tensor, like [torch.Tensor.Index] with the same indices:
//
//	rows, err := f.Slice("embedding", torch.Slice(0, 100))
//
// With integers and ranges, Slice reads the file from the first element of the part to
// the last one. With other indices, it first reads the whole tensor. If the file was
// opened for the CPU with [BackendMmap], integers and ranges give a view of the mapping.
// For a different device, only the part is copied to the device. The errors are the
// same as for Tensor and Index. Follows safe_open's get_slice.
func (f *File) Slice(name string, indices ...any) (*torch.Tensor, error) {
	const op = "safetensors.File.Slice"
	f.must(op)
	if f.backend == BackendPread && plain(indices) {
		return f.span(op, name, indices)
	}
	whole, err := f.on(torch.CPU, op, name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = whole.Close() }()
	return mapped.Try(func() *torch.Tensor {
		return torch.Tidy(func() *torch.Tensor { return whole.Index(indices...).To(f.device) })
	})
}

// Tensors returns all tensors by name; see [File.Tensor]. If it fails, it returns no
// tensors. Follows safe_open's get_tensors.
func (f *File) Tensors() (map[string]*torch.Tensor, error) {
	f.must("safetensors.File.Tensors")
	tensors := make(map[string]*torch.Tensor, len(f.head.infos))
	for i := range f.head.infos {
		name := f.head.infos[i].Name
		t, err := f.Tensor(name)
		if err != nil {
			closeAll(tensors)
			return nil, err
		}
		tensors[name] = t
	}
	return tensors, nil
}

func closeAll(tensors map[string]*torch.Tensor) {
	for _, t := range tensors {
		_ = t.Close() // always nil
	}
}

// on reads a tensor and copies it to the device. op is the function name for errors.
func (f *File) on(device torch.Device, op, name string) (*torch.Tensor, error) {
	info, err := f.info(name)
	if err != nil {
		return nil, err
	}
	if err := info.supported(f.path); err != nil {
		return nil, err
	}
	t, err := f.cpu(op, info)
	if err != nil || device == torch.CPU {
		return t, err
	}
	defer func() { _ = t.Close() }()
	return mapped.Try(func() *torch.Tensor { return t.To(device) })
}

// supported returns an error if libtorch cannot represent the tensor.
func (i *Info) supported(path string) error {
	if i.DType == 0 {
		return of(i.Name, fault(path, torch.ErrUnsupported, i.Offset, "libtorch has no dtype for %s", i.Code))
	}
	if pack, n := codes[i.code].pack, len(i.Shape); pack > 1 && (n == 0 || i.Shape[n-1]%pack != 0) {
		return of(i.Name, fault(path, torch.ErrUnsupported, i.Offset, "libtorch packs %s in groups of %d along the "+
			"last dimension, got shape %v", i.Code, pack, i.Shape))
	}
	return nil
}

// cpu returns a CPU tensor: a view of the mapping, or a copy.
func (f *File) cpu(op string, info *Info) (*torch.Tensor, error) {
	f.mu.Lock()
	closed, m, file := f.closed, f.mapped, f.file
	f.mu.Unlock()
	switch {
	case closed:
		return nil, usedAfterClose(op)
	case m == nil:
		return f.readAt(op, file, info, info.Offset)
	}
	if err := f.holds(op, file, info); err != nil {
		return nil, err
	}
	if info.Offset%info.DType.Size() == 0 {
		return mapped.Try(func() *torch.Tensor { return m.Tensor(op, info.Offset, info.torchShape(), info.DType) })
	}
	raw, err := mapped.Try(func() *torch.Tensor {
		return m.Tensor(op, info.Offset, torch.Shape{info.Bytes}, torch.Uint8)
	})
	if err != nil {
		return nil, err
	}
	defer func() { _ = raw.Close() }()
	return filled(f.path, info, bytesAt(mapped.Memory(raw)), 0)
}

// readAt returns a tensor with the bytes of one of the file's tensors, or of a part of
// it. The bytes begin at the given offset.
func (f *File) readAt(op string, file *os.File, info *Info, at int64) (*torch.Tensor, error) {
	t, err := filled(f.path, info, file, at)
	if errors.Is(err, os.ErrClosed) { // another goroutine has closed the file
		err = usedAfterClose(op)
	}
	return t, err
}

// holds returns an error if the file no longer contains the bytes of a mapped tensor.
func (f *File) holds(op string, file *os.File, info *Info) error {
	end := info.Offset + info.Bytes
	n, err := mapped.Missing(file, end)
	switch {
	case errors.Is(err, os.ErrClosed):
		return usedAfterClose(op)
	case err != nil:
		return ioFault(f.path, "", err)
	case n > 0:
		return of(info.Name, tooShort(f.path, end-n, n))
	}
	return nil
}

func usedAfterClose(op string) error {
	return torch.NewError(op, torch.ErrClosed, "f", "used after Close")
}

// filled returns a new CPU tensor with the bytes of a reader, from the given offset.
func filled(path string, info *Info, r io.ReaderAt, at int64) (*torch.Tensor, error) {
	t, err := mapped.Try(info.empty)
	if err != nil {
		return nil, err
	}
	if err := readAt(path, r, mapped.Memory(t), at); err != nil {
		_ = t.Close()
		return nil, named(info.Name, err)
	}
	return t, nil
}

// empty returns a CPU tensor with uninitialized elements.
func (i *Info) empty() *torch.Tensor {
	if i.DType != torch.Float4E2M1FNX2 {
		return torch.Empty(i.torchShape(), i.DType, torch.CPU)
	}
	// torch.Empty is not used, because in deterministic mode it would fill the memory,
	// which libtorch does not support for this dtype.
	return torch.Tidy(func() *torch.Tensor {
		return torch.Empty(i.torchShape(), torch.Uint8, torch.CPU).ViewDType(i.DType)
	})
}

// named sets the name of the tensor in an error, if the error is a FileError.
func named(tensor string, err error) error {
	if e, ok := err.(*torch.FileError); ok { //nolint:errorlint // no function below wraps a FileError
		e.Tensor = tensor
	}
	return err
}
