package serialization

import (
	"errors"
	"fmt"
	"sync"

	"github.com/gotorch/gotorch/internal/mapped"
	"github.com/gotorch/gotorch/internal/pickle"
	"github.com/gotorch/gotorch/torch"
)

// StateDictFile is a state dict in an open file. Its tensors are read one at a time.
// [OpenStateDict] returns it. Use it with nn.LoadFrom and a module's LoadStateDict.
// Methods of nil and of the zero value panic with a *torch.Error of kind ErrNil. It is
// safe for use by several goroutines.
type StateDictFile struct {
	l          *reading
	names      []string
	at         map[string]*tensor
	otherNames []string
	state      any // the attributes of the dict, such as its metadata

	mu     sync.Mutex // guards the fields below, and the fields of l while a tensor is made
	m      *mapped.File
	closed bool
}

// OpenStateDict opens a file for reading its tensors on demand. It is like [LoadStateDict],
// but reads only the descriptions of the tensors. Reading a tensor takes the memory of its
// whole storage, even if the tensor is only a part of it. With [Mmap], the tensor uses the
// mapped file as its memory. Close the result when you need no more tensors from it;
// tensors already read stay valid. The errors are the same as for LoadStateDict.
func OpenStateDict(path string, opts ...StateDictOption) (*StateDictFile, error) {
	c, err := readStateDictLoading("serialization.OpenStateDict", opts)
	if err != nil {
		return nil, err
	}
	f, err := openFile(path)
	if err != nil {
		return nil, err
	}
	s := &StateDictFile{l: &reading{file: f, loading: c, storages: map[string]*storage{}}, at: map[string]*tensor{}}
	if err := s.l.read(s.index); err != nil {
		_ = f.os.Close() // only the first error is returned
		return nil, f.wrap(err)
	}
	return s, nil
}

func (s *StateDictFile) index(top any) error {
	part, err := s.l.entry(top)
	if err != nil {
		return err
	}
	m, ok := part.(*pickle.Map)
	if !ok {
		return s.l.fail(torch.ErrFormat, -1, "expected a state dict, but the file holds %s", kindName(part))
	}
	if m.State != nil {
		s.state = m.State
	}
	for i, k := range m.Keys {
		name, ok := k.(string)
		if !ok {
			return s.l.fail(torch.ErrFormat, -1, "expected string keys, got %s%s", kindName(k), within(s.l.key))
		}
		t, ok := m.Values[i].(*tensor)
		if a, is := m.Values[i].(*array); is && !a.number {
			t, ok = &tensor{at: a.at, array: a}, true
		}
		if ok {
			s.names = append(s.names, name)
			s.at[name] = t
		} else {
			s.otherNames = append(s.otherNames, name)
		}
	}
	if len(s.names) == 0 && len(m.Keys) > 0 {
		return s.l.fail(torch.ErrFormat, -1,
			"expected a state dict, but there is no tensor among the entries %s%s; use Key for "+
				"the entry that contains tensors", keysOf(m), within(s.l.key))
	}
	return nil
}

// mustBeOpened panics unless OpenStateDict returned s. It returns the name of a method for errors.
func (s *StateDictFile) mustBeOpened(method string) (op string) {
	op = "serialization.StateDictFile." + method
	if s == nil || s.l == nil {
		panic(torch.NewError(op, torch.ErrNil, "s", "was not returned by OpenStateDict"))
	}
	return op
}

// Names returns a new slice of the names in the file's order.
func (s *StateDictFile) Names() []string {
	s.mustBeOpened("Names")
	return append([]string(nil), s.names...)
}

// OtherNames returns the names of the entries that are not tensors. [LoadStateDict] returns their
// values.
func (s *StateDictFile) OtherNames() []string {
	s.mustBeOpened("OtherNames")
	return append([]string(nil), s.otherNames...)
}

// LayerVersion returns the version of a layer; see [Dict.LayerVersion].
func (s *StateDictFile) LayerVersion(path string) (version int64, ok bool) {
	s.mustBeOpened("LayerVersion")
	v := s.state
	for _, key := range []string{"_metadata", path, "version"} {
		m, isMap := v.(*pickle.Map)
		if !isMap {
			return 0, false
		}
		if v, ok = m.Get(key); !ok {
			return 0, false
		}
	}
	version, ok = v.(int64)
	return version, ok
}

