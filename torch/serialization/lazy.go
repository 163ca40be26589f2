package serialization

import (
	"errors"
	"fmt"
	"sync"

	"github.com/gotorch/gotorch/internal/mapped"
	"github.com/gotorch/gotorch/internal/pickle"
	"github.com/gotorch/gotorch/torch"
)

// StateDictFile is a state dict in an open file, of which one tensor at a time is read. It
// is what nn.LoadFrom and LoadStateDict of a module load from. [OpenStateDict] makes it;
// methods of any other, and of nil, panic with an *torch.Error of kind ErrNil. They may be
// called from several goroutines at once.
type StateDictFile struct {
	l     *reading
	names []string
	at    map[string]*tensor
	other []string
	state any // of the dict, which has its metadata

	mu     sync.Mutex // of what follows, and of what l keeps while a tensor is made
	m      *mapped.File
	closed bool
}

// OpenStateDict is [LoadStateDict] that reads the description of the tensors alone; their
// values are read when they are asked for. A tensor costs the memory of its storage while
// it is read: one that is a part of a larger storage, all of it. With [Mmap] its memory is
// the file. Close it when no more tensors are to come of it; those that came stay. The
// error is that of LoadStateDict.
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
		_ = f.os.Close() // the first error counts
		return nil, f.wrap(err)
	}
	return s, nil
}

// index notes what there is.
func (s *StateDictFile) index(top any) error {
	part, err := s.l.entry(top)
	if err != nil {
		return err
	}
	m, ok := part.(*pickle.Map)
	if !ok {
		return s.l.fail(ErrFormat, -1, "no state dict: the file holds %s", kindName(part))
	}
	if m.State != nil {
		s.state = m.State
	}
	for i, k := range m.Keys {
		name, ok := k.(string)
		if !ok {
			return s.l.fail(ErrFormat, -1, "no state dict: its key is %s%s", kindName(k), within(s.l.key))
		}
		t, ok := m.Values[i].(*tensor)
		if a, is := m.Values[i].(*array); is && !a.number {
			t, ok = &tensor{at: a.at, array: a}, true
		}
		if ok {
			s.names = append(s.names, name)
			s.at[name] = t
		} else {
			s.other = append(s.other, name)
		}
	}
	if len(s.names) == 0 && len(m.Keys) > 0 {
		return s.l.fail(ErrFormat, -1, "no state dict: no tensor among its entries %s%s; Key names the entry that has one", keysOf(m), within(s.l.key))
	}
	return nil
}

// must panics for a state dict that OpenStateDict did not make.
func (s *StateDictFile) must(op string) {
	if s == nil || s.l == nil {
		panic(torch.NewError(op, torch.ErrNil, "s", "is no file that OpenStateDict returned"))
	}
}

// Names returns the names in the file's order, a slice of the caller's.
func (s *StateDictFile) Names() []string {
	s.must("serialization.StateDictFile.Names")
	return append([]string(nil), s.names...)
}

// Other returns the names of the entries that are no tensors, which [LoadStateDict] reads.
func (s *StateDictFile) Other() []string {
	s.must("serialization.StateDictFile.Other")
	return append([]string(nil), s.other...)
}

// LayerVersion is [Dict.LayerVersion] of the state dict.
func (s *StateDictFile) LayerVersion(path string) (version int64, ok bool) {
	s.must("serialization.StateDictFile.LayerVersion")
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

// Path returns the name of the file, as it was opened.
func (s *StateDictFile) Path() string {
	s.must("serialization.StateDictFile.Path")
	return s.l.path
}

// String says what there is, for logs.
func (s *StateDictFile) String() string {
	s.must("serialization.StateDictFile.String")
	return fmt.Sprintf("%s: %d tensors", s.l.path, len(s.names))
}

// Close closes the file. Tensors stay. It may be called twice, and on nil.
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

// Tensor reads a tensor, owned by the innermost scope, else by the collector. Each call
// returns another one, with memory of its own unless the file is mapped. The error is that
// of [Load], of kind [ErrNotFound] for a name that is not there, and an *torch.Error of
// kind ErrClosed after Close.
func (s *StateDictFile) Tensor(name string) (*torch.Tensor, error) {
	const op = "serialization.StateDictFile.Tensor"
	s.must(op)
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
	s.m, b.m = b.m, nil // it stays for the next
	out, _ := v.(*torch.Tensor)
	for _, made := range b.made {
		if err == nil && made != out { // such as the parts of a sparse one
			_ = made.Close()
		}
	}
	b.close(err != nil)
	if err != nil {
		return nil, s.named(name, err)
	}
	return out, nil
}

// Meta returns a tensor on the meta device, with shape, strides and dtype of one in the
// file, of which nothing is read. It is owned by the innermost scope, else by the
// collector. Its errors are those of Tensor but for what only its bytes can tell, which are
// the checksum and errors of the system; and ErrUnsupported for a sparse tensor.
func (s *StateDictFile) Meta(name string) (out *torch.Tensor, err error) {
	const op = "serialization.StateDictFile.Meta"
	s.must(op)
	s.mu.Lock()
	defer s.mu.Unlock()
	t, err := s.find(op, name)
	if err != nil {
		return nil, err
	}
	t = t.plain()
	if len(t.parts) > 0 {
		return nil, s.named(name, s.l.fail(ErrUnsupported, t.at, "a sparse tensor, which LoadStateDict reads"))
	}
	s.l.op = op
	if t.array != nil { // the pickle has its elements
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

// readable looks whether the file has the bytes of a tensor, and the machine its device.
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

// find is called with the lock held.
func (s *StateDictFile) find(op, name string) (*tensor, error) {
	if s.closed {
		return nil, torch.NewError(op, torch.ErrClosed, "s", "used after Close")
	}
	t := s.at[name]
	if t == nil {
		return nil, s.named(name, s.l.fail(ErrNotFound, -1, "the file has no such tensor"))
	}
	return t, nil
}

// named says which tensor an error is about.
func (s *StateDictFile) named(name string, err error) error {
	err = s.l.wrap(err)
	var fe *FileError
	if errors.As(err, &fe) {
		fe.Tensor = name
	}
	return err
}