// Path returns the path passed to OpenStateDict.
func (s *StateDictFile) Path() string {
	s.mustBeOpened("Path")
	return s.l.path
}

// String returns a description of the file, for logs.
func (s *StateDictFile) String() string {
	s.mustBeOpened("String")
	return fmt.Sprintf("%s: %d tensors", s.l.path, len(s.names))
}

// Close closes the file. Tensors stay valid. Closing twice, or closing nil, does nothing.
func (s *StateDictFile) Close() error {
	if s == nil || s.l == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil
	}
	s.closed = true
	if s.m != nil {
		s.m.Close()
	}
	return s.l.wrap(s.l.os.Close())
}

// Tensor reads a tensor. Each call returns a new one, with its own memory unless the file is
// mapped. The error may be one of [Load]'s, a [*torch.FileError] of kind [torch.ErrNotFound] for
// a missing name, or a *torch.Error of kind ErrClosed after Close.
func (s *StateDictFile) Tensor(name string) (*torch.Tensor, error) {
	op := s.mustBeOpened("Tensor")
	s.mu.Lock()
	defer s.mu.Unlock()
	t, err := s.find(op, name)
	if err != nil {
		return nil, err
	}
	s.l.op = op
	b := newBuilding(s.l)
	b.m = s.m
	v, err := b.all(t.plain())
	s.m, b.m = b.m, nil // keep the mapping of the file, so that the next call can use it
	out, _ := v.(*torch.Tensor)
	for _, made := range b.made {
		if err == nil && made != out { // made is a temporary tensor, such as a part of a sparse tensor
			_ = made.Close()
		}
	}
	b.close(err != nil)
	if err != nil {
		return nil, s.named(name, err)
	}
	return out, nil
}

// Meta returns a tensor on the meta device with the shape, strides and dtype of a tensor
// in the file. It reads no elements. The errors are the same as for Tensor, except checksum
// and read errors. For a sparse tensor it returns ErrUnsupported.
func (s *StateDictFile) Meta(name string) (out *torch.Tensor, err error) {
	op := s.mustBeOpened("Meta")
	s.mu.Lock()
	defer s.mu.Unlock()
	t, err := s.find(op, name)
	if err != nil {
		return nil, err
	}
	t = t.plain()
	if len(t.parts) > 0 {
		return nil, s.named(name, s.l.fail(torch.ErrUnsupported, t.at, "a sparse tensor; use LoadStateDict to read it"))
	}
	s.l.op = op
	if t.array != nil { // the elements of a NumPy array are in the pickle
		made, err := newBuilding(s.l).tensor(t)
		if err != nil {
			return nil, s.named(name, err)
		}
		defer func() { _ = made.Close() }()
		t = &tensor{size: made.Shape(), stride: made.Stride(), dtype: made.DType()}
	}
	if err := s.readable(t); err != nil {
		return nil, s.named(name, err)
	}
	err = torch.Try(func() { out = torch.EmptyStrided(t.size, t.stride, t.dtype, torch.Meta) })
	return out, err
}

// readable checks that the file contains the bytes of a tensor, and that its device is available.
func (s *StateDictFile) readable(t *tensor) error {
	if t.storage == nil {
		return nil
	}
	if s.l.device == 0 {
		if _, err := newBuilding(s.l).saved(t.storage.storage, t.at); err != nil {
			return err
		}
	}
	_, err := s.l.source.open(t.storage.storage)
	return err
}

// find returns the description of a tensor. The caller must hold s.mu.
func (s *StateDictFile) find(op, name string) (*tensor, error) {
	if s.closed {
		return nil, torch.NewError(op, torch.ErrClosed, "s", "used after Close")
	}
	t := s.at[name]
	if t == nil {
		return nil, s.named(name, s.l.fail(torch.ErrNotFound, -1, "the file has no such tensor"))
	}
	return t, nil
}

// named adds the tensor's name to an error.
func (s *StateDictFile) named(name string, err error) error {
	err = s.l.wrap(err)
	var fe *torch.FileError
	if errors.As(err, &fe) {
		fe.Tensor = name
	}
	return err
}
